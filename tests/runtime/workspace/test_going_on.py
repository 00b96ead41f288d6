"""Going on with a session passes the stricter gate, and what changed is told to the model once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Ran, Rehydrate
from tests.support.git_world import World, commit, git, head
from tests.support.scripted_replies import call, say
from tests.support.strict_server import StrictServer, strict_server
from tests.support.transcripts import ClaudeSession


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictServer]:
    with strict_server() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.delenv("REHYDRATE_MODEL", raising=False)
        yield running


@pytest.fixture
def rehydrate(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    (tmp_path / "nowhere").mkdir()
    monkeypatch.chdir(tmp_path / "nowhere")
    assert world.repo.is_dir()
    return Rehydrate(tmp_path / "store.sqlite")


def run(rehydrate: Rehydrate, session: str, *options: str | Path) -> Ran:
    return rehydrate("run", session, "go on", "--model", "gpt-5", "--json", *options)


def begun(rehydrate: Rehydrate, project: Path, *options: str) -> str:
    ran = run(rehydrate, "new", "--project", project, *options)
    assert ran.code == 0, ran
    return str(json.loads(ran.out.splitlines()[0])["sessionId"])


def refused(ran: Ran) -> list[str]:
    assert ran.code == 5, ran
    codes = json.loads(ran.out.splitlines()[-1])["error"]["facts"]["codes"]
    assert isinstance(codes, list)
    return codes


def test_another_branch_refuses_until_it_is_settled(rehydrate: Rehydrate, world: World, server: StrictServer) -> None:
    """B134, B135: no request is sent while there is no sure place; once accepted, the new branch is the recorded one."""
    session = begun(rehydrate, world.repo)
    git(world.repo, "switch", "-q", "-c", "other")
    assert refused(run(rehydrate, session)) == ["branch-changed"]
    assert len(server.requests) == 1
    assert run(rehydrate, session, "--accept", "branch-changed").code == 0
    assert "the branch is other now (it was main)" in json.dumps(server.requests[-1])
    assert run(rehydrate, session).code == 0
    assert json.dumps(server.requests[-1]).count("the branch is other now") == 1


@pytest.mark.parametrize("kind", ["missing", "empty", "file"])
def test_a_place_that_is_not_there_refuses(rehydrate: Rehydrate, world: World, server: StrictServer, kind: str) -> None:
    session = begun(rehydrate, world.repo)
    shutil.rmtree(world.repo)
    if kind == "empty":
        world.repo.mkdir()
    elif kind == "file":
        world.repo.write_text("x", "utf-8")
    expected = {"missing": "directory-missing", "empty": "directory-empty", "file": "not-a-directory"}[kind]
    assert refused(run(rehydrate, session)) == [expected]
    assert len(server.requests) == 1
    assert rehydrate.json("resume", session)["report"]["outcome"] == "degraded"


def test_a_session_begun_in_an_empty_directory_goes_on_there(
    rehydrate: Rehydrate, tmp_path: Path, server: StrictServer
) -> None:
    (tmp_path / "fresh").mkdir()
    session = begun(rehydrate, tmp_path / "fresh")
    assert run(rehydrate, session).code == 0
    assert len(server.requests) == 2


def test_a_place_that_was_named_becomes_the_sessions_own(
    rehydrate: Rehydrate, world: World, server: StrictServer
) -> None:
    """B115: `--project` for a moved project is the confirmation; it is recorded, and later runs need no word."""
    session = begun(rehydrate, world.repo)
    new = world.folder / "renamed"
    world.repo.rename(new)
    assert refused(run(rehydrate, session)) == ["moved"]
    assert run(rehydrate, session, "--project", new).code == 0
    assert f"the working directory is {new} now" in json.dumps(server.requests[-1])
    assert run(rehydrate, session).code == 0
    assert rehydrate.json("resume", session)["workspace"]["cwd"] == str(new)


def test_what_the_session_did_itself_is_not_held_against_it(
    rehydrate: Rehydrate, world: World, server: StrictServer
) -> None:
    """It made a branch and a commit with its own tools; the next run finds nothing to tell."""
    command = "git switch -q -c its-own && echo more >> notes.txt && git commit -q -a -m more"
    server.extend(call("run_command", command=command), say("done"))
    before = head(world.repo)
    session = begun(rehydrate, world.repo, "--permission-mode", "bypassPermissions")
    assert head(world.repo) != before
    checked = rehydrate.json("check", session, "--gate", "open")
    assert {finding["code"] for finding in checked["findings"]} <= {"permission-mode-unconfirmed"}
    assert checked["expected"]["branch"] == "its-own"


def test_files_changed_since_are_told_to_the_model_once(
    rehydrate: Rehydrate, world: World, tmp_path: Path, server: StrictServer
) -> None:
    told = ClaudeSession(cwd=world.repo).prompt("go").read(world.repo / "notes.txt", "first\n").reply()
    rehydrate.json("import", told.save(tmp_path))
    (world.repo / "notes.txt").write_text("by hand\n", "utf-8")
    commit(world.repo, "by hand")
    for _ in range(2):
        assert run(rehydrate, told.session_id).code == 0
    sent = json.dumps(server.requests[-1])
    assert sent.count("changed: notes.txt") == 1
    assert sent.count("1 ahead of") == 1
    drift = rehydrate.json("resume", told.session_id)["workspace"]["drift"]
    assert drift["changed"] == [str(world.repo / "notes.txt")]


def test_a_removed_worktree_is_recreated_by_run_when_asked(
    rehydrate: Rehydrate, world: World, tmp_path: Path, server: StrictServer
) -> None:
    worktree = world.worktree()
    told = ClaudeSession(cwd=world.repo).prompt("go").reply().entered(worktree, "feat", world.repo).prompt("on").reply()
    rehydrate.json("import", told.save(tmp_path))
    git(world.repo, "worktree", "remove", str(worktree))
    assert refused(run(rehydrate, told.session_id)) == ["worktree-missing"]
    assert server.requests == []
    assert run(rehydrate, told.session_id, "--recreate-worktree").code == 0
    assert git(worktree, "branch", "--show-current") == "feat"


def test_an_agent_whose_definition_is_gone_gets_no_tool_it_had_not(
    rehydrate: Rehydrate, world: World, tmp_path: Path, server: StrictServer
) -> None:
    """B102: without its definition and without recorded tools the agent gets none."""
    told = ClaudeSession(cwd=world.repo).meta("agent-setting", agentSetting="reviewer").prompt("look").reply()
    rehydrate.json("import", told.save(tmp_path))
    assert run(rehydrate, told.session_id).code == 0
    assert not server.requests[-1].get("tools")
