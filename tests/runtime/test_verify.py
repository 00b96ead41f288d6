"""Proof of a database: whole when nothing happened, and each changed byte is found and named."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path

import pytest
from rehydrate.events.event import Draft
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
from rehydrate.runtime.deletion import delete_session
from rehydrate.runtime.purge import purge_sessions
from rehydrate.runtime.verify import verify_store

from ..support.tiny import TinyImporter


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with two imported sessions (one of them torn), a fork, a blob and live events."""
    folder = tmp_path_factory.mktemp("verify")
    path = folder / "db.sqlite"
    chance = random.Random(3)
    with EventStore(path) as store:
        for session in ("S", "T"):
            lines = []
            for number in range(60):
                text = " ".join(
                    chance.choice(["alpha", "beta", "gamma", "delta"]) for _ in range(chance.randint(1, 90))
                )
                says = text if number != 30 else f"{session} is long " * 3000
                lines.append(json.dumps({"tiny": session, "id": f"{session}{number}", "say": says}))
            (folder / f"{session}.jsonl").write_text("\n".join([*lines, "{torn"]))
            import_file(store, folder / f"{session}.jsonl", TinyImporter())
        store.create_fork("F", "S", 20, source="tiny")
        store.append("F", [Draft("Notice", {"subtype": "x", "text": "f" * 30_000})])
    return path.read_bytes()


def flipped(raw: bytes, at: int, tmp_path: Path) -> Path:
    changed = bytearray(raw)
    changed[at] ^= 0x01
    path = tmp_path / "db.sqlite"
    path.write_bytes(bytes(changed))
    return path


def test_nothing_is_reported_where_nothing_happened(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    path.write_bytes(whole)
    proof = verify_store(store=path)
    assert (proof.sessions, proof.mismatches) == (3, ())
    assert proof.events == 61 + 61 + 1


def in_use(raw: bytes) -> list[int]:
    """Offsets of bytes that belong to a row: cells of leaf pages."""
    offsets: list[int] = []
    for page in range(1, len(raw) // 8192):
        base = page * 8192
        if raw[base] not in (10, 13):
            continue
        start = int.from_bytes(raw[base + 5 : base + 7], "big")
        offsets += range(base + start, base + 8192)
    return offsets


def test_a_changed_byte_in_any_row_is_found(whole: bytes, tmp_path: Path) -> None:
    chance = random.Random(11)
    for at in chance.sample(in_use(whole), 60):
        proof = verify_store(store=flipped(whole, at, tmp_path))
        assert proof.mismatches, f"the byte at {at}"


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT data FROM event WHERE seq = 40 AND stream = 1", "event"),
        ("SELECT hash FROM event WHERE seq = 12 AND stream = 2", "event"),
        ("SELECT uid FROM event WHERE seq = 12 AND stream = 2", "event"),
        ("SELECT body FROM record WHERE line = 20 AND source = 1", "record"),
        ("SELECT body FROM blob WHERE size_bytes = 30000", "blob"),
        ("SELECT tail FROM source WHERE source = 2", "source"),
        ("SELECT prefix_hash FROM source WHERE source = 2", "source"),
        ("SELECT seal FROM session WHERE session_id = 'T'", "session"),
        ("SELECT head_hash FROM stream WHERE stream = 2", "event"),
        ("SELECT body FROM dictionary", "table"),
    ],
)
def test_what_is_damaged_is_named(whole: bytes, tmp_path: Path, query: str, what: str) -> None:
    path = tmp_path / "whole.sqlite"
    path.write_bytes(whole)
    raw = sqlite3.connect(path)
    value = bytes(raw.execute(query).fetchone()[0])
    raw.close()
    piece = value[len(value) // 2 :][:24] if len(value) > 48 else value
    at = whole.find(piece) + len(piece) // 2
    proof = verify_store(store=flipped(whole, at, tmp_path))
    assert what in {mismatch.what for mismatch in proof.mismatches}


def test_a_damaged_event_is_named_with_session_and_position(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "whole.sqlite"
    path.write_bytes(whole)
    raw = sqlite3.connect(path)
    (digest,) = raw.execute("SELECT hash FROM event WHERE seq = 12 AND stream = 2").fetchone()
    raw.close()
    proof = verify_store(store=flipped(whole, whole.find(digest), tmp_path))
    first = proof.mismatches[0]
    assert (first.session_id, first.position) == ("T", 12)
    assert "T@12" in first.message


def test_a_file_that_cannot_be_opened_is_one_mismatch_that_names_it(whole: bytes, tmp_path: Path) -> None:
    proof = verify_store(store=flipped(whole, 3, tmp_path))
    assert [mismatch.what for mismatch in proof.mismatches] == ["file"]
    assert "db.sqlite" in proof.mismatches[0].message


def test_removed_and_added_events_are_found(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    path.write_bytes(whole)
    raw = sqlite3.connect(path)
    raw.execute("DROP TRIGGER event_no_delete")
    raw.execute("DELETE FROM event WHERE seq = 30 AND stream = 1")
    raw.commit()
    raw.close()
    found = {(one.what, one.position) for one in verify_store(store=path).mismatches}
    assert ("event", 30) in found
    assert ("file", None) in found


def test_an_empty_database_is_whole(tmp_path: Path) -> None:
    assert verify_store(store=tmp_path / "db.sqlite") == verify_store(store=":memory:")


def test_a_changed_byte_outside_all_rows_of_a_growing_table_is_found(whole: bytes, tmp_path: Path) -> None:
    found = 0
    for page in range(1, len(whole) // 8192):
        base = page * 8192
        cells = int.from_bytes(whole[base + 3 : base + 5], "big")
        start = base + int.from_bytes(whole[base + 5 : base + 7], "big")
        unused = whole[base + 8 + 2 * cells : start]
        if whole[base] != 13 or cells < 3 or len(unused) < 20 or b"UserInput" not in whole[start : base + 8192]:
            continue
        proof = verify_store(store=flipped(whole, start - 10, tmp_path))
        assert [mismatch.what for mismatch in proof.mismatches] == ["file"]
        assert f"page {page + 1}" in proof.mismatches[0].message
        found += 1
        if found == 3:
            return
    assert found


def test_purging_and_changing_leave_nothing_to_report(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with EventStore(path) as store:
        for session in ("S", "T"):
            lines = (json.dumps({"tiny": session, "id": f"{session}{n}", "say": f"{n} " * 400}) for n in range(80))
            (tmp_path / f"{session}.jsonl").write_text("\n".join(lines))
            import_file(store, tmp_path / f"{session}.jsonl", TinyImporter())
    delete_session("S", store=path)
    purge_sessions(["S"], store=path)
    with EventStore(path) as store:
        store.append("T", [Draft("Notice", {"subtype": "x", "value": n}) for n in range(300)])
        assert verify_store(store=store).mismatches == ()
    assert verify_store(store=path).mismatches == ()
