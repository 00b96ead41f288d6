"""What differs between two pointers, of one session or of two: messages, todos, files, agent, workspace, cost."""

from __future__ import annotations

import json
from typing import Any, cast

from ..events.blocks import Frozen
from ..events.pointer import Pointer
from ..projections.fold import restore_states
from ..projections.moves import Move, present_path
from .live.json_shapes import is_list
from .opened import StoreLike, opened
from .resolve import resolve_pointer
from .restored import Message, RestoredRuntime

_IDENTITY = ("pointer",)


class Change(Frozen):
    """One field: its value on either side; None where it is not there."""

    name: str
    a: Any = None
    b: Any = None


class MessageDifference(Frozen):
    """`common`: how many messages both begin with; then the pointers and texts that only one side has."""

    common: int
    only_a: tuple[dict[str, Any], ...] = ()
    only_b: tuple[dict[str, Any], ...] = ()


class Comparison(Frozen):
    a: str
    b: str
    equal: bool
    messages: MessageDifference
    todos: tuple[Change, ...] = ()
    files: tuple[Change, ...] = ()
    agent: tuple[Change, ...] = ()
    workspace: tuple[Change, ...] = ()
    cost: tuple[Change, ...] = ()


def compare_pointers(a: str | Pointer, b: str | Pointer, *, store: StoreLike = None) -> Comparison:
    """Restore both and name what differs; positions and pointers themselves are no difference.

    Raises:
        SessionNotFound, AmbiguousSession, InvalidPointer, EventNotFound: one of them leads nowhere.
    """
    from .resume import resume_session

    with opened(store) as events:
        left, right = resolve_pointer(events, a), resolve_pointer(events, b)
        first = resume_session(left, store=events, check_workspace=False)
        second = resume_session(right, store=events, check_workspace=False)
        places = [restore_states(events, one.session_id, one.position).states["workspace"] for one in (left, right)]
    moves_a, moves_b = (place["moves"] for place in places)
    parts = {
        "todos": _keyed(_todos(first), _todos(second)),
        "files": _keyed(_files(first, moves_a, moves_b), _files(second, moves_b, moves_a)),
        "agent": _keyed(_agent(first), _agent(second)),
        "workspace": _keyed(_workspace(first), _workspace(second)),
        "cost": _keyed(_cost(first), _cost(second)),
    }
    messages = _messages(first.messages, second.messages)
    same = not any(parts.values()) and not messages.only_a and not messages.only_b
    return Comparison(a=str(left), b=str(right), equal=same, messages=messages, **parts)


def _messages(a: tuple[Message, ...], b: tuple[Message, ...]) -> MessageDifference:
    common = 0
    while common < min(len(a), len(b)) and _said(a[common]) == _said(b[common]):
        common += 1
    return MessageDifference(
        common=common,
        only_a=tuple(_told(message) for message in a[common:]),
        only_b=tuple(_told(message) for message in b[common:]),
    )


def _said(message: Message) -> str:
    return json.dumps([message.role, [block.model_dump(mode="json") for block in message.content]], sort_keys=True)


def _told(message: Message) -> dict[str, Any]:
    from .entry_text import blocks_text

    blocks = [block.model_dump(mode="json", exclude_none=True) for block in message.content]
    calls = [
        f"{block['name']} {json.dumps(block.get('input'), ensure_ascii=False)}" for block in blocks if "name" in block
    ]
    text = "\n".join([blocks_text([block for block in blocks if "name" not in block]), *calls]).strip()
    return {"pointer": message.pointer, "role": message.role, "text": text}


def _keyed(a: dict[str, Any], b: dict[str, Any]) -> tuple[Change, ...]:
    names = [*a, *(name for name in b if name not in a)]
    return tuple(Change(name=name, a=a.get(name), b=b.get(name)) for name in names if a.get(name) != b.get(name))


def _plain(value: Any) -> Any:
    """JSON without pointers: the same fact at another place is the same."""
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        return {name: _plain(part) for name, part in told.items() if name not in _IDENTITY}
    return [_plain(part) for part in value] if is_list(value) else value


def _todos(runtime: RestoredRuntime) -> dict[str, Any]:
    return {todo.id: todo.model_dump(mode="json", exclude_none=True) for todo in runtime.app_state.todos}


def _files(runtime: RestoredRuntime, own: list[Move], other: list[Move]) -> dict[str, Any]:
    """By path as the other side would name it: where only that one was bound to another directory, the files are the same."""
    missed = [move for move in other if move not in own]
    return {
        present_path(path, 0, missed): _plain(state.model_dump(mode="json", exclude_none=True))
        for path, state in runtime.app_state.files.items()
    }


def _agent(runtime: RestoredRuntime) -> dict[str, Any]:
    return {name: _plain(value) for name, value in runtime.agent.model_dump(mode="json").items() if value is not None}


def _workspace(runtime: RestoredRuntime) -> dict[str, Any]:
    told = runtime.workspace.model_dump(mode="json")
    return {name: told.get(name) for name in ("project", "cwd", "worktree", "branch", "head")}


def _cost(runtime: RestoredRuntime) -> dict[str, Any]:
    return runtime.accounting.total.model_dump(mode="json")
