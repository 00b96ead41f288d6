"""Numbers that JSON has not, in what a model wrote as arguments."""

from __future__ import annotations

import json

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session


def test_not_a_number_in_arguments_becomes_null_with_a_finding() -> None:
    arguments = {"command": float("nan"), "limits": [float("inf"), 1.5]}
    with EventStore(":memory:") as store:
        store.create_session("odd", source="live")
        drafts = [
            Draft("UserInput", {"content": [{"type": "text", "text": "go"}], "starts_turn": True}),
            Draft("ToolUse", {"call_id": "call_1", "name": "shell", "arguments": arguments}),
            Draft("ToolResult", {"call_id": "call_1", "content": "done"}),
        ]
        store.append("odd", drafts)
        runtime = resume_session("odd", store=store, check_workspace=False)
    for messages in (runtime.to_anthropic(), runtime.to_responses(), runtime.to_chat()):
        json.dumps(messages, allow_nan=False)
    assert {"command": None, "limits": [None, 1.5]} in [
        block["input"]
        for message in runtime.to_anthropic()
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert "number-not-finite" in {finding.code for finding in runtime.report.findings}
