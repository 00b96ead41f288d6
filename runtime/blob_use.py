"""Which blobs anything in the database still names: events, native records and importers' memories."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, select

from ..events import schema
from ..events.codec import Codec

_DIGEST = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
CHUNK = 2000


def digests_in_use(connection: Connection, codec: Codec) -> set[bytes]:
    """Every SHA-256 in hex that an event, a record's splices or a source's state mentions: rather too many than too few."""
    found: set[bytes] = set()
    for raw in _texts(connection, codec):
        found.update(bytes.fromhex(match.decode()) for match in _DIGEST.findall(raw))
    return found


def _texts(connection: Connection, codec: Codec) -> Iterator[bytes]:
    event, record = schema.event.c, schema.record.c
    last = 0
    while True:
        query = select(event.pos, event.enc, event.dict_id, event.data).where(event.pos > last).order_by(event.pos)
        rows = connection.execute(query.limit(CHUNK)).all()
        for row in rows:
            yield codec.decode(row.enc, row.dict_id, row.data)
        if len(rows) < CHUNK:
            break
        last = rows[-1].pos
    for splices in connection.execute(select(record.splices).where(record.splices.is_not(None))).scalars():
        yield splices.encode()
    for state in connection.execute(select(schema.source.c.state)).scalars():
        yield state.encode()
