"""Resume of a long session against json.loads of its transcript."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from pairs import compare, report
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.resume import resume_session
from transcripts import write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=20)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("samples", nargs="*", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "6f6a1c1e-0000-4000-8000-000000000001.jsonl"
        write(path, given.mb, given.samples)
        with EventStore(Path(name) / "db.sqlite") as store:
            (session,) = import_transcripts([path], store=store).sessions

            def restore() -> None:
                resume_session(session.session_id, store=store, check_workspace=False)

            def parse() -> None:
                with path.open("rb") as file:
                    for line in file:
                        json.loads(line)

            report(f"resume of {given.mb:g} MB / json.loads", compare(restore, parse, pairs=given.pairs), 0.05)


if __name__ == "__main__":
    main()
