"""What people reported of Codex sessions: each test is one report's input and the value that is right."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..cli.command import Rehydrate
from ..support.rollouts import (
    OTHER,
    START,
    THREAD,
    call,
    compacted,
    completed,
    context,
    event,
    item,
    line,
    meta,
    output,
    raw,
    reply,
    rolled_back,
    rollout,
    started,
    tokens,
    turn,
    user,
)

LATER = "2026-01-01T00:10:00.000Z"


@pytest.fixture
def rehydrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no-codex"))
    return Rehydrate(tmp_path / "store.sqlite")


def restored(tmp_path: Path, *lines: Any, at: str = "") -> RestoredRuntime:
    """Import one hand-made rollout and restore it (at a pointer)."""
    path = rollout(tmp_path / "sessions", *lines)
    with EventStore(tmp_path / "db.sqlite") as store:
        (session,) = import_transcripts([path], store=store).sessions
        return resume_session(f"{session.session_id}{at}", store=store, check_workspace=False)


def texts(runtime: RestoredRuntime) -> list[str]:
    return [str(block.text) for message in runtime.messages for block in message.content if block.type == "text"]


def codes(runtime: RestoredRuntime) -> list[str]:
    return [finding.code for finding in runtime.report.findings]


def wire_texts(runtime: RestoredRuntime) -> list[str]:
    return [part["text"] for one in runtime.to_responses() if one["type"] == "message" for part in one["content"]]


def test_a_line_of_broken_utf_8_costs_itself_only(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#36802"""
    broken = b'{"timestamp":"T","type":"event_msg","payload":{"type":"agent_message","message":"' + b"\xe6\x87\n"
    path = rollout(tmp_path, meta(), broken, user("still there"))
    (session,) = rehydrate.json("import", path)["sessions"]
    damage = [one for one in session["findings"] if one["facts"].get("line") == 2]
    assert [one["facts"]["byte_offset"] for one in damage] == [len(raw(meta()))]
    runtime = rehydrate.json("resume", THREAD, "--policy", "warn")
    assert [message["content"][0]["text"] for message in runtime["messages"]] == ["still there"]


def test_a_byte_order_mark_hides_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#28139"""
    folder = tmp_path / "sessions"
    rollout(folder, b"\xef\xbb\xbf", meta(), user("one"))
    for number in (2, 3):
        rollout(folder, meta(OTHER[:-1] + str(number)), user("two"), thread=OTHER[:-1] + str(number))
    imported = rehydrate.json("import", folder)
    assert len(imported["sessions"]) == 3
    assert THREAD in {session["session_id"] for session in imported["sessions"]}
    entries = rehydrate.json("show", THREAD)["entries"]
    assert not any((entry["text"] or "").startswith("\ufeff") for entry in entries)


def test_what_follows_a_nul_in_an_output_survives(tmp_path: Path) -> None:
    """zszz3/AgentRecall#315"""
    runtime = restored(tmp_path, meta(), user("go"), call("c1"), output("c1", "W\0s\0l\0 after"))
    (result,) = [block for message in runtime.messages for block in message.content if block.type == "tool_result"]
    assert str(result.content).endswith(" after")


def test_a_call_without_output_is_followed_at_once_by_a_made_up_one(tmp_path: Path) -> None:
    """openai/codex#394"""
    runtime = restored(tmp_path, meta(), user("go"), call("c1"), user("retry"))
    wire = runtime.to_responses()
    assert [one["type"] for one in wire] == ["message", "function_call", "function_call_output", "message"]
    assert wire[1]["call_id"] == wire[2]["call_id"] == "c1"


def test_an_aborted_turn_leaves_exactly_one_mark(tmp_path: Path) -> None:
    """openai/codex#9042"""
    lines = [
        meta(),
        started(),
        user("push"),
        call("c1"),
        event("turn_aborted", turn_id="t1", reason="interrupted"),
        user("do X"),
    ]
    first, second = restored(tmp_path, *lines), restored(tmp_path, *lines)
    said = wire_texts(first)
    assert sum("<turn_aborted>" in text for text in said) == 1
    assert said[-1] == "do X"
    assert first.to_responses() == second.to_responses()


def test_the_sources_own_abort_mark_is_not_doubled(tmp_path: Path) -> None:
    mark = user("<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>")
    aborted = event("turn_aborted", turn_id="t1", reason="interrupted")
    runtime = restored(tmp_path, meta(), started(), user("push"), call("c1"), output("c1"), mark, aborted, user("do X"))
    assert sum("<turn_aborted>" in text for text in wire_texts(runtime)) == 1


def test_a_compaction_changes_the_models_view_and_not_the_readers(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """YishenTu/claudian#814"""
    before = [one for number in range(3) for one in (user(f"q{number}"), reply(f"a{number}"))]
    path = rollout(tmp_path, meta(), *before, compacted("sum", [user("q2"), user("sum")]), user("after"), reply("yes"))
    rehydrate.json("import", path)
    runtime = rehydrate.json("resume", THREAD, "--policy", "warn")
    assert [message["content"][0]["text"] for message in runtime["messages"]] == ["q2", "sum", "after", "yes"]
    assert len(runtime["compactions"]) == 1
    shown = [entry["text"] for entry in rehydrate.json("show", THREAD)["entries"]]
    assert all(text in shown for text in ("q0", "a0", "q1", "a1", "q2", "a2", "after", "yes"))


def test_a_fork_knows_nothing_of_later_turns(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#21025"""
    path = rollout(tmp_path, meta(), *(one for number in range(1, 6) for one in turn(number)))
    rehydrate.json("import", path)
    entries = rehydrate.json("show", THREAD)["entries"]
    end = next(entry["pointer"] for entry in entries if entry["text"] == "answer 2")
    child = rehydrate.json("fork", end)["session_id"]
    at_pointer = rehydrate.json("resume", end, "--messages", "responses", "--policy", "warn")
    assert rehydrate.json("resume", child, "--messages", "responses", "--policy", "warn") == at_pointer
    assert not any("3" in (entry["text"] or "") for entry in rehydrate.json("show", child)["entries"])


FORKED = {
    "plain": [*turn(1), *turn(2)],
    "compacted": [*turn(1), compacted("", [user("prompt 1")]), *turn(2)],
    "rolled back": [*turn(1), *turn(2), rolled_back(1), *turn(3)],
}


@pytest.mark.parametrize("lines", FORKED.values(), ids=FORKED.keys())
def test_a_fork_at_the_head_gives_the_model_what_its_parent_gives(
    rehydrate: Rehydrate, tmp_path: Path, lines: list[Any]
) -> None:
    """openai/codex#32506"""
    rehydrate.json("import", rollout(tmp_path, meta(), *lines))
    parent = rehydrate.json("resume", THREAD, "--messages", "responses", "--policy", "warn")
    child = rehydrate.json("fork", f"{THREAD}@last")["session_id"]
    assert rehydrate.json("resume", child, "--messages", "responses", "--policy", "warn") == parent


def test_a_doubled_ordinal_is_told_and_changes_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#42027"""
    lines = [
        {**meta(history_mode="paginated"), "ordinal": 1},
        {**user("a"), "ordinal": 2},
        {**reply("b"), "ordinal": 2},
        {**user("c"), "ordinal": 3},
    ]
    rehydrate.json("import", rollout(tmp_path, *lines))
    report = rehydrate.json("resume", THREAD, "--policy", "warn")["report"]
    assert [one["code"] for one in report["findings"]].count("source-ordinal-gap") == 1
    for position in (entry["pointer"] for entry in rehydrate.json("show", THREAD)["entries"]):
        assert rehydrate.json("fork", position)["session_id"]


def test_an_open_turn_is_interrupted_and_its_call_closed_once(tmp_path: Path) -> None:
    """openai/codex#12382"""
    runtime = restored(tmp_path, meta(), started(), user("go"), call("c1"))
    assert runtime.turn_state == "interrupted"
    assert [one["type"] for one in runtime.to_responses()].count("function_call_output") == 1


def test_repeated_token_counts_count_once(tmp_path: Path) -> None:
    """ryoppippi/ccusage#1288"""
    repeated = [tokens(1000, 1000)] * 3
    runtime = restored(tmp_path, meta(), user("go"), reply("ok"), *repeated, tokens(3300, 2300))
    assert runtime.accounting.own.input_tokens == 3300
    assert runtime.accounting.own.requests == 2


def child_of_a_copy() -> list[Any]:
    fork = "2026-01-01T00:05:00.000Z"
    copied = [
        meta(at=fork),
        *({**one, "timestamp": fork} for one in [user("go"), reply("ok"), tokens(1000, 1000), tokens(3300, 2300)]),
    ]
    own = [{**user("more"), "timestamp": LATER}, tokens(3500, 200, at=LATER)]
    return [meta(OTHER, at=fork, forked_from_id=THREAD), *copied, *own]


def test_usage_copied_into_a_fork_is_inherited_also_without_its_parent(tmp_path: Path) -> None:
    """ryoppippi/ccusage#1349"""
    path = rollout(tmp_path, *child_of_a_copy(), thread=OTHER)
    with EventStore(tmp_path / "db.sqlite") as store:
        import_transcripts([path], store=store)
        runtime = resume_session(OTHER, store=store, check_workspace=False)
    assert runtime.accounting.own.input_tokens == 200
    assert runtime.accounting.inherited.input_tokens == 3300
    assert "inherited-unverified" in codes(runtime)


def test_parent_and_fork_together_count_each_response_once(tmp_path: Path) -> None:
    parent = rollout(tmp_path, meta(), user("go"), reply("ok"), tokens(1000, 1000), tokens(3300, 2300))
    child = rollout(tmp_path, *child_of_a_copy(), thread=OTHER)
    with EventStore(tmp_path / "db.sqlite") as store:
        import_transcripts([child, parent], store=store)
        own = [
            resume_session(one, store=store, check_workspace=False).accounting.own.input_tokens
            for one in (THREAD, OTHER)
        ]
    assert own == [3300, 200]


def test_a_context_larger_than_its_window_is_not_believed(tmp_path: Path) -> None:
    """openai/codex#24089"""
    runtime = restored(tmp_path, meta(), user("go"), reply("ok"), tokens(900, 900), tokens(777_900, 777_000))
    context_use = runtime.accounting.context
    assert context_use.tokens is None or context_use.tokens <= (context_use.window or 0)
    assert "context-use-invalid" in codes(runtime)


def test_restoring_twice_gives_the_same_bytes(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#45383"""
    rehydrate.json(
        "import", rollout(tmp_path, meta(), *turn(1, call("c1"), output("c1")), started("t2"), user("x"), call("c2"))
    )
    first = rehydrate("resume", THREAD, "--messages", "responses", "--policy", "warn", "--json").out
    assert rehydrate("resume", THREAD, "--messages", "responses", "--policy", "warn", "--json").out == first


def test_a_read_only_sandbox_stays_read_only(tmp_path: Path) -> None:
    """openai/codex#40149"""
    runtime = restored(tmp_path, meta(), context(), user("go"), reply("ok"))
    assert runtime.agent.sandbox == "read-only"
    assert runtime.agent.permission_mode == "never"


def test_a_codex_session_stays_one(tmp_path: Path) -> None:
    """Mockapapella/tenex#24"""
    runtime = restored(tmp_path, meta(), user("go"), call("call_1"), output("call_1"))
    assert runtime.session.source == "codex"
    assert [one["type"] for one in runtime.to_responses()][1:] == ["function_call", "function_call_output"]


def test_the_last_turn_context_names_the_directory(tmp_path: Path) -> None:
    """openai/codex#33814"""
    lines = [meta(cwd="/srv/main"), context(cwd="/srv/main"), *turn(1), context(cwd="/srv/wt"), *turn(2)]
    assert restored(tmp_path, *lines).workspace.cwd == "/srv/wt"
    assert restored(tmp_path, *lines, at="@turn:1").workspace.cwd == "/srv/main"


HEADS = {
    "no metadata": [user("go")],
    "metadata on line 3": [user("go"), reply("ok"), meta()],
    "two metadata": [meta(), meta(OTHER), user("go")],
}


@pytest.mark.parametrize("lines", HEADS.values(), ids=HEADS.keys())
def test_the_thread_id_is_found_in_the_name_or_the_first_own_metadata(tmp_path: Path, lines: list[Any]) -> None:
    """catatafishen/agentbridge#40"""
    path = rollout(tmp_path, *lines)
    with EventStore(tmp_path / "db.sqlite") as store:
        (session,) = import_transcripts([path], store=store).sessions
    assert session.session_id == THREAD


def test_a_file_that_names_no_thread_is_a_clear_failure(rehydrate: Rehydrate, tmp_path: Path) -> None:
    path = rollout(tmp_path, user("go"), name="notes.jsonl")
    (failed,) = rehydrate.json("import", path, code=6)["failed"]
    assert "id" in failed["error"]


def test_a_session_resumes_by_its_new_name(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#16066"""
    rehydrate.json("import", rollout(tmp_path, meta(), *turn(1)))
    rehydrate.json("rename", THREAD, "planb")
    assert rehydrate.json("resume", "planb", "--policy", "warn")["session"]["id"] == THREAD


def test_the_last_session_is_the_last_of_this_project(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openai/codex#4545"""
    here, there = tmp_path / "a", tmp_path / "b"
    for folder in (here / "x", there, tmp_path / "c"):
        folder.mkdir(parents=True)
    rollout(tmp_path / "s", meta(cwd=str(here)), *turn(1))
    newer = [{**one, "timestamp": LATER} for one in (meta(OTHER, cwd=str(there)), *turn(1))]
    rollout(tmp_path / "s", *newer, thread=OTHER)
    rehydrate.json("import", tmp_path / "s")
    for folder in (here, here / "x"):
        monkeypatch.chdir(folder)
        assert rehydrate.json("resume", "--last", "--policy", "warn")["session"]["id"] == THREAD
    monkeypatch.chdir(tmp_path / "c")
    rehydrate.json("resume", "--last", code=3)


def test_files_put_back_later_are_imported_once(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#40426"""
    folder = tmp_path / "sessions"
    for number in range(16):
        thread = f"0199cccc-0000-7000-8000-{number:012d}"
        rollout(folder, meta(thread), *turn(1), thread=thread)
    assert sum(one["events_added"] > 0 for one in rehydrate.json("import", folder)["sessions"]) == 16
    assert sum(one["events_added"] > 0 for one in rehydrate.json("import", folder)["sessions"]) == 0
    shutil.rmtree(folder)
    assert len(rehydrate.json("sessions", "--all")["sessions"]) == 16


def test_turns_without_a_person_are_no_obstacle_to_naming_a_target(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """openai/codex#23244"""
    hook = [started("t2"), reply("scheduled"), completed("t2")]
    steered = [started("t3"), user("first"), user("second"), reply("both"), completed("t3")]
    rehydrate.json("import", rollout(tmp_path, meta(), *turn(1), *hook, *steered))
    entries = rehydrate.json("show", THREAD)["entries"]
    for text in ("answer 1", "scheduled", "both"):
        pointer = next(entry["pointer"] for entry in entries if entry["text"] == text)
        assert rehydrate.json("resume", pointer, "--policy", "warn")["transcript_pointer"] == pointer
        assert rehydrate.json("fork", pointer)["forked_from"] == pointer


def test_words_that_only_the_screen_had_are_restored(tmp_path: Path) -> None:
    runtime = restored(
        tmp_path, meta(), started(), event("user_message", message="hello"), event("agent_message", message="hi")
    )
    assert texts(runtime) == ["hello", "hi"]


def test_the_two_ledgers_are_not_added_up(tmp_path: Path) -> None:
    lines = [user("hello"), event("user_message", message="hello"), event("agent_message", message="hi"), reply("hi")]
    runtime = restored(tmp_path, meta(), started(), *lines)
    assert texts(runtime) == ["hello", "hi"]
    assert runtime.session.turns == 1


def test_an_unknown_line_is_counted_and_harmless(tmp_path: Path) -> None:
    runtime = restored(tmp_path, meta(), line("brand_new", {"x": 1}, START), item(type="new_item"), user("go"))
    assert texts(runtime) == ["go"]
    assert sum(runtime.unrecognized.values()) == 2


def test_the_picture_of_the_world_is_put_together_from_its_patches(tmp_path: Path) -> None:
    whole = line(
        "world_state", {"full": True, "state": {"mode": "default", "env": {"cwd": "/srv/p", "agents": 1}}}, START
    )
    patch = line("world_state", {"full": False, "state": {"env": {"agents": None, "shell": "bash"}}}, START)
    runtime = restored(tmp_path, meta(), whole, *turn(1), patch, *turn(2))
    assert runtime.app_state.world_state == {"mode": "default", "env": {"cwd": "/srv/p", "shell": "bash"}}
    first = restored(tmp_path, meta(), whole, *turn(1), patch, *turn(2), at="@turn:1")
    assert first.app_state.world_state["env"]["agents"] == 1


def test_a_copy_with_other_words_is_a_conflict_and_changes_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    lines = [meta(), *turn(1), *turn(2)]
    rehydrate.json("import", rollout(tmp_path / "a", *lines))
    changed = [{**one} for one in lines]
    changed[3] = reply("another answer")
    document = rehydrate.json("import", rollout(tmp_path / "b", *changed), code=4)
    assert document["failed"] or document["error"]
    said = [entry["text"] for entry in rehydrate.json("show", THREAD)["entries"]]
    assert "answer 1" in said
    assert "another answer" not in said


def test_a_longer_copy_elsewhere_adds_its_end_only(rehydrate: Rehydrate, tmp_path: Path) -> None:
    rehydrate.json("import", rollout(tmp_path / "a", meta(), *turn(1)))
    (session,) = rehydrate.json("import", rollout(tmp_path / "b", meta(), *turn(1), *turn(2)))["sessions"]
    assert session["session_id"] == THREAD
    said = [entry["text"] for entry in rehydrate.json("show", THREAD)["entries"]]
    assert [said.count(text) for text in ("answer 1", "answer 2")] == [1, 1]


def test_a_name_given_later_is_taken_up_though_the_rollout_is_as_before(rehydrate: Rehydrate, tmp_path: Path) -> None:
    path = rollout(tmp_path / "sessions", meta(), *turn(1))
    rehydrate.json("import", path)
    name = {"id": THREAD, "thread_name": "planb", "updated_at": LATER}
    (tmp_path / "session_index.jsonl").write_text(json.dumps(name) + "\n")
    for added in (1, 0):
        (session,) = rehydrate.json("import", path)["sessions"]
        assert session["events_added"] == added
    assert rehydrate.json("resume", "planb", "--policy", "warn")["session"]["id"] == THREAD
