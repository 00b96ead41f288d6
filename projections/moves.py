"""Where recorded paths lie after a person bound the session to another directory: one move by rebinding, in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .projection import State

Move = list[Any]
"""[position of the rebinding, old top, new top]: JSON, as it is part of a state."""

_WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")
_KEPT = 20


def with_rebinding(place: State, data: dict[str, Any], position: int) -> list[Move]:
    """The moves of the `workspace` state, and the one that this rebinding makes of it; called before the state follows."""
    moves: list[Move] = place["moves"]
    old, new = place["cwd"], data.get("cwd")
    if old is None or new is None:
        return moves
    pairs = [_tops(place, data, old, new)]
    main, present = _path(place["project"]), _path(data.get("project"))
    if main is not None and present is not None and _same_history(place, data) and below(old, main) is None:
        pairs.append((main, present))  # it worked in a linked worktree beside its main checkout
    if below(new, old) is not None or below(old, new) is not None:
        pairs = pairs if _same_history(place, data) else []  # a part of the project, or more of it: nothing has moved
    made = [[position, before, after] for before, after in pairs if before != after]
    return [*moves, *made][-_KEPT:]


def _tops(place: State, data: dict[str, Any], old: str, new: str) -> tuple[str, str]:
    """The highest directories known to answer each other: the project's, where the session was in a part of it."""
    project: dict[str, Any] = place["project"] or {}
    worktree: dict[str, Any] = place["worktree"] or {}
    for top in (worktree.get("path"), place["toplevel"], project.get("path"), place["started_in"]):
        rest = None if top is None else below(old, top)
        if top is None or rest is None:
            continue
        if rest and new.endswith(f"/{rest}"):
            return top, new[: -len(rest) - 1]
        if data.get("toplevel") and _same_history(place, data):
            return top, data["toplevel"]
        return (top, new) if rest else (old, new)
    return old, new


def _path(project: dict[str, Any] | None) -> str | None:
    return None if project is None else project.get("path")


def _same_history(place: State, data: dict[str, Any]) -> bool:
    return bool(set(place["root_commits"]) & set(data.get("root_commits") or ()))


def still_bound(moves: list[Move], cwd: str) -> list[Move]:
    """The moves after the source told of a directory: none when it is back where the session was before it was bound."""
    back = any(below(cwd, old) is not None for _, old, _ in moves)
    return [] if back and not any(below(cwd, new) is not None for _, _, new in moves) else moves


def present_path(path: str, touched_at: int, moves: Sequence[Move]) -> str:
    """Where a recorded path lies now: each move made after it was last touched applies, the oldest first."""
    by_rebinding: dict[int, list[tuple[str, str]]] = {}
    for position, old, new in moves:
        if position > touched_at:
            by_rebinding.setdefault(position, []).append((old, new))
    for pairs in by_rebinding.values():
        for old, new in sorted(pairs, key=lambda pair: -len(pair[0])):
            rest = below(path, old)
            if rest is not None:
                path = f"{new.rstrip('/')}/{rest}" if rest else new
                break
    return path


def present_files(paths: dict[str, Any], moves: Sequence[Move]) -> dict[str, Any]:
    """The entries of the `files` state under their present paths; one file that was known under two is one entry."""
    if not moves:
        return paths
    found: dict[str, Any] = {}
    for path, entry in sorted(paths.items(), key=lambda item: last_touched(item[1])):
        at = last_touched(entry)
        place = present_path(path, at, moves)
        names = {name: present_path(entry[name], at, moves) for name in ("moved_to", "moved_from") if entry.get(name)}
        found[place] = _joined(found.get(place), {**entry, **names})
    return found


def last_touched(entry: dict[str, Any]) -> int:
    """The position at which the session last read, changed or saved a file."""
    at: list[int] = [
        entry.get("read_at", 0),
        *(one["at"] for one in entry["backups"]),
        *(one[0] for one in entry["ops"]),
    ]
    return max(at)


def _joined(earlier: dict[str, Any] | None, later: dict[str, Any]) -> dict[str, Any]:
    if earlier is None:
        return later
    return {
        **earlier,
        **{name: value for name, value in later.items() if value is not None},
        "written": later["written"] if later["ops"] else earlier["written"],
        "partial": later.get("partial", False) if "read_at" in later else earlier.get("partial", False),
        "ops": [*earlier["ops"], *later["ops"]],
        "count": earlier["count"] + later["count"],
        "backups": [*earlier["backups"], *later["backups"]],
    }


def below(path: str, top: str) -> str | None:
    """`path` under `top` with forward slashes ("" for `top` itself), None when it lies elsewhere."""
    windows = bool(_WINDOWS.match(top))
    plain = path.replace("\\", "/") if windows else path
    given, folder = (plain.lower(), top.replace("\\", "/").lower()) if windows else (path, top)
    folder = folder.rstrip("/")
    if given.rstrip("/") == folder:
        return ""
    return plain[len(folder) + 1 :] if given.startswith(f"{folder}/") else None
