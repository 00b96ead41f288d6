"""Where each client looks for its sessions, and putting a file there without ever overwriting one."""

from __future__ import annotations

import os
import re
import time
import unicodedata
from pathlib import Path

from ...events.errors import Conflict
from .transcript import Transcript

LONGEST_NAME = 200


def claude_folder_name(cwd: str) -> str:
    """The name of a project's folder: every character outside A-Z a-z 0-9 becomes `-`; long ones get a hash (as the
    SDK does)."""
    own = Path(cwd).is_absolute()  # A directory of another system is never looked up in this one.
    real = unicodedata.normalize("NFC", os.path.realpath(cwd) if own else cwd)
    name = re.sub(r"[^A-Za-z0-9]", "-", real)
    if len(name) <= LONGEST_NAME:
        return name
    number = 0
    for ch in real:
        number = (number * 31 + ord(ch)) & 0xFFFFFFFF
    signed = number - (1 << 32) if number & 0x80000000 else number
    return f"{name[:LONGEST_NAME]}-{_base36(abs(signed))}"


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
        if not number:
            return digits


def claude_place(cwd: str, session_id: str) -> str:
    return f"projects/{claude_folder_name(cwd)}/{session_id}.jsonl"


def codex_place(session_id: str, when: time.struct_time) -> str:
    day, moment = time.strftime("%Y/%m/%d", when), time.strftime("%Y-%m-%dT%H-%M-%S", when)
    return f"sessions/{day}/rollout-{moment}-{session_id}.jsonl"


def home_of(target: str) -> Path:
    """The client's home folder: its environment variable, else its default."""
    variable, default = {"claude-code": ("CLAUDE_CONFIG_DIR", ".claude"), "codex": ("CODEX_HOME", ".codex")}[target]
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else Path.home() / default


def install(transcript: Transcript, home: Path) -> Path:
    """Write the transcript and the files beside it below `home`; a transcript that is there already, equal, is left
    alone.

    Raises:
        Conflict: a file of that name is there already; nothing was written.
    """
    target = home / transcript.place
    files = {target: transcript.content(), **{home / name: data for name, data in transcript.side.items()}}
    if target.is_file() and target.read_bytes() == files[target]:
        return target
    write_all(files)
    return target


def write_all(files: dict[Path, bytes]) -> None:
    """All of these new files, or none.

    Raises:
        Conflict: one of them exists already.
    """
    for path in files:
        refuse_existing(path)
    written: list[Path] = []
    try:
        for path, data in files.items():
            write_new(path, data)
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise Conflict(
            f"{path} exists already; it was not overwritten.",
            remedy="Give another place with --out, or export a fork of the session: rehydrate fork ID",
            path=str(path),
        )


def write_new(path: Path, data: bytes) -> None:
    """A new file, readable by its owner only; folders made here are private too."""
    missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Conflict(f"{path} exists already; it was not overwritten.", path=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
