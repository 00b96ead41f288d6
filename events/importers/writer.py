"""The bytes of one file on their way into the store as native records, in batches, each followed by its events."""

from __future__ import annotations

from sqlalchemy import Connection, select

from .. import native, schema
from ..native import RecordWriter, SourceRow
from ..store import EventStore
from .event_writer import EventWriter
from .reader import Piece

_BATCH_BYTES = 4 * 1024 * 1024
_BATCH_RECORDS = 1000


class FileWriter:
    """Takes pieces in file order; `finish` writes what is left."""

    def __init__(self, store: EventStore, connection: Connection, source: SourceRow) -> None:
        self._connection = connection
        self._source = source.source
        self._queued_bytes = 0
        self._queued = 0
        self._records = RecordWriter(connection, store.writing_codec(), source.source)
        self.flush = self._records.flush

    def take(self, piece: Piece, events: EventWriter) -> None:
        """Keep the bytes, and append what they say."""
        if piece.closes:
            events.flush()
            self._close_line(piece)
            return
        record = self._records.add(piece.line, piece.byte_offset, piece.raw, piece.eol)
        if not piece.blank:
            events.take(piece, record)
        self._queued += 1
        self._queued_bytes += len(piece.raw)
        if self._queued >= _BATCH_RECORDS or self._queued_bytes >= _BATCH_BYTES:
            events.flush()
            self._queued = self._queued_bytes = 0

    def _close_line(self, piece: Piece) -> None:
        """The line end of a record that was read before its line was whole; rows of records never grow, so `\\r` gets its own."""
        if piece.eol != 1:
            self._records.add(piece.line, piece.byte_offset, b"\r", 1)
            return
        columns = schema.record.c
        query = (
            select(columns.record).where(columns.source == self._source).order_by(columns.offset_bytes.desc()).limit(1)
        )
        native.set_eol(self._connection, self._connection.execute(query).scalar_one(), piece.eol)
