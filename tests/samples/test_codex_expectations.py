"""What a person would expect of generated Codex sessions after a restore: prompts, plans, files, calls, titles, settings, tokens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..support.samples import Scenario, Stage, home_of, needs_samples, public, scenarios

pytestmark = needs_samples


def each(name: str) -> pytest.MarkDecorator:
    found = list(scenarios("codex", name))
    return pytest.mark.parametrize("scenario", found, ids=[one.version for one in found])


def all_of(*names: str) -> pytest.MarkDecorator:
    found = [one for name in names for one in scenarios("codex", name)]
    return pytest.mark.parametrize("scenario", found, ids=[f"{one.name}-{one.version}" for one in found])


@contextmanager
def imported(stage: Stage, folder: Path) -> Iterator[EventStore]:
    """A store with everything that the home holds after the stage."""
    home = home_of(stage, folder / "home")
    places = [home / name for name in ("sessions", "archived_sessions") if (home / name).is_dir()]
    with EventStore(":memory:") as store:
        import_transcripts(places, store=store)
        yield store


def main_thread(store: EventStore) -> str:
    """The session that was begun first."""
    return min(
        (row for row in store.sessions(role="main")), key=lambda row: next(store.read(row.session_id)).ts or 0
    ).session_id


def restored(stage: Stage, folder: Path, thread: str | None = None) -> RestoredRuntime:
    with imported(stage, folder) as store:
        return resume_session(thread or main_thread(store), store=store, check_workspace=False)


def texts(runtime: RestoredRuntime, role: str) -> list[str]:
    return [
        str(block.text)
        for message in runtime.messages
        if message.role == role and message.origin in {None, "human", "queued"}
        for block in message.content
        if block.type == "text"
    ]


@all_of("plain", "code-mode-plain")
def test_all_prompts_and_the_final_answer_are_there_and_no_call_is_open(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    prompts = [text for text in texts(runtime, "user") if "<user_instructions>" not in text]
    assert prompts == scenario.expect["human_prompts"]
    assert texts(runtime, "assistant")[-1] == scenario.expect["final_answer"]
    assert runtime.session.turns == 3
    assert runtime.app_state.pending_calls == ()


@each("typescript")
def test_a_document_of_the_first_client_is_read(scenario: Scenario, tmp_path: Path) -> None:
    (document,) = (scenario.folder / scenario.stages[-1].name).rglob("rollout-*.json")
    with EventStore(":memory:") as store:
        (session,) = import_transcripts([document], store=store).sessions
        runtime = resume_session(session.session_id, store=store, check_workspace=False)
    assert texts(runtime, "user") == scenario.expect["prompts"]
    assert [call.name for call in runtime.app_state.pending_calls] == ["shell"]


@each("plan")
def test_the_todo_list_is_the_agents_last_plan(scenario: Scenario, tmp_path: Path) -> None:
    for number, stage in enumerate(scenario.stages, 1):
        runtime = restored(stage, tmp_path / str(number))
        found = [{"step": todo.content, "status": todo.status} for todo in runtime.app_state.todos]
        assert found == (scenario.expect[f"plan_after_{number}"] if _has_plan(stage) else [])


def _has_plan(stage: Stage) -> bool:
    """Whether the client of this version offered the tool: else its calls failed."""
    return "unsupported call" not in "".join(path.read_text() for path in stage.rollouts)


@all_of("edit", "code-mode-edit")
def test_the_files_that_patches_changed_are_known(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    files = {path.split("demo-project/")[-1]: state for path, state in runtime.app_state.files.items()}
    for told in scenario.expect["files_changed_by_patch"]:
        name, _, what = told.partition(" (")
        state = (
            files[name] if "moved from" not in what else files.get(name, files[what.removeprefix("moved from ")[:-1]])
        )
        operations = {one.operation for one in state.operations}
        assert operations <= {"create", "update", "delete", "move"}
        if what == "deleted)":
            assert state.deleted
    for name in scenario.expect.get("files_changed_by_shell_only", ()):
        assert name not in files


@all_of("edit", "code-mode-edit")
def test_digests_of_new_files_are_those_on_disk(scenario: Scenario, tmp_path: Path) -> None:
    stage = scenario.stages[-1]
    on_disk: dict[str, Any] = stage.data["project_files"]
    runtime = restored(stage, tmp_path)
    compared = 0
    for path, state in runtime.app_state.files.items():
        name = path.split("demo-project/")[-1]
        if state.last_written_digest is not None and not state.deleted and name in on_disk:
            digest = on_disk[name]["sha256"] if isinstance(on_disk[name], dict) else on_disk[name]
            assert state.last_written_digest == digest, name
            compared += 1
    assert compared or scenario.version == "0.20.0"


@each("edit")
def test_failed_calls_are_marked(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    failed = [
        block
        for message in runtime.messages
        for block in message.content
        if block.type == "tool_result" and block.is_error
    ]
    assert len(failed) == len(scenario.expect["failed_calls"])


@all_of("killed-tool", "interrupt-tui", "code-mode-edit")
def test_an_interrupted_call_is_told_to_the_model(scenario: Scenario, tmp_path: Path) -> None:
    for number, stage in enumerate(scenario.stages):
        runtime = restored(stage, tmp_path / str(number))
        wire = runtime.to_responses()
        calls = [one["call_id"] for one in wire if one["type"] in {"function_call", "custom_tool_call"}]
        outputs = [one["call_id"] for one in wire if one["type"] in {"function_call_output", "custom_tool_call_output"}]
        assert calls == outputs


@each("killed-tool")
def test_a_killed_call_waits_for_a_look(scenario: Scenario, tmp_path: Path) -> None:
    stage = scenario.stages[0]
    if "_call_output" not in "".join(path.read_text() for path in stage.rollouts):
        pytest.skip("this version was killed before it wrote the calls down")
    runtime = restored(stage, tmp_path)
    assert len(runtime.app_state.pending_calls) == 1
    assert runtime.turn_state == "interrupted"
    assert [finding.code for finding in runtime.report.findings].count("unpaired-call") == 1


@each("images")
def test_both_pictures_are_in_the_context(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    wire = json.dumps(runtime.to_responses())
    assert wire.count('"input_image"') == scenario.expect["images_in_context"]


@each("mcp")
def test_calls_of_a_server_keep_their_results(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    calls = [block.name for message in runtime.messages for block in message.content if block.type == "tool_use"]
    results = [block for message in runtime.messages for block in message.content if block.type == "tool_result"]
    assert len(calls) == len(results) == len(scenario.expect["mcp_calls"])
    offered = not any("unsupported call" in str(result.content) for result in results)
    assert all(result.is_error for result in results) or offered
    if offered:
        assert "HELLO" in str(results[0].content)
        assert "failed on purpose" in str(results[2].content)


@each("odd-output")
def test_odd_outputs_are_restored_and_sent_as_utf_8(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    commands = "".join(
        str(block.input) for message in runtime.messages for block in message.content if block.type == "tool_use"
    )
    assert "seq 1 20000" in commands
    for wire in (runtime.to_responses(), runtime.to_chat(), runtime.to_anthropic()):
        assert json.dumps(wire, ensure_ascii=False).encode("utf-8")


@all_of("compact-auto", "compact-local")
def test_after_a_compaction_the_context_is_short_and_the_log_whole(scenario: Scenario, tmp_path: Path) -> None:
    with imported(scenario.stages[-1], tmp_path) as store:
        thread = main_thread(store)
        runtime = resume_session(thread, store=store, check_workspace=False)
        said = Counter(event.kind for event in store.read(thread))
    if said["ContextCompact"] == 0:
        pytest.skip("this version writes no record of its compactions")
    assert len(runtime.compactions) == said["ContextCompact"]
    assert len(runtime.messages) < said["UserInput"] + said["AssistantMessage"]


@all_of("queued-tui")
def test_queued_prompts_belong_to_the_turn_that_took_them(scenario: Scenario, tmp_path: Path) -> None:
    runtime = restored(scenario.stages[-1], tmp_path)
    said = texts(runtime, "user")
    for text in scenario.expect["queued"]:
        assert said.count(text) == 1
    lost = scenario.expect["queued_and_lost_or_pending"][0]
    assert said.count(lost) <= 1


@each("settings")
def test_model_rights_and_effort_are_those_of_the_last_process(scenario: Scenario, tmp_path: Path) -> None:
    for number, stage in enumerate(scenario.stages[:2]):
        agent = restored(stage, tmp_path / str(number)).agent
        if agent.model is not None:
            assert agent.model == scenario.expect["models"][number]
        sandbox = agent.sandbox["type"] if isinstance(agent.sandbox, dict) else agent.sandbox
        if scenario.version != "0.34.0":  # it writes the settings of the first process only
            assert sandbox == scenario.expect["sandbox"][number]
            assert agent.effort == scenario.expect["effort"][number]


@each("app-server")
def test_the_title_is_the_persons(scenario: Scenario, tmp_path: Path) -> None:
    stage = scenario.stages[-1]
    if "session_index.jsonl" not in stage.files:
        pytest.skip("this version keeps names in its database only")
    assert restored(stage, tmp_path).session.title == scenario.expect["title"]


@each("app-server")
def test_the_archived_fork_is_marked(scenario: Scenario, tmp_path: Path) -> None:
    stage = scenario.stages[-1]
    archived = [path for path in stage.files if path.startswith("archived_sessions/")]
    with imported(stage, tmp_path) as store:
        marked = [
            row.session_id
            for row in store.sessions()
            if resume_session(row.session_id, store=store, check_workspace=False).session.archived
        ]
    assert len(marked) == len(archived)
    assert all(any(thread in name for name in archived) for thread in marked)


@each("app-server-more")
def test_settings_and_goal_set_between_turns_hold(scenario: Scenario, tmp_path: Path) -> None:
    thread = scenario.stages[0].data["thread"]
    by_name = {stage.name[0]: stage for stage in scenario.stages}
    agent = restored(by_name["5"], tmp_path / "5", thread).agent
    assert f"{agent.model}, effort {agent.effort}" == scenario.expect["model_from_stage_5"]
    goal = restored(by_name["8"], tmp_path / "8", thread).agent.goal
    assert goal["objective"] == scenario.expect["goal"]


@all_of("subagents", "subagents-cut", "code-mode-subagents")
def test_spawned_agents_are_known_and_never_listed(scenario: Scenario, tmp_path: Path) -> None:
    with imported(scenario.stages[-1], tmp_path) as store:
        parent = main_thread(store)
        runtime = resume_session(parent, store=store, check_workspace=False)
        children = {row.session_id for row in store.sessions(role="subagent")}
        assert {row.parent_session for row in store.sessions(role="subagent")} == {parent}
    assert {agent.id for agent in runtime.agent.subagents} == children
    assert len(children) == len(scenario.expect["sub_agents"])


@pytest.mark.parametrize("scenario", list(scenarios("codex")), ids=lambda one: f"{one.name}-{one.version}")
def test_each_recorded_response_counts_once(scenario: Scenario, tmp_path: Path) -> None:
    """Output tokens over all sessions: what the model reported, without what the client never wrote down."""
    stage = scenario.stages[-1]
    with imported(stage, tmp_path) as store:
        totals = [
            resume_session(row.session_id, store=store, check_workspace=False).accounting for row in store.sessions()
        ]
    own = sum(one.own.output_tokens - one.subagents.output_tokens for one in totals)
    reported = sum(
        usage["output"]
        for route, models in stage.data["usage_so_far"].items()
        if route != "side"
        for usage in models.values()
    )
    assert own == reported - UNRECORDED.get((scenario.version, scenario.name), 0)


UNRECORDED = {
    # Compactions by the provider, up to 0.142.
    ("0.77.0", "compact-auto"): 90,
    ("0.104.0", "app-server"): 40,
    ("0.104.0", "compact-auto"): 150,
    ("0.104.0", "errors"): 10,
    ("0.104.0", "tui"): 40,
    ("0.118.0", "app-server"): 40,
    ("0.142.0", "app-server"): 40,
    # A reply that the client could not parse.
    ("0.34.0", "odd-output"): 50,
    ("0.104.0", "odd-output"): 50,
    ("0.171.0", "odd-output"): 50,
    # The process or the turn ended before the usage was written.
    ("0.34.0", "interrupt-tui"): 40,
    ("0.34.0", "killed-tool"): 50,
    ("0.142.0", "killed-tool"): 50,
    ("0.171.0", "interrupt-tui"): 10,
    ("0.171.0", "queued-tui"): 9,
    ("0.171.0", "tui"): 9,
    # No usage at all in these formats.
    ("0.1.2504172351", "typescript"): 56,
    ("0.20.0", "compact-auto"): 450,
    ("0.20.0", "compact-local"): 450,
    ("0.20.0", "edit"): 408,
    ("0.20.0", "killed-stream"): 30,
    ("0.20.0", "killed-tool"): 70,
    ("0.20.0", "plain"): 80,
    ("0.20.0", "plan"): 200,
}
"""Output tokens that the model reported and no transcript holds."""


@pytest.mark.parametrize("sample", public("codex"), ids=lambda path: path.stem)
def test_tokens_of_published_sessions_equal_a_recount(sample: Path) -> None:
    lines = [json.loads(raw) for raw in sample.read_text().splitlines()] if sample.suffix == ".jsonl" else []
    copied = sum(one.get("type") == "session_meta" for one in lines[:5]) > 1
    sums: Counter[str] = Counter()
    before: Any = None
    for one in lines:
        payload = one.get("payload") or {}
        info = payload.get("info") if payload.get("type") == "token_count" else None
        if info and info["total_token_usage"] != before:
            if copied and before and info["total_token_usage"]["total_tokens"] < before["total_tokens"]:
                sums.clear()  # the copied past ends where the thread's own count begins
            before = info["total_token_usage"]
            sums.update({name: number for name, number in info["last_token_usage"].items() if number})
    with EventStore(":memory:") as store:
        (session,) = import_transcripts([sample], store=store).sessions
        own = resume_session(session.session_id, store=store, check_workspace=False).accounting.own
    assert own.output_tokens == sums["output_tokens"]
    assert own.cache_read_tokens == sums["cached_input_tokens"]
    assert own.input_tokens == sums["input_tokens"] - sums["cached_input_tokens"]
    assert own.reasoning_tokens == sums["reasoning_output_tokens"]
