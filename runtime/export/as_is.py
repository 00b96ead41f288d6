"""A whole session that nobody changed here: the very bytes of its file, under its own id; at most its directory is
corrected."""

from __future__ import annotations

import re
import time
import uuid
from pathlib import PurePosixPath

from ...events.native import EOL, SourceRow
from .claude_side import side_files
from .codex_agents import spawned
from .native_line import NativeLine
from .places import claude_place, codex_place
from .relink import NewIds, moved
from .subject import CLAUDE, Subject
from .transcript import Losses, Transcript, line_of, object_of

_REPAIRS = frozenset({"info"})


def only_source(subject: Subject) -> SourceRow | None:
    """The one file the session came from; None when there are several, or none."""
    rows = [row for row in subject.store.sources(session_id=subject.row.session_id) if not row.superseded]
    return rows[0] if len(rows) == 1 else None


def is_untouched(subject: Subject, line: NativeLine) -> bool:
    """Whether the client would make of the file what we make of it: whole, nothing added here, nothing to repair on
    the path."""
    if not subject.whole or line.changed or line.harmed or not is_uuid(subject.row.session_id):
        return False
    remarks = [remark for remark in subject.folded.path.remarks if remark.get("severity") not in _REPAIRS]
    return not remarks and only_source(subject) is not None


def is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return bool(re.fullmatch(r"[0-9a-fA-F-]{36}", text))


def as_is(subject: Subject, target: str) -> Transcript | None:
    """The file again, byte for byte where the directory is the recorded one; None when there is no single file."""
    source = only_source(subject)
    if source is None:
        return None
    records = list(subject.store.source_records(source.source))
    raw = b"".join(record.raw + EOL[record.eol] for record in records) + source.tail
    lines = raw.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    unchanged = subject.cwd == subject.recorded_cwd or subject.recorded_cwd is None
    if not unchanged:
        lines = [_relocated(line, subject, target) for line in lines]
    losses = Losses(target)
    session_id = subject.row.session_id
    claude = target == CLAUDE
    side = side_files(subject, NewIds(session_id, subject.own_ids()), losses) if claude else _threads(subject)
    return Transcript(
        session_id=session_id,
        place=claude_place(subject.cwd, session_id) if claude else _codex_name(source.path, session_id),
        cwd=subject.cwd,
        command=("claude", "--resume", session_id) if claude else ("codex", "resume", session_id),
        lines=lines,
        side=side,
        findings=losses.findings(),
        unchanged=unchanged,
        ends_open=unchanged and not raw.endswith(b"\n"),
    )


def _threads(subject: Subject) -> dict[str, bytes]:
    """Rollouts of the threads that a Codex session spawned, as they were."""
    files: dict[str, bytes] = {}
    for row in spawned(subject):
        for source in subject.store.sources(session_id=row.session_id):
            if not source.superseded:
                records = subject.store.source_records(source.source)
                raw = b"".join(record.raw + EOL[record.eol] for record in records) + source.tail
                files[_codex_name(source.path, row.session_id)] = raw
    return files


def _relocated(line: bytes, subject: Subject, target: str) -> bytes:
    from ...events.native import parse

    value = parse(line)
    if not isinstance(value, dict):
        return line
    record = object_of(value)
    made = record
    if target == CLAUDE:
        made = moved(record, subject.recorded_cwd, subject.cwd)
    elif isinstance(record.get("payload"), dict):
        made = {**record, "payload": moved(object_of(record["payload"]), subject.recorded_cwd, subject.cwd)}
    return line if made == record else line_of(made)


def _codex_name(path: str, session_id: str) -> str:
    """Where the file lay below the client's home, else a new place by today's date."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    name = parts[-1].removesuffix(".zst")
    if name.startswith("rollout-") and name.endswith(f"{session_id}.jsonl"):
        found = re.match(r"rollout-(\d{4})-(\d\d)-(\d\d)T", name)
        if found:
            return f"sessions/{found[1]}/{found[2]}/{found[3]}/{name}"
    return codex_place(session_id, time.localtime())
