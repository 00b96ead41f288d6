"""What a person's say does to findings: a policy for all of them, a code for one, a word for another project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...events.findings import Finding

Policy = Literal["strict", "warn", "force"]
CROSS_PROJECT = frozenset({"other-repository", "other-project"})
"""Settled by --allow-cross-project or force only: neither a general leniency nor a code typed from habit is meant for them."""


def settled(
    findings: Iterable[Finding],
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    *,
    allow_cross_project: bool = False,
) -> list[Finding]:
    """The findings after the person's say. What was overruled keeps its code; its facts tell by what (`settled_by`).

    strict: errors stay. warn: errors become warnings, except a different project. force: all do. accept: a named code becomes
    information at either gate.
    """
    accepted = set(accept)
    return [_settled(finding, policy, accepted, allow_cross_project) for finding in findings]


def _settled(finding: Finding, policy: Policy, accepted: set[str], allow_cross_project: bool) -> Finding:
    cross = finding.code in CROSS_PROJECT
    if cross and finding.severity == "error" and allow_cross_project:
        return _overruled(finding, "warning", "allow-cross-project")
    if finding.code in accepted and not cross and finding.severity in ("error", "warning"):
        return _overruled(finding, "info", "accept")
    if finding.severity != "error":
        return finding
    if policy == "force" or (policy == "warn" and not cross):
        return _overruled(finding, "warning", policy)
    return finding


def _overruled(finding: Finding, severity: Literal["warning", "info"], by: str) -> Finding:
    facts = {**finding.facts, "settled_by": by}
    return finding.model_copy(update={"severity": severity, "facts": facts})


def forced(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The codes of refusals that were overruled, to be recorded with the session."""
    return tuple(dict.fromkeys(finding.code for finding in findings if finding.facts.get("settled_by")))
