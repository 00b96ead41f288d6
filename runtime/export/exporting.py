"""Exporting a session: which form, from which records, where to, and what is told about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ...events.errors import UsageError
from ...events.event import Event
from ...events.findings import Finding
from ...events.pointer import Pointer
from ...events.store import EventStore
from ...events.times import to_iso
from ..fork import new_session_id
from ..opened import StoreLike, opened
from ..resolve import resolve_pointer
from .as_is import as_is, is_untouched
from .claude_native import claude_copy
from .client_view import claude_reads_all, codex_reads_all
from .codex_native import codex_copy
from .cross import to_claude, to_codex
from .masking import masked_lines, masked_transcript
from .native_line import native_line
from .places import home_of, install, refuse_existing, write_all, write_new
from .result import ExportResult
from .subject import CLAUDE, CODEX, UNKNOWN_CWD, Subject, subject_of
from .transcript import Transcript, line_of, object_of

Target = Literal["claude-code", "codex", "jsonl", "bundle"]


def export_session(
    id_or_pointer: str | Pointer,
    to: Target = "claude-code",
    out: str | Path | None = None,
    install: bool = False,
    project: str | Path | None = None,
    store: StoreLike = None,
    *,
    show_secrets: bool = False,
) -> ExportResult:
    """Write a session, whole or up to a pointer, in a form that another tool reads.

    to: `claude-code` and `codex` write a transcript that the client resumes; `jsonl` our events; `bundle`
    everything, for another machine. A whole session of the same client that was not changed here keeps its id and
    its bytes; anything else gets a new id. out: a new file, or a folder (then laid out like the client's home).
    install: put it where the client looks, for `project`. show_secrets: keep known secret patterns as they are; by
    default they are masked (never in a bundle, which must restore equal).

    Nothing is ever overwritten. What cannot be carried is a finding.

    Raises:
        Conflict: the file exists already. UsageError: the options do not fit. SessionNotFound, EventNotFound:
        nothing was written.
    """
    if install and to not in {CLAUDE, CODEX}:
        raise UsageError(f"--install is for the clients, not for {to}.", remedy="Use --to claude-code or --to codex.")
    with opened(store) as events:
        pointer = resolve_pointer(events, id_or_pointer)
        if to == "bundle":
            from .bundle import write_bundle

            return write_bundle(events, pointer, None if out is None else Path(out))
        if to == "jsonl":
            return _events_file(events, pointer, out, show_secrets=show_secrets)
        subject = subject_of(events, pointer, project)
        transcript = _transcript(subject, to)
        if not show_secrets:
            masked_transcript(transcript)
        return _written(subject, transcript, to, out, install=install)


def _transcript(subject: Subject, to: Target) -> Transcript:
    """The session's own records wherever they tell the whole history, else a rewritten one."""
    if to == subject.row.source:
        line = native_line(subject)
        if is_untouched(subject, line):
            same = as_is(subject, to)
            if same is not None and _readable(same, to):
                return same
        session_id = new_session_id()
        copy = claude_copy(subject, session_id) if to == CLAUDE else codex_copy(subject, session_id)
        reads_all = claude_reads_all if to == CLAUDE else codex_reads_all
        if copy is not None and reads_all(copy, subject.spoken()):
            return copy
        made = to_claude(subject) if to == CLAUDE else to_codex(subject)
        made.findings.append(_rewritten(to))
        return made
    return to_claude(subject) if to == CLAUDE else to_codex(subject)


def _rewritten(to: str) -> Finding:
    return Finding(
        code="native-records-rewritten",
        severity="info",
        message=f"The session's own records alone do not tell {to} the history as it is restored; it was written anew.",
        remedy="--original gives the imported file.",
    )


def _readable(transcript: Transcript, to: Target) -> bool:
    """Whether today's client can read such lines (old Codex forms it cannot)."""
    if to != CODEX:
        return True
    try:
        first = json.loads(next((line for line in transcript.lines if line.strip()), b"null"))
    except ValueError:
        return False
    record = object_of(first)
    return record.get("type") == "session_meta" and "timestamp" in record


def _written(
    subject: Subject, transcript: Transcript, to: str, out: str | Path | None, *, install: bool
) -> ExportResult:
    if install and subject.cwd == UNKNOWN_CWD:
        raise UsageError(
            f"Nobody recorded where session {subject.row.session_id} ran.",
            remedy="Say where it shall be resumed with --project PATH.",
            session_id=subject.row.session_id,
        )
    transcript.findings += _place_findings(subject)
    path, side = _put(transcript, to, None if out is None else Path(out), installing=install)
    return ExportResult(
        path=str(path),
        session_id=transcript.session_id,
        records=len(transcript.lines),
        findings=tuple(transcript.findings),
        source_pointer=str(subject.pointer),
        to=to,
        cwd=transcript.cwd,
        resume_command=_command(transcript),
        installed=install,
        side_files=tuple(str(each) for each in side),
    )


def _place_findings(subject: Subject) -> list[Finding]:
    """A word where the directory in the export is none that the client could start in here."""
    hint = "Name the directory on this machine with --project PATH."
    if subject.cwd == UNKNOWN_CWD:
        text = "Nobody recorded the directory of the session; the export names none."
        return [Finding(code="directory-unknown", severity="warning", message=text, remedy=hint)]
    if Path(subject.cwd).is_dir():
        return []
    text = f"The session's directory {subject.cwd} is not on this machine; the client looks for sessions by directory."
    facts = {"path": subject.cwd}
    return [Finding(code="directory-missing", severity="warning", message=text, remedy=hint, facts=facts)]


def _command(transcript: Transcript) -> str:
    """The command that resumes it; with the directory where that is one here."""
    import shlex

    command = shlex.join(transcript.command)
    return f"cd {shlex.quote(transcript.cwd)} && {command}" if Path(transcript.cwd).is_dir() else command


def _put(transcript: Transcript, to: str, out: Path | None, *, installing: bool) -> tuple[Path, list[Path]]:
    """Into the client's home, a folder laid out like it, or one file with its companions in a folder beside it."""
    if installing or (out is not None and out.is_dir()):
        home = home_of(to) if installing else out
        assert home is not None
        path = install(transcript, home)
        return path, [home / name for name in transcript.side]
    path = out if out is not None else Path.cwd() / Path(transcript.place).name
    beside = path.with_suffix("") if path.suffix else path.with_name(f"{path.name}.files")
    side = {_beside(beside, name, transcript.session_id): data for name, data in transcript.side.items()}
    write_all({path: transcript.content(), **side})
    return path, list(side)


def _beside(folder: Path, name: str, session_id: str) -> Path:
    """`projects/<dir>/<session>/subagents/x` becomes `<folder>/subagents/x`, as the client lays it out; others keep
    their kind."""
    _, found, rest = name.partition(f"/{session_id}/")
    if name.startswith("projects/") and found:
        return folder / rest
    return folder / name


def _events_file(store: EventStore, pointer: Pointer, out: str | Path | None, *, show_secrets: bool) -> ExportResult:
    """Our own events, one JSON object a line, all references resolved."""
    path = Path(out) if out is not None else Path.cwd() / f"{_file_name(pointer.session_id)}.events.jsonl"
    if path.is_dir():
        path = path / f"{_file_name(pointer.session_id)}.events.jsonl"
    refuse_existing(path)
    lines = list(_event_lines(store, pointer))
    findings: list[Finding] = []
    if not show_secrets:
        lines, findings = masked_lines(lines)
    write_new(path, b"".join(line + b"\n" for line in lines))
    return ExportResult(
        path=str(path),
        session_id=pointer.session_id,
        records=len(lines),
        findings=tuple(findings),
        source_pointer=str(pointer),
        to="jsonl",
    )


def _event_lines(store: EventStore, pointer: Pointer) -> Iterator[bytes]:
    batch: list[Event] = []
    for event in store.read(pointer.session_id, until=pointer.position):
        batch.append(event)
        if len(batch) == 500:
            yield from _hydrated_lines(store, batch)
            batch = []
    yield from _hydrated_lines(store, batch)


def _hydrated_lines(store: EventStore, batch: list[Event]) -> Iterator[bytes]:
    for event in store.hydrate(batch):
        told = {
            "pointer": event.pointer,
            "position": event.position,
            "kind": event.kind,
            "schema_version": event.schema_version,
            "event_id": event.event_id,
            "timestamp": to_iso(event.ts),
            "native_id": event.native_id,
            "native_parent": event.native_parent,
            "lane": event.lane,
            "data": event.data,
        }
        yield line_of({name: value for name, value in told.items() if value is not None})


def _file_name(session_id: str) -> str:
    return "".join(ch if ch.isalnum() or ch in "-._" else "-" for ch in session_id)
