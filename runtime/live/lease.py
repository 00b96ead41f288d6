"""The right to write to a session, held by one writer at a time; every grant has a higher fencing token.

A holder on this machine is dead when its process is (pid and start time), so its lease is free at once. A holder elsewhere is
given up when it has not renewed for `TTL_S`. Whoever was replaced is refused by the store at its next append.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from ...events import schema
from ...events.errors import LeaseConflict, RehydrateError
from ...events.store import EventStore
from ...events.times import now_us, to_iso

TTL_S = 60.0
"""A holder on another host that has not renewed for so long is taken for dead."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lease. `started` tells two processes with the same pid apart, `boot` two lives of one machine."""

    pid: int
    host: str
    boot: str = ""
    started: str = ""

    @classmethod
    def current(cls) -> Holder:
        return cls(os.getpid(), socket.gethostname(), _boot_id(), _started(os.getpid()))

    def is_dead(self) -> bool:
        """True only when it is certain: same host, and the process is gone or is another one."""
        here = Holder.current()
        if self.host != here.host:
            return False
        if self.boot and here.boot and self.boot != here.boot:
            return True
        if not _alive(self.pid):
            return True
        return bool(self.started) and self.started != _started(self.pid)


class Lease:
    """A held lease. Renews itself in the background; `token` goes with every append."""

    def __init__(self, store: EventStore, session_id: str, token: int, renew_every_s: float) -> None:
        self.session_id = session_id
        self.token = token
        self._store = store
        self._done = threading.Event()
        key = (store.url, session_id, token)
        _HELD_HERE.add(key)
        self._forget = weakref.finalize(self, _HELD_HERE.discard, key)
        self._thread = threading.Thread(
            target=_renew_until, args=(weakref.ref(self), self._done, renew_every_s), daemon=True, name=f"lease-{token}"
        )
        self._thread.start()

    def renew(self) -> bool:
        """Tell others that the holder lives; False when the lease is another's by now."""
        columns = schema.lease.c
        with self._store.writing() as connection:
            changed = connection.execute(
                update(schema.lease).where(columns.session_id == self.session_id, columns.token == self.token),
                {"renewed_us": now_us()},
            )
            return changed.rowcount == 1

    def release(self) -> None:
        """Give it back; does nothing when it was taken over."""
        if self._done.is_set():
            return
        self._done.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._forget()
        columns = schema.lease.c
        with self._store.writing() as connection:
            connection.execute(
                update(schema.lease).where(columns.session_id == self.session_id, columns.token == self.token),
                {"holder": None},
            )


_HELD_HERE: set[tuple[str, str, int]] = set()
"""Leases of this process: one whose object is gone is free, although the process lives."""


def acquire(store: EventStore, session_id: str, *, takeover: bool = False, renew_every_s: float = TTL_S / 3) -> Lease:
    """Take the lease of a session.

    takeover: also from a holder that is alive; its next append is refused.

    Raises:
        LeaseConflict: somebody holds it; `facts` names pid, host and since when.
    """
    with store.writing() as connection:
        store.session(session_id)
        columns = schema.lease.c
        row = connection.execute(select(schema.lease).where(columns.session_id == session_id)).first()
        if row is not None and row.holder is not None and not takeover:
            _refuse_if_held(store, session_id, row)
        token = 1 if row is None else row.token + 1
        values = {
            "token": token,
            "holder": json.dumps(asdict(Holder.current())),
            "acquired_us": now_us(),
            "renewed_us": now_us(),
        }
        if row is None:
            connection.execute(schema.lease.insert(), {"session_id": session_id, **values})
        else:
            connection.execute(update(schema.lease).where(columns.session_id == session_id), values)
    return Lease(store, session_id, token, renew_every_s)


@contextmanager
def lease(store: EventStore, session_id: str, *, takeover: bool = False) -> Generator[Lease]:
    """Hold the lease for one deed (a rewind, a rebind, a decision on an approval)."""
    held = acquire(store, session_id, takeover=takeover)
    try:
        yield held
    finally:
        held.release()


def holder_of(store: EventStore, session_id: str) -> dict[str, Any] | None:
    """Who holds the lease: `pid`, `host`, `since`, `renewed`; None when nobody (alive) does."""
    with store.reading() as connection:
        row = connection.execute(select(schema.lease).where(schema.lease.c.session_id == session_id)).first()
    if row is None or row.holder is None or _is_free(store, session_id, row):
        return None
    return _facts(row)


def _refuse_if_held(store: EventStore, session_id: str, row: Any) -> None:
    if _is_free(store, session_id, row):
        return
    facts = _facts(row)
    raise LeaseConflict(
        f"Session {session_id} is held by process {facts['pid']} on {facts['host']} since {facts['since']}.",
        remedy=f"Wait for it, fork the session, or take it over with: rehydrate takeover {session_id}",
        session_id=session_id,
        **facts,
    )


def _is_free(store: EventStore, session_id: str, row: Any) -> bool:
    holder = _holder(row.holder)
    here = Holder.current()
    if holder == here:
        return (store.url, session_id, row.token) not in _HELD_HERE
    if holder.host == here.host:
        return holder.is_dead()
    return now_us() - int(row.renewed_us or 0) > TTL_S * 1_000_000


def _holder(text: str) -> Holder:
    try:
        return Holder(**json.loads(text))
    except (ValueError, TypeError):
        return Holder(0, text)


def _facts(row: Any) -> dict[str, Any]:
    holder = _holder(row.holder)
    return {
        "pid": holder.pid,
        "host": holder.host,
        "since": to_iso(row.acquired_us),
        "renewed": to_iso(row.renewed_us),
        "token": row.token,
    }


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state(pid) != "Z"


def _stat(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _state(pid: int) -> str:
    return next(iter(_stat(pid)), "")


def _started(pid: int) -> str:
    """When the process began, in the kernel's ticks; empty where the system does not tell."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _renew_until(lease_of: weakref.ref[Lease], done: threading.Event, every_s: float) -> None:
    """The heartbeat: ends with the lease, with its object, or when the lease is lost. A busy database is tried again."""
    while not done.wait(every_s):
        held = lease_of()
        if held is None:
            return
        try:
            if not held.renew():
                return
        except RehydrateError:
            continue
        finally:
            del held
