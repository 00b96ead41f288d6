"""The event log: sessions, streams of events, native records, blobs, lineage, and the disposable read models.

Revision: 0001, after nothing.
Why: one append-only table of events per database; rows of events can be neither changed nor deleted, except under a purge permit.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
STRICT = {"sqlite_strict": True}


def upgrade() -> None:
    _sessions()
    _events()
    _native()
    _read_models()
    _guards(op.get_bind().dialect.name)


def _sessions() -> None:
    op.create_table(
        "store_info",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        **STRICT,
    )
    op.create_table(
        "session",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("parent_session", sa.Text),
        sa.Column("agent_id", sa.Text),
        sa.Column("stream", BIG, nullable=False),
        sa.Column("created_us", BIG, nullable=False),
        sa.Column("seal", sa.LargeBinary, nullable=False),
        **STRICT,
    )
    op.create_index("session_parent", "session", ["parent_session"])
    op.create_table(
        "stream",
        sa.Column("stream", BIG, primary_key=True),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("head", BIG, nullable=False),
        sa.Column("head_hash", sa.LargeBinary, nullable=False),
        sa.Column("forked_from", sa.Text),
        **STRICT,
    )
    op.create_index("stream_session", "stream", ["session_id"])
    op.create_table(
        "lineage",
        sa.Column("stream", BIG, primary_key=True),
        sa.Column("ord", sa.Integer, primary_key=True),
        sa.Column("src_stream", BIG, nullable=False),
        sa.Column("lo", BIG, nullable=False),
        sa.Column("hi", BIG, nullable=False),
        sqlite_with_rowid=False,
        **STRICT,
    )
    op.create_table(
        "lease",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("token", BIG, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("acquired_us", BIG),
        sa.Column("renewed_us", BIG),
        **STRICT,
    )


def _events() -> None:
    op.create_table(
        "event",
        sa.Column("pos", BIG, primary_key=True),
        sa.Column("stream", BIG, nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("ts", BIG),
        sa.Column("uid", sa.LargeBinary, nullable=False),
        sa.Column("meta", sa.Text),
        sa.Column("enc", sa.Integer, nullable=False),
        sa.Column("dict_id", sa.Integer),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("record", BIG),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("stream", "seq", name="event_stream_seq"),
        **STRICT,
    )
    op.create_table("purge_permit", sa.Column("stream", BIG, primary_key=True), **STRICT)


def _native() -> None:
    op.create_table(
        "source",
        sa.Column("source", BIG, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("importer", sa.Text, nullable=False),
        sa.Column("importer_version", sa.Integer, nullable=False),
        sa.Column("size_bytes", BIG, nullable=False),
        sa.Column("offset_bytes", BIG, nullable=False),
        sa.Column("lines", BIG, nullable=False),
        sa.Column("mtime_ns", BIG, nullable=False),
        sa.Column("prefix_hash", sa.LargeBinary, nullable=False),
        sa.Column("tail", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("superseded", sa.Integer, nullable=False),
        sa.Column("seal", sa.LargeBinary, nullable=False),
        **STRICT,
    )
    op.create_index("source_path", "source", ["path"])
    op.create_index("source_session", "source", ["session_id"])
    op.create_table(
        "record",
        sa.Column("record", BIG, primary_key=True),
        sa.Column("source", BIG, sa.ForeignKey("source.source"), nullable=False),
        sa.Column("line", BIG, nullable=False),
        sa.Column("offset_bytes", BIG, nullable=False),
        sa.Column("eol", sa.Integer, nullable=False),
        sa.Column("enc", sa.Integer, nullable=False),
        sa.Column("dict_id", sa.Integer),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("splices", sa.Text),
        sa.UniqueConstraint("source", "offset_bytes", name="record_source_offset"),
        **STRICT,
    )
    op.create_table(
        "blob",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("size_bytes", BIG, nullable=False),
        sa.Column("enc", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        **STRICT,
    )
    op.create_table(
        "dictionary",
        sa.Column("dict_id", sa.Integer, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        **STRICT,
    )


def _read_models() -> None:
    op.create_table(
        "snapshot",
        sa.Column("stream", BIG, primary_key=True),
        sa.Column("seq", BIG, primary_key=True),
        sa.Column("version", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
        **STRICT,
    )
    op.create_table(
        "session_index",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("last_us", BIG),
        sa.Column("listed", sa.Integer, nullable=False),
        sa.Column("project", sa.Text),
        sa.Column("title", sa.Text),
        sa.Column("data", sa.Text, nullable=False),
        **STRICT,
    )
    op.create_index("session_index_last", "session_index", ["last_us"])


def _guards(dialect: str) -> None:
    """Events are for ever: the database itself refuses to change them."""
    if dialect == "sqlite":
        op.execute(
            "CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
        )
        op.execute(
            "CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
            " WHEN NOT EXISTS (SELECT 1 FROM purge_permit WHERE stream = OLD.stream)"
            " BEGIN SELECT RAISE(ABORT, 'events are never deleted, except by purge'); END"
        )
        op.execute("PRAGMA user_version = 1")
        return
    op.execute(
        "CREATE FUNCTION event_guard() RETURNS trigger AS $$ BEGIN"
        " IF TG_OP = 'UPDATE' THEN RAISE EXCEPTION 'events are never changed'; END IF;"
        " IF NOT EXISTS (SELECT 1 FROM purge_permit WHERE stream = OLD.stream) THEN"
        " RAISE EXCEPTION 'events are never deleted, except by purge'; END IF;"
        " RETURN OLD; END $$ LANGUAGE plpgsql"
    )
    op.execute(
        "CREATE TRIGGER event_guard BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION event_guard()"
    )
