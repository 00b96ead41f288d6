"""What can be read of a line that is not simply one JSON value: records glued together, stubs, NUL holes, a byte-order mark."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

FILLER = b"\x00 \t\r"
_BOM = b"\xef\xbb\xbf"
_START = re.compile(rb'\{\s*"')
_HOLE = re.compile(rb"\x00+")
_SPACE = re.compile(rb"[ \t\r]+")
_RECORD_KEYS = {"type", "timestamp", "uuid", "parentUuid", "sessionId", "payload", "record_type"}
_MAX_TRIES = 2_000
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line, `start` to `end` (exclusive), with its value (`valued`) and/or its damage; neither: white space."""

    start: int
    end: int
    value: Any = None
    valued: bool = False
    damage: str | None = None


def spans(raw: bytes, *, glued: bool = False) -> list[Span]:
    """Cut a whole line (without its end) into its parts, none left out.

    glued: a record stands on the line before these bytes already.
    """
    single = _parsed(raw)
    if (
        single is not None
        and not glued
        and not raw.startswith(tuple(bytes([b]) for b in FILLER))
        and raw.strip(FILLER) == raw
    ):
        return [Span(0, len(raw), single[0], True, single[1])]
    found, at = _leading(raw, glued)
    if not glued and not any(span.valued for span in found):
        found, at = _scalar(raw, found, at)
    while at < len(raw):
        start, end = _next_record(raw, at)
        found.append(Span(at, start, damage=_damage_of(raw[at:start])))
        if start == len(raw):
            break
        found.append(_record(raw, start, end, glued=False))
        more, at = _leading(raw[end:], True)
        found += [Span(s.start + end, s.end + end, s.value, s.valued, s.damage) for s in more]
        at += end
    return found


def _scalar(raw: bytes, found: list[Span], at: int) -> tuple[list[Span], int]:
    """A line that holds one number, string or word, with filler around it."""
    end = len(raw.rstrip(FILLER))
    parsed = _parsed(raw[at:end]) if at < end else None
    if parsed is None:
        return found, at
    at_start = at
    more, _ = _leading(raw[end:], True)
    behind = [Span(s.start + end, s.end + end, damage=s.damage) for s in more]
    return [*found, Span(at_start, end, parsed[0], True, parsed[1]), *behind], len(raw)


def complete_spans(raw: bytes, *, glued: bool = False) -> list[Span]:
    """The records that are whole at the beginning of an unterminated line, with the filler before them."""
    found, _ = _leading(raw, glued)
    while found and not found[-1].valued:
        found.pop()
    return found


def _leading(raw: bytes, glued: bool) -> tuple[list[Span], int]:
    """Filler and whole records from the start up to the first byte that begins neither: `(spans, that place)`."""
    text = raw.decode("latin-1")  # one character per byte; JSON's structure is ASCII
    found: list[Span] = []
    at = 0
    while at < len(raw):
        if raw.startswith(_BOM, at):
            found.append(Span(at, at + 3, damage="byte-order-mark"))
        elif (hole := _HOLE.match(raw, at)) is not None:
            found.append(Span(at, hole.end(), damage="nul-bytes"))
        elif (space := _SPACE.match(raw, at)) is not None:
            found.append(Span(at, space.end()))
        elif raw[at] in b"{[" and (end := _value_end(text, at)) is not None:
            found.append(_record(raw, at, end, glued))
            glued = True
        else:
            break
        at = found[-1].end
    return found, at


def _record(raw: bytes, start: int, end: int, glued: bool) -> Span:
    parsed = _parsed(raw[start:end])
    if parsed is None:
        return Span(start, end, damage=_damage_of(raw[start:end]))
    value, damage = parsed
    return Span(start, end, value, True, damage or ("glued" if glued else None))


def _parsed(raw: bytes) -> tuple[Any, str | None] | None:
    """`(value, damage)`; invalid UTF-8 becomes U+FFFD and is named; None when it is no JSON."""
    try:
        return json.loads(raw.decode()), None
    except UnicodeDecodeError:
        pass
    except (ValueError, RecursionError):
        return None
    try:
        return json.loads(raw.decode("utf-8", "replace")), "invalid-utf8"
    except (ValueError, RecursionError):
        return None


def _value_end(text: str, at: int) -> int | None:
    try:
        return int(_DECODER.raw_decode(text, at)[1])
    except (ValueError, RecursionError):
        return None


def _next_record(raw: bytes, at: int) -> tuple[int, int]:
    """The first whole record behind a stub that starts at `at`: `(start, end)`, or the end of the line twice.

    A whole record ends where the line ends or where another record starts. An object that may be a member of the stub (it
    stands where JSON expects a value) counts only if it has the keys of a record.
    """
    text = raw.decode("latin-1")
    for tries, match in enumerate(_START.finditer(raw, at)):
        if tries == _MAX_TRIES:
            break
        start = match.start()
        end = _value_end(text, start)
        if end is None:
            continue
        rest = raw[end:].lstrip(FILLER)[:1]
        if rest not in (b"", b"{"):
            continue
        if raw[at:start].rstrip(FILLER)[-1:] in (b":", b",", b"[") and not _looks_like_record(raw[start:end]):
            continue
        return start, end
    return len(raw), len(raw)


def _looks_like_record(raw: bytes) -> bool:
    parsed = _parsed(raw)
    return parsed is not None and isinstance(parsed[0], dict) and len(_RECORD_KEYS & parsed[0].keys()) >= 3


def _damage_of(raw: bytes) -> str:
    if b"\x00" in raw:
        return "nul-bytes"
    try:
        raw.decode()
    except UnicodeDecodeError:
        return "invalid-utf8"
    return "malformed"
