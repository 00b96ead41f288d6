"""The reader loses nothing: every byte comes back, every readable record is read, every damage is named with its place."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rehydrate.events.importers import reader as reader_module
from rehydrate.events.importers.reader import Piece, Reader
from rehydrate.events.native import EOL


def read(raw: bytes) -> tuple[list[Piece], Reader]:
    reader = Reader(io.BytesIO(raw))
    return list(reader.pieces()), reader


def told(raw: bytes) -> list[tuple[Any, str | None]]:
    return [(piece.value, piece.damage) for piece in read(raw)[0] if not piece.blank]


def joined(pieces: list[Piece], reader: Reader) -> bytes:
    return b"".join(piece.raw + EOL[piece.eol] for piece in pieces) + reader.tail


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"a":1}\n{"b":2}\n', [({"a": 1}, None), ({"b": 2}, None)]),
        (b'{"a":1}\r\n{"b":2}\r\n', [({"a": 1}, None), ({"b": 2}, None)]),
        (b'{"a":1}\n\n   \n\n', [({"a": 1}, None)]),
        (b'\xef\xbb\xbf{"a":1}\n', [(None, "byte-order-mark"), ({"a": 1}, None)]),
        (b'{"a":1}{"b":2}\n', [({"a": 1}, None), ({"b": 2}, "glued")]),
        (b'{"a":1} \t{"b":2}\n', [({"a": 1}, None), ({"b": 2}, "glued")]),
        (b'{"type":"x","te{"a":1}\n', [(None, "malformed"), ({"a": 1}, None)]),
        (b'{"type":"x","te{"a":1}{"b":2}\n', [(None, "malformed"), ({"a": 1}, None), ({"b": 2}, "glued")]),
        (b'\x00\x00\x00{"a":1}\n', [(None, "nul-bytes"), ({"a": 1}, None)]),
        (b'{"a":1}\x00\x00\n{"b":2}\n', [({"a": 1}, None), (None, "nul-bytes"), ({"b": 2}, None)]),
        (b'{"a":"\x00\x00{"b":2}\n', [(None, "nul-bytes"), ({"b": 2}, None)]),
        (b'{"a":"\xe6\x87\n{"b":2}\n', [(None, "invalid-utf8"), ({"b": 2}, None)]),
        (b'{"a":"\xe6\x87"}\n', [({"a": "�"}, "invalid-utf8")]),
        (b'{"a":"\\ud83c"}\n', [({"a": "\ud83c"}, "lone-surrogate")]),
        (b'{"a":"\\ud83c\\udf00"}\n', [({"a": "🌀"}, None)]),
        (b'{"a":"\\\\ud83c"}\n', [({"a": "\\ud83c"}, None)]),
        (b'{"a":"b","c":{"d":1}\n', [(None, "malformed")]),
        (b'[1,2]\n42\n"x"\nnull\n', [([1, 2], None), (42, None), ("x", None), (None, None)]),
        (b"nonsense\n", [(None, "malformed")]),
        (b'{"a":"\xe2\x80\xa8"}\n', [({"a": "\u2028"}, None)]),
    ],
)
def test_each_kind_of_damage_is_named_and_the_records_beside_it_are_read(
    raw: bytes, expected: list[tuple[Any, str | None]]
) -> None:
    assert told(raw) == expected
    assert joined(*read(raw)) == raw


def test_a_damaged_record_is_told_with_line_and_byte_offset() -> None:
    pieces, _ = read(b'{"a":1}\r\n\n{"b\n{"c":3}{"d":4}\n')
    places = [(piece.line, piece.byte_offset, piece.damage) for piece in pieces if piece.damage]
    assert places == [(3, 10, "malformed"), (4, 21, "glued")]


def test_a_torn_last_line_waits_in_the_tail() -> None:
    pieces, reader = read(b'{"a":1}\n{"b":"to')
    assert [piece.value for piece in pieces] == [{"a": 1}]
    assert (reader.tail, reader.offset, reader.line) == (b'{"b":"to', 8, 2)


def test_a_whole_last_line_without_its_end_is_read() -> None:
    pieces, reader = read(b'{"a":1}\n{"b":2}')
    assert [piece.value for piece in pieces] == [{"a": 1}, {"b": 2}]
    assert reader.open_line and reader.tail == b""


def test_a_number_without_line_end_waits_because_it_may_go_on() -> None:
    pieces, reader = read(b'{"a":1}\n42')
    assert len(pieces) == 1 and reader.tail == b"42"


def test_a_line_beyond_the_limit_is_kept_in_parts_and_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "MAX_LINE_BYTES", 4096)
    monkeypatch.setattr(reader_module, "PART_BYTES", 1024)
    raw = b'{"a":1}\n{"b":"' + b"x" * 10_000 + b'"}\n{"c":3}\n'
    pieces, reader = read(raw)
    assert joined(pieces, reader) == raw
    assert max(len(piece.raw) for piece in pieces) <= 1024
    named = [(piece.damage, piece.line, piece.start_offset, piece.size_bytes) for piece in pieces if piece.damage]
    assert named == [("oversized", 2, 8, 10_008)]
    assert pieces[-1].value == {"c": 3}


def test_a_deeply_nested_line_is_damage_and_no_crash() -> None:
    raw = b"[" * 200_000 + b'\n{"a":1}\n'
    assert told(raw) == [(None, "malformed"), ({"a": 1}, None)]


def test_many_stubs_on_one_line_take_no_quadratic_time() -> None:
    raw = b'{"a":"b' * 100_000 + b'\n{"z":1}\n'
    pieces, reader = read(raw)
    assert joined(pieces, reader) == raw
    assert pieces[-1].value == {"z": 1}


LINES = st.lists(
    st.one_of(
        st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3).map(
            lambda value: json.dumps(value).encode()
        ),
        st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")),
        st.sampled_from(
            [b"", b"  ", b"\x00\x00", b"\xef\xbb\xbf", b'{"a":1}', b'{"a', b'{"a":1}{"b":2}', b'{"x":"y{"a":1}', b"\r"]
        ),
    ),
    max_size=6,
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b""])


@given(LINES, ENDS)
def test_every_byte_comes_back(lines: list[bytes], end: bytes) -> None:
    raw = b"\n".join(lines) + end
    assert joined(*read(raw)) == raw


@given(LINES, ENDS, st.data())
def test_reading_in_pieces_gives_the_same_records(lines: list[bytes], end: bytes, data: st.DataObject) -> None:
    raw = b"\n".join(lines) + end
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=4)))
    found: list[tuple[Any, ...]] = []
    offset, line, open_line = 0, 1, False
    for cut in [*cuts, len(raw)]:
        part = Reader(io.BytesIO(raw[offset:cut]), offset=offset, line=line, open_line=open_line)
        found += [
            (piece.raw, repr(piece.value), piece.line, piece.byte_offset, piece.damage, piece.recovered)
            for piece in part.pieces()
            if not piece.blank and not piece.closes
        ]
        offset, line, open_line = part.offset, part.line, part.open_line
    once = [
        (piece.raw, repr(piece.value), piece.line, piece.byte_offset, piece.damage, piece.recovered)
        for piece in read(raw)[0]
        if not piece.blank
    ]
    assert found == once
