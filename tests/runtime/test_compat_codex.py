"""Rule by rule what Codex 0.171.0 sends when it resumes (the letters are those of the rules it was observed by)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.codex import render
from rehydrate.runtime.importing import import_transcripts

from ..support.rollouts import (
    OTHER,
    START,
    THREAD,
    call,
    compacted,
    event,
    item,
    line,
    meta,
    output,
    raw,
    reply,
    rolled_back,
    rollout,
    turn,
    user,
)

Sent = Callable[..., list[dict[str, Any]]]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def sent(tmp_path: Path) -> Sent:
    """What is sent for these lines behind the metadata."""

    def send(*lines: Any, model: str = "gpt-5-codex", head: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        path = rollout(tmp_path / "sessions", head or meta(), *lines)
        with EventStore(":memory:") as store:
            import_transcripts([path], store=store)
            return render(store, THREAD, store.session(THREAD).head, model)

    return send


def texts(items: list[dict[str, Any]]) -> list[str]:
    return [part["text"] for one in items if one["type"] == "message" for part in one["content"]]


def kinds(items: list[dict[str, Any]]) -> list[str]:
    return [one["type"] for one in items]


def image(url: str) -> dict[str, Any]:
    return item(type="message", role="user", content=[{"type": "input_image", "image_url": url}])


def test_l1_a_line_without_a_text_as_time_is_skipped(sent: Sent) -> None:
    assert texts(
        sent(
            {**user("numeric"), "timestamp": 5}, {"type": "response_item", "payload": user("x")["payload"]}, user("ok")
        )
    ) == ["ok"]


def test_l1_a_bare_item_among_wrapped_lines_is_skipped(sent: Sent) -> None:
    assert texts(sent(user("bare")["payload"], user("ok"))) == ["ok"]


def test_l1_blank_lines_and_crlf_are_fine(sent: Sent) -> None:
    assert texts(sent(b"\n", raw(user("one")).replace(b"\n", b"\r\n"), b"  \n", user("two"))) == ["one", "two"]


def test_l3_order_is_that_of_the_file(sent: Sent) -> None:
    lines = [{**user(f"p{number}"), "ordinal": number} for number in (3, 1, 2)]
    assert texts(sent(*lines, head=meta(history_mode="paginated"))) == ["p3", "p1", "p2"]


def test_l5_a_line_twice_is_sent_twice(sent: Sent) -> None:
    assert texts(sent(user("again"), user("again"))) == ["again", "again"]


def test_i1_events_add_nothing(sent: Sent) -> None:
    assert sent(event("user_message", message="a"), event("agent_message", message="b")) == []


def test_i2_ghost_snapshots_and_unknown_types_are_dropped(sent: Sent) -> None:
    assert texts(sent(item(type="ghost_snapshot", ghost_commit={"id": "x"}), item(type="novel"), user("ok"))) == ["ok"]


UNFIT = {
    "content is a text": item(type="message", role="user", content="plain"),
    "no content": item(type="message", role="user"),
    "unknown part": item(type="message", role="user", content=[{"type": "text", "text": "x"}]),
    "unknown phase": item(type="message", role="assistant", phase="x", content=[{"type": "output_text", "text": "x"}]),
    "id is a number": item(type="message", id=5, role="user", content=[{"type": "input_text", "text": "x"}]),
    "call without name": item(type="function_call", call_id="c", arguments="{}"),
    "arguments are an object": item(type="function_call", call_id="c", name="shell", arguments={}),
    "old output object": item(type="function_call_output", call_id="c", output={"content": "x", "success": True}),
    "reasoning without summary": item(type="reasoning", encrypted_content="x"),
    "custom call without input": item(type="custom_tool_call", call_id="c", name="apply_patch"),
}


@pytest.mark.parametrize("unfit", UNFIT.values(), ids=UNFIT.keys())
def test_i3_an_item_that_does_not_fit_is_dropped_whole(sent: Sent, unfit: dict[str, Any]) -> None:
    assert texts(sent(unfit, user("ok"))) == ["ok"]


def test_i3_a_dropped_output_makes_its_call_aborted(sent: Sent) -> None:
    items = sent(call("c"), item(type="function_call_output", call_id="c", output={"content": "x", "success": True}))
    assert [one.get("output") for one in items] == [None, "aborted"]


def test_i4_the_system_role_is_dropped_and_others_stay(sent: Sent) -> None:
    lines = [user(role, role=role) for role in ("system", "developer", "tool")]
    empty = item(type="message", role="user", content=[])
    assert [one["role"] for one in sent(*lines, empty)] == ["developer", "tool", "user"]


def test_i5_arguments_need_not_be_json(sent: Sent) -> None:
    odd = item(type="function_call", call_id="c", name="shell", arguments="{not json")
    assert kinds(sent(odd, output("c"))) == ["function_call", "function_call_output"]


@pytest.mark.parametrize(("model", "limit"), [("gpt-5-codex", 48_000), ("some-model", 12_000)])
def test_i6_outputs_are_cut_in_the_middle_for_the_model_in_use(sent: Sent, model: str, limit: int) -> None:
    text = "a" * 40_000 + "b" * 40_000
    cut = sent(call("c"), output("c", text), model=model)[1]["output"]
    assert cut.startswith("a" * (limit // 2) + "…")
    assert cut.endswith("truncated…" + "b" * (limit // 2))


def test_i6_parts_share_one_budget(sent: Sent) -> None:
    parts = [{"type": "input_text", "text": letter * 40_000} for letter in "abc"]
    cut = sent(call("c"), output("c", parts))[1]["output"]
    assert cut[-1]["text"] == "[omitted 1 text items ...]"


def test_i6_what_a_person_said_is_not_cut(sent: Sent) -> None:
    assert texts(sent(user("x" * 100_000))) == ["x" * 100_000]


IMAGES = {
    "whole": (f"data:image/png;base64,{PIXEL}", "input_image"),
    "broken": ("data:image/png;base64,AAAA", "input_text"),
    "remote": ("https://example.org/a.png", "input_text"),
    "other": ("file-123", "input_image"),
}


@pytest.mark.parametrize(("url", "kind"), IMAGES.values(), ids=IMAGES.keys())
def test_i7_pictures_that_cannot_be_sent_become_a_remark(sent: Sent, url: str, kind: str) -> None:
    assert sent(image(url))[0]["content"][0]["type"] == kind


def test_c1_a_compaction_without_message_counts_for_nothing(sent: Sent) -> None:
    line_without = line("compacted", {"replacement_history": []}, START)
    assert texts(sent(user("old"), line_without)) == ["old"]


def test_c1_system_messages_of_a_replacement_stay_and_snapshots_go(sent: Sent) -> None:
    history = [user("s", role="system"), item(type="ghost_snapshot"), user("u")]
    assert texts(sent(user("old"), compacted("", history))) == ["s", "u"]


def test_c2_the_newest_compaction_counts(sent: Sent) -> None:
    assert texts(sent(compacted("", [user("a")]), user("x"), compacted("", [user("b")]), user("y"))) == ["b", "y"]


def test_c2_null_is_no_replacement(sent: Sent) -> None:
    null = line("compacted", {"message": "sum", "replacement_history": None}, START)
    assert texts(sent(user("old"), reply("gone"), null)) == ["old", "sum"]


def test_c5_an_earlier_summary_is_not_kept_as_a_persons_words(sent: Sent) -> None:
    from rehydrate.events.importers.codex.context import SUMMARY_PREFIX

    summary = f"{SUMMARY_PREFIX}\nfirst"
    assert texts(sent(user("a"), compacted(summary), user("b"), compacted(""))) == ["a", "b", "(no summary available)"]


CONTEXT = {
    "environment": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
    "agents": "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>",
    "aborted": "<turn_aborted>\nby the user\n</turn_aborted>",
    "capitals": "  <SKILL>\nx\n</SKILL>  ",
    "external": "<external_tracker>x</external_tracker>",
    "internal": '<codex_internal_context source="x">y</codex_internal_context>',
}


@pytest.mark.parametrize("text", CONTEXT.values(), ids=CONTEXT.keys())
def test_c6_context_is_no_turn(sent: Sent, text: str) -> None:
    assert texts(sent(user("one"), reply("1"), user(text), user("two"), rolled_back(1))) == ["one", "1"]


NO_CONTEXT = {
    "old instructions": "<user_instructions>x</user_instructions>",
    "reminder": "<system-reminder>x</system-reminder>",
    "unclosed": "<environment_context>",
    "words behind": "<skill>x</skill> and more",
}


@pytest.mark.parametrize("text", NO_CONTEXT.values(), ids=NO_CONTEXT.keys())
def test_c6_anything_else_is_a_turn(sent: Sent, text: str) -> None:
    assert texts(sent(user("one"), user(text), rolled_back(1))) == ["one"]


def test_c7_a_paginated_thread_forgets_what_lies_before_its_newest_numbered_compaction(sent: Sent) -> None:
    lines = [*turn(1), *turn(2, compacted("", [user("kept")], window_number=1)), rolled_back(1)]
    assert "prompt 1" in texts(sent(*lines))
    assert "prompt 1" not in texts(
        sent(*({**one, "ordinal": n} for n, one in enumerate(lines, 1)), head=meta(history_mode="paginated"))
    )


def test_p5_a_legacy_child_ignores_its_pointer(sent: Sent) -> None:
    base = {"thread_id": OTHER, "end_ordinal_exclusive": 3, "end_byte_offset": 100}
    assert texts(sent(user("own"), head=meta(history_base=base))) == ["own"]


def test_p6_missing_outputs_stand_right_behind_their_calls(sent: Sent) -> None:
    shell = item(type="local_shell_call", call_id="s", status="completed", action={"type": "exec", "command": ["ls"]})
    patch = item(type="custom_tool_call", call_id="p", name="apply_patch", input="x", id="ctc_1")
    search = item(type="tool_search_call", call_id="t", status="completed", execution="client", arguments={})
    items = sent(call("f"), shell, patch, search, user("next"))
    assert kinds(items) == [
        "function_call",
        "function_call_output",
        "local_shell_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "tool_search_call",
        "tool_search_output",
        "message",
    ]
    assert items[5]["id"].startswith("ctco_")
    assert (items[7]["tools"], items[7]["execution"]) == ([], "client")


def test_p6_orphans_go_by_family_and_a_servers_search_stays(sent: Sent) -> None:
    custom = item(type="custom_tool_call_output", call_id="f", output="x")
    server = item(type="tool_search_output", call_id="z", status="completed", execution="server", tools=[])
    assert kinds(sent(output("nobody"), call("f"), custom, server)) == [
        "function_call",
        "function_call_output",
        "tool_search_output",
    ]


def test_p6_order_and_repeated_ids_are_left_alone(sent: Sent) -> None:
    assert kinds(sent(output("c"), user("between"), call("c"), call("c"))) == [
        "function_call_output",
        "message",
        "function_call",
        "function_call",
    ]


def test_p6_the_base_instructions_stand_in_front(sent: Sent) -> None:
    items = sent(user("go"), head=meta(base_instructions={"text": "Be kind."}))
    assert [(one["role"], one["content"][0]["text"]) for one in items] == [("developer", "Be kind."), ("user", "go")]


def test_a_compressed_rollout_is_read_like_any_other(tmp_path: Path) -> None:
    plain = rollout(tmp_path, meta(), *turn(1))
    packed = plain.with_name(f"{plain.name}.zst")
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    plain.unlink()
    with EventStore(":memory:") as store:
        (session,) = import_transcripts([packed], store=store).sessions
        assert session.session_id == THREAD
        assert texts(render(store, THREAD, store.session(THREAD).head, None)) == ["prompt 1", "answer 1"]
