"""What people reported about histories that would not go on: calls, texts, thinking, pictures, compaction, order."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

from ..support.claude_log import SESSION, SIGNATURE, Lines, codes, img, png, th, tu, txt, words
from ..support.legality import faults


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def test_b024_an_interrupted_call_is_answered_and_says_so(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "install").assistant("a1", tu("toolu_1")).user("u2", "actually use nix")
    wire = lines.restored(store, tmp_path).to_anthropic()
    first = wire[2]["content"][0]
    assert (first["type"], first["tool_use_id"], first["is_error"]) == ("tool_result", "toolu_1", True)
    assert "SESSION_RESUME_INTERRUPTED" in first["content"]
    assert wire[2]["content"][1]["text"] == "actually use nix"


def test_b027_parallel_calls_keep_all_their_results(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "run three")
    for number, parent in ((1, "u1"), (2, "x1"), (3, "x2")):
        lines.assistant(f"x{number}", tu(f"t{number}"), parent=parent, message_id="msg_1")
    for number in (1, 2, 3):
        lines.result(f"r{number}", f"t{number}", f"output {number}", parent=f"x{number}")
    wire = lines.assistant("a2", txt("done"), parent="r3").restored(store, tmp_path).to_anthropic()
    assert [message["role"] for message in wire] == ["user", "assistant", "user", "assistant"]
    assert words(wire) == ["run three", "!t1", "!t2", "!t3", "=output 1", "=output 2", "=output 3", "done"]


def test_b029_a_stray_result_is_left_out_and_stays_an_event(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "hi").assistant("a1", txt("hello")).result("r9", "toolu_9").user("u2", "go on")
    runtime = lines.restored(store, tmp_path)
    assert "toolu_9" not in json.dumps(runtime.to_anthropic())
    assert codes(runtime).count("orphan-result") == 1
    assert any(event.native_id == "r9" for event in store.read(SESSION))
    assert faults(runtime) == {}


def test_b033_empty_texts_vanish_and_their_calls_stay(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "hi").assistant("a1", txt("")).assistant("a2", txt("  \n"), tu("t1")).result("r1", "t1")
    runtime = lines.restored(store, tmp_path)
    assert words(runtime.to_anthropic()) == ["hi", "!t1", "=ok"]
    assert faults(runtime) == {}


def test_b034_stored_api_errors_are_neither_sent_nor_counted(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().turns(1, 1).user("u2", "again")
    for number in range(5):
        lines.assistant(f"e{number}", txt("API Error: 400 bad"), model="<synthetic>", isApiErrorMessage=True,
                        usage={"input_tokens": 0, "output_tokens": 0})  # fmt: skip
    runtime = lines.restored(store, tmp_path)
    assert "API Error" not in json.dumps(runtime.to_anthropic())
    assert runtime.agent.model == "claude-sonnet-4-5-20250929"
    assert (runtime.accounting.total.requests, runtime.accounting.total.output_tokens) == (1, 10)


def test_b036_emptied_thinking_is_not_sent(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "hi").assistant("a1", th(""), tu("t1")).result("r1", "t1").user("u2", "next")
    runtime = lines.restored(store, tmp_path)
    assert "signature" not in json.dumps(runtime.to_anthropic())
    assert words(runtime.to_anthropic()) == ["hi", "!t1", "=ok", "next"]


def test_b037_thinking_without_a_plausible_signature_is_counted_and_left_out(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "hi").assistant("a0", th("kept"), txt("one"))
    for number, signature in enumerate(("", None, "abc="), start=1):
        lines.user(f"v{number}", "more").assistant(f"a{number}", th("long text", signature), txt("said"))
    runtime = lines.restored(store, tmp_path)
    (finding,) = [one for one in runtime.report.findings if one.code == "unsigned-thinking"]
    assert finding.facts["count"] == 3
    thinking = [
        block for message in runtime.to_anthropic() for block in message["content"] if block["type"] == "thinking"
    ]
    assert thinking == [{"type": "thinking", "thinking": "kept", "signature": SIGNATURE}]


def test_b038_reasoning_of_one_provider_is_not_sent_to_another(store: EventStore, tmp_path: Path) -> None:
    redacted = {"type": "redacted_thinking", "data": "E" * 300}
    lines = (
        Lines()
        .user("u1", "hi")
        .assistant("a1", th("secret"), redacted, txt("said"), tu("t1"))
        .result("r1", "t1", "out")
    )
    runtime = lines.restored(store, tmp_path)
    for wire in (runtime.to_responses(model="gpt-5"), runtime.to_chat(model="gpt-5")):
        text = json.dumps(wire)
        assert not [name for name in ("thinking", "redacted_thinking", "signature", "secret") if name in text]
        assert "said" in text
        assert "out" in text


def test_b042_many_large_pictures_are_named_instead_of_sent(store: EventStore, tmp_path: Path) -> None:
    picture = png(1170, 2532)
    lines = Lines()
    for number in range(25):
        lines.user(f"u{number}", [img(picture), txt("look")]).assistant(f"a{number}", txt("seen"))
    runtime = lines.restored(store, tmp_path)
    large = [one for one in runtime.report.findings if one.code == "large-image"]
    assert len(large) == 25
    assert large[0].facts["images"] == 25
    assert len(runtime.messages) == 50
    text = runtime.messages[0].content[0].text  # type: ignore[union-attr]
    assert "1170x2532" in str(text)
    assert "u0" in str(text)


def test_b043_a_picture_over_five_megabytes_is_named_instead_of_sent(store: EventStore, tmp_path: Path) -> None:
    lines = Lines()
    for number in range(3):
        lines.user(f"u{number}", [img("A" * 7_000_000)]).assistant(f"a{number}", txt("seen"))
    lines.imported(store, tmp_path)
    began = time.monotonic()
    runtime = resume_session(SESSION, store=store, check_workspace=False)
    assert time.monotonic() - began < 5
    assert len(json.dumps(runtime.to_anthropic())) < 100_000
    with store.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM blob WHERE size_bytes > 1000000").scalar() == 1


def test_b045_unreadable_pictures_do_not_touch_the_good_ones(store: EventStore, tmp_path: Path) -> None:
    good = png(8, 8)
    blocks = [img(good), img("not base64!!"), img(good), img(""), img(good), img(good), img(good)]
    runtime = Lines().user("u1", [*blocks, txt("look")]).assistant("a1", txt("seen")).restored(store, tmp_path)
    assert codes(runtime).count("bad-image") == 2
    assert json.dumps(runtime.to_anthropic()).count(good) == 5


def test_b014_half_characters_never_reach_a_provider(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "hi").assistant("a1", tu("t1")).result("r1", "t1", "Make Videos \ud83c\n and 🎬 whole")
    runtime = lines.restored(store, tmp_path)
    raw = json.dumps(runtime.to_anthropic(), ensure_ascii=False).encode("utf-8").decode()
    assert "🎬" in raw
    assert "Make Videos �" in raw


def boundary(lines: Lines, name: str = "b1", logical: str = "a10") -> Lines:
    meta = {"trigger": "manual", "preTokens": 150000}
    return lines.node("system", name, None, subtype="compact_boundary", logicalParentUuid=logical, compactMetadata=meta)


def test_b047_after_a_compaction_only_the_summary_and_the_rest_are_sent(store: EventStore, tmp_path: Path) -> None:
    lines = boundary(Lines().turns(1, 10)).user("s1", "the summary", isCompactSummary=True).turns(11, 11)
    runtime = lines.restored(store, tmp_path)
    assert words(runtime.to_anthropic()) == ["the summary", "question 11", "answer 11"]
    assert [message.native_id for message in runtime.messages] == ["s1", "u11", "a11"]
    (compaction,) = runtime.compactions
    assert (compaction.trigger, compaction.pre_tokens) == ("manual", 150000)


def test_a_boundary_without_a_summary_counts_as_none(store: EventStore, tmp_path: Path) -> None:
    runtime = boundary(Lines().turns(1, 2), logical="a2").restored(store, tmp_path)
    assert words(runtime.to_anthropic()) == ["question 1", "answer 1", "question 2", "answer 2"]


def test_b050_a_compaction_whose_past_is_gone_restores_with_a_warning(store: EventStore, tmp_path: Path) -> None:
    lines = boundary(Lines(), logical="x-gone").user("s1", "the summary", isCompactSummary=True).turns(1, 2)
    runtime = lines.restored(store, tmp_path)
    assert [message.native_id for message in runtime.messages] == ["s1", "u1", "a1", "u2", "a2"]
    assert "missing-ancestor" in codes(runtime)


def test_b046_records_behind_a_missing_parent_are_not_lost(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().turns(1, 2).user("u3", "question 3", parent="ghost").assistant("a3", txt("answer 3")).turns(4, 4)
    runtime = lines.restored(store, tmp_path)
    assert [message.native_id for message in runtime.messages] == ["u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4"]
    assert codes(runtime).count("dangling-parent") == 1


def test_b061_an_edited_prompt_leaves_the_former_branch_usable(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().turns(1, 4).user("u3b", "another 3", parent="a2").assistant("a3b", txt("other answer"))
    runtime = lines.restored(store, tmp_path)
    assert words(runtime.to_anthropic())[-2:] == ["another 3", "other answer"]
    assert len(runtime.messages) == 6
    assert runtime.session.branches == 2
    former = resume_session(f"{SESSION}@a4", store=store, check_workspace=False)
    assert [message.native_id for message in former.messages][-2:] == ["u4", "a4"]


def test_b161_order_is_that_of_the_links_not_of_the_clock(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "go").assistant("a1", tu("t1"), timestamp="2026-01-01T00:10:10.000Z")
    lines.result("r1", "t1", timestamp="2026-01-01T00:10:12.900Z")
    lines.user("u2", "next", timestamp="2026-01-01T00:10:12.500Z")
    assert words(lines.restored(store, tmp_path).to_anthropic()) == ["go", "!t1", "=ok", "next"]


def test_b167_any_form_of_time_is_read(store: EventStore, tmp_path: Path) -> None:
    times = ["2026-01-01T00:00:00Z", "2026-01-01T09:00:00+09:00", "2026-01-01T00:00:00.123456789Z", 1767225601000, None]
    lines = Lines()
    for number, moment in enumerate(times):
        lines.user(f"u{number}", f"say {number}", timestamp=moment)
    runtime = lines.restored(store, tmp_path)
    assert len(runtime.messages) == 5
    assert runtime.messages[0].timestamp == runtime.messages[1].timestamp
