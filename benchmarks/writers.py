"""Sixteen processes that append to one database file: their sum against one alone, and how even their shares are."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore

DRAFT = Draft("Notice", {"subtype": "benchmark", "text": "x" * 400})


def write(
    database: str, session: str, seconds: float, results: multiprocessing.Queue[tuple[int, float, float]]
) -> None:
    """Append for a while; puts `(events, median wait, longest wait)`."""
    waits: list[float] = []
    with EventStore(database) as store:
        store.create_session(session, source="live")
        end = time.perf_counter() + seconds
        while (start := time.perf_counter()) < end:
            store.append(session, [DRAFT])
            waits.append(time.perf_counter() - start)
    results.put((len(waits), sorted(waits)[len(waits) // 2], max(waits)))


def run(count: int, seconds: float) -> list[tuple[int, float, float]]:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as name:
        database = str(Path(name) / "db.sqlite")
        EventStore(database).close()
        results = context.Queue()
        writers = [context.Process(target=write, args=(database, f"S{n}", seconds, results)) for n in range(count)]
        for writer in writers:
            writer.start()
        found = [results.get(timeout=seconds * 10 + 60) for _ in writers]
        for writer in writers:
            writer.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=4)
    given = parser.parse_args()
    ((alone, _, _),) = run(1, given.seconds)
    found = run(given.writers, given.seconds)
    counts = [count for count, _, _ in found]
    out = sys.stdout.write
    out(f"{given.writers} writers: {sum(counts) / alone:.2f} of one writer's events   goal >= 0.70\n")
    out(f"slowest / fastest writer: {min(counts) / max(counts):.2f}   goal >= 0.60\n")
    out(f"longest wait: {max(longest for _, _, longest in found) * 1000:.0f} ms\n")


if __name__ == "__main__":
    main()
