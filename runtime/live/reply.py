"""A reply of the model as it comes in: each finished item becomes an event at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...events.blocks import TextBlock, ThinkingBlock
from ...events.event import Event
from ...events.kinds import AssistantMessage, Cost, Notice, ToolUse
from ...events.references import clean, preview
from .journal import new_id
from .live_events import LiveEvent
from .model import (
    Begun,
    Called,
    Finished,
    ModelEvent,
    ModelFailure,
    Reasoned,
    ReasoningDelta,
    SaidText,
    TextDelta,
)
from .tools import parsed_arguments

if TYPE_CHECKING:
    from .core import Core

SHORT_ID = 20
"""A response id shorter than this (`resp_1`) is not taken to be unique for ever and gets a tail of its own."""


class Reply:
    """Appends items and the cost; `uses` holds the calls, `text` the last text, `failure` why the response failed."""

    def __init__(self, core: Core, model: str) -> None:
        self.uses: list[Event] = []
        self.text = ""
        self.failure: str | None = None
        self.told: list[LiveEvent] = []
        self._core = core
        self._model = model
        self._begun: Begun | None = None
        self._response_id: str | None = None
        self._request_id: str | None = None
        self._partial: list[str] = []
        self._sent = 0
        self._finished = False

    def take(self, answer: ModelEvent) -> Iterator[LiveEvent]:
        core = self._core
        yield from self.told
        self.told.clear()
        if isinstance(answer, Begun):
            self._begin(answer)
        elif isinstance(answer, TextDelta):
            offset = sum(map(len, self._partial))
            self._partial.append(answer.text)
            yield core.event("text_delta", text=answer.text, offset=offset)
        elif isinstance(answer, ReasoningDelta):
            yield core.event("reasoning_delta", text=answer.text)
        elif isinstance(answer, SaidText):
            yield from self._said(answer)
        elif isinstance(answer, Reasoned):
            self._reasoned(answer)
        elif isinstance(answer, Called):
            yield from self._called(answer)
        else:
            yield self._end(answer)

    def _begin(self, begun: Begun) -> None:
        self._begun = begun
        given = begun.response_id or new_id()
        self._response_id = given if len(given) >= SHORT_ID else f"{given}-{new_id()}"
        self._request_id = begun.request_id if begun.request_id and len(begun.request_id) >= SHORT_ID else new_id()
        self._partial.clear()

    def _envelope(self, model: str | None = None) -> dict[str, Any]:
        begun = self._begun
        return {
            "response_id": self._response_id,
            "request_id": self._request_id,
            "model": model or (begun.model if begun else None) or self._model,
            "provider": self._core.client.provider,
        }

    def _said(self, said: SaidText) -> Iterator[LiveEvent]:
        streamed = bool(self._partial)
        self._partial.clear()
        self.text = said.text
        if not said.text.strip():
            return
        text = said.text.replace("\x00", "\ufffd")
        self._core.append(
            AssistantMessage(blocks=[TextBlock(text=text)], phase=said.phase, preview=preview(text), **self._envelope())
        )
        if not streamed:
            yield self._core.event("text_delta", text=text, offset=0)
        yield self._core.event("assistant_message", text=text, pointer=self._core.pointer())

    def _reasoned(self, reasoned: Reasoned) -> None:
        if reasoned.text or reasoned.secret:
            block = ThinkingBlock(thinking=reasoned.text, signature=reasoned.secret, item_id=reasoned.item_id)
            self._core.append(AssistantMessage(blocks=[block], **self._envelope()))

    def _called(self, called: Called) -> Iterator[LiveEvent]:
        arguments = parsed_arguments(called.arguments)
        use = ToolUse(
            call_id=called.call_id,
            name=called.name,
            arguments=arguments,
            item_id=called.item_id,
            preview=preview(clean(called.arguments)),
            **self._envelope(),
        )
        self.uses += self._core.append(use)
        yield self._core.event("tool_use", callId=called.call_id, name=called.name, arguments=arguments)

    def _end(self, finished: Finished) -> LiveEvent:
        self._finished = True
        self.failure = finished.failure
        usage = finished.usage
        cost = Cost(
            **self._envelope(finished.model),
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cache_read_tokens=usage.cache_read_tokens if usage else None,
            reasoning_tokens=usage.reasoning_tokens if usage else None,
            total_tokens=usage.total_tokens if usage else None,
            context_tokens=usage.total_tokens if usage else None,
            context_window=self._core.settings.context_window,
            reported=usage is not None,
            failed=finished.failure is not None,
        )
        self._core.append(cost)
        data = cost.model_dump(mode="json", exclude={"kind"}, exclude_none=True)
        return self._core.event("cost", **data)

    def failed_try(self, failure: ModelFailure, attempt: int, wait_s: float | None) -> None:
        """Record a try that failed, and what it may have cost."""
        value = {
            "attempt": attempt,
            "status": failure.status,
            "code": failure.code,
            "wait_ms": int((wait_s or 0) * 1000),
        }
        message = clean(failure.message).replace("\x00", "\ufffd")
        self._core.append(
            Notice(
                subtype="model-retry" if wait_s is not None else "model-failed",
                level="warning",
                text=message,
                value=value,
            )
        )
        self._cost_of_nothing()
        if wait_s is not None:
            self.told.append(self._core.event("retry", message=message, **value))

    def _cost_of_nothing(self) -> None:
        """A response that began and never ended: it was paid for, nobody says how much."""
        if self._begun is not None and not self._finished:
            self._core.append(Cost(**self._envelope(), reported=False, failed=True))
        self._begun = None

    def close(self) -> None:
        """The reply ends before its time: what was said so far is kept, as said."""
        if not self._core.interrupted.is_set() or self._finished:
            return
        text = "".join(self._partial).replace("\x00", "\ufffd")
        if text.strip():
            self.text = text
            self._core.append(
                AssistantMessage(
                    blocks=[TextBlock(text=text)], stop_reason="interrupted", preview=preview(text), **self._envelope()
                )
            )
        self._cost_of_nothing()
