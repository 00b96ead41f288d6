"""The tables, as SQLAlchemy Core sees them. The schema itself is made by the migrations; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_NUMBER = 1
"""Of the newest migration; SQLite keeps it in `PRAGMA user_version`, so that opening need not load Alembic."""

metadata = MetaData()
_Key = BigInteger().with_variant(Integer, "sqlite")

store_info = Table(
    "store_info",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_strict=True,
)

session = Table(
    "session",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("parent_session", Text),
    Column("agent_id", Text),
    Column("stream", _Key, nullable=False),
    Column("created_us", BigInteger().with_variant(Integer, "sqlite"), nullable=False),
    Column("seal", LargeBinary, nullable=False),
    Index("session_parent", "parent_session"),
    sqlite_strict=True,
)

stream = Table(
    "stream",
    metadata,
    Column("stream", _Key, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("head", _Key, nullable=False),
    Column("head_hash", LargeBinary, nullable=False),
    Column("forked_from", Text),
    Index("stream_session", "session_id"),
    sqlite_strict=True,
)

event = Table(
    "event",
    metadata,
    Column("pos", _Key, primary_key=True),
    Column("stream", _Key, nullable=False),
    Column("seq", _Key, nullable=False),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("ts", _Key),
    Column("uid", LargeBinary, nullable=False),
    Column("meta", Text),
    Column("enc", Integer, nullable=False),
    Column("dict_id", Integer),
    Column("data", LargeBinary, nullable=False),
    Column("record", _Key),
    Column("hash", LargeBinary, nullable=False),
    UniqueConstraint("stream", "seq", name="event_stream_seq"),
    sqlite_strict=True,
)

source = Table(
    "source",
    metadata,
    Column("source", _Key, primary_key=True),
    Column("path", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("importer", Text, nullable=False),
    Column("importer_version", Integer, nullable=False),
    Column("size_bytes", _Key, nullable=False),
    Column("offset_bytes", _Key, nullable=False),
    Column("lines", _Key, nullable=False),
    Column("mtime_ns", _Key, nullable=False),
    Column("prefix_hash", LargeBinary, nullable=False),
    Column("tail", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    Column("superseded", Integer, nullable=False),
    Column("seal", LargeBinary, nullable=False),
    Index("source_path", "path"),
    Index("source_session", "session_id"),
    sqlite_strict=True,
)

record = Table(
    "record",
    metadata,
    Column("record", _Key, primary_key=True),
    Column("source", _Key, ForeignKey("source.source"), nullable=False),
    Column("line", _Key, nullable=False),
    Column("offset_bytes", _Key, nullable=False),
    Column("eol", Integer, nullable=False),
    Column("enc", Integer, nullable=False),
    Column("dict_id", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("splices", Text),
    UniqueConstraint("source", "offset_bytes", name="record_source_offset"),
    sqlite_strict=True,
)

blob = Table(
    "blob",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("size_bytes", _Key, nullable=False),
    Column("enc", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_strict=True,
)

dictionary = Table(
    "dictionary",
    metadata,
    Column("dict_id", Integer, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    sqlite_strict=True,
)

lineage = Table(
    "lineage",
    metadata,
    Column("stream", _Key, primary_key=True),
    Column("ord", Integer, primary_key=True),
    Column("src_stream", _Key, nullable=False),
    Column("lo", _Key, nullable=False),
    Column("hi", _Key, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

snapshot = Table(
    "snapshot",
    metadata,
    Column("stream", _Key, primary_key=True),
    Column("seq", _Key, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

session_index = Table(
    "session_index",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("seq", _Key, nullable=False),
    Column("version", Text, nullable=False),
    Column("last_us", _Key),
    Column("listed", Integer, nullable=False),
    Column("project", Text),
    Column("title", Text),
    Column("data", Text, nullable=False),
    Index("session_index_last", "last_us"),
    sqlite_strict=True,
)

lease = Table(
    "lease",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("token", _Key, nullable=False),
    Column("holder", Text),
    Column("acquired_us", _Key),
    Column("renewed_us", _Key),
    sqlite_strict=True,
)

purge_permit = Table("purge_permit", metadata, Column("stream", _Key, primary_key=True), sqlite_strict=True)
