"""What differs between two pointers, one short line each, for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..compare import Change, Comparison

_SHORT = 120
_COUNTS = (
    "requests",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
    "cost_usd",
)
"""`cached` elsewhere is what was read from and written to the cache; here each part has its own line."""


def first_line(text: str) -> str:
    """The first line of a text, cut, with a word on how much more there is."""
    lines = text.strip().split("\n")
    head = lines[0] if len(lines[0]) <= _SHORT else lines[0][: _SHORT - 1] + "…"
    return head if len(lines) == 1 else f"{head}  (+{len(lines) - 1} lines)"


def change_lines(found: Comparison) -> Iterator[str]:
    """Todos, files, agent, workspace and cost."""
    yield from (_todo(change) for change in found.todos)
    yield from (_file(change) for change in found.files)
    for change in (*found.agent, *found.workspace):
        yield from _helpers(change) if change.name == "subagents" else _fields(change)
    yield from _cost(found.cost)


def _todo(change: Change) -> str:
    a, b = _object(change.a), _object(change.b)
    name = f"todo {change.name} {first_line(str((a or b).get('content', '')))}"
    if not a or not b:
        return f"{name}: in {'A' if a else 'B'} only ({(a or b).get('status')})"
    if a.get("status") != b.get("status"):
        return f"{name}: {a.get('status')} → {b.get('status')}"
    changed = [field for field in (*a, *b) if a.get(field) != b.get(field)]
    return f"{name}: {changed[0]} {a.get(changed[0])} → {b.get(changed[0])}"


def _file(change: Change) -> str:
    a, b = _object(change.a), _object(change.b)
    if not a or not b:
        return f"file {change.name}: {_done(a or b)} in {'A' if a else 'B'} only"
    if a.get("deleted", False) != b.get("deleted", False):
        return f"file {change.name}: {'deleted' if a.get('deleted') else 'there'} → {'deleted' if b.get('deleted') else 'there'}"
    if a.get("last_written_digest") != b.get("last_written_digest"):
        return f"file {change.name}: other content ({_times(a)} → {_times(b)})"
    if _times(a) == _times(b):
        return f"file {change.name}: {len(a.get('backups') or ())} → {len(b.get('backups') or ())} backups"
    return f"file {change.name}: {_times(a)} → {_times(b)}"


def _done(state: dict[str, Any]) -> str:
    operations = cast("list[dict[str, Any]]", state.get("operations") or [])
    words = {"create": "created", "update": "changed", "delete": "deleted", "move": "moved", "write": "written"}
    if not operations:
        return "backed up" if state.get("backups") else "read"
    return words.get(str(operations[-1].get("operation")), "changed")


def _times(state: dict[str, Any]) -> str:
    count = int(state.get("operation_count") or 0)
    return "read" if not count else "changed once" if count == 1 else f"changed {count} times"


def _fields(change: Change) -> Iterator[str]:
    """A plain value as `name: a → b`; of an object only the fields that differ."""
    a, b = _object(change.a), _object(change.b)
    if a or b:
        for name in dict.fromkeys((*a, *b)):
            if a.get(name) != b.get(name):
                yield f"{change.name} {name}: {_value(a.get(name))} → {_value(b.get(name))}"
    else:
        yield f"{change.name}: {_value(change.a)} → {_value(change.b)}"


def _helpers(change: Change) -> Iterator[str]:
    """Sub-agents by id: in one of them only, or what became of them."""
    sides = [{str(_object(one).get("id")): _object(one) for one in value or ()} for value in (change.a, change.b)]
    for name in dict.fromkeys((*sides[0], *sides[1])):
        a, b = (side.get(name, {}) for side in sides)
        told = f"sub-agent {(a or b).get('name') or (a or b).get('description') or name}"
        if not a or not b:
            yield f"{told}: in {'A' if a else 'B'} only ({(a or b).get('status')})"
        elif a.get("status") != b.get("status"):
            yield f"{told}: {a.get('status')} → {b.get('status')}"
        elif a != b:
            yield f"{told}: went on"


def _cost(changes: tuple[Change, ...]) -> Iterator[str]:
    for change in changes:
        if change.name in _COUNTS:
            yield f"{change.name.replace('_', ' ')}: {_value(change.a)} → {_value(change.b)}"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        listed = [*cast("tuple[Any, ...]", value)]
        return f"{len(listed)} entries" if len(listed) > 3 else ", ".join(_value(part) for part in listed) or "none"
    return first_line(str(value))


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
