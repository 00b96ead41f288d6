"""Putting one file back, all of it or nothing: a new file beside it, synced, then renamed over it."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from .content import ABSENT, Content


def read_now(path: Path) -> Content:
    """What is on disk; an absent file is ABSENT."""
    try:
        return Content(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT


def put(path: Path, content: Content) -> None:
    """Make the file have this content (or not exist); its permissions stay. Missing folders are made."""
    if content.data is None:
        path.unlink(missing_ok=True)
        return
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".rehydrate-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode if mode is not None else 0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
