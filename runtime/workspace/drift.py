"""Whether the files that a session read or wrote are still what it last saw. Only those files are opened, each at most once."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from ...events.blocks import Frozen
from ...events.findings import Finding
from ...projections.moves import Move, present_files
from . import paths
from .verdict import Gate, verdict

DriftState = Literal["unchanged", "changed", "gone", "returned", "unknown"]
"""`returned`: the session deleted it, and it is there again. `unknown`: it is there, but no whole content of it was recorded."""

_CHUNK = 1 << 20
_TEXT_LIMIT = 8 << 20
_NAMED = 50


class TouchedFile(Frozen):
    """A file as the session last saw it: SHA-256 hex and size where known; deleted when its last act was to delete it."""

    path: str
    digest: str | None = None
    size_bytes: int | None = None
    deleted: bool = False


class Drift(Frozen):
    """All touched files by state. Files of another machine that no map covers are `elsewhere` and not looked for."""

    unchanged: int = 0
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    unknown: int = 0
    elsewhere: int = 0

    @property
    def differs(self) -> bool:
        return bool(self.changed or self.gone or self.returned)

    def fact(self) -> dict[str, Any]:
        """What is recorded for the model, names cut to a readable number."""
        return {
            "unchanged": self.unchanged,
            "unknown": self.unknown,
            "changed": list(self.changed[:_NAMED]),
            "changed_count": len(self.changed),
            "gone": list(self.gone[:_NAMED]),
            "gone_count": len(self.gone),
            "returned": list(self.returned[:_NAMED]),
        }


def touched_files(state: dict[str, Any], moves: Sequence[Move] = ()) -> list[TouchedFile]:
    """The files of the `files` projection's state at their present paths, each with the digest that the session saw last.

    moves: those of the `workspace` projection's state.
    """
    return [
        _touched(path, entry)
        for path, entry in present_files(state.get("paths", {}), moves).items()
        if entry.get("ops") or "read_at" in entry
    ]


def _touched(path: str, entry: dict[str, Any]) -> TouchedFile:
    changed_at = entry["ops"][-1][0] if entry.get("ops") else 0
    read_at = entry.get("read_at", 0)
    if changed_at > read_at:
        return TouchedFile(path=path, digest=entry.get("written"), deleted=bool(entry.get("deleted")))
    return TouchedFile(path=path, digest=None if entry.get("partial") else entry.get("read"))


def measure_drift(files: Iterable[TouchedFile], place: Callable[[str], str | None]) -> Drift:
    """Compare each file with what the session last saw.

    place: gives the absolute path on this machine for a recorded path, or None when it has none (then nothing is opened).
    """
    counts = {"unchanged": 0, "unknown": 0, "elsewhere": 0}
    named: dict[str, list[str]] = {"changed": [], "gone": [], "returned": []}
    for file in files:
        found = place(file.path)
        state = "elsewhere" if found is None else file_drift(file, found)
        if state in named:
            named[state].append(present_name(file.path, found))
        else:
            counts[state] += 1
    return Drift(
        unchanged=counts["unchanged"],
        unknown=counts["unknown"],
        elsewhere=counts["elsewhere"],
        changed=tuple(sorted(named["changed"])),
        gone=tuple(sorted(named["gone"])),
        returned=tuple(sorted(named["returned"])),
    )


def present_name(path: str, found: str | None) -> str:
    """The name by which a file can be found here; a recorded path that counts from the directory stays as it is."""
    return path if found is None or paths.style(path) == "relative" else found


def file_drift(file: TouchedFile, found: str) -> DriftState:
    """The state of one file; its size decides before its content is read, and only a regular file is opened."""
    try:
        status = os.stat(found)  # noqa: PTH116 (thousands of files: pathlib doubles the time)
    except (OSError, ValueError):
        return "unchanged" if file.deleted else "gone"
    if file.deleted:
        return "returned"
    if not stat.S_ISREG(status.st_mode):
        return "changed"
    if file.digest is None:
        return "unknown"
    try:
        return "unchanged" if _has_digest(found, status.st_size, file) else "changed"
    except OSError:
        return "unknown"


def _has_digest(found: str, size_bytes: int, file: TouchedFile) -> bool:
    if file.size_bytes is not None and abs(file.size_bytes - size_bytes) > max(file.size_bytes, size_bytes, 64) // 2:
        return False  # not even line ends or a byte-order mark explain it
    descriptor = os.open(found, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        if size_bytes > _TEXT_LIMIT:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.digest
        content = stream.read(size_bytes + 1)
        while chunk := stream.read(_CHUNK):
            content += chunk
    return any(hashlib.sha256(form).hexdigest() == file.digest for form in _forms(content))


def _forms(content: bytes) -> Iterable[bytes]:
    """The bytes, then the forms in which a tool may have shown them to the model: no mark, bare line ends, no last line end."""
    yield content
    plain = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if plain != content:
        yield plain
    if plain.endswith(b"\n"):
        yield plain[:-1]


def drift_finding(drift: Drift, gate: Gate, session: str) -> Finding | None:
    """The summary for a person; None when no touched file differs."""
    if not drift.differs:
        return None
    parts = [
        f"{len(names)} {word}"
        for names, word in ((drift.changed, "changed"), (drift.gone, "gone"), (drift.returned, "there again"))
        if names
    ]
    names = (*drift.changed, *drift.gone, *drift.returned)
    listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    message = (
        f"Files the session knew are different: {', '.join(parts)} ({listed}). It may act on what is no longer true."
    )
    remedy = f"See them all: rehydrate check {paths.quoted(session)} --json"
    return verdict(gate, "warn", "drift", message, remedy, **drift.fact())


def placing(
    cwd: str | None, moves: Iterable[tuple[str, str]], maps: Iterable[paths.PathMap] = ()
) -> Callable[[str], str | None]:
    """How recorded paths become paths of this machine.

    cwd: the recorded directory, already at its present place; relative paths count from it. moves: (old top, new top) pairs of a
    moved project. A Windows path is never joined below anything.
    """
    entries = [*maps, *(paths.PathMap(old, new) for old, new in moves if old != new)]

    def place(path: str) -> str | None:
        moved = paths.mapped(path, entries)
        written = paths.style(moved)
        if written == "relative":
            return None if cwd is None else os.path.join(cwd, moved)  # noqa: PTH118 (see file_drift)
        return moved if (written == "windows") == (os.name == "nt") else None

    return place
