"""Every git situation of the table gives its findings at both gates, and looking leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from rehydrate.runtime.workspace.check import PlaceReport, check_workspace
from rehydrate.runtime.workspace.verdict import Gate

from tests.support.git_world import World, git, traces

from .situations import TABLE, Case, Situation


def checked(case: Case, gate: Gate) -> PlaceReport:
    return check_workspace(case.expected, case.project, gate=gate, maps=case.maps)


def status(world: World) -> dict[str, str]:
    """What git itself shows of every repository in the folder, asked without optional locks."""
    places = [path.parent for path in sorted(world.folder.rglob(".git"))]
    shown = ("status", "--porcelain=v2", "--branch"), ("for-each-ref",), ("worktree", "list", "--porcelain")
    return {
        f"{place} {words[0]}": git(place, "--no-optional-locks", *words, check=False)
        for place in places
        for words in shown
    }


def test_the_table_has_at_least_forty_situations() -> None:
    assert len(TABLE) >= 40
    assert len({entry.name for entry in TABLE}) == len(TABLE)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_situation(entry: Situation, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The situation has exactly its findings, the outcome of each gate, and nothing on disk has changed."""
    case = entry.build(world)
    shown, before = status(world), traces(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in case.environment.items():
        monkeypatch.setenv(name, value)

    restore, opening = checked(case, "restore"), checked(case, "open")

    assert {finding.code for finding in restore.findings} == entry.codes
    assert {finding.code for finding in opening.findings} == entry.codes
    assert (restore.outcome, opening.outcome) == (entry.restore, entry.open)
    assert traces(tmp_path) == before
    for name in case.environment:
        monkeypatch.delenv(name)
    monkeypatch.undo()
    assert status(world) == shown


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_findings_are_for_a_person(entry: Situation, world: World) -> None:
    """Each finding says what is wrong in sentences, and what stops or degrades has a command that settles it."""
    for finding in checked(entry.build(world), "open").findings:
        assert finding.message[0].isupper() or finding.message[0] in "/0123456789"
        assert finding.message.endswith((".", ").")), finding.message
        if finding.severity in ("error", "warning"):
            assert ": " in finding.remedy or "rehydrate" in finding.remedy, finding
