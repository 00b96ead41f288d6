"""Chat Completions: for services that do not speak the Responses API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import openai_errors
from .model import (
    Begun,
    Called,
    Finished,
    Limits,
    ModelEvent,
    ModelFailure,
    ModelRequest,
    SaidText,
    TextDelta,
    Usage,
    provider_of,
    takes_reasoning,
)

if TYPE_CHECKING:
    from ..restored import RestoredRuntime


class ChatClient:
    """Speaks /v1/chat/completions through the `openai` package; base URL and key from the environment unless given."""

    api = "chat"

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        provider: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._openai = openai_errors.client(limits or Limits(), base_url, api_key)
        self.provider = provider or provider_of(str(self._openai.base_url))

    def render(self, runtime: RestoredRuntime, model: str) -> list[dict[str, Any]]:
        from ..render import messages_for

        return messages_for(runtime, "chat", model, provider=self.provider)

    def ask(self, request: ModelRequest, *, stream: bool) -> Iterator[ModelEvent]:
        arguments = _arguments(request)
        with openai_errors.translated():
            if not stream:
                yield from _whole(self._openai.chat.completions.create(**arguments))
                return
            answer = self._openai.chat.completions.create(
                **arguments, stream=True, stream_options={"include_usage": True}
            )
            from openai.types.chat import ChatCompletion

            with answer:
                whole = openai_errors.whole_answer(answer, ChatCompletion)
                yield from _streamed(answer) if whole is None else _whole(whole)

    def close(self) -> None:
        self._openai.close()


def _arguments(request: ModelRequest) -> dict[str, Any]:
    """The call's arguments. The conversation goes beside them: the package would walk through all of it for seconds."""
    messages = list(request.conversation)
    if request.instructions:
        messages.insert(0, {"role": "system", "content": request.instructions})
    arguments: dict[str, Any] = {"model": request.model, "messages": [], "extra_body": {"messages": messages}}
    if request.tools:
        arguments["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in request.tools
        ]
    if request.effort and takes_reasoning(request.model):
        arguments["reasoning_effort"] = request.effort
    if request.max_output_tokens:
        arguments["max_completion_tokens"] = request.max_output_tokens
    return arguments


@dataclass
class _Growing:
    """A call whose arguments are still coming."""

    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    def done(self) -> Called:
        return Called(self.call_id, self.name, "".join(self.arguments))


def _streamed(stream: Any) -> Iterator[ModelEvent]:
    """An item counts as finished when the next one begins or the choice ends: this interface has no mark of its own."""
    request_id = stream.response.headers.get("x-request-id")
    response_id = model = stop = None
    usage: Usage | None = None
    text: list[str] = []
    growing: dict[int, _Growing] = {}
    for chunk in stream:
        if response_id is None:
            response_id, model = chunk.id, chunk.model
            yield Begun(response_id, request_id, model)
        if chunk.usage is not None:
            usage = _usage(chunk.usage)
        for choice in chunk.choices[:1]:
            if choice.delta.content:
                text.append(choice.delta.content)
                yield TextDelta(choice.delta.content)
            for piece in choice.delta.tool_calls or ():
                if piece.index not in growing:
                    yield from _flush(text, growing)
                _grow(growing.setdefault(piece.index, _Growing()), piece)
            if choice.finish_reason:
                stop = choice.finish_reason
                yield from _flush(text, growing)
    if stop is None:
        raise ModelFailure(
            "The stream ended before the response was whole.", code="cut-off", retryable=True, request_id=request_id
        )
    yield Finished(response_id, model, usage, stop, request_id=request_id)


def _flush(text: list[str], growing: dict[int, _Growing]) -> Iterator[ModelEvent]:
    if text:
        yield SaidText("".join(text))
        text.clear()
    for index in sorted(growing):
        if growing[index].call_id:
            yield growing[index].done()
            growing[index] = _Growing()


def _grow(call: _Growing, piece: Any) -> None:
    call.call_id = piece.id or call.call_id
    if piece.function is not None:
        call.name = piece.function.name or call.name
        call.arguments.append(piece.function.arguments or "")


def _whole(answer: Any) -> Iterator[ModelEvent]:
    request_id = getattr(answer, "_request_id", None)
    yield Begun(answer.id, request_id, answer.model)
    if not answer.choices:
        raise ModelFailure("The model's service gave no choice.", code="empty", request_id=request_id)
    choice = answer.choices[0]
    if choice.message.content:
        yield SaidText(choice.message.content)
    for call in choice.message.tool_calls or ():
        if call.type == "function":
            yield Called(call.id, call.function.name, call.function.arguments)
    yield Finished(answer.id, answer.model, _usage(answer.usage), choice.finish_reason, request_id=request_id)


def _usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    reasoning = getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)
    fresh = None if usage.prompt_tokens is None else usage.prompt_tokens - (cached or 0)
    return Usage(fresh, usage.completion_tokens, cached, reasoning, usage.total_tokens)
