"""After a rebinding or a map of paths, files are looked for at the new place, and going back in the talk keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rehydrate.runtime.opened import opened
from rehydrate.runtime.workspace.paths import PathMap
from rehydrate.runtime.workspace.session_place import session_place
from rehydrate.runtime.workspace.sessions import recorded_session
from rehydrate.runtime.workspace.telling import facts_on_going_on

from tests.cli.command import Rehydrate
from tests.support.git_world import World, git
from tests.support.transcripts import ClaudeSession


@pytest.fixture
def rehydrate(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    """The command on an empty database, run from a directory that belongs to no session."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no-codex"))
    (tmp_path / "nowhere").mkdir()
    monkeypatch.chdir(tmp_path / "nowhere")
    return Rehydrate(tmp_path / "store.sqlite")


def working(rehydrate: Rehydrate, cwd: Path | str, folder: Path) -> str:
    """A session in `cwd` that wrote one file as it is in the repository and one that has changed since."""
    told = ClaudeSession(cwd=cwd).prompt("go").write(f"{cwd}/src/app.py", "print('hello')\n")
    told = told.write(f"{cwd}/notes.txt", "what it wrote\n").reply().prompt("on").reply()
    rehydrate.json("import", told.save(folder))
    return told.session_id


def drift(document: dict[str, Any]) -> tuple[int, list[str], list[str]]:
    found = document["workspace"]["drift"]
    return found["unchanged"], found["changed"], found["gone"]


def test_drift_and_files_are_those_of_the_new_place(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = working(rehydrate, world.repo, tmp_path)
    new = world.folder / "renamed"
    world.repo.rename(new)
    rehydrate.json("rebind", session, new)
    runtime = rehydrate.json("resume", session)
    assert list(runtime["app_state"]["files"]) == [str(new / "src" / "app.py"), str(new / "notes.txt")]
    assert drift(runtime) == (1, [str(new / "notes.txt")], [])


def test_a_second_clone_is_compared_not_the_first(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = working(rehydrate, world.repo, tmp_path)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    (world.folder / "second" / "src" / "app.py").unlink()
    rehydrate.json("rebind", session, world.folder / "second")
    second = world.folder / "second"
    assert drift(rehydrate.json("resume", session)) == (0, [str(second / "notes.txt")], [str(second / "src/app.py")])


def test_a_session_of_a_subdirectory_bound_to_the_top(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    told = ClaudeSession(cwd=world.repo / "src").prompt("go").read(world.repo / "notes.txt", "first\n").reply()
    rehydrate.json("import", told.save(tmp_path))
    new = world.folder / "renamed"
    world.repo.rename(new)
    rehydrate.json("rebind", told.session_id, new)
    assert drift(rehydrate.json("resume", told.session_id)) == (1, [], [])


@pytest.mark.parametrize("old", ["/Users/nobody-here/code/demo", "C:\\Users\\a\\demo"])
def test_a_session_of_another_machine_after_rebind_bundle_or_map(
    rehydrate: Rehydrate, world: World, tmp_path: Path, old: str
) -> None:
    """B121: whichever way the new place is told, files and drift are below it."""
    session = working(rehydrate, old, tmp_path)
    names = [str(world.repo / "src" / "app.py"), str(world.repo / "notes.txt")]
    rehydrate.json("export", session, "--to", "bundle", "--out", tmp_path / "bundle.zip")
    other = Rehydrate(tmp_path / "other.sqlite")
    other.json("import", tmp_path / "bundle.zip", "--map", f"{old}={world.repo}")
    mapped = rehydrate.json("resume", session, "--map", f"{old}={world.repo}")
    rehydrate.json("rebind", session, world.repo)
    for runtime in (mapped, other.json("resume", session), rehydrate.json("resume", session)):
        assert runtime["workspace"]["cwd"] == str(world.repo)
        assert list(runtime["app_state"]["files"]) == names
        assert drift(runtime) == (1, [str(world.repo / "notes.txt")], [])


def test_the_model_is_told_the_names_of_this_machine(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    old = "/Users/nobody-here/code/demo"
    session = working(rehydrate, old, tmp_path)
    with opened(rehydrate.db) as store:
        recorded = recorded_session(store, session)
        report = session_place(store, recorded, gate="open", policy="force", maps=[PathMap(old, str(world.repo))])
        fact, note = facts_on_going_on(report, recorded)
    assert fact.drift["changed"] == [str(world.repo / "notes.txt")]  # type: ignore[union-attr]  # the observation
    assert note.content[0].text.endswith("changed: notes.txt")  # type: ignore[union-attr]  # the note


def test_going_back_in_the_talk_keeps_the_binding(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """The binding is a fact about the machine; only the places before it in the record are as they were."""
    session = working(rehydrate, world.repo, tmp_path)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    second = str(world.folder / "second")
    before = rehydrate.json("resume", f"{session}@turn:1")
    rehydrate.json("rebind", session, second)
    bound = rehydrate.json("resume", session)["transcript_pointer"]
    rehydrate.json("rewind", f"{session}@turn:1", "--scope", "conversation")

    runtime = rehydrate.json("resume", session)
    assert runtime["workspace"]["cwd"] == second
    assert next(iter(runtime["app_state"]["files"])).startswith(second)
    assert len(runtime["messages"]) == len(before["messages"])
    assert rehydrate.json("resume", before["transcript_pointer"]) == before
    rehydrate.json("rebuild", session)
    assert rehydrate.json("resume", session)["workspace"]["cwd"] == second

    late = rehydrate.json("fork", runtime["transcript_pointer"])["session_id"]
    early = rehydrate.json("fork", before["transcript_pointer"])["session_id"]
    assert rehydrate.json("resume", bound)["workspace"]["cwd"] == second
    assert rehydrate.json("resume", late)["workspace"]["cwd"] == second
    assert rehydrate.json("resume", early)["workspace"]["cwd"] == str(world.repo)


def test_a_file_on_both_sides_of_a_binding_is_no_difference(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = working(rehydrate, world.repo, tmp_path)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    before = rehydrate.json("resume", session)["transcript_pointer"]
    rehydrate.json("rebind", session, world.folder / "second")
    after = rehydrate.json("resume", session)["transcript_pointer"]
    assert rehydrate.json("diff", before, after)["files"] == []
    assert rehydrate.json("diff", after, before)["files"] == []


def test_the_next_step_is_one_that_is_not_refused(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """Where going on would be refused, the command that settles it is printed; a directory that was named is named again."""
    session = working(rehydrate, world.repo, tmp_path)
    new = world.folder / "renamed"
    world.repo.rename(new)
    printed = rehydrate("resume", session).out
    assert f"rebind {session}" in printed
    assert f"run {session}" not in printed
    printed = " ".join(rehydrate("resume", session, "--project", new).out.split())
    assert f'run {session} "…" --project {new}' in printed
    rehydrate.json("rebind", session, new)
    assert "--project" not in rehydrate("resume", session).out
