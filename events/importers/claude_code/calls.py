"""What a call proves before it is answered: a question is open, a plan is proposed; and what its result will need."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from ...references import clean
from .memory import Memory
from .record import Record, short
from .shape import Json, obj, rows, some, text

Path = tuple[str | int, ...]
SUBAGENT_TOOLS = ("Task", "Agent")
_LIMIT = 4000
"""Longer texts of a call are not remembered for its result."""


def digest_of(content: str) -> str:
    """SHA-256 of a text's UTF-8 bytes."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def call_facts(record: Record, memory: Memory, path: Path, block: Json) -> None:
    """Remember a call and emit what it proves by itself."""
    call_id = text(block.get("id"))
    name = block.get("name")
    if call_id is None or not isinstance(name, str):
        return
    arguments = obj(block.get("input"))
    memory.open_call(call_id, {"n": name[:100], **_remembered(name, arguments)})
    if name == "AskUserQuestion":
        _question(record, call_id, arguments)
    elif name == "ExitPlanMode":
        _plan(record, call_id, path, arguments)
    elif name in SUBAGENT_TOOLS:
        _subagent(record, call_id, path, arguments)


def _remembered(name: str, arguments: Json) -> Json:
    make = _REMEMBERED.get(name)
    return some(make(arguments)) if make is not None else {}


def _line(value: Any) -> str | None:
    found = text(value)
    return clean(found)[:_LIMIT] if found is not None else None


def _file(arguments: Json) -> Json:
    facts: Json = {"p": _line(arguments.get("file_path")) or _line(arguments.get("notebook_path"))}
    content = arguments.get("content")
    if isinstance(content, str):
        facts["d"] = digest_of(content)
        facts["s"] = len(content.encode("utf-8", "surrogatepass"))
    if arguments.get("offset") is not None or arguments.get("limit") is not None:
        facts["part"] = True
    return facts


def _task(arguments: Json) -> Json:
    facts: Json = {key: arguments[key] for key in ("addBlocks", "addBlockedBy") if rows(arguments.get(key))}
    for key in ("taskId", "status", "subject", "description", "activeForm", "owner"):
        value = arguments.get(key)
        facts[key] = str(value) if isinstance(value, int) else _line(value)
    return {"i": some(facts)}


def _todos(arguments: Json) -> Json:
    kept = [
        {key: _line(obj(item).get(key)) for key in ("id", "content", "status", "activeForm", "priority")}
        for item in rows(arguments.get("todos"))[:200]
    ]
    return {"i": [some(item) for item in kept]}


def _agent(arguments: Json) -> Json:
    return {
        "t": _line(arguments.get("subagent_type")),
        "about": _line(arguments.get("description")),
        "name": _line(arguments.get("name")),
        "m": _line(arguments.get("model")),
        "bg": True if arguments.get("run_in_background") else None,
    }


def _command(arguments: Json) -> Json:
    return {"c": (_line(arguments.get("command")) or "")[:300] or None}


def _place(arguments: Json) -> Json:
    return {"name": _line(arguments.get("name")), "p": _line(arguments.get("path"))}


def _identifier(arguments: Json) -> Json:
    names = ("task_id", "bash_id", "shell_id", "id", "cron_id", "to")
    return {"id": next((_line(arguments.get(name)) for name in names if text(arguments.get(name))), None)}


def _schedule(arguments: Json) -> Json:
    return {"c": (_line(arguments.get("prompt")) or _line(arguments.get("cron")) or "")[:300] or None}


_REMEMBERED: dict[str, Callable[[Json], Json]] = {
    "Write": _file,
    "Edit": _file,
    "MultiEdit": _file,
    "NotebookEdit": _file,
    "Read": _file,
    "TaskCreate": _task,
    "TaskUpdate": _task,
    "TodoWrite": _todos,
    "Task": _agent,
    "Agent": _agent,
    "Bash": _command,
    "PowerShell": _command,
    "Monitor": _command,
    "EnterWorktree": _place,
    "TaskOutput": _identifier,
    "TaskStop": _identifier,
    "BashOutput": _identifier,
    "KillShell": _identifier,
    "KillBash": _identifier,
    "SendMessage": _identifier,
    "CronDelete": _identifier,
    "CronCreate": _schedule,
    "ScheduleWakeup": _schedule,
}


def _question(record: Record, call_id: str, arguments: Json) -> None:
    questions: list[Json] = []
    for number, entry in enumerate(rows(arguments.get("questions")), 1):
        question = obj(entry)
        labels = [text(obj(option).get("label")) or "" for option in rows(question.get("options"))]
        asked = {
            "id": str(number),
            "text": clean(text(question.get("question")) or ""),
            "header": short(question.get("header")),
            "choices": [clean(label) for label in labels if label],
            "multiple": True if question.get("multiSelect") is True else None,
        }
        questions.append(some(asked))
    record.add("ApprovalRequested", call_id=call_id, tool="AskUserQuestion", type="question", questions=questions)


def _plan(record: Record, call_id: str, path: Path, arguments: Json) -> None:
    record.add(
        "PlanSnapshot",
        text=record.at(*path, "input", "plan") if text(arguments.get("plan")) else None,
        path=_line(arguments.get("planFilePath")),
        status="proposed",
        call_id=call_id,
    )
    record.add("ApprovalRequested", call_id=call_id, tool="ExitPlanMode", reason="The plan waits for an answer.")


def _subagent(record: Record, call_id: str, path: Path, arguments: Json) -> None:
    """Until the result tells the agent's own id it goes by the call's."""
    facts = _agent(arguments)
    record.add(
        "Subagent",
        agent_id=call_id,
        name=facts["name"],
        type=facts["t"],
        description=facts["about"],
        prompt=record.at(*path, "input", "prompt") if text(arguments.get("prompt")) else None,
        model=facts["m"],
        status="running",
        call_id=call_id,
        background=facts["bg"],
    )
