"""What can be mended in a database without touching an event: rights, caches, read models, leftovers, free space."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import delete, func, select

from ..events import schema
from ..events.blocks import Frozen
from ..events.database import lock_path
from ..events.store import EventStore
from .opened import StoreLike, opened


class Mended(Frozen):
    """One thing that was put right, and how often."""

    what: str
    count: int


class Repair(Frozen):
    """What was mended, and the counts of the sessions that were folded again. `mismatches` is as in `rebuild`."""

    mended: tuple[Mended, ...]
    sessions: int
    events: int
    mismatches: tuple[dict[str, object], ...] = ()
    freed_bytes: int | None = None


def repair_store(*, store: StoreLike = None) -> Repair:
    """Make every file private again, drop stored states, leases of dead writers and leftovers, fold all sessions again.

    Events, native records and blobs are not touched; find damage in them with `verify_store`.
    """
    from .rebuild import rebuild_projections

    with opened(store) as opened_store:
        before = _size(opened_store)
        mended = [
            Mended(what="files that others could read", count=_make_private(opened_store)),
            Mended(what="stored states dropped", count=_drop_states(opened_store)),
            Mended(what="leases of writers that are gone", count=_drop_dead_leases(opened_store)),
            Mended(what="permits left by a broken purge", count=_drop_permits(opened_store)),
            Mended(what="search indexes dropped", count=_drop_search_index(opened_store)),
        ]
        rebuilt = rebuild_projections((), store=opened_store)
        _compact(opened_store)
        after = _size(opened_store)
    return Repair(
        mended=tuple(one for one in mended if one.count),
        sessions=rebuilt.sessions,
        events=rebuilt.events,
        freed_bytes=None if before is None or after is None else max(0, before - after),
    )


def _files(store: EventStore) -> list[Path]:
    if store.path is None:
        return []
    beside = [store.path.with_name(store.path.name + ending) for ending in ("-wal", "-shm", ".search")]
    return [file for file in (store.path, lock_path(store.path), *beside) if file.exists()]


def _size(store: EventStore) -> int | None:
    return None if store.path is None else sum(file.stat().st_size for file in _files(store))


def _make_private(store: EventStore) -> int:
    open_files = [file for file in _files(store) if file.stat().st_mode & 0o077]
    for file in open_files:
        file.chmod(0o600)
    return len(open_files)


def _drop_states(store: EventStore) -> int:
    with store.writing() as connection:
        count = connection.execute(select(func.count()).select_from(schema.snapshot)).scalar_one()
        connection.execute(delete(schema.snapshot))
        connection.execute(delete(schema.session_index))
    return int(count)


def _drop_dead_leases(store: EventStore) -> int:
    from .live.lease import holder_of

    lease = schema.lease.c
    with store.writing() as connection:
        held = connection.execute(select(lease.session_id).where(lease.holder.is_not(None))).scalars().all()
        dead = [session_id for session_id in held if holder_of(store, session_id) is None]
        for session_id in dead:
            connection.execute(schema.lease.update().where(lease.session_id == session_id), {"holder": None})
    return len(dead)


def _drop_permits(store: EventStore) -> int:
    with store.writing() as connection:
        return int(connection.execute(delete(schema.purge_permit)).rowcount)


def _drop_search_index(store: EventStore) -> int:
    from .searching import index_path

    path = index_path(store)
    if path is None or not path.exists():
        return 0
    path.unlink()
    return 1


def _compact(store: EventStore) -> None:
    if store.path is None:
        return
    with store.reading() as connection:
        connection.rollback()
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
