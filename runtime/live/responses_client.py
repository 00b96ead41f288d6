"""The Responses API: the whole conversation goes with every request, nothing is kept at the service."""

from __future__ import annotations

from collections.abc import Iterator
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
    Reasoned,
    ReasoningDelta,
    SaidText,
    TextDelta,
    Usage,
    is_foreign,
    provider_of,
    takes_reasoning,
)

if TYPE_CHECKING:
    from ..restored import RestoredRuntime


class ResponsesClient:
    """Speaks /v1/responses through the `openai` package; base URL and key from the environment unless given."""

    api = "responses"

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

        return messages_for(self._without_foreign_reasoning(runtime), "responses", model, provider=self.provider)

    def _without_foreign_reasoning(self, runtime: RestoredRuntime) -> RestoredRuntime:
        messages = tuple(
            message.model_copy(
                update={"content": tuple(block for block in message.content if block.type != "thinking")}
            )
            if is_foreign(message.provider, self.provider)
            else message
            for message in runtime.messages
        )
        return runtime.model_copy(update={"messages": messages})

    def ask(self, request: ModelRequest, *, stream: bool) -> Iterator[ModelEvent]:
        with openai_errors.translated():
            answer = self._openai.responses.create(**_arguments(request), stream=stream)
            if stream:
                from openai.types.responses import Response

                with answer:
                    whole = openai_errors.whole_answer(answer, Response)
                    yield from _streamed(answer) if whole is None else _whole(whole)
            else:
                yield from _whole(answer)

    def close(self) -> None:
        self._openai.close()


def _arguments(request: ModelRequest) -> dict[str, Any]:
    """The call's arguments. The conversation goes beside them: the package would walk through all of it for seconds."""
    arguments: dict[str, Any] = {"model": request.model, "input": [], "store": False}
    arguments["extra_body"] = {"input": request.conversation}
    if request.instructions:
        arguments["instructions"] = request.instructions
    if request.tools:
        arguments["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,
            }
            for tool in request.tools
        ]
    if takes_reasoning(request.model):
        arguments["include"] = ["reasoning.encrypted_content"]
        if request.effort:
            arguments["reasoning"] = {"effort": request.effort}
    if request.max_output_tokens:
        arguments["max_output_tokens"] = request.max_output_tokens
    return arguments


def _streamed(stream: Any) -> Iterator[ModelEvent]:
    request_id = stream.response.headers.get("x-request-id")
    ended = False
    for event in stream:
        kind = event.type
        if kind == "response.created":
            yield Begun(event.response.id, request_id, event.response.model)
        elif kind == "response.output_text.delta":
            yield TextDelta(event.delta)
        elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            yield ReasoningDelta(event.delta)
        elif kind == "response.output_item.done":
            yield from _item(event.item)
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            ended = True
            yield _finished(event.response, request_id)
        elif kind == "error":
            raise ModelFailure(str(event.message), code=event.code, retryable=True, request_id=request_id)
    if not ended:
        raise ModelFailure(
            "The stream ended before the response was whole.", code="cut-off", retryable=True, request_id=request_id
        )


def _whole(response: Any) -> Iterator[ModelEvent]:
    request_id = getattr(response, "_request_id", None)
    yield Begun(response.id, request_id, response.model)
    for item in response.output:
        yield from _item(item)
    yield _finished(response, request_id)


def _item(item: Any) -> Iterator[ModelEvent]:
    if item.type == "message":
        text = "".join(getattr(part, "text", None) or getattr(part, "refusal", None) or "" for part in item.content)
        if text:
            yield SaidText(text, getattr(item, "phase", None))
    elif item.type == "reasoning":
        parts = [*(item.summary or ()), *(getattr(item, "content", None) or ())]
        yield Reasoned("\n\n".join(part.text for part in parts), getattr(item, "encrypted_content", None), item.id)
    elif item.type == "function_call":
        yield Called(item.call_id, item.name, item.arguments, getattr(item, "id", None))


def _finished(response: Any, request_id: str | None) -> Finished:
    error = response.error
    stop = response.status
    if response.status == "incomplete":
        stop = getattr(response.incomplete_details, "reason", None) or "incomplete"
    failure = None
    if response.status == "failed":
        failure = f"{error.code}: {error.message}" if error else "The response failed."
    return Finished(response.id, response.model, _usage(response.usage), stop, failure, request_id)


def _usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    cached = getattr(getattr(usage, "input_tokens_details", None), "cached_tokens", None)
    reasoning = getattr(getattr(usage, "output_tokens_details", None), "reasoning_tokens", None)
    fresh = None if usage.input_tokens is None else usage.input_tokens - (cached or 0)
    return Usage(fresh, usage.output_tokens, cached, reasoning, usage.total_tokens)
