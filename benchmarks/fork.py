"""What a fork costs next to one append: for a session of 100 000 events, and for the largest sample when there is one.

usage: python benchmarks/fork.py [--events N] [TRANSCRIPT]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import import_transcripts

SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "samples" / "public"
ROUNDS = 20


def made_session(store: EventStore, count: int) -> str:
    """A session of `count` events, appended in batches."""
    store.create_session("made", source="live")
    store.append("made", [Draft("SessionStarted", {"source": "live"})])
    batch = 5000
    for start in range(1, count, batch):
        numbers = range(start, min(start + batch, count))
        store.append("made", [_event(number) for number in numbers])
    return "made"


def _event(number: int) -> Draft:
    text = {"type": "text", "text": f"message {number}"}
    if number % 2:
        return Draft("UserInput", {"content": [text], "preview": f"message {number}", "starts_turn": True})
    return Draft("AssistantMessage", {"blocks": [text], "response_id": f"r{number}", "model": "m"})


def cost(path: Path, act: Callable[[], object]) -> tuple[float, float]:
    """Median milliseconds of one act, and bytes that it adds to the database (log included), over ROUNDS acts."""
    before = _size(path)
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), max(_size(path) - before, 0) / ROUNDS


def _size(path: Path) -> int:
    import sqlite3

    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def measure(name: str, store: EventStore, path: Path, session: str) -> None:
    head = store.session(session).head
    label = {"title": "a title"}
    append = cost(path, lambda: store.append(session, [Draft("SessionLabel", label)]))
    at_head = cost(path, lambda: fork_session(session, store=store))
    middle = cost(path, lambda: fork_session(f"{session}@{head // 2}", store=store))
    print(f"{name}: {head} events, {path.stat().st_size / 1e6:.1f} MB")
    for what, (ms, size) in (("one append", append), ("fork at the end", at_head), ("fork in the middle", middle)):
        print(f"  {what:20} {ms:8.2f} ms {size:10.0f} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("transcript", nargs="?", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.sqlite"
        with EventStore(path) as store:
            measure("made session", store, path, made_session(store, arguments.events))
        found = arguments.transcript or max(
            SAMPLES.glob("*/*.jsonl"), key=lambda file: file.stat().st_size, default=None
        )
        if found is None:
            print(f"no sample: there is no folder {SAMPLES}")
            return
        path = Path(folder) / "sample.sqlite"
        with EventStore(path) as store:
            (session,) = [one for one in import_transcripts([found], store=store).sessions if one.role == "main"]
            measure(f"{found.name}", store, path, session.session_id)


if __name__ == "__main__":
    main()
