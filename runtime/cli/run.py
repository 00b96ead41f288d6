"""`run`: one turn of a live session, streamed; approvals are asked on a terminal."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .frame import Frame
from .options import AcceptOption, CrossProjectOption, PolicyOption, ProjectOption
from .place_options import ForceOption, MapOption, RecreateOption, path_maps, policy_in_force

if TYPE_CHECKING:
    from ..live.live_events import LiveEvent
    from ..live.session import Session

NEW = "new"
Mode = Literal["default", "plan", "acceptEdits", "bypassPermissions"]


def run(
    context: typer.Context,
    session: Annotated[str, typer.Argument(metavar="ID|new", help="The session to go on with, or `new`.")],
    prompt: Annotated[
        str | None,
        typer.Argument(metavar="PROMPT", help="What to say; - reads it; none goes on with what is unanswered."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model (else REHYDRATE_MODEL, the session's own).")
    ] = None,
    max_turns: Annotated[
        int, typer.Option("--max-turns", metavar="N", min=1, help="At most so many requests to the model.")
    ] = 50,
    mode: Annotated[
        Mode | None, typer.Option("--permission-mode", help="What may be done without asking (new: default).")
    ] = None,
    api: Annotated[
        Literal["responses", "chat"], typer.Option("--api", help="The interface the model's service speaks.")
    ] = "responses",
    instructions: Annotated[
        str | None, typer.Option("--instructions", metavar="TEXT", help="The system prompt; recorded with the session.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="T", help="With `new`: the session's title.")] = None,
    takeover: Annotated[bool, typer.Option("--takeover", help="Take the session from another writer.")] = False,
    project: ProjectOption = None,
    allow_cross_project: CrossProjectOption = False,
    policy: PolicyOption = "strict",
    accept: AcceptOption = None,
    force: ForceOption = False,
    maps: MapOption = None,
    recreate_worktree: RecreateOption = False,
) -> None:
    """Run one turn against a model, in a session or in a new one.

    The service is that of OPENAI_BASE_URL and OPENAI_API_KEY. With --json each thing that happens is one line.

    Example: rehydrate run new "add a test for the parser" --model gpt-5
    """
    from ...events.errors import RehydrateError
    from ..live.model import Limits
    from ..live.opening import open_session

    frame = Frame.of(context)
    options: dict[str, Any] = {
        "store": frame.db,
        "project": project,
        "model": model,
        "instructions": instructions,
        "permission_mode": mode,
        "api": api,
        "limits": Limits(max_turns=max_turns),
        "approver": _ask_person() if frame.interactive else None,
    }
    try:
        given = sys.stdin.read() if prompt == "-" else prompt
        _require_what_it_needs(frame, session, given, api)
        if session == NEW:
            opened = _begin(options, title)
        else:
            if recreate_worktree:
                from ..workspace.recreate import recreate_worktree as recreate

                frame.note(f"Recreated {recreate(session, frame.db).path}.")
            opened = open_session(
                session,
                policy=policy_in_force(policy, force=force),
                maps=path_maps(maps),
                accept=tuple(accept or ()),
                allow_cross_project=allow_cross_project,
                takeover=takeover,
                **options,
            )
        with opened as live:
            code = _drive(frame, live, given)
    except RehydrateError as error:
        if not frame.json:
            raise
        document = error.as_json()
        frame.line({"type": "error", **document, "error": document})
        code = error.exit_code
    raise typer.Exit(code)


def _require_what_it_needs(frame: Frame, session: str, given: str | None, api: Literal["responses", "chat"]) -> None:
    """A run that cannot begin leaves nothing behind: the session, the prompt and the service are looked at first."""
    from ...events.errors import UsageError
    from ..live.opening import looked_up, require_service
    from ..opened import opened

    if session != NEW:
        with opened(frame.db) as store:
            looked_up(store, session)
    elif given is None or not given.strip():
        raise UsageError("A new session needs a prompt.", remedy='Write it: rehydrate run new "…"')
    require_service(api)


def _begin(options: dict[str, Any], title: str | None) -> Session:
    from ..live.instructions import coding_instructions
    from ..live.opening import start_session

    root = Path(options["project"] or Path.cwd()).resolve()
    options["instructions"] = options["instructions"] or coding_instructions(root)
    return start_session(title=title, **options)


def _drive(frame: Frame, live: Session, prompt: str | None) -> int:
    """Show what happens until the run has ended; Ctrl-C interrupts the run, a second one the program."""
    status = ""
    show = _json_lines(frame) if frame.json else _Printed(frame)
    if not frame.json:
        for finding in live.findings:
            if finding.severity in ("warning", "repaired"):
                frame.note(f"{finding.code}: {finding.message}")
    with _interrupting(live):
        for event in live.stream(prompt):
            show(event)
            if event.type == "run_finished":
                status = event.data["status"]
    if not frame.json:
        _after(frame, live, status)
    return 130 if status == "interrupted" else 0


def _json_lines(frame: Frame) -> Callable[[LiveEvent], None]:
    def line(event: LiveEvent) -> None:
        frame.line(event.as_json())

    return line


@contextlib.contextmanager
def _interrupting(live: Session) -> Generator[None]:
    former = signal.getsignal(signal.SIGINT)

    def stop(*_: object) -> None:
        live.interrupt()
        signal.signal(signal.SIGINT, former)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


class _Printed:
    """The model's words on standard output, what it does on standard error."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._open_line = False

    def __call__(self, event: LiveEvent) -> None:
        data = event.data
        if event.type == "text_delta":
            self._write(data["text"])
            return
        self._end_line()
        if event.type == "run_started":
            self._frame.note(
                f"Session {data['sessionId']}, run {data['runId']}{' (resumed)' if data['resumed'] else ''}"
            )
        elif event.type == "tool_use":
            self._frame.note(f"→ {data['name']} {_short(data['arguments'])}")
        elif event.type == "tool_result":
            self._frame.note(f"{'✗' if data['isError'] else '✓'} {_short(data['output'])}")
        elif event.type == "retry":
            self._frame.note(f"The service failed ({data['message']}); trying again.")
        elif event.type == "repaired":
            self._frame.note(f"Call {data['callId']} was interrupted before; the model is told so.")
        elif event.type == "compacted":
            self._frame.note("The context was replaced by a summary.")

    def _write(self, text: str) -> None:
        shown = "".join(ch if ch.isprintable() or ch in "\n\t" else " " for ch in text)
        self._frame.out.write(shown)
        self._frame.out.flush()
        self._open_line = not shown.endswith("\n")

    def _end_line(self) -> None:
        if self._open_line:
            self._frame.out.write("\n")
            self._frame.out.flush()
            self._open_line = False


def _after(frame: Frame, live: Session, status: str) -> None:
    """What a person does next."""
    if status == "waiting":
        for call in live.runtime.app_state.pending_approvals:
            frame.note(f"{call.tool} waits for you: rehydrate approve {live.id} {call.call_id}  (or refuse)")
        for question in live.runtime.app_state.open_questions:
            frame.note(f"{question.text}\n  rehydrate answer {live.id} {question.call_id} CHOICE")
        frame.note(f"Then go on with: rehydrate run {live.id}")
    elif status == "interrupted":
        frame.note(f"Interrupted. Go on with: rehydrate run {live.id} PROMPT")


def _ask_person() -> Any:
    """Asks on the terminal: y allows, n refuses, anything else leaves the call waiting."""

    def ask(request: Any) -> bool | str | None:
        if request.type == "question":
            question = request.questions[0] if request.questions else None
            choices = "".join(
                f"\n  {number}. {each}" for number, each in enumerate(question.choices if question else (), 1)
            )
            answer = typer.prompt(f"{question.text if question else 'Answer?'}{choices}\n", err=True)
            picked = question is not None and answer.isdigit() and 0 < int(answer) <= len(question.choices)
            return question.choices[int(answer) - 1] if question is not None and picked else str(answer)
        said = typer.prompt(f"Allow {request.tool} {_short(request.arguments)}? [y/n/later]", default="later", err=True)
        return {"y": True, "yes": True, "n": False, "no": False}.get(str(said).strip().lower())

    return ask


def _short(value: Any, length: int = 160) -> str:
    import json

    from ...events.references import preview

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return preview(text, length)
