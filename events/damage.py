"""Damaged bytes of a source file as findings, so that import, check and resume say the same about them."""

from __future__ import annotations

from typing import Any

from .findings import Finding, Severity
from .native import SourceRow

_KINDS: dict[str, tuple[str, str]] = {
    "malformed": ("is no JSON", "The bytes are kept; the records around them were read."),
    "invalid-utf8": ("holds bytes that are no UTF-8", "The bytes are kept; unreadable characters are shown as U+FFFD."),
    "nul-bytes": (
        "holds NUL bytes where a record should be",
        "A crash or a full disk left a hole; the records around it were read.",
    ),
    "byte-order-mark": ("begins with a byte-order mark", "Nothing is lost."),
    "glued": ("stands on one line with the record before it", "Both records were read; nothing is lost."),
    "oversized": ("is too long to be a record", "The bytes are kept; the records around it were read."),
    "lone-surrogate": (
        "holds half of a character (a lone surrogate)",
        "It is replaced by U+FFFD where a text is sent or shown.",
    ),
}
_SEVERITY: dict[str, Severity] = {"byte-order-mark": "info", "glued": "info", "lone-surrogate": "info"}


REMARK = "finding"


def damage_finding(data: dict[str, Any], path: str | None = None) -> Finding:
    """The finding for an `Unrecognized` event with `damage` (its data, and the source file it came from)."""
    code = str(data.get("damage"))
    what, remedy = _KINDS.get(code, ("is damaged", "The bytes are kept."))
    recovered = bool(data.get("recovered"))
    severity = _SEVERITY.get(code, "repaired" if recovered else "warning")
    facts = {
        "path": path,
        "line": data.get("line"),
        "byte_offset": data.get("byte_offset"),
        "bytes": data.get("size_bytes"),
        "recovered": recovered,
    }
    place = f"The record at line {data.get('line')}"
    return Finding(code=code, severity=severity, message=f"{place} {what}.", remedy=remedy, facts=facts)


def is_remark(kind: str, data: dict[str, Any]) -> bool:
    """Whether an event is a remark of the importer about the source that a report should show."""
    return kind == "Notice" and data.get("level") == REMARK


def remark_finding(data: dict[str, Any]) -> Finding:
    """The finding for a remark: a `Notice` of level `finding`; its subtype is the code, its value the facts (and `severity`)."""
    facts = dict(data.get("value") or {})
    severity: Severity = facts.pop("severity", "info")
    return Finding(code=str(data["subtype"]), severity=severity, message=str(data.get("text") or ""), facts=facts)


def tail_finding(source: SourceRow) -> Finding | None:
    """The finding for a file that ends in the middle of a record; None when it does not."""
    if not source.tail.strip(b" \t\r\n"):
        return None
    return Finding(
        code="truncated-tail",
        severity="warning",
        message=f"The file ends in the middle of the record at line {source.lines + 1}.",
        remedy="It is read when the file is imported again after the record was completed; the bytes are kept.",
        facts={
            "path": source.path,
            "line": source.lines + 1,
            "byte_offset": source.offset_bytes,
            "bytes": len(source.tail),
        },
    )


def cut_finding(source: SourceRow) -> Finding | None:
    """The finding for a compressed file that ends too early, between two records."""
    if not source.state.get("cut"):
        return None
    return Finding(
        code="truncated-tail",
        severity="warning",
        message="The compressed file ends too early; what could be decompressed was read.",
        remedy="Import it again when a whole copy is there.",
        facts={"path": source.path, "line": source.lines + 1, "byte_offset": source.offset_bytes, "bytes": 0},
    )
