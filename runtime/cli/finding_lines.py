"""Findings for a person: a mark by severity, what is wrong, then the remedy; equal ones are told once with their number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .ago import many

if TYPE_CHECKING:
    from .screen import Screen

MARKS = {"error": ("✗", "bold red"), "warning": ("!", "bold yellow"), "repaired": ("~", "cyan"), "info": ("·", "dim")}
MEANINGS = {"error": "refuses", "warning": "warns", "repaired": "was repaired", "info": "for information"}
ORDER = ("error", "warning", "repaired", "info")
SHOWN_PER_CODE = 3


def show_findings(screen: Screen, findings: Iterable[Any]) -> None:
    """Print findings, the worst first; of one code at most SHOWN_PER_CODE, then how many more there are."""
    found: list[dict[str, Any]] = [
        finding if isinstance(finding, dict) else finding.model_dump(mode="json") for finding in findings
    ]
    for severity in ORDER:
        groups: dict[str, list[dict[str, Any]]] = {}
        for finding in found:
            if finding["severity"] == severity:
                groups.setdefault(finding["code"], []).append(finding)
        for code, group in groups.items():
            _show_group(screen, severity, code, group)
    shown = [severity for severity in ORDER if any(finding["severity"] == severity for finding in found)]
    if len(shown) > 1:
        screen.line("  ".join(f"{MARKS[severity][0]} {MEANINGS[severity]}" for severity in shown), style="dim")


def _show_group(screen: Screen, severity: str, code: str, group: list[dict[str, Any]]) -> None:
    mark, style = MARKS[severity]
    remedies: list[str] = []
    for finding in group[:SHOWN_PER_CODE]:
        screen.styled((f"{mark} {code}", style), (f"  {finding['message']}", None))
        remedy = finding.get("remedy") or ""
        if remedy and remedy not in remedies:
            remedies.append(remedy)
    if len(group) > SHOWN_PER_CODE:
        screen.styled((f"  … and {len(group) - SHOWN_PER_CODE} more of this kind", "dim"))
    for remedy in remedies:
        screen.remedy(remedy)


def show_kinds(screen: Screen, found: dict[str, list[dict[str, Any]]]) -> None:
    """One row for each code: how often, in how many subjects, and the first of them as an example."""
    kinds: dict[tuple[int, str], list[tuple[str, dict[str, Any]]]] = {}
    for name, findings in found.items():
        for finding in findings:
            kinds.setdefault((ORDER.index(finding["severity"]), finding["code"]), []).append((name, finding))
    rows: list[list[Any]] = []
    for (severity, code), group in sorted(kinds.items()):
        mark, style = MARKS[ORDER[severity]]
        rows.append(
            [
                (f"{mark} {code}", style),
                f"{len(group)}×",
                many(len({name for name, _ in group}), "file"),
                (group[0][1]["message"], "dim"),
            ]
        )
    screen.table(["FOUND", "", "IN", "FOR EXAMPLE"], rows, right=[1, 2], grow=3)
