"""A bundle into the store, with the paths of the other machine mapped to those of this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...events.errors import UsageError
from ...events.event import Draft
from ...events.findings import Finding
from ...events.kinds import WorkspaceObserved
from ...events.store import EventStore
from ...events.times import now_us
from ..files.place import recorded_place
from .bundle import read_bundle
from .carrying import Carried


def parse_maps(maps: list[str] | None) -> dict[str, str]:
    """`OLD=NEW` as a mapping.

    Raises:
        UsageError: a text has no `=`, or nothing before it.
    """
    found: dict[str, str] = {}
    for text in maps or ():
        old, equals, new = text.partition("=")
        if not equals or not old or not new:
            raise UsageError(f"{text!r} is no mapping of a path.", remedy="Write --map OLD=NEW.")
        found[old.rstrip("/") or "/"] = str(Path(new).expanduser().absolute())
    return found


def import_bundle(store: EventStore, path: Path, maps: Mapping[str, str]) -> list[tuple[Carried, list[Finding]]]:
    """Bring a bundle's sessions in; a mapped directory becomes the place of the session by one event, written once.

    Raises:
        EventConflict: another session has an id of the bundle; nothing was written.
    """
    with store.writing():
        arrived = read_bundle(store, path)
        return [(one, _mapped(store, one, maps)) for one in arrived]


def _mapped(store: EventStore, carried: Carried, maps: Mapping[str, str]) -> list[Finding]:
    row = store.session(carried.session_id)
    if row.role != "main" or not maps:
        return []
    place = recorded_place(store, carried.session_id)
    old = _present_cwd(store, carried.session_id) or place.cwd
    if old is None:
        return []
    new = _mapped_path(old, maps)
    if new is None or new == old:
        return []
    fact = _observed(Path(new))
    store.append(carried.session_id, [Draft.of(fact, ts=now_us())])
    carried.head += 1
    carried.added += 1
    return [
        Finding(
            code="path-mapped",
            severity="info",
            message=f"{old} of the other machine is {new} here.",
            facts={"old": old, "new": new, "exists": Path(new).is_dir()},
        )
    ]


def _present_cwd(store: EventStore, session_id: str) -> str | None:
    from ...projections.fold import restore_states

    cwd = restore_states(store, session_id).states["workspace"]["cwd"]
    return None if cwd is None else str(cwd)


def _mapped_path(path: str, maps: Mapping[str, str]) -> str | None:
    """The longest mapped beginning decides; whole path parts only."""
    for old in sorted(maps, key=len, reverse=True):
        bare = old.rstrip("/\\")
        if path == old or path.startswith((f"{bare}/", f"{bare}\\")):
            rest = path[len(bare) :].replace("\\", "/")
            return maps[old].rstrip("/") + rest if rest else maps[old]
    return None


def _observed(place: Path) -> WorkspaceObserved:
    """The place as it is now; where it does not exist yet, only its path."""
    if not place.is_dir():
        return WorkspaceObserved(cwd=str(place), observed_by="rehydrate", rebound=True)
    from ..workspace.rebind import observed_fact

    return observed_fact(place)
