"""Search in what was said. The index is a file of its own beside the database, brought up to date when somebody searches.

It is a read model: it costs nothing when events are appended, holds masked text only, and may be deleted at any moment.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..events.blocks import Frozen
from ..events.event import Event
from ..events.store import EventStore
from ..events.times import to_iso
from .opened import StoreLike, opened
from .secrets import MASK, mask
from .settled import settled

VERSION = 1
KINDS = ("UserInput", "AssistantMessage", "ContextCompact", "SessionLabel")
SNIPPET_CHARS = 160
_TEXT_LIMIT = 200_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS progress (stream INTEGER PRIMARY KEY, session_id TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(
    body, stream UNINDEXED, seq UNINDEXED, kind UNINDEXED, ts UNINDEXED,
    tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
);
"""


class Match(Frozen):
    """A place where the words were said; `snippet` is one line around them. redactions: secrets masked in that event."""

    session_id: str
    title: str | None
    pointer: str
    kind: str
    snippet: str
    timestamp: str | None
    redactions: int = 0


class Found(Frozen):
    """The matches, best first; `more` tells whether there are others beyond the limit."""

    query: str
    matches: tuple[Match, ...]
    more: bool


def search_sessions(
    query: str, *, store: StoreLike = None, limit: int = 20, sessions: Iterable[str] | None = None
) -> Found:
    """Find events of conversations that hold all the words (each also as the beginning of a longer one).

    What a fork shares with its parent is found in the parent only; deleted sessions are not looked into. sessions: look
    in these only.
    """
    from .session_index import listed_rows

    with opened(store) as opened_store, _index(opened_store) as index:
        catch_up(opened_store, index)
        titles = {row["session_id"]: row["title"] for row in listed_rows(opened_store) if not row["deleted"]}
        wanted = titles.keys() if sessions is None else titles.keys() & set(sessions)
        rows = _query(index, query, wanted, limit + 1)
    matches = tuple(_match(row, query, titles[row[1]]) for row in rows[:limit])
    return Found(query=query, matches=matches, more=len(rows) > limit)


def index_path(store: EventStore) -> Path | None:
    """Where the index of this database lies; None when it is kept in memory only."""
    if store.path is not None:
        return store.path.with_name(f"{store.path.name}.search")
    if "memory" in store.url or store.url == "sqlite://":
        return None
    import hashlib

    from platformdirs import user_cache_path

    name = hashlib.sha256(store.url.encode()).hexdigest()[:16]
    return user_cache_path("rehydrate") / f"{name}.search"


@contextmanager
def _index(store: EventStore) -> Generator[sqlite3.Connection]:
    index = _connect(index_path(store))
    try:
        if index.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            index.executescript("DROP TABLE IF EXISTS said; DROP TABLE IF EXISTS progress;")
            index.execute(f"PRAGMA user_version = {VERSION}")
        index.executescript(_SCHEMA)
        yield index
    finally:
        index.close()


def _connect(path: Path | None) -> sqlite3.Connection:
    """The index file (0600), made anew when it is damaged; in memory where the folder cannot be written."""
    if path is None:
        return sqlite3.connect(":memory:")
    import os

    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        index = sqlite3.connect(path, timeout=30)
        index.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError:
        path.unlink()
        return _connect(path)
    except OSError:
        return sqlite3.connect(":memory:")
    return index


def catch_up(store: EventStore, index: sqlite3.Connection) -> int:
    """Index the events that came since the last time; returns how many texts were added."""
    known = {row[0]: row[1] for row in index.execute("SELECT stream, seq FROM progress")}
    rows = store.sessions()
    added = 0
    current = {row.stream for row in rows}
    with index:
        for stream in set(known) - current:
            _drop(index, stream)
    for row in rows:
        own_from = int(row.forked_from.rpartition("@")[2]) if row.forked_from else 0
        after = max(known.get(row.stream, 0), own_from)
        if row.head > after and row.role == "main":
            with index:
                added += _add(store, index, row.session_id, row.stream, after, row.head)
    return added


def _add(store: EventStore, index: sqlite3.Connection, session_id: str, stream: int, after: int, until: int) -> int:
    count = 0
    batch: list[Event] = []
    for event in settled(store.read(session_id, after=after, until=until, kinds=KINDS)):
        batch.append(event)
        if len(batch) == 500:
            count += _write(store, index, stream, batch)
            batch = []
    count += _write(store, index, stream, batch)
    index.execute("INSERT OR REPLACE INTO progress VALUES (?, ?, ?)", (stream, session_id, until))
    return count


def _write(store: EventStore, index: sqlite3.Connection, stream: int, events: Sequence[Event]) -> int:
    rows: list[tuple[Any, ...]] = []
    for event in store.hydrate(events):
        text = mask(said(event)[:_TEXT_LIMIT])[0].replace("\x00", " ")
        if text.strip():
            clean = text.encode("utf-8", "replace").decode("utf-8")
            rows.append((clean, stream, event.position, event.kind, event.ts))
    index.executemany("INSERT INTO said (body, stream, seq, kind, ts) VALUES (?, ?, ?, ?, ?)", rows)
    return len(rows)


def said(event: Event) -> str:
    """The text of a hydrated event that a person would search for; empty for what only machines read."""
    data = event.data
    if event.kind == "SessionLabel":
        return str(data.get("title") or "")
    if event.kind == "ContextCompact":
        return data["summary"] if isinstance(data.get("summary"), str) else ""
    if event.kind == "UserInput" and (
        not data.get("visible_to_reader", True) or data.get("origin") in {"meta", "context", "attachment"}
    ):
        return ""
    blocks: list[dict[str, Any]] = data.get("content" if event.kind == "UserInput" else "blocks") or []
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def forget(store: EventStore, session_ids: Sequence[str]) -> None:
    """Take sessions out of the index, and their text out of its file."""
    path = index_path(store)
    if path is None or not path.exists():
        return
    with _index(store) as index:
        with index:
            index.execute("PRAGMA secure_delete = ON")
            for session_id in session_ids:
                found = index.execute("SELECT stream FROM progress WHERE session_id = ?", (session_id,)).fetchall()
                for (stream,) in found:
                    _drop(index, stream)
            index.execute("INSERT INTO said(said) VALUES ('optimize')")
        index.execute("VACUUM")


def _drop(index: sqlite3.Connection, stream: int) -> None:
    index.execute("DELETE FROM said WHERE stream = ?", (stream,))
    index.execute("DELETE FROM progress WHERE stream = ?", (stream,))


def _query(index: sqlite3.Connection, query: str, sessions: Iterable[str], limit: int) -> list[tuple[Any, ...]]:
    """Rows (body, session, position, kind, time) of these sessions, the best first."""
    index.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (session_id TEXT PRIMARY KEY)")
    index.execute("DELETE FROM wanted")
    index.executemany("INSERT INTO wanted VALUES (?)", ((session_id,) for session_id in sessions))
    base = "SELECT body, session_id, said.seq, kind, ts FROM said JOIN progress USING (stream) JOIN wanted USING (session_id)"
    words = re.findall(r"\w+", query)
    if words:
        match = " ".join(f'"{word}"*' for word in words)
        found = index.execute(f"{base} WHERE said MATCH ? ORDER BY rank LIMIT ?", (match, limit)).fetchall()
        if found or query.isascii():
            return found
    # Scripts without spaces, and pure punctuation, are no words to the tokenizer.
    like = "%" + re.sub(r"([%_\\])", r"\\\1", query) + "%"
    rest = "WHERE body LIKE ? ESCAPE '\\' ORDER BY ts DESC LIMIT ?"
    return index.execute(f"{base} {rest}", (like, limit)).fetchall()


def _match(row: tuple[Any, ...], query: str, title: str | None) -> Match:
    body, session_id, seq, kind, ts = row
    return Match(
        session_id=session_id,
        title=title,
        pointer=f"{session_id}@{seq}",
        kind=kind,
        snippet=snippet(body, query),
        timestamp=to_iso(ts),
        redactions=body.count(MASK),
    )


def snippet(body: str, query: str) -> str:
    """One line of about SNIPPET_CHARS around the first word of the query."""
    line = " ".join("".join(ch if ch.isprintable() else " " for ch in body).split())
    low = line.casefold()
    words = [query.casefold(), *re.findall(r"\w+", query.casefold())]
    place = next((low.find(word) for word in words if word and low.find(word) >= 0), 0)
    start = max(0, place - SNIPPET_CHARS // 3)
    end = start + SNIPPET_CHARS
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")
