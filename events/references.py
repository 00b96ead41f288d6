"""Long values live once, in the native record or the blob store; this turns references back into values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .shapes import is_array, is_object

REF = "$ref"
BLOB = "$blob"
INLINE_CHARS = 64
"""A string up to this length is stored in place: a reference would not be shorter."""

MISSING = "[content not available]"


def at(record: Any, *path: str | int) -> Any:
    """The value at `path` if it is short, else a reference to it.

    Numbers, booleans, None and short strings come back as they are; so do absent paths (None).
    """
    value = follow(record, path)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) and len(value) <= INLINE_CHARS and not has_surrogate(value):
        return value
    if value in ([], {}):
        return value
    return {REF: list(path)}


def follow(record: Any, path: Sequence[str | int]) -> Any:
    """The value at `path` in parsed JSON, None where it leads nowhere. A string step `#json` parses the string reached so far."""
    value = record
    for step in path:
        if step == "#json":
            value = _parsed(value)
        elif is_object(value) and isinstance(step, str):
            value = value.get(step)
        elif is_array(value) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def _parsed(value: Any) -> Any:
    import json

    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def resolve(data: Any, record: Any, blob: Callable[[str], str | None]) -> Any:
    """Replace every reference in `data`: `$ref` from `record` (parsed JSON), `$blob` through `blob(digest)`.

    What cannot be found becomes the text MISSING, never a silent gap.
    """
    if is_object(data):
        if len(data) == 1:
            if REF in data:
                value = follow(record, data[REF])
                return MISSING if value is None else value
            if BLOB in data:
                text = blob(data[BLOB])
                return MISSING if text is None else text
        return {key: resolve(value, record, blob) for key, value in data.items()}
    if is_array(data):
        return [resolve(value, record, blob) for value in data]
    return data


def has_reference(data: Any) -> bool:
    """Whether anything in it is a reference."""
    if is_object(data):
        return REF in data or BLOB in data or any(map(has_reference, data.values()))
    return is_array(data) and any(map(has_reference, data))


def is_reference(value: Any) -> bool:
    return is_object(value) and len(value) == 1 and (REF in value or BLOB in value)


def has_surrogate(text: str) -> bool:
    """Whether the text holds a lone surrogate, which no UTF-8 store can keep."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def clean(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD; paired ones (two escapes that belong together) are joined."""
    if not has_surrogate(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_data(data: Any) -> Any:
    """A fact's data with every text in it `clean`; paths of references stay, they name what is in the record."""
    if isinstance(data, str):
        return clean(data)
    if is_object(data):
        return data if is_reference(data) else {clean(key): clean_data(value) for key, value in data.items()}
    return [clean_data(value) for value in data] if is_array(data) else data


def preview(text: str, length: int = 200) -> str:
    """One clean line of at most `length` characters: no control characters, single spaces, no surrogates."""
    line = " ".join(clean(text[: length * 8]).split())
    if not line.isprintable():
        line = " ".join("".join(ch if ch.isprintable() else " " for ch in line[: length * 4]).split())
    return line if len(line) <= length else line[: length - 1] + "…"
