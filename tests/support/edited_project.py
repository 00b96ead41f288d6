"""A real git project, and a session whose tools edit its files: each edit is done on disk and recorded as an event."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from rehydrate.events.blocks import TextBlock
from rehydrate.events.event import Draft
from rehydrate.events.kinds import FileChanged, SessionStarted, ToolUse, UserInput
from rehydrate.events.store import EventStore


def git(project: Path, *arguments: str) -> str:
    """Run git in the project, without anything of the machine's own configuration."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=project, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def tree_digest(root: Path) -> dict[str, tuple[str, int]]:
    """Of every file and link below `root` (git too): content digest or link target, and modification time."""
    found: dict[str, tuple[str, int]] = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(root))] = (f"-> {path.readlink()}", path.lstat().st_mtime_ns)
        elif path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(root))] = (digest, path.stat().st_mtime_ns)
    return found


class EditedProject:
    """The project folder and the session; every method returns the position of its event."""

    def __init__(self, folder: Path, store: EventStore, session_id: str = "edited") -> None:
        self.folder = folder
        self.store = store
        self.session_id = session_id
        folder.mkdir(parents=True, exist_ok=True)
        store.create_session(session_id, source="live")
        self._append(SessionStarted(source="live", cwd=str(folder)))

    def prompt(self, text: str) -> int:
        return self._append(UserInput(content=[TextBlock(text=text)], starts_turn=True, preview=text))

    def shell(self, command: str) -> int:
        return self._append(ToolUse(call_id=f"call-{command}", name="Bash", arguments={"command": command}))

    def write(self, name: str, text: str, *, texts: bool = True) -> int:
        """Write a file; `texts` records both contents, else only the digests and a blob of the content before."""
        path = self.folder / name
        before = path.read_bytes() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return self.record(name, before, text.encode("utf-8"), texts=texts)

    def write_bytes(self, name: str, data: bytes) -> int:
        path = self.folder / name
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(data)
        return self.record(name, before, data, texts=False)

    def delete(self, name: str) -> int:
        path = self.folder / name
        before = path.read_bytes()
        path.unlink()
        return self._append(FileChanged(path=str(path), operation="delete", content_before=before.decode("utf-8")))

    def rename(self, name: str, new: str) -> int:
        (self.folder / name).rename(self.folder / new)
        return self._append(
            FileChanged(path=str(self.folder / name), operation="move", moved_to=str(self.folder / new))
        )

    def patch(self, name: str, patch: object, after: str) -> int:
        """A change of which only the patch is recorded."""
        (self.folder / name).write_text(after, encoding="utf-8")
        return self._append(FileChanged(path=str(self.folder / name), operation="update", patch=patch))

    def record(self, name: str, before: bytes | None, after: bytes, *, texts: bool) -> int:
        return self._append(
            FileChanged(
                path=str(self.folder / name),
                operation="create" if before is None else "update",
                content_before=before.decode("utf-8") if texts and before is not None else None,
                content_after=after.decode("utf-8") if texts else None,
                digest_before=None if before is None else hashlib.sha256(before).hexdigest(),
                digest_after=hashlib.sha256(after).hexdigest(),
                backup=self.store.put_blob(before) if before is not None and not texts else None,
            )
        )

    def _append(self, fact: SessionStarted | UserInput | ToolUse | FileChanged) -> int:
        return self.store.append(self.session_id, [Draft.of(fact)])[-1].position
