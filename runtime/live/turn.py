"""One run: input in, model and tools in turn, until the model has said its last word, a person is needed, or it fails.

The order is the point: the input is durable before the model is asked; each finished item of a reply is appended as it
ends; a call is durable before its tool runs, its result before the next request. A failed append ends the run at once.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...events.errors import ProviderError
from ...events.event import Event
from ...events.kinds import Fact, RunEnded, RunStarted, UserInput
from ...events.references import clean, preview
from . import calling, open_calls
from .asking import ask
from .compaction import compact, compact_when_near
from .journal import new_id
from .live_events import LiveEvent
from .model import ModelFailure, ModelRequest
from .place_gate import place_facts
from .reply import Reply

if TYPE_CHECKING:
    from .core import Core

Input = str | Sequence[dict[str, Any]]
"""What a person says: a text, or content blocks as in `events/blocks.py` (text, image, document)."""


class Run:
    """A run in progress; iterate `events()` to drive it."""

    def __init__(self, core: Core, given: Input | None, *, stream: bool, agent: bool = False) -> None:
        self.run_id = new_id()
        self.core = core
        self.given = given
        self.stream = stream
        self.origin: Any = "agent" if agent else "human"
        self.resumed = core.resumed
        self.output = ""
        self.requests = 0
        self.status: Any = None
        self.reason: str | None = None
        self._shortened = False
        self._acted = False
        self._began = time.monotonic()

    def events(self) -> Generator[LiveEvent, None, None]:
        """Drive the run to its end.

        Raises:
            ProviderError: the model's service failed; the run has ended as failed, the session is usable.
            Conflict, DiskFull: an append failed; nothing after it happened.
        """
        try:
            yield from self._begin()
            yield from self._go_on()
        except ModelFailure as failure:
            yield from self._failed(failure)
        except GeneratorExit:
            self.core.interrupted.set()
            if self.status is None:
                for _ in self._interrupted():
                    pass
            raise

    def _begin(self) -> Iterator[LiveEvent]:
        core = self.core
        facts, told = open_calls.closing_facts(core, superseded=self.given is not None)
        mode = core.permission_mode
        facts.append(
            RunStarted(
                run_id=self.run_id, resumed=self.resumed, policy=mode or "default", client=core.settings.client_name
            )
        )
        if self.given is not None:
            facts.append(user_input(self.given, self.origin))
        core.append(*facts)
        core.resumed = True
        yield core.event(
            "run_started", runId=self.run_id, sessionId=core.session_id, resumed=self.resumed, policy=mode or "default"
        )
        for finding in core.findings:
            yield core.event("finding", **finding.model_dump(mode="json"))
        core.findings = ()
        for what in told:
            yield core.event("repaired", **what)

    def _go_on(self) -> Iterator[LiveEvent]:
        core = self.core
        for use in open_calls.approved(core):
            self._acted = True
            yield from calling.run_approved(core, use)
        for request in open_calls.undecided(core):
            yield core.event("approval_requested", **calling.asked(request))
        while True:
            if core.interrupted.is_set():
                yield from self._interrupted()
                return
            if open_calls.waiting(core):
                yield self._end("waiting")
                return
            if self.requests >= core.settings.limits.max_turns:
                yield self._end("completed", "max-turns")
                return
            yield from compact_when_near(core)
            try:
                uses = yield from self._request()
            except ModelFailure as failure:
                if not failure.too_long or self._shortened:
                    raise
                self._shortened = True
                yield from compact(core, "auto")
                continue
            if not core.interrupted.is_set():
                if not uses:
                    yield self._end("completed")
                    return
                self._acted = True
                yield from calling.settle(core, uses)

    def _request(self) -> Generator[LiveEvent, None, list[Event]]:
        """Ask once; the calls of the reply are the value of this generator."""
        core = self.core
        settings = core.settings
        self.requests += 1
        request = ModelRequest(
            model=settings.model,
            instructions=settings.instructions,
            conversation=core.client.render(core.runtime(), settings.model),
            tools=tuple(tool.schema for tool in core.tools),
            effort=settings.effort,
        )
        yield core.event("model_requested", model=request.model, messages=shown(request))
        reply = Reply(core, request.model)
        try:
            answers = ask(
                core.client,
                request,
                settings.limits,
                stream=self.stream,
                interrupted=core.interrupted,
                tell=reply.failed_try,
            )
            for answer in answers:
                yield from reply.take(answer)
        finally:
            reply.close()
        if reply.failure is not None:
            raise ModelFailure(reply.failure, code="response-failed")
        if reply.text:
            self.output = reply.text
        return reply.uses

    def _interrupted(self) -> Iterator[LiveEvent]:
        """Stopped by a person: calls that were open get their result now, so that nothing is left to repair."""
        core = self.core
        facts: list[Fact] = open_calls.stopped_facts(core)
        core.append(*facts)
        yield self._end("interrupted")

    def _failed(self, failure: ModelFailure) -> Iterator[LiveEvent]:
        error = {"message": _plain(failure.message), "code": failure.code, "status": failure.status}
        if self.core.interrupted.is_set():
            yield from self._interrupted()
            return
        yield self._end("failed", failure.code or "provider", error)
        raise ProviderError(
            _plain(failure.message),
            remedy=f"The session is whole; go on with: rehydrate run {self.core.session_id}",
            session_id=self.core.session_id,
            run_id=self.run_id,
            status=failure.status,
            provider_code=failure.code,
        ) from failure

    def _end(self, status: Any, reason: str | None = None, error: dict[str, Any] | None = None) -> LiveEvent:
        duration_ms = int((time.monotonic() - self._began) * 1000)
        ended = RunEnded(run_id=self.run_id, status=status, reason=reason, error=error, duration_ms=duration_ms)
        self.core.append(*(place_facts(self.core) if self._acted else ()), ended)
        self.status, self.reason = status, reason
        return self.core.event(
            "run_finished",
            runId=self.run_id,
            status=status,
            reason=reason,
            output=self.output,
            pointer=self.core.pointer(),
            pending=[use.data["call_id"] for use in self.pending()],
        )

    def pending(self) -> list[Event]:
        """Calls that wait for a person."""
        return open_calls.waiting(self.core)


def user_input(given: Input, origin: Any = "human") -> UserInput:
    """What a person said, as the fact that starts a turn."""
    blocks = [{"type": "text", "text": given}] if isinstance(given, str) else [dict(block) for block in given]
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    return UserInput.model_validate(
        {"content": blocks, "origin": origin, "starts_turn": True, "preview": preview(clean(" ".join(texts)))}
    )


def shown(request: ModelRequest) -> list[dict[str, Any]]:
    """The messages that the model is about to see, instructions first."""
    system = [{"role": "system", "content": request.instructions}] if request.instructions else []
    return [*system, *request.conversation]


def _plain(text: str) -> str:
    return clean(text).replace("\x00", "\ufffd")
