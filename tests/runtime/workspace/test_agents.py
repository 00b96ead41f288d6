"""The agent that a session was: its definition, model and servers; whatever is missing means fewer rights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.pricing import PriceBook
from rehydrate.runtime.workspace.agents import (
    RecordedAgent,
    agent_findings,
    find_definition,
    granted_tools,
)

from tests.cli.command import Rehydrate
from tests.support.git_world import World
from tests.support.transcripts import ClaudeSession

REVIEWER = "---\nname: reviewer\ndescription: reads only\ntools: Read, Grep\nmodel: inherit\n---\nYou review.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return project


def define(folder: Path, text: str = REVIEWER, name: str = "reviewer") -> Path:
    file = folder / ".claude" / "agents" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def codes(agent: RecordedAgent, project: Path) -> list[str]:
    return [finding.code for finding in agent_findings(agent, str(project), "open", "s1")]


def test_a_definition_is_found_by_the_name_in_its_head(project: Path) -> None:
    define(project, REVIEWER, name="other-file-name")
    found = find_definition("reviewer", str(project))
    assert found is not None
    assert (found.tools, found.model) == (("Read", "Grep"), None)


@pytest.mark.parametrize("tools", ["tools: [Read, Grep]", 'tools: "Read, Grep"', "tools:\n  - Read\n  - Grep"])
def test_tools_are_read_in_each_form(project: Path, tools: str) -> None:
    define(project, f"---\nname: reviewer\n{tools}\n---\n")
    found = find_definition("reviewer", str(project))
    assert found is not None
    assert found.tools == ("Read", "Grep")


def test_the_projects_definition_wins_over_the_users(project: Path) -> None:
    define(Path.home(), REVIEWER.replace("Read, Grep", "Bash"))
    assert granted_tools(RecordedAgent(definition="reviewer"), str(project)) == ("Bash",)
    define(project)
    assert granted_tools(RecordedAgent(definition="reviewer"), str(project)) == ("Read", "Grep")


def test_a_missing_definition_means_fewer_rights_never_more(project: Path) -> None:
    """B102: what was recorded stays the limit; where nothing was, nothing is granted."""
    assert codes(RecordedAgent(definition="reviewer", tools=("Read", "Grep")), project) == ["agent-definition-missing"]
    assert granted_tools(RecordedAgent(definition="reviewer", tools=("Read", "Grep")), str(project)) == ("Read", "Grep")
    assert granted_tools(RecordedAgent(definition="reviewer"), str(project)) == ()


def test_a_changed_definition_is_told_and_widens_nothing(project: Path) -> None:
    file = define(project)
    known = find_definition("reviewer", str(project))
    assert known is not None
    agent = RecordedAgent(definition="reviewer", definition_digest=known.digest, tools=known.tools)
    assert codes(agent, project) == []
    file.write_text(REVIEWER.replace("Read, Grep", "Read, Bash, Write"), "utf-8")
    assert codes(agent, project) == ["agent-definition-changed"]
    assert granted_tools(agent, str(project)) == ("Read",)


def test_an_agent_without_a_file_of_its_own_is_no_finding(project: Path) -> None:
    assert codes(RecordedAgent(definition="general-purpose"), project) == []
    assert codes(RecordedAgent(), project) == []
    assert codes(RecordedAgent(name="a session title"), project) == []


def test_an_unknown_model_is_only_told(project: Path) -> None:
    """B106: a retired or private model is named; whether it works is for its service to say."""
    with EventStore(":memory:") as store:
        knows = PriceBook(store).knows
        (finding,) = agent_findings(RecordedAgent(model="gone-1"), str(project), "open", "s1", knows=knows)
        assert knows("claude-sonnet-4-5-20250929")
        assert knows("gpt-5")
    assert (finding.code, finding.severity) == ("model-unknown", "info")
    assert "gone-1" in finding.message


def test_servers_that_are_not_configured_are_named(project: Path) -> None:
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"here": {}}}), "utf-8")
    (finding,) = agent_findings(RecordedAgent(mcp_servers=("here", "there")), str(project), "open", "s1")
    assert (finding.code, finding.facts["servers"]) == ("mcp-server-missing", ["there"])


def test_an_import_notes_the_definition_while_it_is_there(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tools of a named agent are recorded from its file, and stay the limit when the file is gone."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    file = define(world.repo)
    rehydrate = Rehydrate(tmp_path / "store.sqlite")
    told = ClaudeSession(cwd=world.repo).meta("agent-setting", agentSetting="reviewer").prompt("look").reply()
    rehydrate.json("import", told.save(tmp_path))
    runtime = rehydrate.json("resume", told.session_id)
    assert (runtime["agent"]["name"], runtime["agent"]["tools"]) == ("reviewer", ["Read", "Grep"])
    assert runtime["agent"]["definition"] == "reviewer"
    file.unlink()
    runtime = rehydrate.json("resume", told.session_id)
    assert runtime["agent"]["tools"] == ["Read", "Grep"]
    assert "agent-definition-missing" in {finding["code"] for finding in runtime["report"]["findings"]}
