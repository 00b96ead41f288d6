"""A restored runtime for a person: who and where, what is open, what it cost, what was found, and how to go on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .ago import ago, count, many, money

if TYPE_CHECKING:
    from ..restored import RestoredRuntime, Totals
    from .screen import Screen

OUTCOMES = {"ok": "green", "repaired": "cyan", "degraded": "yellow", "refused": "red"}
TODO_MARKS = {"pending": ("☐", None), "in_progress": ("▶", "bold yellow"), "completed": ("☑", "dim")}
SHOWN = 8
UNSPOKEN = {"attachment", "command", "context", "hook", "meta", "notification"}
"""Origins of user messages that nobody typed."""


def show_runtime(screen: Screen, runtime: RestoredRuntime) -> None:
    """Print all of it that a person needs before going on; the messages are counted and the last ones shown."""
    session, report = runtime.session, runtime.report
    screen.styled((session.title or "(no title)", "bold"), (f"  {session.source}", "dim"))
    screen.styled((report.outcome, f"bold {OUTCOMES[report.outcome]}"), (f"  {runtime.transcript_pointer}", "cyan"))
    screen.line()
    screen.pairs(
        [
            (
                "last activity",
                f"{ago(session.last_activity)}, {many(session.turns, 'turn')}, {many(session.events, 'event')}",
            ),
            ("comes from", session.forked_from),
            ("deleted", "yes; in no list until it is taken back" if session.deleted else None),
            ("state", None if runtime.turn_state == "idle" else _state(runtime.turn_state)),
            ("context", _context(runtime)),
            ("agent", _agent(runtime)),
            ("workspace", _workspace(runtime)),
            ("cost", _cost(runtime.accounting.total)),
            ("  its own", _cost(runtime.accounting.own) if runtime.accounting.inherited.requests else None),
            ("  inherited", _cost(runtime.accounting.inherited)),
        ]
    )
    _todos(screen, runtime)
    _open(screen, runtime)
    _files(screen, runtime)
    _last_messages(screen, runtime)
    if report.findings:
        _heading(screen, "Findings")
        screen.findings(report.findings)
    screen.line()
    _next(screen, runtime)


def _heading(screen: Screen, text: str) -> None:
    screen.line()
    screen.line(text, style="bold")


def _state(state: str) -> str:
    return {
        "interrupted": "interrupted in the middle of a turn",
        "waiting": "waits for a person",
        "failed": "the last turn failed",
    }.get(state, state)


def _context(runtime: RestoredRuntime) -> str:
    parts = [many(len(runtime.messages), "message")]
    use = runtime.accounting.context
    if use.tokens is not None:
        parts.append(f"{count(use.tokens)}{f' of {count(use.window)}' if use.window else ''} tokens")
    if runtime.compactions:
        parts.append(f"compacted {'once' if len(runtime.compactions) == 1 else f'{len(runtime.compactions)} times'}")
    return ", ".join(parts)


def _agent(runtime: RestoredRuntime) -> str:
    agent = runtime.agent
    parts = [agent.name, agent.model, agent.effort and f"effort {agent.effort}"]
    parts.append(agent.permission_mode and f"permission mode {agent.permission_mode}")
    if agent.subagents:
        parts.append(many(len(agent.subagents), "sub-agent"))
    return ", ".join(part for part in parts if part)


def _workspace(runtime: RestoredRuntime) -> str | None:
    place = runtime.workspace
    if place.cwd is None:
        return None
    return place.cwd + (f" on {place.branch}" if place.branch else "")


def _cost(total: Totals) -> str | None:
    if not total.requests and not total.input_tokens and not total.output_tokens:
        return None
    cached = total.cache_read_tokens + total.cache_write_5m_tokens + total.cache_write_1h_tokens
    tokens = f"{count(total.input_tokens)} in, {count(cached)} cached, {count(total.output_tokens)} out"
    return f"{money(total.cost_usd, total.cost_usd_known)} for {many(total.requests, 'request')} ({tokens})"


def _todos(screen: Screen, runtime: RestoredRuntime) -> None:
    todos = runtime.app_state.todos
    if not todos:
        return
    done = sum(todo.status == "completed" for todo in todos)
    _heading(screen, f"Todos ({done} of {len(todos)} done)")
    for todo in todos:
        mark, style = TODO_MARKS[todo.status]
        waits = f"  waits for {', '.join(todo.blocked_by)}" if todo.blocked_by else ""
        screen.styled(
            (f"  {mark} ", style), (todo.content, "dim" if todo.status == "completed" else None), (waits, "dim")
        )


def _open(screen: Screen, runtime: RestoredRuntime) -> None:
    state = runtime.app_state
    rows: list[tuple[str, str]] = [
        *((f"call {call.name}", f"{call.status}, {call.call_id}") for call in state.pending_calls),
        *((f"approval of {wait.tool or 'a call'}", wait.call_id) for wait in state.pending_approvals),
        *(("question", f"{ask.text} ({' / '.join(ask.choices)})") for ask in state.open_questions),
        *(("queued input", queued.text) for queued in state.queued_inputs),
        *(
            (f"background {task.type or 'task'}", f"{task.status}: {task.command or task.id}")
            for task in state.background_tasks
        ),
    ]
    if state.plan is not None and state.plan.status == "proposed":
        rows.append(("plan", "proposed, not answered yet"))
    if rows:
        _heading(screen, "Open")
        screen.pairs((f"  {name}", value) for name, value in rows)


def _files(screen: Screen, runtime: RestoredRuntime) -> None:
    changed = [
        (path, file)
        for path, file in runtime.app_state.files.items()
        if any(op.operation != "read" for op in file.operations)
    ]
    if not changed:
        return
    _heading(screen, f"Files changed ({len(changed)})")
    for path, file in changed[:SHOWN]:
        kinds = _counted(op.operation for op in file.operations if op.operation != "read")
        screen.styled((f"  {_short(path, runtime.workspace.cwd)}", None), (f"  {kinds}", "dim"))
    if len(changed) > SHOWN:
        screen.line(f"  … and {len(changed) - SHOWN} more", style="dim")


def _counted(operations: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for operation in operations:
        counts[operation] = counts.get(operation, 0) + 1
    return ", ".join(f"{name}" if number == 1 else f"{name} ×{number}" for name, number in counts.items())


def _short(path: str, cwd: str | None) -> str:
    return path[len(cwd) + 1 :] if cwd and path.startswith(cwd.rstrip("/") + "/") else path


def _last_messages(screen: Screen, runtime: RestoredRuntime) -> None:
    spoken = [
        (message, text)
        for message in runtime.messages
        if message.origin not in UNSPOKEN and not message.synthesized and (text := _text(message.content))
    ]
    if not spoken:
        return
    _heading(screen, "Last said")
    for message, text in spoken[-3:]:
        line = screen.clean(text[:2000])
        room = max(30, min(screen.width, 120) - 14)
        who = "you" if message.role == "user" else message.role
        screen.styled(
            (f"  {who:<11}", "bold" if who == "you" else "dim"),
            (line if len(line) <= room else line[: room - 1] + "…", None),
        )


def _text(blocks: Iterable[Any]) -> str:
    return " ".join(block.text for block in blocks if block.type == "text" and isinstance(block.text, str)).strip()


def _next(screen: Screen, runtime: RestoredRuntime) -> None:
    pointer = runtime.session.id
    if runtime.session.deleted:
        screen.next_step(f"rehydrate unarchive {pointer}", "Take it back")
    blocking = [finding for finding in runtime.report.findings if "open" in (finding.facts.get("blocks") or ())]
    if blocking:
        screen.line(
            f"Going on is refused until this is settled: {', '.join(one.code for one in blocking)}.", style="dim"
        )
        for one in blocking:
            screen.remedy(one.remedy)
    else:
        screen.next_step(f'rehydrate run {pointer} "…"{_chosen(runtime)}', "Go on here")
    if runtime.session.source in {"claude-code", "codex"}:
        screen.next_step(
            f"rehydrate export {pointer} --to {runtime.session.source} --install", f"Go on in {runtime.session.source}"
        )
    screen.next_step(f"rehydrate show {pointer}", "Read it")


def _chosen(runtime: RestoredRuntime) -> str:
    """The option that names the directory again, where it is not the recorded one."""
    place = runtime.workspace
    if place.cwd is None or place.expected.cwd is None or os.path.realpath(place.expected.cwd) == place.cwd:
        return ""
    return f" --project {shlex.quote(place.cwd)}"
