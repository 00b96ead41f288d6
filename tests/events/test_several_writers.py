"""Several processes and threads on one database; interrupted and refused writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rehydrate.events.errors import Conflict, DatabaseBusy, PositionConflict
from rehydrate.events.event import Draft
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore

from ..support.imported import facts, texts
from ..support.stores import KINDS, opened
from ..support.tiny import TinyImporter

ROOT = Path(__file__).parents[2]
IMPORT = """
import sys
from pathlib import Path
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
sys.path.insert(0, sys.argv[3])
from tiny import TinyImporter
with EventStore(sys.argv[1]) as store:
    print("ready", flush=True)
    print(import_file(store, Path(sys.argv[2]), TinyImporter()).events_added, flush=True)
"""


def transcript(path: Path, session: str, count: int) -> Path:
    lines = (json.dumps({"tiny": session, "id": f"{session}{n}", "say": f"{n} " * 50}) for n in range(count))
    path.write_text("\n".join(lines) + "\n")
    return path


def importing(database: Path, path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", IMPORT, str(database), str(path), str(ROOT / "tests" / "support")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def note(number: int) -> Draft:
    return Draft("Notice", {"subtype": "x", "value": number})


def test_eight_processes_import_eight_files_into_one_database(tmp_path: Path) -> None:
    database = tmp_path / "db.sqlite"
    files = [transcript(tmp_path / f"{n}.jsonl", f"S{n}", 500) for n in range(8)]
    running = [importing(database, path) for path in files]
    results = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 8, [error for _, error in results]
    with EventStore(database) as store:
        assert [store.session(f"S{n}").head for n in range(8)] == [501] * 8
        with store.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() > 0


def test_a_killed_import_leaves_nothing_and_runs_again(tmp_path: Path) -> None:
    database = tmp_path / "db.sqlite"
    path = transcript(tmp_path / "a.jsonl", "S", 6000)
    with EventStore(database) as store:
        import_file(store, transcript(tmp_path / "b.jsonl", "T", 3), TinyImporter())
        before = facts(store, "T")
    process = importing(database, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with EventStore(database) as store:
        assert facts(store, "T") == before
        found = store.find_session("S")
        assert found is None or found.head == 6001
        import_file(store, path, TinyImporter())
        assert len(texts(store, "S")) == 6000
        assert len(store.sources(path=str(path))) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_writers_at_one_position_one_wins_and_the_other_is_told(kind: str, tmp_path: Path) -> None:
    if kind == "memory":
        pytest.skip("a memory database has one store")
    with opened(kind, tmp_path) as first, EventStore(first.url) as second:
        first.create_session("S", source="live")
        for position in range(20):
            outcomes: list[str] = []
            start = threading.Barrier(2)

            def write(store: EventStore, position: int, start: threading.Barrier, outcomes: list[str]) -> None:
                start.wait()
                try:
                    store.append("S", [note(position)], position)
                    outcomes.append("won")
                except (PositionConflict, Conflict):
                    outcomes.append("told")

            threads = [threading.Thread(target=write, args=(one, position, start, outcomes)) for one in (first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(outcomes) == ["told", "won"]
        assert [event.position for event in first.read("S")] == list(range(1, 21))


def test_one_store_may_be_used_by_several_threads(tmp_path: Path) -> None:
    with EventStore(tmp_path / "db.sqlite") as store:
        store.create_session("S", source="live")
        threads = [threading.Thread(target=lambda: [store.append("S", [note(n)]) for n in range(25)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [event.position for event in store.read("S")] == list(range(1, 101))


def test_waiting_for_the_lock_ends_with_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REHYDRATE_LOCK_TIMEOUT", "0.2")
    with EventStore(tmp_path / "db.sqlite") as one, EventStore(tmp_path / "db.sqlite") as other:
        one.create_session("S", source="live")
        with one.writing(), pytest.raises(DatabaseBusy):
            other.append("S", [note(1)])
        other.append("S", [note(1)], 0)
        assert one.session("S").head == 1


def test_a_clock_that_jumps_back_makes_no_conflict(tmp_path: Path) -> None:
    with EventStore(tmp_path / "db.sqlite") as store:
        store.create_session("S", source="live")
        for position in range(100):
            store.append("S", [Draft("Notice", {"subtype": "x"}, ts=10_000 - position)], position)
        assert [event.position for event in store.read("S")] == list(range(1, 101))
