"""Every git situation of the table gives its findings at both gates, and looking leaves no trace."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from rehydrate.runtime.workspace.check import PlaceReport, check_workspace
from rehydrate.runtime.workspace.peek import peek_head
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


def commands(remedy: str) -> list[str]:
    """The commands of a remedy that can be typed as they stand, without the one that needs a decision first."""
    lines = [line.partition(": ") for line in remedy.split("\n")]
    typed = [command for label, _, command in lines if not label.startswith(("Finish", "If you trust"))]
    return [command for command in typed if command.startswith(("git ", "mv ", "chmod "))]


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_commands_in_remedies_work_as_printed(entry: Situation, world: World) -> None:
    """Each finding says in a sentence what is wrong; each command is accepted when it is typed, looking again after each."""
    case = entry.build(world)
    for found in checked(case, "open").findings:
        assert found.message.endswith((".", ").")), found.message
        assert found.severity == "info" or ": " in found.remedy, found
    if case.environment:
        pytest.skip("git itself is hindered here")
    tried = {"repository-broken"}
    while True:
        findings = [found for found in checked(case, "open").findings if found.code not in tried]
        todo = next(((found.code, commands(found.remedy)) for found in findings if commands(found.remedy)), None)
        if todo is None:
            return
        code, typed = todo
        tried.add(code)
        words = shlex.split(typed[0].partition(" && ")[0])
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (code, typed, done.stderr)


LISTED = (
    "worktree",
    "detached",
    "rebase",
    "bisect",
    "bare",
    "submodule",
    "no_commit",
    "shallow",
    "elsewhere",
    "subdir",
)


@pytest.mark.parametrize(
    "entry", [entry for entry in TABLE if any(word in entry.name for word in LISTED)], ids=lambda entry: entry.name
)
def test_a_list_sees_branch_and_commit_without_git(entry: Situation, world: World) -> None:
    """Read from git's own files it is the same as what git answers."""
    case = entry.build(world)
    place = Path(case.expected.cwd or "/nowhere")
    if not place.is_dir() or not place.is_absolute() or checked(case, "restore").found is None:
        return
    if git(place, "rev-parse", "--is-inside-work-tree", check=False) != "true":
        return
    branch = git(place, "symbolic-ref", "--quiet", "--short", "HEAD", check=False) or "HEAD"
    commit = git(place, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False)
    assert peek_head(str(place)) == (branch, commit)
    git(place, "pack-refs", "--all")
    assert peek_head(str(place)) == (branch, commit)
