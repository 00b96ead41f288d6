"""A process that dies at any append of a turn: nothing acknowledged is lost, nothing runs twice, the history stays legal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.opening import open_session
from rehydrate.runtime.resume import resume_session

from ...support.dying_run import DIED, marking_tool
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import StrictServer, strict_server

SCRIPT = Path(__file__).parents[2] / "support" / "dying_run.py"


def five_calls(body: dict[str, Any]) -> Reply:
    """Two calls, then three, then the last word; told by how many results the request holds."""
    items = body.get("input") or body.get("messages") or []
    done = sum(item.get("type") == "function_call_output" or item.get("role") == "tool" for item in items)
    if done == 0:
        return Reply(
            text="I begin.", reasoning="two first", calls=(Call("mark", {"number": 1}), Call("mark", {"number": 2}))
        )
    if done == 2:
        return Reply(calls=tuple(Call("mark", {"number": number}) for number in (3, 4, 5)))
    return say("All five are done.")


@pytest.fixture(scope="module")
def forks() -> Iterator[Any]:
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        yield lambda job: (
            child.stdin.write(json.dumps(job) + "\n"),
            child.stdin.flush(),
            int(child.stdout.readline()),
        )[-1]
        child.stdin.close()


def job_in(
    folder: Path, server: StrictServer, die_at: int, moment: str, *, stream: bool, api: str = "responses"
) -> dict[str, Any]:
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    return {
        "folder": str(folder),
        "workspace": str(workspace),
        "database": str(folder / "db.sqlite"),
        "base_url": server.base_url,
        "die_at": die_at,
        "moment": moment,
        "stream": stream,
        "api": api,
    }


def check_goes_on(job: dict[str, Any], server: StrictServer) -> None:
    """What a person finds after the crash, and what the next run does."""
    folder = Path(job["folder"])
    with EventStore(job["database"]) as store:
        rows = store.sessions()
        acknowledged = folder / "acknowledged"
        if job["die_at"] == 1 and job["moment"] == "before":
            assert rows == []
            return
        (row,) = rows
        last = int(acknowledged.read_text().split()[-1]) if acknowledged.exists() else 1
        assert row.head >= last, "an acknowledged event is lost"
        before = [(event.position, event.hash) for event in store.read(row.session_id)]
        options: dict[str, Any] = {"store": store, "base_url": server.base_url, "api": job["api"]}
        with open_session(row.session_id, tools=[marking_tool(folder / "runs")], **options) as session:
            unanswered = session.runtime.turn_state != "idle"
            result = session.run(None if unanswered else "go on", stream=job["stream"])
            assert result.status == "completed"
        assert [(event.position, event.hash) for event in store.read(row.session_id, until=len(before))] == before
        runs = Counter((folder / "runs").read_text().split()) if (folder / "runs").exists() else Counter()
        assert max(runs.values(), default=1) == 1, "a call ran twice"
        check_repairs_are_written_once(store, row.session_id)
    assert server.refused == []


def check_repairs_are_written_once(store: EventStore, session_id: str) -> None:
    events = list(store.read(session_id))
    results = Counter(event.data["call_id"] for event in events if event.kind == "ToolResult")
    calls = Counter(event.data["call_id"] for event in events if event.kind == "ToolUse")
    assert results == calls
    for event in events:
        if event.kind == "ToolResult" and event.data.get("synthesized"):
            assert "SESSION_RESUME_INTERRUPTED" in event.data["content"]
    runtime = resume_session(session_id, store=store)
    assert runtime.app_state.pending_calls == ()
    repaired = {finding.code for finding in runtime.report.findings if finding.severity == "repaired"}
    assert repaired <= {"reasoning-without-follower"}, (
        "only what was cut off in mid-reply is left out, and that at each restore"
    )


@pytest.mark.parametrize(
    ("stream", "api", "every"), [(True, "responses", 1), (False, "responses", 3), (True, "chat", 3)]
)
def test_a_turn_can_be_killed_at_every_append_and_goes_on(
    forks: Any, tmp_path: Path, stream: bool, api: str, every: int
) -> None:
    """Before the next append is after all that followed the last one: the tool has run, its result is not written."""
    with strict_server(script=five_calls) as server:
        whole = job_in(tmp_path / "whole", server, 0, "never", stream=stream, api=api)
        assert forks(whole) == 0
        appends = int((tmp_path / "whole" / "appends").read_text())
        assert appends >= 15
        moments = [(die_at, "before") for die_at in range(1, appends + 1, every)] + [(appends, "after")]
        for die_at, moment in moments:
            job = job_in(tmp_path / f"{die_at}-{moment}", server, die_at, moment, stream=stream, api=api)
            assert forks(job) == DIED, (die_at, moment)
            check_goes_on(job, server)
