"""Telling a bundle from a transcript by its first bytes and its tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..events import schema

_MAGIC = b"SQLite format 3\x00"


def is_bundle(path: Path) -> bool:
    """Whether the file is a database of this program. It is looked at without touching it or anything beside it."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
    except OSError:
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return False
    return {schema.event.name, schema.lineage.name, schema.session.name} <= names
