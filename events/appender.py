"""Events on their way into one stream: positions, canonical bytes, chain hashes, compressed rows, written in batches."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select, update

from . import schema
from .bulk import insert_rows
from .canonical import canonical, chained
from .codec import Codec
from .event import Draft

COLUMNS = ("stream", "seq", "kind", "version", "ts", "uid", "meta", "enc", "dict_id", "data", "record", "hash")
_encode_meta = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Appender:
    """Adds events behind the head of one stream; `flush` writes them and the new head. Use within one transaction only."""

    def __init__(self, connection: Connection, codec: Codec, stream: int) -> None:
        columns = schema.stream.c
        query = select(columns.head, columns.head_hash).where(columns.stream == stream).with_for_update()
        found = connection.execute(query).one()
        self._connection = connection
        self._codec = codec
        self._stream = stream
        self.head = int(found.head)
        self.head_hash = bytes(found.head_hash)
        self._rows: list[tuple[Any, ...]] = []

    def add(self, draft: Draft, event_id: str, data: dict[str, Any], record: int | None, digest: bytes | None) -> int:
        """Queue one event; returns its position.

        data: as it will be stored (large texts already references). record, digest: row and content digest of its native record.
        """
        meta = envelope_of(draft)
        raw = canonical(data)
        version = draft.schema_version
        self.head_hash = chained(
            self.head_hash, event_id, draft.kind, version, draft.ts, meta, raw, record_digest=digest
        )
        self.head += 1
        encoding, dictionary, stored = self._codec.encode(raw)
        self._rows.append(
            (
                self._stream,
                self.head,
                draft.kind,
                version,
                draft.ts,
                bytes.fromhex(event_id),
                meta,
                encoding,
                dictionary,
                stored,
                record,
                self.head_hash,
            )
        )
        return self.head

    def flush(self) -> None:
        if not self._rows:
            return
        insert_rows(self._connection, schema.event, COLUMNS, self._rows)
        self._rows = []
        self._connection.execute(
            update(schema.stream).where(schema.stream.c.stream == self._stream),
            {"head": self.head, "head_hash": self.head_hash},
        )


def envelope_of(draft: Draft) -> str | None:
    """The source tree's part of the envelope as stored text, None when there is nothing to say."""
    fields: dict[str, str] = {}
    if draft.native_id is not None:
        fields["n"] = draft.native_id
    if draft.native_parent is not None:
        fields["p"] = draft.native_parent
    if draft.node is not None:
        fields["t"] = draft.node
    if draft.lane is not None:
        fields["l"] = draft.lane
    return _encode_meta(fields) if fields else None
