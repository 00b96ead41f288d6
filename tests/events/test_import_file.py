"""Importing a file: only what is new, all or nothing, every byte kept, in any cuts the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rehydrate.events.errors import DiskFull, EventConflict, UnreadableSource
from rehydrate.events.importers import file_import
from rehydrate.events.importers.result import FileResult
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore

from ..support.imported import facts, original, texts
from ..support.tiny import TinyImporter

TINY = TinyImporter()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "db.sqlite") as opened:
        yield opened


def line(**fields: Any) -> bytes:
    return json.dumps({"tiny": "S", **fields}).encode() + b"\n"


def talk(count: int, *, start: int = 0) -> bytes:
    who = ("user", "assistant")
    return b"".join(line(id=f"m{n}", who=who[n % 2], say=f"message {n} " * 9) for n in range(start, start + count))


def put(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def take(store: EventStore, path: Path) -> FileResult:
    return import_file(store, path, TINY)


def codes(result: FileResult) -> list[str]:
    return [finding.code for finding in result.findings]


def test_the_first_event_is_the_start_of_the_session_even_behind_damage(store: EventStore, tmp_path: Path) -> None:
    take(store, put(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + b"{broken\n" + talk(2)))
    kinds = [event.kind for event in store.read("S")]
    assert kinds[:3] == ["SessionStarted", "Unrecognized", "Unrecognized"]


def test_importing_twice_adds_nothing(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(5))
    first = take(store, path)
    second = take(store, path)
    assert (first.status, second.status, second.events_added) == ("new", "unchanged", 0)
    assert second.head == first.head == first.events_added


def test_a_touched_file_with_the_same_content_adds_nothing(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(5))
    before = take(store, path).head
    path.touch()
    import os

    os.utime(path, ns=(1, 1))
    again = take(store, path)
    assert (again.status, again.events_added, again.head) == ("continued", 0, before)


def test_a_grown_file_adds_only_what_is_new(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(4))
    take(store, path)
    put(path, talk(7))
    result = take(store, path)
    assert result.status == "continued"
    assert texts(store, "S") == [f"message {n} " * 9 for n in range(7)]


def test_a_torn_record_is_told_until_it_is_completed_and_then_read_once(store: EventStore, tmp_path: Path) -> None:
    whole = talk(5)
    path = put(tmp_path / "a.jsonl", whole[:-20])
    assert codes(take(store, path)) == ["truncated-tail"]
    assert codes(take(store, path)) == ["truncated-tail"]
    assert original(store, path) == whole[:-20]
    put(path, whole)
    assert codes(take(store, path)) == []
    with EventStore(":memory:") as other:
        take(other, path)
        assert facts(store, "S") == facts(other, "S")


def test_crlf_lines_give_the_events_of_lf_lines(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(5).replace(b"\n", b"\r\n"))
    take(store, path)
    put(path, talk(10).replace(b"\n", b"\r\n"))
    take(store, path)
    with EventStore(":memory:") as other:
        take(other, put(tmp_path / "b.jsonl", talk(10)))
        assert facts(store, "S") == facts(other, "S")
    assert store.sources(path=str(path))[0].offset_bytes == path.stat().st_size


def test_blank_lines_leave_neither_event_nor_finding(store: EventStore, tmp_path: Path) -> None:
    lines = talk(6).splitlines(keepends=True)
    raw = b"".join([lines[0], b"\n", b"   \n", *lines[1:], b"\n\n"])
    result = take(store, put(tmp_path / "a.jsonl", raw))
    with EventStore(":memory:") as other:
        take(other, put(tmp_path / "b.jsonl", talk(6)))
        assert facts(store, "S") == facts(other, "S")
    assert result.findings == ()
    assert original(store, tmp_path / "a.jsonl") == raw


def test_equal_records_without_an_id_are_different_facts(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", line(say="yes") * 3)
    take(store, path)
    put(path, line(say="yes") * 5)
    take(store, path)
    assert texts(store, "S") == ["yes"] * 5
    assert len({event.event_id for event in store.read("S")}) == 6


def test_a_repeated_record_with_an_id_counts_once(store: EventStore, tmp_path: Path) -> None:
    result = take(store, put(tmp_path / "a.jsonl", line(id="m", say="yes") * 3))
    assert texts(store, "S") == ["yes"] and result.findings == ()


def test_one_id_with_two_contents_in_a_file_keeps_both_and_says_so(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", line(id="m", say="yes") + line(id="m", say="no") * 2)
    assert codes(take(store, path)) == ["duplicate-id"]
    assert texts(store, "S") == ["yes", "no"]


def test_a_rewritten_file_is_told_and_adds_its_new_records(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(4))
    take(store, path)
    put(path, talk(2, start=2) + talk(2, start=6))
    result = take(store, path)
    assert result.status == "rewritten" and codes(result) == ["source-rewritten"]
    assert texts(store, "S") == [f"message {n} " * 9 for n in (0, 1, 2, 3, 6, 7)]
    assert [row.superseded for row in store.sources(path=str(path))] == [True, False]
    assert original(store, path) == path.read_bytes()


def test_a_second_file_of_a_session_adds_what_it_has_more(store: EventStore, tmp_path: Path) -> None:
    take(store, put(tmp_path / "long.jsonl", talk(6)))
    assert take(store, put(tmp_path / "short.jsonl", talk(4))).events_added == 0
    assert take(store, put(tmp_path / "longer.jsonl", talk(7))).events_added == 1


REAL = b"5e551011-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    "names", [("one/a.jsonl", "two/a.jsonl"), ("one.jsonl", "two.jsonl"), ("one.jsonl", "one.jsonl")]
)
def test_other_content_under_a_known_id_is_a_conflict_and_nothing_is_written(
    store: EventStore, tmp_path: Path, names: tuple[str, str]
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
    take(store, put(tmp_path / names[0], talk(4).replace(b'"S"', b'"%b"' % REAL)))
    before = facts(store, REAL.decode())
    sources = store.sources()
    other = talk(2, start=7) + line(id="m1", who="assistant", say="other")
    put(tmp_path / names[1], other.replace(b'"S"', b'"%b"' % REAL))
    with pytest.raises(EventConflict):
        take(store, tmp_path / names[1])
    assert facts(store, REAL.decode()) == before
    assert store.sources() == sources


def test_two_files_with_one_placeholder_as_id_are_two_sessions(store: EventStore, tmp_path: Path) -> None:
    take(store, put(tmp_path / "one.jsonl", talk(4)))
    path = put(tmp_path / "two.jsonl", line(id="m1", say="other") + talk(2, start=7))
    first = take(store, path)
    assert first.identity is not None
    assert first.identity.session_id == "S~two"
    assert codes(first) == ["session-id-shared"]
    assert first.findings[0].facts["named"] == "S"
    assert texts(store, "S~two")[0] == "other"
    assert take(store, path).events_added == 0
    put(path, path.read_bytes() + line(id="z", say="more"))
    assert take(store, path).events_added == 1
    assert texts(store, "S") == [f"message {n} " * 9 for n in range(4)]
    with pytest.raises(EventConflict):
        take(store, put(tmp_path / "one.jsonl", line(id="m1", say="rewritten")))


def test_the_same_content_with_other_white_space_is_no_conflict(store: EventStore, tmp_path: Path) -> None:
    take(store, put(tmp_path / "a.jsonl", talk(4)))
    spaced = b"".join(
        json.dumps(json.loads(raw), separators=(" , ", " : ")).encode() + b"\n" for raw in talk(5).splitlines()
    )
    result = take(store, put(tmp_path / "b.jsonl", spaced))
    assert texts(store, "S") == [f"message {n} " * 9 for n in range(5)] and result.findings == ()


def test_a_sub_agent_may_come_before_its_parent(store: EventStore, tmp_path: Path) -> None:
    child = json.dumps({"tiny": "S/agent-1", "parent": "S", "agent": "1", "say": "child"}).encode() + b"\n"
    take(store, put(tmp_path / "child.jsonl", child))
    take(store, put(tmp_path / "parent.jsonl", talk(2)))
    (row,) = store.sessions(role="subagent")
    assert (row.parent_session, row.agent_id) == ("S", "1")
    assert [one.session_id for one in store.sessions(role="main")] == ["S"]


def test_facts_from_beside_the_file_are_added_once(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", talk(2))
    put(tmp_path / "a.title", b"A title")
    take(store, path)
    put(path, talk(3))
    take(store, path)
    put(tmp_path / "a.title", b"Another")
    put(path, talk(4))
    take(store, path)
    assert [event.data["title"] for event in store.read("S", kinds=["SessionLabel"])] == ["A title", "Another"]


def test_an_empty_file_is_no_failure(store: EventStore, tmp_path: Path) -> None:
    assert take(store, put(tmp_path / "a.jsonl", b"")).status == "empty"
    assert take(store, put(tmp_path / "b.jsonl", b"\n \n")).status == "empty"


@pytest.mark.parametrize("raw", [b'[{"role":"user","content":"hi"},{"role"', b"Dear diary,\n", b"\x00" * 100])
def test_what_is_no_transcript_is_refused_by_name_and_leaves_nothing(
    store: EventStore, tmp_path: Path, raw: bytes
) -> None:
    path = put(tmp_path / "notes.json", raw)
    with pytest.raises(UnreadableSource, match=r"notes\.json is not a supported transcript"):
        import_file(store, path)
    assert store.sessions() == [] and store.sources() == []


def test_a_compressed_file_is_read_and_goes_on_uncompressed_content(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl.zst", zstandard.compress(talk(3)))
    take(store, path)
    put(path, zstandard.compress(talk(5)))
    assert take(store, path).status == "continued"
    assert texts(store, "S") == [f"message {n} " * 9 for n in range(5)]


def test_a_cut_compressed_file_gives_what_decompresses_and_says_so(store: EventStore, tmp_path: Path) -> None:
    packed = zstandard.compress(talk(3000) + line(say=str(list(range(100_000)))))
    path = put(tmp_path / "a.jsonl.zst", packed[:-100])
    assert codes(take(store, path)) == ["truncated-tail"]
    put(path, packed)
    assert codes(take(store, path)) == []
    assert len(texts(store, "S")) == 3001


def test_bytes_that_do_not_decompress_are_refused(store: EventStore, tmp_path: Path) -> None:
    packed = bytearray(zstandard.compress(talk(3000)))
    packed[10:60] = bytes(50)
    with pytest.raises(UnreadableSource):
        take(store, put(tmp_path / "a.jsonl.zst", bytes(packed)))
    assert store.sessions() == []


def test_a_document_is_one_record_and_may_change(store: EventStore, tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", json.dumps({"tiny": "S", "id": "a", "say": "one"}, indent=2).encode())
    assert take(store, path).findings == ()
    assert original(store, path) == path.read_bytes()
    assert texts(store, "S") == ["one"]


def test_text_that_no_database_takes_is_kept(store: EventStore, tmp_path: Path) -> None:
    raw = b'{"tiny":"S","id":"\\ud83c","say":"a\\u0000b \\ud83c \\u2028 ' + "🌀".encode() + b'"}\n'
    path = put(tmp_path / "a.jsonl", raw)
    assert codes(take(store, path)) == ["lone-surrogate"]
    assert texts(store, "S") == ["a\x00b \ud83c \u2028 🌀"]
    assert original(store, path) == raw


def test_a_large_text_is_stored_once(store: EventStore, tmp_path: Path) -> None:
    big = "0123456789abcdef" * 65_536
    path = put(tmp_path / "a.jsonl", b"".join(line(id=f"m{n}", say=big, n=n) for n in range(20)))
    take(store, path)
    assert original(store, path) == path.read_bytes()
    assert set(texts(store, "S")) == {big}
    assert (tmp_path / "db.sqlite").stat().st_size < 2_000_000


def test_a_full_disk_is_said_and_leaves_nothing_behind(store: EventStore, tmp_path: Path) -> None:
    take(store, put(tmp_path / "small.jsonl", talk(3)))
    before = facts(store, "S")
    noise = b"".join(line(id=f"n{n}", say=str(hash(str(n) * 3) ** 9)) for n in range(3000))
    path = put(tmp_path / "large.jsonl", noise)
    with store.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(DiskFull):
        take(store, path)
    assert facts(store, "S") == before
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    take(store, path)
    assert len(texts(store, "S")) == 3003


def test_a_large_file_in_several_passes_equals_one_pass(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = talk(40) + line(id="m1", who="assistant", say="other") + line(say="yes") * 3 + talk(3, start=50) + b'{"torn'
    path = put(tmp_path / "a.jsonl", raw)
    monkeypatch.setattr(file_import, "PASS_BYTES", 700)
    result = take(store, path)
    assert codes(result) == ["duplicate-id", "truncated-tail"]
    assert result.events_added == result.head
    monkeypatch.undo()
    with EventStore(":memory:") as other:
        take(other, path)
        assert facts(store, "S") == facts(other, "S")
    assert original(store, path) == raw
    assert take(store, path).status == "unchanged"
    assert len(store.sources()) == 1


RECORDS = st.lists(
    st.sampled_from(
        [
            line(id="a", say="one"),
            line(id="b", who="assistant", say="two"),
            line(id="a", say="changed"),
            line(say="yes"),
            line(type="novel"),
            b'{"tiny":"S","sa\n',
            b'{"tiny":"S","x{"tiny":"S","id":"c","say":"glued behind a stub"}\n',
            b'{"tiny":"S","say":"g"}{"tiny":"S","say":"g"}\r\n',
            b"\n",
            b" \r\n",
            b"\x00\x00\x00\n",
            b"42\n",
            b'{"tiny":"S","say":"\xe6\x87"}\n',
        ]
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=RECORDS, data=st.data())
def test_imports_in_any_cuts_equal_one_import(tmp_path: Path, records: list[bytes], data: st.DataObject) -> None:
    raw = line(id="first", say="hello") + b"".join(records)
    cuts = sorted(data.draw(st.lists(st.integers(len(line(id="first", say="hello")), len(raw)), max_size=3)))
    path = tmp_path / "a.jsonl"
    with EventStore(":memory:") as pieces, EventStore(":memory:") as once:
        for cut in [*cuts, len(raw)]:
            take(pieces, put(path, raw[:cut]))
            assert original(pieces, path) == raw[:cut]
        take(once, path)
        assert facts(pieces, "S") == facts(once, "S")
        assert take(once, path).events_added == 0
