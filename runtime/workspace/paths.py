"""Paths of another machine: told apart from those of this one, mapped when a person says how, never joined below the cwd."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...events.errors import UsageError

Style = Literal["windows", "posix", "relative"]
Foreign = Literal["windows", "posix", "home", "relative"]

_WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\[^\\]|//[^/]+/[^/]+)")
_HOMES = ("/Users/", "/home/", "/var/home/", "/export/home/")


def shown(path: str) -> str:
    """A path as text that every JSON writer accepts: bytes that are no UTF-8 become `\\xNN`."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return path


def quoted(path: str) -> str:
    """A path as one word of a command line that a person copies."""
    return shlex.quote(path)


def style(path: str) -> Style:
    """How a recorded path was written, whatever this machine is."""
    if _WINDOWS.match(path):
        return "windows"
    return "posix" if path.startswith("/") else "relative"


def foreign(path: str) -> Foreign | None:
    """Why a path cannot be one of this machine, or None when it can (it may still be missing)."""
    written = style(path)
    if written == "relative":
        return "relative"
    if os.name == "nt":
        return "posix" if written == "posix" else None
    if written == "windows":
        return "windows"
    for homes in _HOMES:
        if path.startswith(homes):
            user = path[len(homes) :].split("/", 1)[0]
            return None if user and os.path.exists(homes + user) else "home"  # noqa: PTH110 (never raises)
    return None


@dataclass(frozen=True, slots=True)
class PathMap:
    """`old` and all below it lie at `new` on this machine."""

    old: str
    new: str

    @classmethod
    def parse(cls, text: str) -> PathMap:
        r"""Read `OLD=NEW`, such as `/Users/a/demo=/home/me/demo` or `C:\work\demo=/home/me/demo`.

        Raises:
            UsageError: there is no `=`, OLD is not absolute, or NEW is empty.
        """
        old, equals, new = text.partition("=")
        if not equals or not new or style(old) == "relative":
            raise UsageError(
                f"{text!r} maps no path.",
                remedy="Write --map OLD=NEW, both absolute: --map /Users/a/demo=/home/me/demo",
            )
        return cls(old.rstrip("/\\") or old, os.path.realpath(new))

    def applied(self, path: str) -> str | None:
        """The path at its new place, or None when it does not lie below `old`."""
        windows = style(self.old + "/") == "windows"
        old, given = (_plain(self.old), _plain(path)) if windows else (self.old, path)
        if given == old:
            return self.new
        if not given.startswith(old.rstrip("/") + "/"):
            return None
        rest = path[len(old.rstrip("/")) + 1 :].replace("\\", "/") if windows else path[len(old.rstrip("/")) + 1 :]
        return f"{self.new.rstrip('/')}/{rest}"


def _plain(path: str) -> str:
    return path.replace("\\", "/").lower()


def mapped(path: str, maps: Sequence[PathMap]) -> str:
    """The path after the map with the longest `old` that fits; unchanged when none does."""
    for entry in sorted(maps, key=lambda entry: -len(entry.old)):
        found = entry.applied(path)
        if found is not None:
            return found
    return path


def is_directory(path: str) -> bool:
    """Whether there is a directory; False for every path that cannot be one (too long, with a NUL, not to be reached)."""
    try:
        return os.path.isdir(path)  # noqa: PTH112 (pathlib raises for a path that is too long)
    except ValueError:
        return False


def below(path: str, folder: str) -> str | None:
    """`path` relative to `folder` (`.` for itself), or None when it lies elsewhere; by text, both absolute."""
    if path == folder:
        return "."
    prefix = folder.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None
