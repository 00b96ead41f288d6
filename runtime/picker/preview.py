"""What the picker shows of a session beside the list: where it is, what was said last, what is open, what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...events.errors import Refused, RehydrateError
from ..secrets import mask

if TYPE_CHECKING:
    from rich.text import Text

    from ..opened import StoreLike
    from ..restored import RestoredRuntime

SAID = 6
CHARS = 400
UNSPOKEN = {"attachment", "command", "context", "hook", "meta", "notification"}
MARKS = {"pending": "☐", "in_progress": "▶", "completed": "☑"}
STYLES = {"error": "bold red", "warning": "yellow", "repaired": "cyan", "info": "dim"}


def preview(session_id: str, *, store: StoreLike = None) -> Text:
    """The preview as styled text; a session that cannot be restored shows why."""
    from rich.text import Text

    from ..resume import resume_session

    text = Text()
    try:
        runtime = resume_session(session_id, store=store)
    except Refused as error:
        text.append(f"{error.message}\n", "bold red")
        _findings(text, error.facts.get("findings") or [])
        return text
    except RehydrateError as error:
        text.append(f"{error.message}\n{error.remedy}", "bold red")
        return text
    _place(text, runtime)
    _said(text, runtime)
    _todos(text, runtime)
    if runtime.report.findings:
        text.append("\nFindings\n", "bold")
        _findings(text, [finding.model_dump(mode="json") for finding in runtime.report.findings])
    return text


def _line(value: Any) -> str:
    clean, _ = mask(str(value))
    return " ".join("".join(ch if ch.isprintable() else " " for ch in clean).split())


def _place(text: Text, runtime: RestoredRuntime) -> None:
    session, place = runtime.session, runtime.workspace
    text.append(f"{_line(session.title or session.id)}\n", "bold")
    text.append(f"{session.id}\n", "dim")
    if place.cwd:
        text.append(f"{_line(place.cwd)}{f' on {_line(place.branch)}' if place.branch else ''}\n", "dim")
    if runtime.agent.model:
        text.append(f"{_line(runtime.agent.model)}\n", "dim")


def _said(text: Text, runtime: RestoredRuntime) -> None:
    spoken = [
        (message.role, said)
        for message in runtime.messages
        if message.origin not in UNSPOKEN and not message.synthesized and (said := _text(message.content))
    ]
    if spoken:
        text.append("\nLast said\n", "bold")
    for role, said in spoken[-SAID:]:
        line = _line(said[: CHARS * 2])
        text.append("you: " if role == "user" else f"{role}: ", "bold" if role == "user" else "cyan")
        text.append(f"{line if len(line) <= CHARS else line[: CHARS - 1] + '…'}\n")


def _text(blocks: Iterable[Any]) -> str:
    return " ".join(block.text for block in blocks if block.type == "text" and isinstance(block.text, str)).strip()


def _todos(text: Text, runtime: RestoredRuntime) -> None:
    state = runtime.app_state
    if state.todos:
        text.append("\nTodos\n", "bold")
    for todo in state.todos:
        text.append(f"{MARKS[todo.status]} {_line(todo.content)}\n", "dim" if todo.status == "completed" else "")
    for call in state.pending_calls:
        text.append(f"open call: {_line(call.name)} ({call.status})\n", "yellow")


def _findings(text: Text, findings: Iterable[dict[str, Any]]) -> None:
    for finding in findings:
        text.append(f"{finding['code']} ", STYLES.get(finding["severity"], ""))
        text.append(f"{_line(finding['message'])}\n")
        if finding.get("remedy"):
            text.append(f"  → {_line(finding['remedy'])}\n", "dim")
