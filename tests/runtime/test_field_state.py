"""What people reported about state that got lost on the way: queued prompts, plans, modes, models, tasks, files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

from ..support.claude_log import SESSION, Lines, codes, tu, txt, words
from ..support.events import Log


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def queued(lines: Lines, operation: str, content: str | None = None) -> Lines:
    record = {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": "2026-01-01T00:00:09.000Z",
        "sessionId": SESSION,
    }
    return lines.line(record if content is None else {**record, "content": content})


def test_b082_a_prompt_that_was_never_delivered_still_waits(store: EventStore, tmp_path: Path) -> None:
    runtime = queued(Lines().turns(1, 1), "enqueue", "use red/green TDD").restored(store, tmp_path)
    assert [entry.text for entry in runtime.app_state.queued_inputs] == ["use red/green TDD"]
    assert "use red/green TDD" not in words(runtime.to_anthropic())


def test_b083_a_delivered_prompt_waits_no_more(store: EventStore, tmp_path: Path) -> None:
    lines = (
        queued(queued(Lines().turns(1, 1), "enqueue", "p"), "remove", "p").user("u2", "p").assistant("a2", txt("done"))
    )
    runtime = lines.restored(store, tmp_path)
    assert runtime.app_state.queued_inputs == ()
    assert words(runtime.to_anthropic()).count("p") == 1


def test_b105_the_model_is_the_last_of_the_main_chain(store: EventStore, tmp_path: Path) -> None:
    lines = Lines()
    for number, model in enumerate(("claude-m1", "claude-m1", "claude-m2"), start=1):
        lines.user(f"u{number}", "go").assistant(f"a{number}", txt("ok"), model=model)
    lines.assistant("side", txt("side"), model="claude-m3", isSidechain=True, agentId="x")
    assert lines.restored(store, tmp_path).agent.model == "claude-m2"


def test_b107_a_mode_without_questions_is_shown_and_not_in_force(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().line({"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION})
    lines.user("u1", "go", permissionMode="acceptEdits").assistant("a1", txt("ok"))
    assert lines.restored(store, tmp_path).agent.permission_mode == "acceptEdits"
    other = Lines("5e551011-0000-4000-8000-000000000002").user("u1", "go", permissionMode="bypassPermissions")
    agent = other.restored(store, tmp_path).agent
    assert (agent.permission_mode, agent.recorded_permission_mode) == ("default", "bypassPermissions")


def test_b109_leaving_plan_mode_goes_back_to_the_mode_before(store: EventStore) -> None:
    log = Log().add("AgentMetadata", permission_mode="acceptEdits").add("PlanSnapshot", active=True)
    between = log.head
    log.add("PlanSnapshot", text="1. do it", status="proposed").add("PlanSnapshot", active=False, status="accepted")
    log.store_in(store)
    modes = [
        resume_session(f"s{at}", store=store, check_workspace=False).agent.permission_mode for at in (f"@{between}", "")
    ]
    assert modes == ["plan", "acceptEdits"]
    pending = resume_session(f"s@{between + 1}", store=store, check_workspace=False)
    assert pending.app_state.pending_plan == "1. do it"
    assert resume_session("s", store=store, check_workspace=False).app_state.pending_plan is None


def test_b110_a_read_only_sandbox_stays_read_only(store: EventStore) -> None:
    Log("codex").add("AgentMetadata", sandbox={"type": "read-only"}, approval_policy="never").store_in(store)
    assert resume_session("s", store=store, check_workspace=False).agent.sandbox == {"type": "read-only"}


def test_b102_a_named_agent_keeps_its_tools(store: EventStore) -> None:
    Log().add("AgentMetadata", name="reviewer", tools=["Read", "Grep"]).store_in(store)
    agent = resume_session("s", store=store, check_workspace=False).agent
    assert (agent.name, agent.tools) == ("reviewer", ("Read", "Grep"))


def test_b086_nothing_that_ran_in_the_background_runs_after_a_restore(store: EventStore) -> None:
    log = Log().add("BackgroundTask", task_id="b1", command="sleep 99", status="running")
    log.add("BackgroundTask", task_id="b2", command="true", status="completed", exit_code=0).store_in(store)
    tasks = resume_session("s", store=store, check_workspace=False).app_state.background_tasks
    assert [(task.id, task.status) for task in tasks] == [("b1", "not running"), ("b2", "completed")]


def test_b087_a_turn_that_never_ended_is_interrupted_and_its_call_answered_once(store: EventStore) -> None:
    Log("codex").add("RunStarted", run_id="r").user("go").call("c1").store_in(store)
    runtime = resume_session("s", store=store, check_workspace=False)
    assert runtime.turn_state == "interrupted"
    assert codes(runtime).count("unpaired-call") == 1
    assert [call.call_id for call in runtime.app_state.pending_calls] == ["c1"]


def test_b032_an_aborted_turn_leaves_exactly_one_marker(store: EventStore) -> None:
    log = (
        Log("codex").add("RunStarted", run_id="r").user("go").call("c1", "shell").add("RunEnded", status="interrupted")
    )
    log.user("do X").store_in(store)
    first = resume_session("s", store=store, check_workspace=False)
    text = str(first.to_responses())
    assert text.count("<turn_aborted>") == 1
    assert text.index("<turn_aborted>") < text.index("do X")
    assert resume_session("s", store=store, check_workspace=False).to_responses() == first.to_responses()


def test_b032_the_sources_own_marker_is_enough(store: EventStore) -> None:
    log = Log("codex").user("go").says("hm").add("RunEnded", status="interrupted")
    log.meta("<turn_aborted>by the user</turn_aborted>", "context").user("do X").store_in(store)
    assert str(resume_session("s", store=store, check_workspace=False).to_responses()).count("<turn_aborted>") == 1


def test_b040_reasoning_that_led_to_nothing_is_left_out(store: EventStore) -> None:
    block = {"type": "thinking", "thinking": "hm", "signature": "enc", "item_id": "rs_1"}
    log = Log("codex").user("go").reply([block], model="gpt-5").add("RunEnded", status="interrupted").user("again")
    log.store_in(store)
    items = resume_session("s", store=store, check_workspace=False).to_responses()
    assert "rs_1" not in str(items)


def test_b071_touched_files_are_listed_also_without_a_backup(store: EventStore) -> None:
    log = Log().add("FileChanged", path="/p/a.py", operation="update", digest_after="a" * 64)
    log.add("FileChanged", path="/p/b.py", operation="create", digest_after="b" * 64)
    log.add("FileCheckpoint", message_id="u2", backups=[{"path": "/p/a.py", "backup": "h@v1", "version": 1}]).store_in(
        store
    )
    files = resume_session("s", store=store, check_workspace=False).app_state.files
    assert sorted(files) == ["/p/a.py", "/p/b.py"]
    assert (files["/p/a.py"].backup, files["/p/a.py"].restorable) == ("h@v1", True)
    assert (files["/p/b.py"].backup, files["/p/b.py"].restorable) == (None, False)
    assert files["/p/b.py"].last_written_digest == "b" * 64


def test_a_question_that_waits_is_restored_with_its_choices(store: EventStore) -> None:
    question = {"id": "q1", "text": "Which colour?", "choices": ["Red", "Blue"]}
    log = Log().user("go").call("c1", "AskUserQuestion")
    log.add("ApprovalRequested", call_id="c1", type="question", questions=[question]).store_in(store)
    runtime = resume_session("s", store=store, check_workspace=False)
    (asked,) = runtime.app_state.open_questions
    assert (asked.text, asked.choices, runtime.turn_state) == ("Which colour?", ("Red", "Blue"), "waiting")


def test_who_wrote_a_file_is_told_by_model(store: EventStore) -> None:
    log = Log().says("x", model="claude-one").add("FileChanged", path="a", operation="create", lines_added=3)
    log.says("y", model="claude-two").add("FileChanged", path="a", operation="update", lines_added=1).store_in(store)
    writers = resume_session("s", store=store, check_workspace=False).app_state.attribution["a"]
    assert [(writer.model, writer.lines_added) for writer in writers] == [("claude-one", 3), ("claude-two", 1)]


def test_a_sub_agent_known_by_its_call_is_listed_once(store: EventStore) -> None:
    log = Log().add("Subagent", agent_id="call_1", call_id="call_1", status="running", prompt="look")
    log.add("Subagent", agent_id="abc", call_id="call_1", status="completed").store_in(store)
    (agent,) = resume_session("s", store=store, check_workspace=False).agent.subagents
    assert (agent.id, agent.status, agent.prompt) == ("abc", "completed", "look")


def test_an_approved_repair_is_not_reported_again(store: EventStore) -> None:
    log = (
        Log()
        .user("go")
        .call("c1")
        .add("Repaired", repairs=[{"code": "unpaired-call", "call_id": "c1", "text": "gone"}])
    )
    runtime = log.store_in(store) and resume_session("s", store=store, check_workspace=False)
    assert codes(runtime) == []
    assert words(runtime.to_anthropic())[-1] == "=gone"


def test_calls_are_asked_by_the_agent_in_the_words_of_the_record(store: EventStore, tmp_path: Path) -> None:
    lines = Lines().user("u1", "go").assistant("a1", tu("t1", "Bash", command="ls -la")).result("r1", "t1")
    (call,) = [block for block in lines.restored(store, tmp_path).messages[1].content if block.type == "tool_use"]
    assert (call.name, call.input) == ("Bash", {"command": "ls -la"})


def test_a_call_of_an_earlier_turn_does_not_make_the_session_interrupted(store: EventStore) -> None:
    log = Log().user("go").call("c1").user("something else").says("done").store_in
    log(store)
    runtime = resume_session("s", store=store, check_workspace=False)
    assert runtime.turn_state == "idle"
    assert [call.call_id for call in runtime.app_state.pending_calls] == ["c1"]


def test_a_plan_kept_as_a_list_is_the_plan_and_the_todos(store: EventStore) -> None:
    items = [{"id": "1", "content": "Read the code", "status": "completed"}, {"id": "2", "content": "Fix it"}]
    Log("codex").add("TodoSnapshot", items=items, origin="plan", explanation="two steps").store_in(store)
    state = resume_session("s", store=store, check_workspace=False).app_state
    assert state.plan is not None
    assert [(step.step, step.status) for step in state.plan.steps] == [
        ("Read the code", "completed"),
        ("Fix it", "pending"),
    ]
    assert [todo.content for todo in state.todos] == ["Read the code", "Fix it"]
