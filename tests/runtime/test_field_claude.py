"""What people reported of Claude Code sessions: each test is one report's input and the value that is right."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.errors import EventConflict
from rehydrate.events.store import EventStore
from rehydrate.runtime.history import show_session
from rehydrate.runtime.importing import ImportResult, import_transcripts
from rehydrate.runtime.listing import list_sessions
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..support.claude_lines import (
    CWD,
    MODEL,
    SESSION,
    Record,
    assistant,
    attachment,
    beside,
    boundary,
    call,
    conversation,
    envelope,
    result,
    summary,
    text,
    thinking,
    usage,
    user,
    written,
)

SIGNATURE = "EqQBCkYIBRgCKkDx" * 40


class Imported:
    """A store with one hand-made transcript in it."""

    def __init__(self, store: EventStore, imported: ImportResult) -> None:
        self.store = store
        self.imported = imported

    def restored(self, at: str = "", session: str = SESSION) -> RestoredRuntime:
        return resume_session(f"{session}{at}", store=self.store, check_workspace=False)

    def entries(self) -> list[Any]:
        return list(show_session(SESSION, store=self.store).entries)


@pytest.fixture
def store(tmp_path: Path) -> Iterable[EventStore]:
    with EventStore(tmp_path / "db.sqlite") as opened:
        yield opened


@pytest.fixture
def bring(store: EventStore, tmp_path: Path) -> Any:
    def bring(*lines: Record | bytes | str, name: str = f"{SESSION}.jsonl") -> Imported:
        path = written(tmp_path / "projects" / "-srv-demo-project", lines, name)
        return Imported(store, import_transcripts([path], store=store))

    return bring


def texts(runtime: RestoredRuntime) -> list[str]:
    return [str(block.text) for message in runtime.messages for block in message.content if block.type == "text"]


def codes(runtime: RestoredRuntime) -> dict[str, int]:
    found: dict[str, int] = {}
    for finding in runtime.report.findings:
        found[finding.code] = found.get(finding.code, 0) + 1
    return found


def wire(runtime: RestoredRuntime, model: str = MODEL) -> list[dict[str, Any]]:
    messages = runtime.to_anthropic(model=model)
    json.dumps(messages, ensure_ascii=False).encode("utf-8")
    return messages


def blocks(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        found += [block for block in content if isinstance(block, dict) and block["type"] == kind]
    return found


# -- damaged and half-written files --------------------------------------------------------------------------------


def test_b001_a_line_cut_in_the_middle_loses_only_itself(bring: Any) -> None:
    made = bring(
        *conversation(2),
        '{"type":"file-history-snapshot","messageId":"u3","snap\n',
        *conversation(1, start=3, parent="a2"),
    )
    runtime = made.restored()
    assert len(runtime.messages) == 6
    (damaged,) = [one for one in runtime.report.findings if one.code == "malformed"]
    assert damaged.facts["line"] == 5


def test_b002_a_torn_last_line_keeps_all_lines_before(bring: Any) -> None:
    lines = conversation(100)
    torn = json.dumps(assistant("a101", "a100", text("cut"))).encode()[:60]
    runtime = bring(*lines, torn).restored()
    assert len(runtime.messages) == 200
    assert codes(runtime)["truncated-tail"] == 1


def test_b005_a_file_read_in_the_middle_of_a_line_ends_as_if_read_at_once(bring: Any, tmp_path: Path) -> None:
    lines = conversation(4)
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    cut = raw.index(b'"u4"') + 2
    grown = bring(raw[:cut])
    grown = bring(raw)
    with EventStore(tmp_path / "other.sqlite") as once:
        whole = written(tmp_path / "once", [raw])
        import_transcripts([whole], store=once)
        expected = [(event.event_id, event.hash) for event in once.read(SESSION)]
    assert [(event.event_id, event.hash) for event in grown.store.read(SESSION)] == expected
    assert "truncated-tail" not in codes(grown.restored())


def test_b010_blank_lines_change_nothing(bring: Any, tmp_path: Path) -> None:
    lines: list[Any] = conversation(3)
    spaced = bring(lines[0], b"\n", lines[1], b"   \n", *lines[2:], b"\n\n")
    with EventStore(tmp_path / "other.sqlite") as clean:
        import_transcripts([written(tmp_path / "clean", lines)], store=clean)
        expected = [event.hash for event in clean.read(SESSION)]
    assert [event.hash for event in spaced.store.read(SESSION)] == expected
    assert not [one for one in spaced.restored().report.findings if one.code == "malformed"]


def test_b013_a_file_without_messages_is_a_session_without_messages(bring: Any) -> None:
    snapshot = {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"trackedFileBackups": {}}}
    made = bring(snapshot, beside("custom-title", customTitle="empty"))
    assert made.restored().messages == ()


# -- encoding ------------------------------------------------------------------------------------------------------


def test_b014_a_lone_surrogate_never_reaches_the_wire(bring: Any) -> None:
    broken = json.dumps(result("r1", "a1", "toolu_1", "Make Videos \ud83c\n… and \U0001f3ac")).encode() + b"\n"
    runtime = bring(user("u1", None, "go"), assistant("a1", "u1", call("toolu_1")), broken).restored()
    (answer,) = blocks(wire(runtime), "tool_result")
    said = json.dumps(answer, ensure_ascii=False)
    assert not any(0xD800 <= ord(letter) <= 0xDFFF for letter in said)
    assert "\U0001f3ac" in said


def test_b019_a_nul_in_a_result_keeps_the_text_behind_it(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"), assistant("a1", "u1", call("toolu_1")), result("r1", "a1", "toolu_1", "W\0s\0l\0 end")
    ).restored()
    (answer,) = blocks(wire(runtime), "tool_result")
    assert "end" in json.dumps(answer)


def test_b020_a_title_with_a_nul_is_one_clean_line(bring: Any) -> None:
    made = bring(
        user("u1", None, "fix\0me"), assistant("a1", "u1", text("ok")), beside("custom-title", customTitle="a\0b")
    )
    title = made.restored().session.title
    assert title is not None
    assert title.isprintable()
    assert "\0" not in "".join(texts(made.restored())) or "\0" not in json.dumps(wire(made.restored()))


def test_b021_windows_line_ends_give_the_same_events(bring: Any, tmp_path: Path) -> None:
    raw = [json.dumps(line).encode() + b"\r\n" for line in conversation(5)]
    made = bring(*raw[:5])
    made = bring(*raw)
    with EventStore(tmp_path / "other.sqlite") as unix:
        import_transcripts([written(tmp_path / "lf", conversation(5))], store=unix)
        expected = [event.event_id for event in unix.read(SESSION)]
    assert [event.event_id for event in made.store.read(SESSION)] == expected
    assert len(made.restored().messages) == 10


# -- tool calls ----------------------------------------------------------------------------------------------------


def test_b024_an_interrupted_call_is_answered_as_interrupted(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"), assistant("a1", "u1", call("toolu_1")), user("u2", "a1", "actually use nix")
    ).restored()
    messages = wire(runtime)
    answer = messages[2]["content"][0]
    assert answer["type"] == "tool_result"
    assert answer["tool_use_id"] == "toolu_1"
    assert answer["is_error"] is True
    assert len(blocks(messages, "tool_use")) == len(blocks(messages, "tool_result")) == 1


def parallel() -> list[Record]:
    return [
        user("u1", None, "three things"),
        assistant("x1", "u1", call("t1"), message="msg_1"),
        assistant("x2", "x1", call("t2"), message="msg_1"),
        assistant("x3", "x2", call("t3"), message="msg_1"),
        result("r1", "x1", "t1", "first"),
        result("r2", "x2", "t2", "second"),
        result("r3", "x3", "t3", "third"),
        assistant("a2", "r3", text("done")),
    ]


def test_b027_all_results_of_parallel_calls_come_back(bring: Any) -> None:
    messages = wire(bring(*parallel()).restored())
    assert [block["id"] for block in messages[1]["content"]] == ["t1", "t2", "t3"]
    answers = messages[2]["content"]
    assert [block["tool_use_id"] for block in answers] == ["t1", "t2", "t3"]
    assert [json.dumps(block["content"]) for block in answers] == [
        json.dumps(content) for content in _as_given(answers, ["first", "second", "third"])
    ]


def _as_given(answers: list[dict[str, Any]], said: list[str]) -> list[Any]:
    return [one if isinstance(block["content"], str) else [text(one)] for block, one in zip(answers, said, strict=True)]


def test_b029_a_result_without_a_call_is_left_out_and_told(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"),
        assistant("a1", "u1", text("fine")),
        result("r9", "a1", "toolu_9", "stray"),
        user("u2", "r9", "next"),
    ).restored()
    messages = wire(runtime)
    assert "toolu_9" not in json.dumps(messages)
    assert codes(runtime)["orphan-result"] == 1
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]


def test_b033_an_empty_reply_is_not_sent_but_can_be_read(bring: Any) -> None:
    made = bring(
        user("u1", None, "go"),
        assistant("a1", "u1", text("")),
        assistant("a2", "a1", text("  \n"), call("t1")),
        result("r1", "a2", "t1"),
    )
    messages = wire(made.restored())
    assert all(block["text"].strip() for block in blocks(messages, "text"))
    assert [block["id"] for block in blocks(messages, "tool_use")] == ["t1"]
    assert [block["tool_use_id"] for block in blocks(messages, "tool_result")] == ["t1"]
    assert "a1" in {entry.native_id for entry in made.entries()}


def test_b034_client_errors_are_no_words_of_the_model(bring: Any) -> None:
    lines = conversation(1)
    parent = "a1"
    for number in range(5):
        error = assistant(
            f"e{number}",
            parent,
            text("API Error: 400 bad"),
            model="<synthetic>",
            isApiErrorMessage=True,
            spent=usage(input_tokens=0, output_tokens=0),
        )
        lines.append(error)
        parent = f"e{number}"
    made = bring(*lines)
    runtime = made.restored()
    assert "API Error" not in json.dumps(wire(runtime))
    assert runtime.agent.model == MODEL
    assert runtime.accounting.total.requests == 1
    assert sum("API Error" in entry.text for entry in made.entries()) == 5


# -- thinking and images -------------------------------------------------------------------------------------------


def test_b036_thinking_without_its_text_is_not_sent(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"),
        assistant("a1", "u1", thinking("", SIGNATURE), call("t1")),
        result("r1", "a1", "t1"),
        user("u2", "r1", "next"),
    ).restored()
    messages = wire(runtime)
    assert not blocks(messages, "thinking")
    assert SIGNATURE not in json.dumps(messages)
    assert len(blocks(messages, "tool_use")) == len(blocks(messages, "tool_result")) == 1


def test_b037_thinking_without_a_plausible_signature_is_not_sent(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"),
        assistant(
            "a1",
            "u1",
            thinking("long text", ""),
            thinking("text"),
            thinking("text", "abc="),
            thinking("kept", SIGNATURE),
            text("hi"),
        ),
    ).restored()
    assert [block["thinking"] for block in blocks(wire(runtime), "thinking")] == ["kept"]
    assert runtime.report.outcome == "repaired"


def test_b038_another_provider_gets_no_trace_of_thinking(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"),
        assistant(
            "a1", "u1", thinking("secret thought", SIGNATURE), {"type": "redacted_thinking", "data": "xyz"}, call("t1")
        ),
        result("r1", "a1", "t1", "output"),
        assistant("a2", "r1", text("visible")),
    ).restored()
    sent = json.dumps(runtime.to_responses(model="gpt-5"))
    assert not any(word in sent for word in ("thinking", "redacted_thinking", "signature", SIGNATURE))
    assert "visible" in sent
    assert "output" in sent


# -- compaction ----------------------------------------------------------------------------------------------------


def test_b046_a_missing_parent_hides_no_message(bring: Any) -> None:
    runtime = bring(*conversation(2), *conversation(2, start=3, parent="ghost")).restored()
    assert texts(runtime) == [f"{kind} {number}" for number in (1, 2, 3, 4) for kind in ("prompt", "reply")]
    assert codes(runtime)["dangling-parent"] == 1


def test_b047_what_a_compaction_replaced_stays_replaced(bring: Any) -> None:
    made = bring(*conversation(10), boundary("b1", "a10"), summary("s1", "b1"), *conversation(1, start=11, parent="s1"))
    runtime = made.restored()
    assert texts(runtime) == ["What was done so far.", "prompt 11", "reply 11"]
    (compaction,) = runtime.compactions
    assert compaction.pre_tokens == 150_000
    spoken = [entry for entry in made.entries() if entry.kind not in ("Cost", "SessionStarted", "WorkspaceObserved")]
    assert len({entry.native_id for entry in spoken if entry.native_id}) >= 24


def test_b049_history_copied_behind_a_compaction_counts_once(bring: Any) -> None:
    past = conversation(25)
    made = bring(
        *past,
        boundary("b1", "a25"),
        summary("s1", "b1", "first"),
        *past,
        boundary("b2", "a25"),
        summary("s2", "b2", "second"),
        *conversation(2, start=26, parent="s2"),
    )
    runtime = made.restored()
    natives = [event.native_id for event in made.store.read(SESSION) if event.native_id]
    assert len(natives) == len(set(natives))
    assert runtime.accounting.total.requests == 27
    assert texts(runtime)[0] == "second"
    assert len(runtime.messages) == 5


def test_b050_a_compaction_whose_past_is_gone_still_restores(bring: Any) -> None:
    runtime = bring(boundary("b1", "x-gone"), summary("s1", "b1"), *conversation(2, parent="s1")).restored()
    assert len(runtime.messages) == 5
    assert codes(runtime)["missing-ancestor"] == 1


def test_b051_a_summary_is_no_prompt_of_a_person(bring: Any) -> None:
    made = bring(
        *conversation(2),
        boundary("b1", "a2"),
        summary("s1", "b1", "Long summary"),
        *conversation(1, start=3, parent="s1"),
    )
    runtime = made.restored()
    assert runtime.session.turns == 3
    assert runtime.session.title == "prompt 1"
    shown = [entry.text for entry in made.entries()]
    assert any("prompt 1" in said for said in shown)
    assert any("Long summary" in said for said in shown)


# -- branches and rewinds ------------------------------------------------------------------------------------------


def test_b061_both_ends_of_a_rewound_session_can_be_restored(bring: Any) -> None:
    made = bring(*conversation(4), user("u3b", "a2", "other way"), assistant("a3b", "u3b", text("other reply")))
    runtime = made.restored()
    assert texts(runtime) == ["prompt 1", "reply 1", "prompt 2", "reply 2", "other way", "other reply"]
    assert runtime.session.branches == 2
    old = made.restored("@a4")
    assert texts(old)[-1] == "reply 4"
    assert len(old.messages) == 8


def test_b068_going_back_takes_the_todo_list_back(bring: Any) -> None:
    def todo(uuid: str, parent: str, *states: str) -> list[Record]:
        items = [
            {"content": name, "status": state, "activeForm": name} for name, state in zip("AB", states, strict=False)
        ]
        return [
            assistant(uuid, parent, call(f"t{uuid}", "TodoWrite", todos=items)),
            result(f"r{uuid}", uuid, f"t{uuid}", "Todos have been modified", {"oldTodos": [], "newTodos": items}),
        ]

    made = bring(
        user("u1", None, "plan"), *todo("w1", "u1", "pending"), user("u2", "rw1", "next"), assistant("a2", "u2", text("ok")),
        user("u3", "a2", "more"), *todo("w3", "u3", "completed", "in_progress"),
    )  # fmt: skip
    assert [(item.content, item.status) for item in made.restored("@a2").app_state.todos] == [("A", "pending")]
    head = [(item.content, item.status) for item in made.restored().app_state.todos]
    assert head == [("A", "completed"), ("B", "in_progress")]


def test_b070_a_snapshot_that_bears_the_id_of_a_message_replaces_nothing(bring: Any) -> None:
    first, second, third, fourth = conversation(2)
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": "u2",
        "snapshot": {"messageId": "u2", "trackedFileBackups": {}},
    }
    runtime = bring(first, second, snapshot, third, fourth, assistant("a5", "ghost", text("late"))).restored()
    assert texts(runtime) == ["prompt 1", "reply 1", "prompt 2", "reply 2", "late"]
    assert codes(runtime)["dangling-parent"] == 1


def test_b071_files_without_a_backup_are_touched_but_not_restorable(bring: Any) -> None:
    def backup(message: str, files: dict[str, Any]) -> Record:
        snapshot = {"messageId": message, "trackedFileBackups": files, "timestamp": "2026-01-01T00:00:00.000Z"}
        return {"type": "file-history-snapshot", "messageId": message, "snapshot": snapshot, "isSnapshotUpdate": False}

    runtime = bring(
        backup("u1", {}),
        user("u1", None, "edit"),
        assistant("a1", "u1", call("t1", "Edit", file_path=f"{CWD}/a.py", old_string="1", new_string="2")),
        result(
            "r1",
            "a1",
            "t1",
            "ok",
            {"filePath": f"{CWD}/a.py", "oldString": "1", "newString": "2", "originalFile": None},
        ),
        assistant("a2", "r1", call("t2", "Write", file_path=f"{CWD}/b.py", content="b")),
        result(
            "r2", "a2", "t2", "ok", {"type": "create", "filePath": f"{CWD}/b.py", "content": "b", "structuredPatch": []}
        ),
        backup("u2", {"a.py": {"backupFileName": "h@v1", "version": 1}}),
        user("u2", "r2", "next"),
    ).restored()
    files = runtime.app_state.files
    assert set(files) == {f"{CWD}/a.py", f"{CWD}/b.py"}
    assert [one.backup for one in files[f"{CWD}/a.py"].backups] == ["h@v1"]
    assert files[f"{CWD}/b.py"].backup is None
    assert not files[f"{CWD}/b.py"].restorable


# -- tasks, queue --------------------------------------------------------------------------------------------------


def test_b079_tasks_keep_their_numbers(bring: Any) -> None:
    def task(number: int, parent: str, subject: str) -> list[Record]:
        twin = {"task": {"id": str(number), "subject": subject}}
        return [
            assistant(f"c{number}", parent, call(f"t{number}", "TaskCreate", subject=subject, description="")),
            result(f"r{number}", f"c{number}", f"t{number}", f"Task #{number} created successfully: {subject}", twin),
        ]

    changed = {"success": True, "taskId": "1", "updatedFields": ["status"]}
    state = bring(
        user("u1", None, "plan"), *task(1, "u1", "a"), *task(2, "r1", "b"),
        assistant("c3", "r2", call("t3", "TaskUpdate", taskId="1", status="completed")),
        result("r3", "c3", "t3", "Updated task #1 status", changed),
    ).restored().app_state  # fmt: skip
    assert [(item.id, item.content, item.status) for item in state.todos] == [
        ("1", "a", "completed"),
        ("2", "b", "pending"),
    ]
    assert state.next_todo_id == 3


def test_b080_a_torn_third_list_leaves_the_second_in_force(bring: Any) -> None:
    def todo(uuid: str, parent: str, name: str) -> list[Record]:
        items = [{"content": name, "status": "pending", "activeForm": name}]
        return [
            assistant(uuid, parent, call(f"t{uuid}", "TodoWrite", todos=items)),
            result(f"r{uuid}", uuid, f"t{uuid}", "ok", {"oldTodos": [], "newTodos": items}),
        ]

    third = json.dumps(todo("w3", "rw2", "third")[0]).encode()[:200]
    state = (
        bring(user("u1", None, "plan"), *todo("w1", "u1", "first"), *todo("w2", "rw1", "second"), third)
        .restored()
        .app_state
    )
    assert [item.content for item in state.todos] == ["second"]


def queue(operation: str, said: str | None = None) -> Record:
    more = {} if said is None else {"content": said}
    return beside("queue-operation", operation=operation, timestamp="2026-01-01T00:00:00.000Z", **more)


def test_b082_a_prompt_that_was_never_delivered_stays_visible(bring: Any) -> None:
    made = bring(*conversation(1), queue("enqueue", "use red/green TDD"))
    runtime = made.restored()
    assert [entry.text for entry in runtime.app_state.queued_inputs] == ["use red/green TDD"]
    assert "TDD" not in json.dumps(wire(runtime))
    assert any("TDD" in entry.text for entry in made.entries())


def test_b083_a_prompt_is_delivered_once(bring: Any) -> None:
    made = bring(
        *conversation(1), queue("enqueue", "p!"), queue("remove", "p!"), user("u2", "a1", "p!"),
        assistant("a2", "u2", text("ok")), boundary("b1", "a2"), summary("s1", "b1"), *conversation(1, start=3, parent="s1"),
    )  # fmt: skip
    for _ in range(3):
        runtime = made.restored()
        assert runtime.app_state.queued_inputs == ()
        assert json.dumps(wire(runtime)).count("p!") <= 1
    assert sum(entry.text == "p!" and entry.kind != "QueuedInput" for entry in made.entries()) == 1


def test_b086_a_scheduled_job_is_listed_and_not_running(bring: Any) -> None:
    tasks = bring(
        user("u1", None, "go"),
        assistant("a1", "u1", call("t1", "CronCreate", cron="* * * * *", prompt="look")),
        result("r1", "a1", "t1", "Scheduled recurring job 12ab34cd (every minute)."),
        assistant("a2", "r1", call("t2", "Bash", command="sleep 100", run_in_background=True)),
        result("r2", "a2", "t2", "Command running in background with ID: bash_1", {"stdout": "", "backgroundTaskId": "bash_1"}),
    ).restored().app_state.background_tasks  # fmt: skip
    assert len(tasks) == 2
    assert all("not running" in task.status or task.status == "scheduled" for task in tasks)
    assert {task.status for task in tasks if task.id == "bash_1"} == {"not running"}


# -- accounting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_id", ["req_1", None, "absent"])
def test_b089_b090_a_response_on_three_lines_counts_once(bring: Any, request_id: str | None) -> None:
    lines: list[Record] = [user("u1", None, "go")]
    parent = "u1"
    for number, output in enumerate((2, 2, 384)):
        spent = usage(input_tokens=3, cache_read_input_tokens=22137, output_tokens=output)
        line = assistant(
            f"x{number}", parent, text(f"part {number}"), message="msg_1", spent=spent, requestId=request_id
        )
        if request_id == "absent":
            del line["requestId"]
        lines.append(line)
        parent = f"x{number}"
    total = bring(*lines).restored().accounting.total
    assert (total.requests, total.input_tokens, total.output_tokens, total.cache_read_tokens) == (1, 3, 384, 22137)


def test_b099_an_unknown_price_is_none_and_its_tokens_are_kept(bring: Any) -> None:
    spent = usage(input_tokens=18, output_tokens=2435, cache_creation_input_tokens=13560, cache_read_input_tokens=69460)
    total = bring(
        user("u1", None, "go"),
        assistant("a1", "u1", text("ok"), spent=spent),
        assistant("a2", "a1", text("ok"), model="unknown-9", spent=spent),
    ).restored().accounting.total  # fmt: skip
    assert total.cost_usd is None
    assert total.by_model["unknown-9"].cost_usd is None
    assert total.by_model["unknown-9"].output_tokens == 2435
    known = total.by_model[MODEL].cost_usd
    assert known is not None
    assert known == pytest.approx((18 * 3 + 2435 * 15 + 13560 * 3.75 + 69460 * 0.3) / 1e6, abs=1e-9)


# -- identity, rights ----------------------------------------------------------------------------------------------


def test_b105_the_model_is_the_main_conversations_last(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "one"), assistant("a1", "u1", text("1"), model="m1"),
        user("u2", "a1", "two"), assistant("a2", "u2", text("2"), model="m2"),
        user("k1", None, "side", isSidechain=True), assistant("k2", "k1", text("s"), model="m3", isSidechain=True),
    ).restored()  # fmt: skip
    assert runtime.agent.model == "m2"
    assert len(runtime.messages) == 4


def test_b107_the_last_permission_mode_holds_and_the_widest_needs_a_confirmation(bring: Any) -> None:
    first = bring(
        beside("permission-mode", permissionMode="plan"), user("u1", None, "go", permissionMode="acceptEdits"),
        assistant("a1", "u1", text("ok")),
    ).restored()  # fmt: skip
    assert first.agent.permission_mode == "acceptEdits"


def test_b107_bypassing_all_permissions_is_shown_but_not_in_force(bring: Any) -> None:
    runtime = bring(*conversation(1), beside("permission-mode", permissionMode="bypassPermissions")).restored()
    assert runtime.agent.recorded_permission_mode == "bypassPermissions"
    assert runtime.agent.permission_mode == "default"


def planned(answered: bool) -> list[Record]:
    lines = [
        user("u1", None, "go", permissionMode="acceptEdits"),
        assistant("a1", "u1", call("t1", "EnterPlanMode")),
        result("r1", "a1", "t1", "Entered plan mode.", {"message": "Entered plan mode."}),
        assistant("a2", "r1", call("t2", "ExitPlanMode", plan="1. do it")),
    ]
    approved = result("r2", "a2", "t2", "User has approved your plan.", {"plan": "1. do it", "isAgent": False})
    return [*lines, approved] if answered else lines


def test_b109_leaving_plan_mode_goes_back_to_the_mode_before(bring: Any) -> None:
    made = bring(*planned(True))
    assert made.restored().agent.permission_mode == "acceptEdits"
    assert made.restored("@a2").agent.permission_mode == "plan"


def test_b109_a_plan_that_waits_for_an_answer_is_pending(bring: Any) -> None:
    state = bring(*planned(False)).restored().app_state
    assert state.pending_plan == "1. do it"


def test_b114_the_source_is_told(bring: Any) -> None:
    assert bring(*conversation(1)).restored().session.source == "claude-code"


# -- order, copies, unknown records --------------------------------------------------------------------------------


def test_b161_time_stamps_order_nothing(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go", timestamp="2026-01-01T00:00:09.000Z"),
        assistant("a1", "u1", call("t1"), timestamp="2026-01-01T00:00:10.000Z"),
        result("r1", "a1", "t1", "out", timestamp="2026-01-01T00:00:12.900Z"),
        envelope("progress", "p1", "a1", timestamp="2026-01-01T00:00:12.400Z", data={"type": "hook_progress"}),
        user("u2", "p1", "next", timestamp="2026-01-01T00:00:12.500Z"),
    ).restored()
    messages = wire(runtime)
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[2]["content"][0]["tool_use_id"] == "t1"
    assert "next" in json.dumps(messages[2]["content"])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_b164_an_old_copy_of_a_session_is_whole_whatever_came_first(
    store: EventStore, tmp_path: Path, order: tuple[int, int]
) -> None:
    other = "9b2c1111-2222-4333-8444-555566667777"
    first = conversation(3)
    second = [{**line, "sessionId": other} for line in [*first, *conversation(1, start=4, parent="a3")]]
    paths = [written(tmp_path / "p", first), written(tmp_path / "p", second, f"{other}.jsonl")]
    for number in order:
        import_transcripts([paths[number]], store=store)
    copy = resume_session(other, store=store, check_workspace=False)
    assert len(copy.messages) == 8
    assert len(resume_session(SESSION, store=store, check_workspace=False).messages) == 6
    assert [parent.session_id for parent in copy.session.lineage] == [SESSION]
    assert (copy.accounting.own.requests, copy.accounting.inherited.requests) == (1, 3)
    assert resume_session(SESSION, store=store, check_workspace=False).accounting.own.requests == 3


def test_b167_all_kinds_of_time_stamps_are_read(bring: Any) -> None:
    stamps = [
        "2026-01-01T00:00:00Z",
        "2026-01-01T09:00:00+09:00",
        "2026-01-01T00:00:00.123456789Z",
        1767225600000,
        None,
    ]
    lines = conversation(3)[:5]
    for line, given in zip(lines, stamps, strict=True):
        line["timestamp"] = given
    made = bring(*lines)
    assert len(made.restored().messages) == 5
    times = {event.native_id: event.ts for event in made.store.read(SESSION) if event.native_id}
    assert times["u1"] == times["a1"]
    list_sessions(all=True, store=made.store)


def test_b168_unknown_records_are_kept_and_counted(bring: Any) -> None:
    runtime = bring(
        *conversation(2),
        beside("atis-latch", atis=""),
        {"kind": "x"},
        b"[1,2]\n",
        b"42\n",
        *conversation(1, start=3, parent="a2"),
    ).restored()
    assert len(runtime.messages) == 6
    assert runtime.unrecognized["atis-latch"] == 1


def test_b169_new_metadata_is_taken_over_without_a_warning(bring: Any) -> None:
    state = {"worktreePath": f"{CWD}/.wt/feat", "worktreeName": "feat", "worktreeBranch": "feat", "originalCwd": CWD}
    runtime = bring(
        *conversation(1),
        beside("permission-mode", permissionMode="plan"),
        beside("ai-title", aiTitle="A good title"),
        beside(
            "file-history-delta", messageId="a1", snapshotMessageId="u1", trackingPath="a.py", backup={"version": 1}
        ),
        beside(
            "pr-link",
            prNumber=5,
            prUrl="https://example.org/pull/5",
            prRepository="a/b",
            timestamp="2026-01-01T00:00:00Z",
        ),
        beside("relocated", relocatedCwd=CWD),
        beside("worktree-state", worktreeSession=state),
    ).restored()
    assert not [finding for finding in runtime.report.findings if finding.severity in ("warning", "error")]
    assert runtime.session.title == "A good title"
    assert runtime.agent.permission_mode == "plan"
    assert runtime.workspace.expected.worktree == f"{CWD}/.wt/feat"
    assert len(runtime.messages) == 2


def test_b185_a_title_behind_much_else_is_the_title(bring: Any) -> None:
    steps = [envelope("progress", f"p{number}", None, data={"type": "hook_progress"}) for number in (1, 2)]
    snapshot = {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"trackedFileBackups": {}}}
    made = bring(*steps, snapshot, *conversation(130), beside("custom-title", customTitle="x"))
    assert made.restored().session.title == "x"
    assert [one.title for one in list_sessions(all=True, store=made.store)] == ["x"]


def test_b189_one_session_in_two_folders_is_one_session(store: EventStore, tmp_path: Path) -> None:
    first = conversation(2)
    second = [{**line, "gitBranch": "feat"} for line in conversation(1, start=3, parent="a2")]
    for folder, lines in (("-p-main", first), ("-p-feat", second)):
        import_transcripts([written(tmp_path / folder, lines)], store=store)
    assert len(list_sessions(all=True, store=store)) == 1
    runtime = resume_session(SESSION, store=store, check_workspace=False)
    assert len(runtime.messages) == 6
    assert runtime.workspace.expected.branch == "feat"


def test_other_content_under_a_known_id_in_another_file_is_a_conflict(store: EventStore, tmp_path: Path) -> None:
    import_transcripts([written(tmp_path / "a", conversation(1))], store=store)
    changed = [user("u1", None, "something else"), conversation(1)[1]]
    outcome = import_transcripts([written(tmp_path / "b", changed)], store=store)
    (failed,) = outcome.failed
    assert failed.exit_code == EventConflict.exit_code
    assert len(resume_session(SESSION, store=store, check_workspace=False).messages) == 2


# -- size ----------------------------------------------------------------------------------------------------------


def test_b154_bulky_progress_costs_no_restore_time(bring: Any) -> None:
    lines: list[Record] = []
    parent: str | None = None
    for number in range(1, 51):
        lines += conversation(1, start=number, parent=parent)
        parent = f"a{number}"
        for step in range(20):
            name = f"p{number}-{step}"
            lines.append(envelope("progress", name, parent, data={"type": "bash_progress", "output": "x" * 500}))
            parent = name
    made = bring(*lines)
    begun = time.monotonic()
    assert len(made.restored().messages) == 100
    assert time.monotonic() - begun < 2


def test_b156_side_chains_in_the_main_file_are_no_messages(bring: Any) -> None:
    lines = conversation(7)
    for agent in range(40):
        parent = None
        for step in range(20):
            name = f"k{agent}-{step}"
            lines.append(user(name, parent, "side", isSidechain=True))
            parent = name
    assert len(bring(*lines).restored().messages) == 14


def test_a_hook_beside_a_prompt_is_marked_as_a_reminder(bring: Any) -> None:
    runtime = bring(
        user("u1", None, "go"),
        attachment("t1", "u1", "hook_additional_context", content=["be brief"], hookEvent="UserPromptSubmit"),
        assistant("a1", "t1", text("ok")),
    ).restored()
    assert any(said.startswith("<system-reminder>") and "be brief" in said for said in texts(runtime))
