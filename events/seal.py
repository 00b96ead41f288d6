"""A digest kept in each row that no hash chain covers, so that a changed byte in it is found."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any


def seal_of(values: Mapping[str, Any]) -> bytes:
    """SHA-256 over the names and values of a row's columns, without the seal itself and without a key the database gives."""
    digest = hashlib.sha256()
    for name in sorted(values):
        if name == "seal":
            continue
        value: Any = values[name]
        raw = value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace")
        digest.update(f"{name} {type(value).__name__} {len(raw)}\n".encode())
        digest.update(raw)
    return digest.digest()
