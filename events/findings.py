"""One result of a check: what is wrong, how bad, what to do; all of them together grade a restore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from .blocks import Frozen

Severity = Literal["info", "repaired", "warning", "error"]
Outcome = Literal["ok", "repaired", "degraded", "refused"]


class Finding(Frozen):
    """`code` is kebab-case and stable (all are listed in docs/reference/findings.md); `facts` holds JSON values.

    For a damaged record the facts are `path`, `line` (from 1), `byte_offset` (from 0) and `bytes`.
    """

    code: str
    severity: Severity
    message: str
    remedy: str = ""
    facts: dict[str, Any] = Field(default_factory=dict)


class Report(Frozen):
    """All findings of one restore or check."""

    outcome: Outcome
    findings: tuple[Finding, ...] = ()


def grade(findings: Iterable[Finding]) -> Report:
    """ok (only info), repaired, degraded (a warning) or refused (an error), by the worst finding."""
    found = tuple(findings)
    severities = {finding.severity for finding in found}
    outcome: Outcome = "ok"
    if "error" in severities:
        outcome = "refused"
    elif "warning" in severities:
        outcome = "degraded"
    elif "repaired" in severities:
        outcome = "repaired"
    return Report(outcome=outcome, findings=found)
