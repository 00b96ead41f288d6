"""The content of a file at one moment: its bytes, its absence, or that we do not know; and where copies of it lie."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ...events.references import MISSING
from ...events.store import EventStore

_BLOB_NAME = re.compile(r"[0-9a-f]{64}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]*")


@dataclass(frozen=True, slots=True)
class Content:
    """`data` is None when the file does not exist. `exact` is false for text out of a transcript, whose line ends
    may have been `\r\n` on disk (Claude Code records text with `\n`)."""

    data: bytes | None
    exact: bool = True

    @classmethod
    def of_text(cls, text: str) -> Content:
        return cls(text.encode("utf-8", "surrogatepass"), exact=False)

    @property
    def digest(self) -> str | None:
        return None if self.data is None else hashlib.sha256(self.data).hexdigest()

    def text(self) -> str | None:
        """The text with `\n` line ends; None for absent or binary content."""
        if self.data is None:
            return None
        try:
            return self.data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None

    def same_as(self, other: Content) -> bool:
        """Equal bytes; where one side is text of a transcript, equal up to the line ends."""
        if self.data == other.data:
            return True
        if self.data is None or other.data is None or (self.exact and other.exact):
            return False
        return self.data.replace(b"\r\n", b"\n") == other.data.replace(b"\r\n", b"\n")

    def in_the_style_of(self, present: Content) -> Content:
        """Text of a transcript with the line ends that the file has now."""
        if self.exact or self.data is None or present.data is None or b"\r\n" in self.data:
            return self
        lines = present.data.count(b"\n")
        if lines and present.data.count(b"\r\n") == lines:
            return Content(self.data.replace(b"\n", b"\r\n"), exact=False)
        return self


ABSENT = Content(None)


@dataclass(frozen=True, slots=True)
class Copies:
    """Where copies of file contents are: our blobs, and the backup folders of the session's source."""

    store: EventStore
    folders: tuple[Path, ...] = ()

    @classmethod
    def of_session(cls, store: EventStore, session_ids: list[str]) -> Copies:
        """`<config>/file-history/<session>` for the session and those it was forked from, config as its transcript
        lies, else the default one."""
        folders: list[Path] = []
        for session_id in session_ids:
            for config in _configs(store, session_id):
                folder = config / "file-history" / session_id
                if folder not in folders:
                    folders.append(folder)
        return cls(store, tuple(folders))

    def named(self, name: str) -> Content | None:
        """The copy with this name: a blob's digest, or a file of a backup folder."""
        if _BLOB_NAME.fullmatch(name):
            data = self.store.blob(name)
            return None if data is None else Content(data)
        if not _PLAIN_NAME.fullmatch(name):
            return None
        for folder in self.folders:
            file = folder / name
            if file.is_file() and not file.is_symlink():
                return Content(file.read_bytes())
        return None

    def text(self, value: object) -> Content | None:
        """Content from a hydrated text field of an event."""
        return Content.of_text(value) if isinstance(value, str) and value != MISSING else None


def _configs(store: EventStore, session_id: str) -> list[Path]:
    places = [Path(source.path) for source in store.sources(session_id=session_id)]
    found = [place.parents[2] for place in places if len(place.parents) > 2 and place.parents[1].name == "projects"]
    own = os.environ.get("CLAUDE_CONFIG_DIR")
    found.append(Path(own) if own else Path.home() / ".claude")
    return found
