"""How a live session begins and how any session is gone on with: place checked, lease held, identity and rights as recorded."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ...events.errors import InvalidPointer, UsageError
from ...events.kinds import AgentMetadata, Fact, WorkspaceObserved
from ...events.store import EventStore
from ..opened import StoreLike
from . import identity
from .coding_tools import coding_tools
from .core import Approver, Core, Settings
from .journal import Journal, new_id
from .lease import Lease, acquire
from .model import Limits, ModelClient
from .permissions import confirmed_mode
from .place_gate import check_again, ready_to_go_on
from .session import Session
from .state import LiveState
from .tools import Tool, as_tools

if TYPE_CHECKING:
    from ...events.findings import Finding
    from ..workspace.paths import PathMap
    from ..workspace.policy import Policy

Api = Literal["responses", "chat"]
ToolsGiven = Iterable[Tool | Callable[..., Any]] | None


def start_session(
    project: str | os.PathLike[str] | None = None,
    *,
    agent: identity.AgentSpec | str | None = None,
    model: str | None = None,
    tools: ToolsGiven = None,
    instructions: str | None = None,
    permission_mode: str | None = None,
    sandbox: Any = None,
    effort: str | None = None,
    title: str | None = None,
    session_id: str | None = None,
    store: StoreLike = None,
    **options: Any,
) -> Session:
    """Begin a session in the directory `project` (None: the current one) and hold its lease.

    tools: functions or `Tool`s; None gives the coding set. permission_mode: `default` asks before files are changed or
    commands run, `acceptEdits` before commands only, `plan` allows neither, `bypassPermissions` all. session_id: your
    own, else a UUID. options: see `open_session` (api, client, base_url, api_key, limits, approver, …).

    Raises:
        UsageError: no directory, no model, or tools that cannot be described. EventConflict: the session id is taken.
    """
    root = Path(os.path.realpath(project if project is not None else Path.cwd()))
    if not root.is_dir():
        raise UsageError(f"There is no directory {root}.", remedy="Name the project's directory; it is never made.")
    who = identity.AgentSpec(name=agent) if isinstance(agent, str) else agent or identity.AgentSpec()
    name = identity.chosen_model(model, who.model)
    given = coding_tools() if tools is None else as_tools(tools)
    mode = permission_mode or ("default" if tools is None else None)
    facts = identity.first_facts(
        root,
        who,
        model=name,
        tools=given,
        instructions=instructions,
        mode=mode,
        sandbox=sandbox,
        effort=effort,
        title=title,
    )
    events, owned = _store(store)
    try:
        wanted = session_id or new_id()
        with events.writing():
            events.create_session(wanted, source="live")
            lease = acquire(events, wanted)
            Journal(events, wanted, 0, token=lease.token).append(*facts)
        recheck = partial(check_again, events, wanted)
        return _session(
            events,
            owned,
            wanted,
            lease,
            given,
            root,
            name,
            resumed=False,
            options=options,
            mode=confirmed_mode(permission_mode, sandbox) or mode,
            recheck=recheck,
        )
    except BaseException:
        if owned:
            events.close()
        raise


def open_session(
    session: str,
    *,
    project: str | os.PathLike[str] | None = None,
    model: str | None = None,
    tools: ToolsGiven = None,
    instructions: str | None = None,
    permission_mode: str | None = None,
    sandbox: Any = None,
    effort: str | None = None,
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    allow_cross_project: bool = False,
    takeover: bool = False,
    maps: Sequence[PathMap] = (),
    store: StoreLike = None,
    **options: Any,
) -> Session:
    """Go on with a session: restore it, check its place, hold its lease. Nothing is appended but what you change.

    session: id, unique prefix, title, or a pointer to its end. What is not given stays as recorded; what differs is an
    override and becomes an event. tools: None gives the recorded ones as far as they are in the coding set.
    options: api (`responses` or `chat`), client, base_url, api_key, provider, limits, approver, compact_at, context_window,
    result_chars, approval_ttl_s.

    Raises:
        SessionNotFound: nothing is created. InvalidPointer: the pointer is not the end.
        Refused: there is no sure place to act in.
        LeaseConflict: somebody else holds it (`takeover=True` takes it).
    """
    events, owned = _store(store)
    lease: Lease | None = None
    try:
        session_id = looked_up(events, session)
        lease = acquire(events, session_id, takeover=takeover)
        said = PlaceWords(policy=policy, accept=tuple(accept), allow_cross_project=allow_cross_project, maps=maps)
        restored = ready_to_go_on(events, session_id, project, **said)
        changes = identity.Changes(
            model, None if tools is None else as_tools(tools), instructions, permission_mode, sandbox, effort
        )
        plan = identity.plan(events, restored.runtime, changes)
        return _session(
            events,
            owned,
            session_id,
            lease,
            plan.tools,
            restored.root,
            plan.model,
            resumed=True,
            options=options,
            plan=plan,
            mode=confirmed_mode(permission_mode, sandbox),
            recheck=partial(check_again, events, session_id, project, **said),
            place=restored.facts,
            findings=(*restored.findings, *plan.findings, *identity.foreign_reasoning(restored.runtime, options)),
        )
    except BaseException:
        if lease is not None:
            lease.release()
        if owned:
            events.close()
        raise


def require_service(api: Api, **service: Any) -> None:
    """Make sure that a model's service can be asked, before anything is written.

    Raises:
        UsageError: there is no key, or no such interface.
    """
    _Options(api=api, **service).make_client().close()


def _store(store: StoreLike) -> tuple[EventStore, bool]:
    if isinstance(store, EventStore):
        return store, False
    return EventStore(store), True


def looked_up(store: EventStore, text: str) -> str:
    """The session's full id.

    Raises:
        InvalidPointer: the pointer names a place before the end.
    """
    row = store.find_session(text)
    if row is not None:
        return row.session_id
    from ..resolve import resolve_pointer

    pointer = resolve_pointer(store, text)
    head = store.session(pointer.session_id).head
    if pointer.position != head:
        raise InvalidPointer(
            f"{pointer} is not the end of the session ({pointer.session_id}@{head}).",
            remedy=f"Go on from there with: rehydrate fork {pointer}, or go back with: rehydrate rewind {pointer}",
            pointer=str(pointer),
            head=head,
        )
    return pointer.session_id


def _session(
    store: EventStore,
    owned: bool,
    session_id: str,
    lease: Lease,
    tools: Sequence[Tool],
    root: Path,
    model: str,
    *,
    resumed: bool,
    options: dict[str, Any],
    plan: identity.Plan | None = None,
    mode: str | None = None,
    recheck: Callable[[], tuple[Finding, ...]] | None = None,
    place: Sequence[Fact] = (),
    findings: tuple[Finding, ...] = (),
) -> Session:
    chosen = _Options(**options)
    state = LiveState(store, session_id)
    journal = Journal(store, session_id, state.position, token=lease.token, tip=state.tip)
    journal.listen(state.take)
    row = store.session(session_id)
    changed: list[AgentMetadata | WorkspaceObserved | Fact] = [*place, *(plan.overrides if plan else ())]
    journal.append(*changed)
    instructions = plan.instructions if plan else identity.recorded_instructions(store, session_id, state.agent())
    settings = Settings(
        root=root,
        model=model,
        instructions=instructions,
        effort=state.agent().effort,
        permission_mode=mode,
        **chosen.settings(),
    )
    core = Core(
        journal=journal,
        state=state,
        make_client=chosen.make_client,
        tools=tuple(tools),
        settings=settings,
        interrupted=chosen.interrupted or threading.Event(),
        shares_interrupt=chosen.interrupted is not None,
        recheck=recheck,
        is_child=row.parent_session is not None,
        reports=chosen.report,
        resumed=resumed,
        owns_client=chosen.client is None,
    )
    return Session(core, lease, findings, store.close if owned else None)


class PlaceWords(TypedDict):
    """A person's say about what a check of the place finds; it holds as long as the session is open."""

    policy: Policy
    accept: tuple[str, ...]
    allow_cross_project: bool
    maps: Sequence[PathMap]


class _Options:
    """What may be given beside the session's own facts; nothing of it is recorded."""

    def __init__(
        self,
        *,
        api: Api = "responses",
        client: ModelClient | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        provider: str | None = None,
        limits: Limits | None = None,
        approver: Approver | None = None,
        interrupted: threading.Event | None = None,
        report: bool = True,
        **settings: Any,
    ) -> None:
        known = {"compact_at", "context_window", "result_chars", "approval_ttl_s", "client_name"}
        unknown = sorted(set(settings) - known)
        if unknown:
            raise UsageError(f"There is no option {unknown[0]!r}.", remedy=f"Known are: {', '.join(sorted(known))}.")
        if api not in ("responses", "chat"):
            raise UsageError(f"There is no interface {api!r}.", remedy="Use responses or chat.")
        self.client = client
        self.report = report
        self.interrupted = interrupted
        self._limits = limits or Limits()
        self._service: dict[str, Any] = {"base_url": base_url, "api_key": api_key, "provider": provider}
        self._api = api
        self._settings = {**settings, "approver": approver, "limits": self._limits}

    def settings(self) -> dict[str, Any]:
        return self._settings

    def make_client(self) -> ModelClient:
        if self.client is not None:
            return self.client
        if self._api == "chat":
            from .chat_client import ChatClient

            return ChatClient(**self._service, limits=self._limits)
        from .responses_client import ResponsesClient

        return ResponsesClient(**self._service, limits=self._limits)


async def astart_session(*args: Any, **kwargs: Any) -> Session:
    """`start_session` in a thread."""
    return await asyncio.to_thread(start_session, *args, **kwargs)


async def aopen_session(*args: Any, **kwargs: Any) -> Session:
    """`open_session` in a thread."""
    return await asyncio.to_thread(open_session, *args, **kwargs)
