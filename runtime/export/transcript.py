"""What an exporter makes: the lines of a transcript, the files beside it, where the client looks for them, and what
was lost."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, cast

from ...events.findings import Finding, Severity
from ..live.json_shapes import is_list

Json = dict[str, Any]


@dataclass(slots=True)
class Transcript:
    """lines: without line ends. side: files beside it, by their path below the client's home folder.

    place: path of the transcript below the client's home. command: what resumes it there, to be run in `cwd`.
    """

    session_id: str
    place: str
    cwd: str
    command: tuple[str, ...]
    lines: list[bytes] = field(default_factory=list[bytes])
    side: dict[str, bytes] = field(default_factory=dict[str, bytes])
    findings: list[Finding] = field(default_factory=list[Finding])
    unchanged: bool = False
    ends_open: bool = False

    def content(self) -> bytes:
        """The bytes of the file; `ends_open` leaves out the last line end, as the original does."""
        return b"\n".join(self.lines) + (b"" if self.ends_open or not self.lines else b"\n")


def line_of(record: Json) -> bytes:
    """One JSON line; a lone surrogate, which UTF-8 cannot hold, becomes an escape."""
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def object_of(value: Any) -> Json:
    """The value if it is a JSON object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a JSON list, else an empty one."""
    return value if is_list(value) else []


class Losses:
    """Counts what cannot be carried over, so that nothing is dropped silently."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._counts: Counter[str] = Counter()

    def add(self, code: str, count: int = 1) -> None:
        self._counts[code] += count

    def findings(self) -> list[Finding]:
        return [self._finding(code, count) for code, count in sorted(self._counts.items()) if count]

    def _finding(self, code: str, count: int) -> Finding:
        severity, words = LOSSES[code]
        return Finding(
            code=code,
            severity=severity,
            message=words.format(count=count, target=self._target),
            remedy="It stays in the session here; this export does not hold it.",
            facts={"count": count, "target": self._target},
        )


LOSSES: dict[str, tuple[Severity, str]] = {
    "thinking-not-carried": (
        "warning",
        "{count} thinking block(s) are bound to the model that made them; {target} cannot use them.",
    ),
    "context-not-carried": (
        "info",
        "{count} message(s) that the other client injected (environment, instructions) are left out.",
    ),
    "block-not-carried": (
        "warning",
        "{count} content block(s) have no counterpart in {target}; a line of text stands in their place.",
    ),
    "error-flag-not-carried": (
        "info",
        "{count} tool result(s) were marked as errors; {target} knows no such mark, their text is kept.",
    ),
    "server-call-not-carried": (
        "warning",
        "{count} call(s) that the provider answered itself are left out.",
    ),
    "accounting-not-carried": (
        "info",
        "The tokens of {count} response(s) are not written: they would count again in {target}.",
    ),
    "earlier-history-not-carried": (
        "info",
        "{count} event(s) before the last compaction or on other branches are not in the export.",
    ),
    "damaged-records-left-out": (
        "warning",
        "{count} damaged or unreadable record(s) are left out, because {target} could not read them.",
    ),
    "other-branches-left-out": (
        "info",
        "{count} record(s) of branches that were left are not in the export.",
    ),
    "progress-left-out": (
        "info",
        "{count} progress record(s) of the screen are not in the export; links skip them.",
    ),
    "file-backups-missing": (
        "warning",
        "{count} file backup(s) that the transcript names are not on this machine.",
    ),
    "subagents-not-carried": (
        "warning",
        "{count} sub-agent transcript(s) cannot be written for {target}; their results are in the calls.",
    ),
    "queued-input-not-carried": (
        "warning",
        "{count} queued prompt(s) still wait here; {target} gets them only when you type them.",
    ),
    "settings-not-carried": (
        "info",
        "{count} setting(s) of the agent (model, mode, effort, rights) are {target}'s own to choose.",
    ),
}
