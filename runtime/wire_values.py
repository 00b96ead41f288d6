"""Names, ids and arguments in the forms that providers accept; what fits already is left as it is."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, cast

EMPTY = "(no content)"
"""Stands where a provider wants some text and there is none."""

MAX_ID_CHARS = 64
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]")


def plain_id(call_id: str) -> str:
    """A call id of letters, digits, `_` and `-`, at most 64 long; a changed one ends in a digest, so that ids stay different."""
    if len(call_id) <= MAX_ID_CHARS and _PLAIN.fullmatch(call_id):
        return call_id
    digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_OTHER.sub('_', call_id)[: MAX_ID_CHARS - 13]}_{digest}"


def short_id(call_id: str) -> str:
    """A call id of at most 64 characters, for providers that take any characters."""
    return call_id if 0 < len(call_id) <= MAX_ID_CHARS else plain_id(call_id)


def plain_name(name: str, limit: int = 64) -> str:
    """A tool name of letters, digits, `_` and `-`."""
    return _OTHER.sub("_", name)[:limit] or "tool"


def arguments_text(arguments: Any) -> str:
    """JSON text of an object; what is none is wrapped, so that the model can still read it."""
    if isinstance(arguments, str):
        return arguments if _is_object(arguments) else json.dumps({"input": arguments}, ensure_ascii=False)
    return json.dumps(arguments_object(arguments), ensure_ascii=False)


def arguments_object(arguments: Any) -> dict[str, Any]:
    """Arguments as an object; text that holds one is read, anything else goes under `input`."""
    if isinstance(arguments, dict):
        return cast("dict[str, Any]", arguments)
    if arguments is None:
        return {}
    if isinstance(arguments, str) and _is_object(arguments):
        read: dict[str, Any] = json.loads(arguments)
        return read
    return {"input": arguments}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def other_text(block: Any) -> str:
    """A block of a type we do not know, as text: its type and its value."""
    value = "" if block.value is None else json.dumps(block.value, ensure_ascii=False, sort_keys=True)
    return f"[{block.native_type or 'other'}] {value}".strip()
