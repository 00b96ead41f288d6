"""The context replaced by a summary that the model writes, and a kept part: on request, or when the window is nearly full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...events.kinds import ContextCompact, Cost
from .asking import ask
from .journal import new_id
from .live_events import LiveEvent
from .model import Finished, ModelFailure, ModelRequest, SaidText
from .window import context_window

if TYPE_CHECKING:
    from .core import Core

KEPT_CHARS = 12_000
"""The newest messages up to this size stay word for word."""

TRIES = 4
ASK = (
    "The conversation above is about to be replaced by your summary of it. Write that summary now, for yourself: what "
    "the user wants (in their words where they matter), what was decided and why, which files were read or changed and "
    "how, what was tried and failed, the state of the todo list, and the very next step. Be complete and plain. Call no "
    "tool."
)
INTRODUCTION = "This session goes on from an earlier part that was replaced by this summary of it:\n\n"


def compact_when_near(core: Core) -> Iterator[LiveEvent]:
    """Compact if the last response left the window fuller than the session's bound."""
    window = core.settings.context_window or context_window(core.settings.model)
    context = core.runtime().accounting.context
    if window and context.tokens is not None and context.tokens >= core.settings.compact_at * window:
        yield from compact(core, "auto")


def compact(core: Core, trigger: str, wish: str | None = None) -> Iterator[LiveEvent]:
    """Ask for a summary and put it in the place of what it sums up; events before stay readable.

    wish: what the person wants the summary to keep.

    Raises:
        ModelFailure: no summary could be had; nothing was replaced.
    """
    before = core.runtime()
    kept_from = _kept_from(before.messages)
    text, cost = _summary(core, wish)
    if not text.strip():
        raise ModelFailure("The model gave no summary.", code="no-summary")
    fact = ContextCompact(
        trigger=trigger,
        summary=INTRODUCTION + text.replace("\x00", "\ufffd"),
        kept_from=kept_from,
        pre_tokens=before.accounting.context.tokens,
    )
    core.append(*([cost] if cost else []), fact)
    yield core.event("compacted", trigger=trigger, summary=text, pointer=core.pointer())


def _kept_from(messages: Any) -> int | None:
    """The first position of the newest messages that stay: as many as fit, starting where a call and its result stay together."""
    size = 0
    first: int | None = None
    for number in range(len(messages) - 1, 0, -1):
        message = messages[number]
        size += len(str(message.content))
        if size > KEPT_CHARS:
            break
        if not any(getattr(block, "type", None) == "tool_result" for block in message.content):
            first = int(messages[number - 1].pointer.rpartition("@")[2]) + 1
    return first


def _summary(core: Core, wish: str | None) -> tuple[str, Cost | None]:
    conversation = core.client.render(core.runtime(), core.settings.model)
    prompt = ASK if not wish else f"{ASK}\n\nThe user asks in particular: {wish}"
    for attempt in range(1, TRIES + 1):
        request = ModelRequest(
            model=core.settings.model,
            instructions=core.settings.instructions,
            conversation=[*conversation, {"role": "user", "content": prompt}],
        )
        try:
            return _said(core, request)
        except ModelFailure as failure:
            if not failure.too_long or attempt == TRIES:
                raise
            conversation = _without_oldest(conversation)
    raise ModelFailure("The conversation is too long to be summed up.", code="too-long")


def _said(core: Core, request: ModelRequest) -> tuple[str, Cost | None]:
    said: list[str] = []
    cost: Cost | None = None
    settings = core.settings

    def tell(*_: Any) -> None:
        """Nothing was shown of this request; a last failure reaches the caller as an error."""

    for event in ask(core.client, request, settings.limits, stream=False, interrupted=core.interrupted, tell=tell):
        if isinstance(event, SaidText):
            said.append(event.text)
        elif isinstance(event, Finished):
            if event.failure:
                raise ModelFailure(event.failure, code="response-failed")
            cost = _cost(core, event)
    return "\n".join(said), cost


def _cost(core: Core, finished: Finished) -> Cost:
    usage = finished.usage
    return Cost(
        response_id=f"{finished.response_id or 'summary'}-{new_id()}",
        request_id=new_id(),
        model=finished.model or core.settings.model,
        provider=core.client.provider,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        cache_read_tokens=usage.cache_read_tokens if usage else None,
        reasoning_tokens=usage.reasoning_tokens if usage else None,
        total_tokens=usage.total_tokens if usage else None,
        reported=usage is not None,
    )


def _without_oldest(conversation: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The newer half, beginning at something a person said so that no call is parted from its result."""
    half = len(conversation) // 2
    for start in range(half, len(conversation)):
        if conversation[start].get("role") == "user":
            return conversation[start:]
    return conversation[-1:] if conversation and conversation[-1].get("role") == "user" else []
