"""Exports are read by the other client, keep what was said, say what they lose, and overwrite nothing."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.errors import Conflict
from rehydrate.events.store import EventStore
from rehydrate.runtime.export import ExportResult, export_original, export_session
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import rewind_session

from ..clients.sessions import SOURCES, claude_session, codex_session, live_session
from ..support.roundtrip import imported_again, said, without_plan

PLANS = ("update_plan", "TodoWrite")
CLIENTS = ("claude-code", "codex")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "store.sqlite") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def records(result: ExportResult) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(result.path).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("target", CLIENTS)
@pytest.mark.parametrize("source", sorted(SOURCES))
def test_an_export_imported_again_says_the_same(store: EventStore, tmp_path: Path, source: str, target: Any) -> None:
    session = fork_session(SOURCES[source](store, tmp_path), store=store).session_id
    result = export_session(session, target, tmp_path / "out.jsonl", store=store)
    before = resume_session(session, store=store, check_workspace=False)
    after = imported_again(Path(result.path), tmp_path)
    same = source == target
    expected = said(before, thinking=same, context=same)
    found = said(after, thinking=same)
    assert without_plan(found, *PLANS) == without_plan(expected, *PLANS)
    assert [(todo.content, todo.status) for todo in after.app_state.todos] == [("Write c", "in_progress")]
    assert after.workspace.expected.cwd == str(tmp_path)


@pytest.mark.parametrize("target", CLIENTS)
@pytest.mark.parametrize("source", sorted(SOURCES))
def test_every_prefix_can_be_exported(store: EventStore, tmp_path: Path, source: str, target: Any) -> None:
    session = SOURCES[source](store, tmp_path)
    for position in range(3, store.session(session).head + 1):
        result = export_session(f"{session}@{position}", target, tmp_path / f"{position}.jsonl", store=store)
        before = resume_session(f"{session}@{position}", store=store, check_workspace=False)
        if not before.messages:
            continue
        after = imported_again(Path(result.path), tmp_path)
        calls = [block for _, block in without_plan(said(before, thinking=False), *PLANS)]
        assert sorted(map(repr, calls)) == sorted(
            repr(block) for _, block in without_plan(said(after, thinking=False), *PLANS)
        )


@pytest.mark.parametrize(("make", "target"), [(claude_session, "claude-code"), (codex_session, "codex")])
def test_a_whole_session_of_the_same_client_keeps_its_id_and_its_bytes(
    store: EventStore, tmp_path: Path, make: Any, target: Any
) -> None:
    session = make(store, tmp_path)
    (source,) = store.sources(session_id=session)
    result = export_session(session, target, tmp_path / "out.jsonl", store=store)
    assert result.session_id == session
    assert Path(result.path).read_bytes() == Path(source.path).read_bytes()
    original = export_original(session, out=tmp_path / "original.jsonl", store=store)
    assert Path(original.path).read_bytes() == Path(source.path).read_bytes()


def test_a_fork_gets_new_ids_and_every_link_follows(store: EventStore, tmp_path: Path) -> None:
    session = claude_session(store, tmp_path)
    (source,) = store.sources(session_id=session)
    old = [json.loads(line) for line in Path(source.path).read_text(encoding="utf-8").splitlines()]
    fork = fork_session(session, store=store).session_id
    made = records(export_session(fork, "claude-code", tmp_path / "out.jsonl", store=store))
    chain = [record for record in made if record.get("uuid")]
    assert not {record["uuid"] for record in old} & {record["uuid"] for record in chain}
    assert session not in json.dumps(made)
    assert [record["parentUuid"] for record in chain] == [None, *(record["uuid"] for record in chain[:-1])]
    assert {record["sessionId"] for record in made} == {made[0]["sessionId"]}
    assert made[-1]["leafUuid"] == chain[-1]["uuid"]


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_a_claude_transcript_has_what_the_client_cannot_do_without(
    store: EventStore, tmp_path: Path, source: str
) -> None:
    session = fork_session(SOURCES[source](store, tmp_path), store=store).session_id
    made = records(export_session(session, "claude-code", tmp_path / "out.jsonl", store=store))
    replies = [record["message"] for record in made if record["type"] == "assistant"]
    assert all(record["timestamp"] for record in made if record.get("uuid"))
    assert all(reply["model"] and reply["id"] and isinstance(reply["content"], list) for reply in replies)
    blocks = [block for record in made if record.get("message") for block in _blocks(record["message"])]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert sorted(calls) == sorted(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["content"] if isinstance(message["content"], list) else []


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_a_codex_rollout_has_what_its_list_and_its_model_need(store: EventStore, tmp_path: Path, source: str) -> None:
    session = fork_session(SOURCES[source](store, tmp_path), store=store).session_id
    made = records(export_session(session, "codex", tmp_path / "out.jsonl", store=store))
    assert made[0]["type"] == "session_meta"
    assert {"id", "timestamp", "cwd", "originator", "cli_version"} <= made[0]["payload"].keys()
    assert all(isinstance(record["timestamp"], str) for record in made)
    heads = [number for number, record in enumerate(made) if record["payload"].get("type") == "user_message"]
    assert heads[0] <= 17
    calls = {r["payload"]["call_id"] for r in made if str(r["payload"].get("type")).endswith("_call")}
    outputs = {r["payload"]["call_id"] for r in made if str(r["payload"].get("type")).endswith("_output")}
    assert calls == outputs


def test_losses_are_findings(store: EventStore, tmp_path: Path) -> None:
    result = export_session(claude_session(store, tmp_path), "codex", tmp_path / "out.jsonl", store=store)
    assert {"accounting-not-carried", "settings-not-carried"} <= {finding.code for finding in result.findings}


@pytest.mark.parametrize("target", [*CLIENTS, "jsonl", "bundle"])
def test_an_export_is_private_and_never_overwrites(store: EventStore, tmp_path: Path, target: Any) -> None:
    session = live_session(store, tmp_path)
    out = tmp_path / "out"
    result = export_session(session, target, out, store=store)
    content = out.read_bytes()
    assert stat.S_IMODE(Path(result.path).stat().st_mode) == 0o600
    with pytest.raises(Conflict):
        export_session(session, target, out, store=store)
    assert out.read_bytes() == content


@pytest.mark.parametrize(("target", "variable"), [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_install_puts_it_where_the_client_looks_with_the_projects_directory(
    store: EventStore, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, target: Any, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "home"))
    session = SOURCES[target](store, tmp_path)
    result = export_session(session, target, install=True, project=project, store=store)
    assert Path(result.path).is_relative_to(tmp_path / "home")
    assert (
        result.resume_command
        == f"cd {project} && {'claude --resume' if target == 'claude-code' else 'codex resume'} {session}"
    )
    assert str(project) in Path(result.path).read_text(encoding="utf-8")
    places = {r.get("cwd") or r.get("payload", {}).get("cwd") for r in records(result)} - {None}
    assert places == {str(project)}


def test_a_rewound_session_is_exported_as_it_is_now(store: EventStore, tmp_path: Path) -> None:
    session = claude_session(store, tmp_path)
    rewind_session(f"{session}@6", store=store)
    result = export_session(session, "claude-code", tmp_path / "out.jsonl", store=store)
    assert result.session_id != session
    after = imported_again(Path(result.path), tmp_path)
    before = resume_session(session, store=store, check_workspace=False)
    assert said(after) == said(before)


def test_known_secrets_are_masked_and_counted_unless_they_are_wanted(store: EventStore, tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2" * 10
    path = tmp_path / "0f1e2d3c-0000-4000-8000-000000000001.jsonl"
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": path.stem, "timestamp": "2026-01-01T00:00:00Z",
            "cwd": str(tmp_path), "message": {"role": "user", "content": f"my key is {secret}"}}  # fmt: skip
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    import_transcripts([path], store=store)
    targets: list[Any] = ["claude-code", "codex", "jsonl"]
    for target in targets:
        result = export_session(path.stem, target, tmp_path / target, store=store)
        assert secret not in Path(result.path).read_text(encoding="utf-8")
        (finding,) = [one for one in result.findings if one.code == "secrets-masked"]
        assert finding.facts["count"] >= 1
        shown = export_session(path.stem, target, tmp_path / f"{target}-shown", store=store, show_secrets=True)
        assert secret in Path(shown.path).read_text(encoding="utf-8")
