"""An open session: it holds the lease, and what it holds in memory is the same fold as what a restore would give."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ...events.errors import ProviderError, UsageError
from . import children
from .compaction import compact
from .core import Core
from .lease import Lease
from .live_events import LiveEvent, RunResult
from .model import ModelFailure
from .turn import Input, Run

if TYPE_CHECKING:
    from ...events.findings import Finding
    from ..restored import RestoredRuntime


class Session:
    """A session that may be written to; made by `start_session` and `open_session`, closed by `close()` or as a context manager.

    One thread at a time may run it; `interrupt()` may come from any.
    """

    def __init__(
        self, core: Core, lease: Lease, findings: tuple[Finding, ...] = (), on_close: Callable[[], None] | None = None
    ) -> None:
        self._core = core
        self._lease = lease
        self._on_close = on_close
        self._closed = False
        self._ran = False
        self._running = threading.Lock()
        self.findings = findings
        core.findings = findings
        core.spawn = self._spawn

    @property
    def id(self) -> str:
        return self._core.session_id

    @property
    def pointer(self) -> str:
        """`SESSION@POSITION` of the newest durable event."""
        return self._core.pointer()

    @property
    def runtime(self) -> RestoredRuntime:
        """The runtime as a restore at this moment would give it."""
        return self._core.runtime()

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools the model is offered."""
        return tuple(tool.name for tool in self._core.tools)

    def stream(self, given: Input | None = None) -> Iterator[LiveEvent]:
        """Run one request-to-idle cycle and give what happens as it happens; the model's answer is streamed.

        given: what the person says; None goes on with what is there: an unanswered input, a call that was allowed.
        Leaving the iterator early interrupts the run.

        Raises:
            UsageError: there is nothing to go on with. ProviderError: the service failed, the session is usable.
            Conflict: the session was taken over; nothing after that was written.
        """
        yield from self.drive(given, stream=True)

    def run(self, given: Input | None = None, *, stream: bool = False) -> RunResult:
        """As `stream`, but returns how it ended. `stream=True` still asks the model for a stream."""
        finished: LiveEvent | None = None
        started: dict[str, Any] = {}
        for event in self.drive(given, stream=stream):
            if event.type == "run_started":
                started = event.data
            elif event.type == "run_finished":
                finished = event
        assert finished is not None
        data = finished.data
        return RunResult(
            run_id=data["runId"],
            session_id=self.id,
            resumed=bool(started.get("resumed")),
            status=data["status"],
            output=data["output"],
            pointer=data["pointer"],
            reason=data["reason"],
            pending=tuple(data["pending"]),
        )

    def drive(self, given: Input | None, *, stream: bool) -> Iterator[LiveEvent]:
        """As `stream`; `stream=False` asks the model for its answer in one piece."""
        if self._closed:
            raise UsageError(f"Session {self.id} is closed.", remedy="Open it again with open_session.")
        if not self._running.acquire(blocking=False):
            raise UsageError(f"Session {self.id} is running already.", remedy="Wait for that run, or interrupt it.")
        try:
            self._core.journal.catch_up()
            self._require_something(given)
            if self._ran and self._core.recheck is not None:
                self._core.findings = self._core.recheck()
            self._ran = True
            if not self._core.shares_interrupt:
                self._core.interrupted.clear()
            _ = self._core.client
            run = Run(self._core, given, stream=stream, agent=self._core.is_child)
            yield from self._traced(run)
            if run.status == "completed":
                children.report_to_parent(self._core, run.output)
        finally:
            self._running.release()

    def _traced(self, run: Run) -> Iterator[LiveEvent]:
        """The run's events, with spans where the program has set up a tracer."""
        from ..adapters.otel import is_configured, traced

        if not is_configured():
            return run.events()
        core = self._core
        return traced(
            run.events(), agent=core.state.agent().name, provider=core.client.provider, model=core.settings.model
        )

    def _require_something(self, given: Input | None) -> None:
        if given is not None:
            if (isinstance(given, str) and not given.strip()) or not given:
                raise UsageError("The input is empty.", remedy="Say what the agent should do.")
            return
        core = self._core
        runtime = core.runtime()
        unanswered = bool(runtime.messages) and runtime.messages[-1].role != "assistant"
        if unanswered or runtime.turn_state != "idle" or runtime.app_state.pending_calls:
            return
        raise UsageError(
            f"Session {self.id} waits for an input: its last one is answered.",
            remedy=f'Say something: rehydrate run {self.id} "…"',
        )

    def compact(self, wish: str | None = None) -> str:
        """Replace the context by a summary that the model writes; returns the pointer of the compaction.

        wish: what the summary should keep in particular.

        Raises:
            ProviderError: no summary could be had; nothing changed.
        """
        with self._running:
            self._core.journal.catch_up()
            self._core.interrupted.clear()
            try:
                for _ in compact(self._core, "manual", wish):
                    pass
            except ModelFailure as failure:
                raise ProviderError(
                    failure.message,
                    remedy="The context is as it was; try again.",
                    session_id=self.id,
                    status=failure.status,
                ) from failure
        return self.pointer

    def interrupt(self) -> None:
        """Stop the run: the stream ends, commands are killed with their process group, open calls get a result."""
        self._core.interrupted.set()

    def _spawn(self, call_id: str, prompt: str, name: str | None, kind: str | None) -> Any:
        return children.spawn(self._core, call_id, prompt, name, kind)

    def close(self) -> None:
        """Give the lease back. Nothing is lost by not calling it: all that happened is in the store."""
        if self._closed:
            return
        self._closed = True
        try:
            self._lease.release()
            self._core.close()
        finally:
            if self._on_close is not None:
                self._on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- async twins ----------------------------------------------------------------------------------------------

    async def arun(self, given: Input | None = None, *, stream: bool = False) -> RunResult:
        """`run` in a thread; cancelling it interrupts the run and waits for its end."""
        task = asyncio.ensure_future(asyncio.to_thread(self.run, given, stream=stream))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.interrupt()
            await asyncio.wait([task])
            raise

    async def astream(self, given: Input | None = None) -> AsyncIterator[LiveEvent]:
        """`stream` from a thread; leaving it early interrupts the run and waits for its end."""
        found: queue.SimpleQueue[LiveEvent | BaseException | None] = queue.SimpleQueue()

        def drive() -> None:
            try:
                for event in self.stream(given):
                    found.put(event)
                found.put(None)
            except BaseException as error:  # noqa: BLE001 - handed over to the awaiting side, whatever it is
                found.put(error)

        thread = threading.Thread(target=drive, daemon=True, name=f"run-{self.id}")
        thread.start()
        try:
            while (each := await asyncio.to_thread(found.get)) is not None:
                if isinstance(each, BaseException):
                    raise each
                yield each
        finally:
            if thread.is_alive():
                self.interrupt()
                await asyncio.to_thread(thread.join)

    async def acompact(self, wish: str | None = None) -> str:
        """`compact` in a thread."""
        return await asyncio.to_thread(self.compact, wish)

    async def ainterrupt(self) -> None:
        """`interrupt`, for symmetry: it never waits."""
        self.interrupt()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)
