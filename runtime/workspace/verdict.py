"""How bad a finding is at which gate: a restore only reads, opening a session acts."""

from __future__ import annotations

from typing import Any, Literal

from ...events.findings import Finding, Severity

Gate = Literal["restore", "open"]
Weight = Literal["refuse", "refuse-open", "warn", "tell"]
"""`refuse`: an error at both gates. `refuse-open`: an error when the session is opened, a warning when it is only restored."""

_SEVERITIES: dict[tuple[Weight, Gate], Severity] = {
    ("refuse", "restore"): "error",
    ("refuse", "open"): "error",
    ("refuse-open", "restore"): "warning",
    ("refuse-open", "open"): "error",
    ("warn", "restore"): "warning",
    ("warn", "open"): "warning",
    ("tell", "restore"): "info",
    ("tell", "open"): "info",
}


def verdict(gate: Gate, weight: Weight, code: str, message: str, remedy: str = "", **facts: Any) -> Finding:
    """A finding with the severity that its weight has at this gate; `blocks` among the facts names the gates it shuts."""
    blocks = {"refuse": ["restore", "open"], "refuse-open": ["open"]}.get(weight)
    if blocks is not None:
        facts["blocks"] = blocks
    return Finding(code=code, severity=_SEVERITIES[weight, gate], message=message, remedy=remedy, facts=facts)
