"""OpenTelemetry spans of a run with the GenAI attribute names, when the program has configured an SDK; else nothing at all.

Names of the semantic conventions for generative AI, version 1.37.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from ..live.live_events import LiveEvent

NAME = "rehydrate"


def traced(
    events: Generator[LiveEvent, None, None], *, agent: str | None, provider: str | None, model: str
) -> Iterator[LiveEvent]:
    """The same events; on the way each run, request and tool call becomes a span."""
    if not is_configured():
        yield from events
        return
    spans = _Spans(agent, provider, model)
    try:
        with closing(events):
            for event in events:
                spans.take(event)
                yield event
    except BaseException as error:
        spans.fail(error)
        raise
    finally:
        spans.close()


def is_configured() -> bool:
    """Whether the program has set up an SDK. Does not import the package: a configured one is imported."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return False
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    return isinstance(trace.get_tracer_provider(), TracerProvider)


class _Spans:
    """The span of the run, and below it those of its requests and tool calls."""

    def __init__(self, agent: str | None, provider: str | None, model: str) -> None:
        from opentelemetry import trace

        self._trace: Any = trace
        self._tracer: Any = trace.get_tracer(NAME)
        self._agent = agent
        self._shared = {"gen_ai.provider.name": provider or "unknown", "gen_ai.request.model": model}
        self._run: Any = None
        self._request: Any = None
        self._last_ns = time.time_ns()

    def take(self, event: LiveEvent) -> None:
        data = event.data
        if event.type == "run_started":
            self._begin_run(data)
        elif event.type == "model_requested":
            self._end_request()
            attributes = {**self._shared, "gen_ai.operation.name": "chat"}
            self._request = self._child(f"chat {data['model']}", attributes, kind=self._trace.SpanKind.CLIENT)
        elif event.type == "cost":
            self._responded(data)
        elif event.type == "tool_result":
            self._called(data)
        elif event.type == "run_finished" and self._run is not None:
            self._run.set_attribute("rehydrate.run.status", data["status"])
        self._last_ns = time.time_ns()

    def _begin_run(self, data: dict[str, Any]) -> None:
        attributes = {
            **self._shared,
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.conversation.id": data["sessionId"],
            "rehydrate.run.id": data["runId"],
            "rehydrate.run.resumed": data["resumed"],
        }
        if self._agent:
            attributes["gen_ai.agent.name"] = self._agent
        self._run = self._tracer.start_span(f"invoke_agent {self._agent or NAME}", attributes=attributes)

    def _child(self, name: str, attributes: dict[str, Any], **more: Any) -> Any:
        inside = self._trace.set_span_in_context(self._run) if self._run is not None else None
        return self._tracer.start_span(name, context=inside, attributes=attributes, **more)

    def _responded(self, data: dict[str, Any]) -> None:
        if self._request is None:
            return
        cached = data.get("cache_read_tokens") or 0
        given = {
            "gen_ai.response.id": data.get("response_id"),
            "gen_ai.response.model": data.get("model"),
            "gen_ai.usage.output_tokens": data.get("output_tokens"),
            "gen_ai.usage.input_tokens": None if data.get("input_tokens") is None else data["input_tokens"] + cached,
            "gen_ai.usage.cache_read.input_tokens": data.get("cache_read_tokens"),
        }
        self._request.set_attributes({name: value for name, value in given.items() if value is not None})
        if data.get("failed"):
            self._mark(self._request, "response-failed")
        self._end_request()

    def _called(self, data: dict[str, Any]) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": data["name"],
            "gen_ai.tool.call.id": data["callId"],
        }
        span = self._child(f"execute_tool {data['name']}", attributes, start_time=self._last_ns)
        if data["isError"]:
            self._mark(span, "tool-error")
        span.end()

    def _mark(self, span: Any, kind: str, text: str = "") -> None:
        span.set_attribute("error.type", kind)
        span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, text or kind))

    def _end_request(self) -> None:
        if self._request is not None:
            self._request.end()
            self._request = None

    def fail(self, error: BaseException) -> None:
        for span in (self._request, self._run):
            if span is not None:
                self._mark(span, str(getattr(error, "code", type(error).__name__)), str(error))

    def close(self) -> None:
        self._end_request()
        if self._run is not None:
            self._run.end()
            self._run = None
