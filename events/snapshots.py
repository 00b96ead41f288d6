"""Stored states: a cache beside the events, found through a fork's lineage."""

from __future__ import annotations

from sqlalchemy import func, select

from . import schema
from .appending import Appending
from .session_rows import SessionRow

THINNED_TO = 1000
"""Of older states the last one of each so many positions is kept; near the end the newest two."""


class Snapshots(Appending):
    """Keeps one state per position and version."""

    def save_snapshot(self, row: SessionRow, position: int, version: str, body: bytes) -> None:
        """Keep a stored state (a cache): one per position; those of other versions are dropped, older ones are thinned out."""
        with self.writing() as connection:
            columns = schema.snapshot.c
            connection.execute(
                schema.snapshot.delete().where(
                    columns.stream == row.stream, (columns.version != version) | (columns.seq == position)
                )
            )
            before = connection.execute(
                select(func.max(columns.seq)).where(columns.stream == row.stream, columns.seq < position)
            ).scalar()
            if before is not None:
                first = position - position % THINNED_TO
                thinned = (columns.stream == row.stream, columns.seq >= first, columns.seq < before)
                connection.execute(schema.snapshot.delete().where(*thinned))
            values = {"stream": row.stream, "seq": position, "version": version, "body": body}
            connection.execute(schema.snapshot.insert(), values)

    def load_snapshot(self, row: SessionRow, position: int, version: str) -> tuple[int, bytes] | None:
        """The newest state at or before `position`: `(its position, body)`."""
        columns = schema.snapshot.c
        with self.reading() as connection:
            for part in reversed(self.segments(row, 1, position)):
                query = (
                    select(columns.seq, columns.body)
                    .where(columns.stream == part.stream, columns.seq <= part.hi, columns.version == version)
                    .order_by(columns.seq.desc())
                    .limit(1)
                )
                found = connection.execute(query).first()
                if found is not None:
                    return int(found.seq), bytes(found.body)
        return None

    def drop_snapshots(self, row: SessionRow) -> None:
        with self.writing() as connection:
            connection.execute(schema.snapshot.delete().where(schema.snapshot.c.stream == row.stream))
