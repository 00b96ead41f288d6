"""Long strings are found whole, wherever they lie and whatever they hold."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from rehydrate.events.long_text import long_parts

STRINGS = re.compile(rb'"((?:[^"\\]|\\.)*)"')


@given(st.lists(st.text(alphabet='ab"\\\n', max_size=40) | st.integers(), max_size=8), st.integers(4, 12))
def test_every_long_string_is_found_as_a_whole(values: list[str | int], length: int) -> None:
    raw = json.dumps(values).encode()
    expected = [match.span(1) for match in STRINGS.finditer(raw) if match.end(1) - match.start(1) >= length]
    found = long_parts(raw, length)
    assert [part for part in found if part in expected] == expected
    assert found == sorted(found) and all(end - start >= length for start, end in found)


@given(st.binary(max_size=60), st.integers(1, 9))
def test_any_bytes_give_parts_in_order_that_do_not_overlap(raw: bytes, length: int) -> None:
    end = 0
    for start, stop in long_parts(raw, length):
        assert end <= start < stop <= len(raw)
        end = stop
