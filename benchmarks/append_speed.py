"""Durable appends against plain sqlite3 inserts of the same bytes, turns against single events, forks against appends."""

from __future__ import annotations

import argparse
import itertools
import json
import sqlite3
import tempfile
from pathlib import Path

from pairs import compare, report
from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore

TEXT = "The parser reads one line, and the next test asks what happens when it is cut. " * 6
COUNT = 100


def draft(number: int) -> Draft:
    return Draft("UserInput", {"content": [{"type": "text", "text": f"{number} {TEXT}"}], "preview": TEXT[:100]})


class Plain:
    """What is left when everything is taken away: one commit of one row."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body BLOB)")

    def append(self, number: int) -> None:
        body = json.dumps(draft(number).data).encode()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO event (body) VALUES (?)", (body,))
        self._connection.execute("COMMIT")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as name, EventStore(Path(name) / "db.sqlite") as store:
        plain = Plain(Path(name) / "plain.sqlite")
        store.create_session("S", source="live")
        numbers = itertools.count()

        def single() -> None:
            for _ in range(COUNT):
                store.append("S", [draft(next(numbers))])

        def turn() -> None:
            for _ in range(COUNT // 10):
                store.append("S", [draft(next(numbers)) for _ in range(10)])

        def raw() -> None:
            for _ in range(COUNT):
                plain.append(next(numbers))

        def fork() -> None:
            head = store.session("S").head
            for _ in range(COUNT):
                store.create_fork(f"F{next(numbers)}", "S", head, source="live")

        report("durable append / plain sqlite3 insert", compare(single, raw, pairs=pairs), 1 / 0.70)
        report("ten single appends / one turn of ten", compare(single, turn, pairs=pairs), 5, at_least=True)
        report("fork / append", compare(fork, single, pairs=pairs), 1.3)


if __name__ == "__main__":
    main()
