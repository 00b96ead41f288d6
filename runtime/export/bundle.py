"""A bundle: one file with a session, its past, its sub-agents and its blobs, for another machine.

The file is a database of this program that holds nothing else, so that a bundle can be looked into with every command
(`rehydrate --db FILE show ID`) and restores exactly as the session does here.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...events.pointer import Pointer
from ...events.store import EventStore
from .carrying import Carried, carry
from .places import refuse_existing
from .result import ExportResult

SUFFIX = ".rehydrate"


def write_bundle(store: EventStore, pointer: Pointer, out: Path | None) -> ExportResult:
    """Write the session up to the pointer, with its sub-agents, as one new file (mode 0600)."""
    path = Path.cwd() / f"{_file_name(pointer.session_id)}{SUFFIX}" if out is None else out
    if path.is_dir():
        path = path / f"{_file_name(pointer.session_id)}{SUFFIX}"
    refuse_existing(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rehydrate-", dir=path.parent) as folder:
        made = Path(folder) / "bundle"
        with EventStore(made, journal_mode="DELETE") as bundle:
            events = carry(store, bundle, pointer.session_id, pointer.position).head
            for session_id in _subagents(store, pointer.session_id):
                events += carry(store, bundle, session_id).head
        os.link(made, path)
    return ExportResult(
        path=str(path),
        session_id=pointer.session_id,
        records=events,
        source_pointer=str(pointer),
        to="bundle",
    )


def _subagents(store: EventStore, session_id: str) -> Iterator[str]:
    """Transcripts of sub-agents, theirs included; for a fork those of the sessions it came from."""
    seen: set[str] = set()
    waiting = [session_id]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        row = store.find_session(current)
        if row is not None and row.forked_from is not None:
            waiting.append(row.forked_from.rpartition("@")[0])
        for child in store.sessions(role="subagent", parent=current):
            if child.session_id not in seen:
                yield child.session_id
                waiting.append(child.session_id)


def read_bundle(store: EventStore, path: Path) -> list[Carried]:
    """Bring all sessions of a bundle into the store: all of them or, when one conflicts, none.

    The file is read from a copy: opening a database may write beside it.
    """
    with _copy_of(path) as bundle, store.writing():
        return [carry(bundle, store, row.session_id) for row in bundle.sessions()]


@contextmanager
def _copy_of(path: Path) -> Generator[EventStore]:
    with tempfile.TemporaryDirectory(prefix="rehydrate-") as folder:
        copy = Path(folder) / "bundle"
        shutil.copyfile(path, copy)
        with EventStore(copy, journal_mode="DELETE") as bundle:
            yield bundle


def _file_name(session_id: str) -> str:
    return "".join(ch if ch.isalnum() or ch in "-._" else "-" for ch in session_id)
