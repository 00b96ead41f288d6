"""Spans with the GenAI names, when a program has set up an SDK; no import and no span otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.errors import ProviderError

from ...support.live_session import begun
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import strict_server


@pytest.fixture(scope="module")
def exporter() -> Any:
    pytest.importorskip("opentelemetry.sdk.trace", reason="the OpenTelemetry SDK is not installed")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


def test_a_run_its_requests_and_its_calls_are_spans_below_each_other(exporter: Any, tmp_path: Path) -> None:
    exporter.clear()
    reply = Reply(calls=(Call("list_files"), Call("nothing")), usage=(70, 20, 30))
    with (
        strict_server(reply, say("Done.")) as server,
        begun(tmp_path, str(tmp_path / "db"), server, agent="tester") as session,
    ):
        session.run("look")
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert set(spans) == {"invoke_agent tester", "chat gpt-test", "execute_tool list_files", "execute_tool nothing"}
    run = spans["invoke_agent tester"]
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert run.attributes["gen_ai.conversation.id"] == session.id
    assert run.attributes["gen_ai.agent.name"] == "tester"
    for name in set(spans) - {run.name}:
        assert spans[name].parent.span_id == run.context.span_id
    requests = [span for span in exporter.get_finished_spans() if span.name == "chat gpt-test"]
    assert requests[0].attributes["gen_ai.usage.input_tokens"] == 100
    assert requests[0].attributes["gen_ai.usage.output_tokens"] == 20
    assert requests[0].attributes["gen_ai.request.model"] == "gpt-test"
    assert spans["execute_tool list_files"].attributes["gen_ai.tool.name"] == "list_files"
    assert spans["execute_tool list_files"].status.is_unset
    assert spans["execute_tool nothing"].attributes["error.type"] == "tool-error"


def test_a_failed_run_is_a_span_with_an_error(exporter: Any, tmp_path: Path) -> None:
    exporter.clear()
    failing = Reply(status=400, error="no")
    with (
        strict_server(failing) as server,
        begun(tmp_path, str(tmp_path / "db"), server) as session,
        pytest.raises(ProviderError),
    ):
        session.run("look")
    spans = {span.name.split()[0]: span for span in exporter.get_finished_spans()}
    assert spans["invoke_agent"].attributes["error.type"] == "provider-error"
    assert not spans["chat"].status.is_ok


def test_without_an_sdk_nothing_of_it_is_imported() -> None:
    program = (
        "import sys; from rehydrate.runtime.adapters.otel import is_configured; "
        "assert not is_configured(); assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
