"""Large bodies, each stored once by the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import zstandard
from sqlalchemy import Connection, select

from . import schema
from .shapes import is_array, is_object

LARGE_CHARS = 16_384
"""A text of at least this length leaves the event row or the record for the blob table."""


def put(connection: Connection, content: bytes) -> str:
    """Store `content` unless it is there; returns its digest in hex."""
    digest = hashlib.sha256(content).digest()
    known = connection.execute(select(schema.blob.c.size_bytes).where(schema.blob.c.digest == digest)).first()
    if known is None:
        packed = zstandard.compress(content, 3)
        encoding, body = (1, packed) if len(packed) < len(content) else (0, content)
        row = {"digest": digest, "size_bytes": len(content), "enc": encoding, "body": body}
        connection.execute(_unless_known(connection.dialect.name), row)
    return digest.hex()


@cache
def _unless_known(dialect: str) -> Any:
    """Insert a blob; another writer may store the same one at the same time."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(schema.blob).on_conflict_do_nothing()
    return schema.blob.insert()


def get(connection: Connection, digest: str) -> bytes | None:
    """The bytes, or None when no such blob is stored.

    Raises:
        ValueError: the stored bytes are damaged.
    """
    columns = schema.blob.c
    row = connection.execute(select(columns.enc, columns.body).where(columns.digest == bytes.fromhex(digest))).first()
    if row is None:
        return None
    try:
        return zstandard.decompress(row.body) if row.enc else bytes(row.body)
    except (zstandard.ZstdError, MemoryError) as error:
        raise ValueError(f"blob {digest} does not decompress") from error


def put_large_texts(connection: Connection, data: Any) -> Any:
    """`data` with every text of LARGE_CHARS or more replaced by a `$blob` reference."""
    if isinstance(data, str):
        if len(data) < LARGE_CHARS:
            return data
        return {"$blob": put(connection, data.encode("utf-8", "surrogatepass"))}
    if is_object(data):
        return {key: put_large_texts(connection, value) for key, value in data.items()}
    if is_array(data):
        return [put_large_texts(connection, value) for value in data]
    return data


def same_content(draft: Any, stored: Any) -> bool:
    """Whether a draft's data equals stored data, in which large texts are references to blobs."""
    if is_object(stored) and set(stored) == {"$blob"} and isinstance(draft, str):
        return bool(hashlib.sha256(draft.encode("utf-8", "surrogatepass")).hexdigest() == stored["$blob"])
    if is_object(draft) and is_object(stored):
        return draft.keys() == stored.keys() and all(same_content(draft[key], stored[key]) for key in draft)
    if is_array(draft) and is_array(stored):
        return len(draft) == len(stored) and all(map(same_content, draft, stored))
    return bool(draft == stored)
