"""What a person expects after each generated Claude Code scenario: every `expect` key, and the tokens."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..support.samples import Scenario, Stage, home_of, needs_samples, scenarios

pytestmark = needs_samples


class Restored:
    """The newest session of a client's home after a stage, imported and restored."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        home = home_of(stage, folder)
        self.store = EventStore(":memory:")
        result = import_transcripts([home / "projects"], store=self.store)
        assert not result.failed
        spoken = [Path(name).stem for name in stage.data["transcripts"] if _speaks(home / name)]
        self.session_id = spoken[-1]
        self.runtime: RestoredRuntime = resume_session(self.session_id, store=self.store, check_workspace=False)

    def changed(self) -> dict[str, list[str]]:
        """Operations by path, for files of the project."""
        files = self.runtime.app_state.files
        root = self.stage.data["cwd"].partition("/.claude/")[0]
        return {
            path.removeprefix(f"{root}/"): [one.operation for one in state.operations]
            for path, state in files.items()
            if state.operations and path.startswith(f"{root}/") and "/.claude/" not in path
        }

    def results(self) -> list[Any]:
        return [block for message in self.runtime.messages for block in message.content if block.type == "tool_result"]

    def prompts(self) -> list[str]:
        found: list[str] = []
        for message in self.runtime.messages:
            if message.role == "user" and message.origin in ("human", "queued"):
                found += [str(block.text) for block in message.content if block.type == "text"]
        return [text for text in found if not text.startswith("<")]


def _speaks(file: Path) -> bool:
    if file.name.startswith("agent-") or not file.exists():
        return False
    raw = file.read_bytes()
    return b'"type":"user"' in raw or b'"type":"assistant"' in raw


@pytest.fixture
def restored(tmp_path: Path) -> Iterator[Any]:
    made: list[Restored] = []

    def at(scenario: Scenario, number: int) -> Restored:
        one = Restored(scenario.stages[number], tmp_path / str(len(made)))
        made.append(one)
        return one

    yield at
    for one in made:
        one.store.close()


def every(name: str) -> Any:
    """All versions of a scenario; each test gets one as `scenario`."""
    found = list(scenarios("claude-code", name))
    return pytest.mark.parametrize("scenario", found, ids=[one.version for one in found])


def _new(scenario: Scenario, since: str) -> bool:
    return tuple(map(int, scenario.version.split("."))) >= tuple(map(int, since.split(".")))


@every("plain")
def test_plain_prompts_and_the_last_answer_come_back(scenario: Scenario, restored: Any) -> None:
    last = restored(scenario, -1)
    assert last.prompts() == scenario.expect["human_prompts"]
    (answer,) = [block for block in last.runtime.messages[-1].content if block.type == "text"]
    assert answer.text == scenario.expect["final_answer"]
    assert last.runtime.app_state.pending_calls == ()


@every("todo")
@pytest.mark.parametrize("stage", [1, 2])
def test_the_todo_list_is_as_the_agent_left_it(scenario: Scenario, restored: Any, stage: int) -> None:
    todos = restored(scenario, stage - 1).runtime.app_state.todos
    expected = [(item["content"], item["status"]) for item in scenario.expect[f"todos_after_{stage}"]]
    numbered = any(item.owner or item.blocked_by for item in todos)
    if numbered and stage == 2:
        expected[2] = ("Run all the tests", expected[2][1])
        assert todos[2].blocked_by == ("2",)
        assert [item.id for item in todos] == ["1", "2", "3", "4"]
    assert [(item.content, item.status) for item in todos] == expected


@every("edit")
def test_files_changed_by_the_edit_tools_are_known_with_their_digests(scenario: Scenario, restored: Any) -> None:
    last = restored(scenario, -1)
    changed = last.changed()
    assert sorted(changed) == scenario.expect["files_changed_by_edit_tools"]
    assert not set(changed) & set(scenario.expect["files_changed_by_shell_only"])
    assert not last.runtime.app_state.pending_calls
    for created in scenario.expect["files_created_by_edit_tools"]:
        assert changed[created][0] in ("create", "write")
    on_disk = scenario.stages[-1].data["project_files"]
    for path, state in last.runtime.app_state.files.items():
        name = next((name for name in on_disk if path.endswith(f"/{name}")), None)
        if state.operations and state.last_written_digest is not None and name is not None:
            assert state.last_written_digest == on_disk[name]["sha256"], path
    failed = [json.dumps(block.content if isinstance(block.content, str) else [part.model_dump() for part in block.content])
              for block in last.results() if block.is_error]  # fmt: skip
    assert any("not found" in text for text in failed)


@every("killed-tool")
def test_a_killed_command_is_an_interrupted_call(scenario: Scenario, restored: Any) -> None:
    killed = restored(scenario, 0).runtime
    assert [(call.name, call.status) for call in killed.app_state.pending_calls] == [("Bash", "interrupted")]
    assert killed.turn_state == "interrupted"
    (answer,) = [
        block for message in killed.messages for block in message.content
        if block.type == "tool_result" and block.tool_use_id == killed.app_state.pending_calls[0].call_id
    ]  # fmt: skip
    assert answer.is_error


@every("interrupt-tui")
def test_an_interrupted_turn_says_so_once(scenario: Scenario, restored: Any) -> None:
    first = restored(scenario, 0).runtime
    assert first.turn_state == "interrupted"
    said = json.dumps([message.model_dump(mode="json") for message in first.messages])
    assert said.count("[Request interrupted by user") >= 1
    assert "turn_aborted" not in said


@every("denied-tui")
def test_refused_calls_are_answered_and_the_pending_one_is_open(scenario: Scenario, restored: Any) -> None:
    refused = restored(scenario, 0)
    answers = [block for block in refused.results() if block.is_error]
    assert len(answers) == len(scenario.expect["refused_calls"])
    pending = restored(scenario, 1).runtime.app_state
    assert len(pending.pending_calls) == len(scenario.expect["pending_approval"])


@every("queued-tui")
def test_queued_prompts_are_delivered_or_still_visible(scenario: Scenario, restored: Any) -> None:
    waiting = [entry.text for entry in restored(scenario, 0).runtime.app_state.queued_inputs]
    delivered = json.dumps([message.model_dump(mode="json") for message in restored(scenario, 1).runtime.messages])
    for said in scenario.expect["queued"]:
        if _new(scenario, "2.1.100"):  # Older versions left no record of a prompt that was delivered while they worked.
            assert delivered.count(said) == 1
    if _new(scenario, "2.0.76"):
        assert waiting == scenario.expect["queued"]
        killed = restored(scenario, 2).runtime
        (lost,) = scenario.expect["queued_and_lost_or_pending"]
        shown = [entry.text for entry in killed.app_state.queued_inputs]
        assert shown == [lost] or lost in json.dumps([message.model_dump(mode="json") for message in killed.messages])


@every("plan-tui")
def test_a_rejected_and_an_accepted_plan(scenario: Scenario, restored: Any) -> None:
    rejected, accepted = restored(scenario, 1).runtime, restored(scenario, 2)
    plan = rejected.app_state.plan
    assert plan is not None
    assert plan.status == "rejected"
    assert plan.active or not _new(scenario, "2.1.0")
    final = accepted.runtime.app_state.plan
    assert final is not None
    assert (final.status, final.active) == ("accepted", False)
    assert scenario.expect["plan"].endswith(str(final.text).strip())  # 1.0 was given the plan without its heading.
    assert sorted(accepted.changed()) == scenario.expect["files_changed"]
    assert rejected.app_state.open_questions == ()


@every("plan-mode")
def test_the_permission_mode_is_the_one_last_set(scenario: Scenario, restored: Any) -> None:
    stages = [restored(scenario, number) for number in range(2)]
    if _new(scenario, "2.1.0"):
        assert [one.runtime.agent.permission_mode for one in stages] == scenario.expect["permission_mode"]
    assert sorted(stages[-1].changed()) == scenario.expect["files_changed"]


@every("settings")
def test_model_mode_agent_and_name_follow_the_flags(scenario: Scenario, restored: Any) -> None:
    stages = [restored(scenario, number).runtime for number in range(4)]
    models = [runtime.agent.model for runtime in stages[:2]]
    assert models == scenario.expect["models"]
    if _new(scenario, "2.1.0"):
        assert [runtime.agent.permission_mode for runtime in stages] == scenario.expect["permission_modes"]
    if _new(scenario, "2.1.100"):
        assert {runtime.agent.definition for runtime in stages} == {scenario.expect["agent"]}
        assert [stages[0].session.title, stages[2].session.title] == ["Review of demo", "Renamed review"]


@every("labels-tui")
def test_title_colour_and_model_are_the_ones_a_person_set(scenario: Scenario, restored: Any) -> None:
    first = restored(scenario, 0).runtime
    assert "opus" in str(first.agent.model)
    if _new(scenario, "2.1.100"):
        assert first.session.title == scenario.expect["title"]
        assert first.session.color == first.agent.color == scenario.expect["colour"]
        again = restored(scenario, 2).runtime
        assert again.session.title == scenario.expect["title"]


@every("worktree")
def test_the_worktree_is_entered_and_left(scenario: Scenario, restored: Any) -> None:
    expected = scenario.expect["worktree_after"]
    places = {number: restored(scenario, number - 1).runtime.workspace.expected for number in (1, 3, 4)}
    assert str(places[1].worktree).endswith(expected["1"])
    assert places[1].branch == "worktree-feature-x"
    assert str(places[4].worktree).endswith("feature-y")
    left = restored(scenario, 2)
    said = json.dumps([message.model_dump(mode="json") for message in left.runtime.messages])
    if "Exited worktree" in said:
        assert places[3].worktree is None


@every("worktree-flag")
def test_a_session_started_in_a_worktree_belongs_there(scenario: Scenario, restored: Any) -> None:
    first = restored(scenario, 0).runtime.workspace
    assert str(first.cwd).endswith(scenario.expect["worktree"])
    assert first.worktree in (first.cwd, None if not _new(scenario, "2.1.100") else first.cwd)


@every("subagents")
def test_sub_agents_are_known_and_no_part_of_the_conversation(scenario: Scenario, restored: Any) -> None:
    found = restored(scenario, len(scenario.stages) - 1)
    prompts = [str(agent.prompt) for agent in found.runtime.agent.subagents]
    names = ("alpha", "beta") if len(scenario.stages) == 2 else ("alpha", "beta", "gamma", "delta")
    for name in names:
        assert sum(prompt.startswith(f"[{name}]") for prompt in prompts) == 1, prompts
    assert not [prompt for prompt in found.prompts() if re.match(r"\[(alpha|beta|gamma|delta)\]", prompt)]
    assert "running" not in {agent.status for agent in found.runtime.agent.subagents}


@every("compact-manual")
def test_the_context_starts_with_the_second_summary(scenario: Scenario, restored: Any) -> None:
    last = restored(scenario, -1)
    if _new(scenario, "2.1.0"):
        assert len(last.runtime.compactions) == scenario.expect["compactions"]
        assert {one.trigger for one in last.runtime.compactions} == {scenario.expect["trigger"]}
        before, after = (one.data["project_files"] for one in (scenario.stages[0], scenario.stages[-1]))
        assert sorted(last.changed()) == sorted(name for name in after if after[name] != before.get(name))
    assert last.runtime.messages[0].origin == "summary" or not _new(scenario, "2.0.0")
    assert last.prompts()[-1] == scenario.stages[-1].request["prompt_of_this_request"]  # type: ignore[index]


@every("compact-tui")
def test_two_compactions_in_one_process(scenario: Scenario, restored: Any) -> None:
    last = restored(scenario, -1).runtime
    assert [one.trigger for one in last.compactions] == [scenario.expect["trigger"]] * scenario.expect["compactions"]


@every("rewind-tui")
def test_a_rewind_leaves_the_prompts_before_it(scenario: Scenario, restored: Any) -> None:
    went_on = restored(scenario, 2)
    first, second = went_on.prompts()
    expected = scenario.expect["after_rewind"]["prompts_left"]
    assert first == expected[0]
    assert second.startswith(expected[1])  # One version types the new prompt in front of the old one.
    assert sorted(went_on.changed()) == ["one.txt"]


@every("hooks")
def test_a_blocked_write_changes_no_file(scenario: Scenario, restored: Any) -> None:
    first = restored(scenario, 0)
    assert first.changed() == {}
    assert any(block.is_error for block in first.results())


@every("images")
def test_images_stay_in_the_context(scenario: Scenario, restored: Any) -> None:
    messages = restored(scenario, -1).runtime.to_anthropic()
    assert json.dumps(messages).count('"media_type": "image/') == scenario.expect["images_in_context"]


@every("mcp")
def test_mcp_calls_keep_their_results(scenario: Scenario, restored: Any) -> None:
    assert len(restored(scenario, 0).results()) == len(scenario.expect["mcp_calls"])


@every("odd-output")
def test_odd_output_is_legal_on_the_wire(scenario: Scenario, restored: Any) -> None:
    last = restored(scenario, -1)
    json.dumps(last.runtime.to_anthropic(), ensure_ascii=False).encode("utf-8")
    assert len(last.results()) == len(scenario.expect["commands"])


@every("stream-json")
def test_all_prompts_of_one_process_are_prompts(scenario: Scenario, restored: Any) -> None:
    if not _new(scenario, "2.0.0"):
        pytest.skip("this version left two of the prompts out of its file")
    assert len(restored(scenario, -1).prompts()) == scenario.expect["human_prompts"]


# -- tokens --------------------------------------------------------------------------------------------------------

ALL = list(scenarios("claude-code"))


@pytest.fixture(scope="module")
def shared_store() -> Iterator[EventStore]:
    """One store for the last stage of every scenario: their sessions are all different."""
    with EventStore(":memory:") as store:
        yield store


@pytest.mark.parametrize("scenario", ALL, ids=[f"{one.version}-{one.name}" for one in ALL])
def test_tokens_by_model_equal_a_recount_of_the_files(
    scenario: Scenario, tmp_path: Path, shared_store: EventStore
) -> None:
    home = home_of(scenario.stages[-1], tmp_path)
    imported = import_transcripts([home / "projects"], store=shared_store)
    for session_id in {one.session_id for one in imported.sessions if "/" not in one.session_id}:
        total = resume_session(session_id, store=shared_store, check_workspace=False).accounting.total
        ours = {
            model: (one.requests, one.input_tokens, one.output_tokens, one.cache_read_tokens,
                    one.cache_write_5m_tokens + one.cache_write_1h_tokens)
            for model, one in total.by_model.items()
        }  # fmt: skip
        assert ours == _recount(_files_of(home, session_id)), session_id


def _files_of(home: Path, session_id: str) -> list[Path]:
    found: list[Path] = []
    for file in (home / "projects").rglob("*.jsonl"):
        if file.stem == session_id or session_id in file.parts:
            found.append(file)
        elif file.name.startswith("agent-") and "subagents" not in file.parts:
            first = json.loads(file.read_text().partition("\n")[0])
            found += [file] if first["sessionId"] == session_id else []
    return found


def _recount(files: list[Path]) -> dict[str, tuple[int, ...]]:
    best: dict[str, tuple[str, tuple[int, ...]]] = {}
    for file in files:
        for line in file.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message = record.get("message") or {}
            usage = message.get("usage")
            if record.get("type") != "assistant" or not usage or message.get("model") == "<synthetic>":
                continue
            written = sum((usage.get("cache_creation") or {}).values()) or usage.get("cache_creation_input_tokens") or 0
            tokens = (usage["input_tokens"], usage["output_tokens"], usage.get("cache_read_input_tokens") or 0, written)
            key = message.get("id") or hashlib.sha256(line).hexdigest()
            if key not in best or sum(tokens) > sum(best[key][1]):
                best[key] = (message["model"], tokens)
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for model, tokens in best.values():
        total[model] = [total[model][0] + 1, *map(sum, zip(total[model][1:], tokens, strict=True))]
    return {model: tuple(numbers) for model, numbers in total.items()}


def _final(scenario: Scenario) -> bool:
    """Whether the files hold what the model reported: the newest version writes the final usage of every whole reply."""
    return scenario.version == "2.1.332" and scenario.name not in ("errors", "interrupt-tui", "killed-stream")


FINAL = [one for one in ALL if _final(one)]


@pytest.mark.parametrize("scenario", FINAL, ids=[f"{one.version}-{one.name}" for one in FINAL])
def test_tokens_are_those_that_the_model_reported(scenario: Scenario, tmp_path: Path) -> None:
    """Over all sessions of the home, sub-agents included; what the client asks beside the conversation leaves no record."""
    stage = scenario.stages[-1]
    home = home_of(stage, tmp_path)
    expected: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for route, models in stage.data["usage_so_far"].items():
        for model, one in models.items() if route not in ("side", "compact") else ():
            expected[model] = [expected[model][0] + one["input"], expected[model][1] + one["output"]]
    with EventStore(":memory:") as store:
        import_transcripts([home / "projects"], store=store)
        from rehydrate.runtime.spending import add_up_costs

        by_model = add_up_costs(store=store).by_model
    assert {one.model: [one.input_tokens, one.output_tokens] for one in by_model} == dict(expected)
