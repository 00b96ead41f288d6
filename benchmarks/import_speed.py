"""Import of a transcript against json.loads of its lines; import again of the unchanged and of the grown file; peak memory."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from pairs import compare, report
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
from transcripts import write


def parse_all(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def import_all(path: Path, folder: Path) -> None:
    database = Path(tempfile.mkdtemp(dir=folder)) / "db.sqlite"
    with EventStore(database) as store:
        import_file(store, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=20)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("samples", nargs="*", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "6f6a1c1e-0000-4000-8000-000000000001.jsonl"
        write(path, given.mb, given.samples)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found = compare(
            lambda: import_all(path, folder), lambda: parse_all(path), pairs=given.pairs, clock=time.process_time
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        report(f"import {given.mb:g} MB / json.loads (CPU)", found, 2.2)
        with EventStore(folder / "again.sqlite") as store:
            start = time.perf_counter()
            import_file(store, path)
            first = time.perf_counter() - start
            start = time.perf_counter()
            import_file(store, path)
            again = time.perf_counter() - start
        size = (folder / "again.sqlite").stat().st_size / path.stat().st_size
        sys.stdout.write(f"unchanged file: {again / first:.2%} of its first import   goal <= 5%\n")
        sys.stdout.write(f"database: {size:.3f} of the transcript\n")
        sys.stdout.write(f"peak memory: {peak:.0f} MB ({before:.0f} MB before the first import)   goal <= 150 MB\n")


if __name__ == "__main__":
    main()
