"""When a session goes on in a changed place, that is written down once, for the record and for the model."""

from __future__ import annotations

import hashlib

from rehydrate.events.event import Draft, Event
from rehydrate.events.kinds import Fact, UserInput, WorkspaceObserved
from rehydrate.projections.fold import fold_of, fold_one
from rehydrate.runtime.workspace.agents import RecordedAgent
from rehydrate.runtime.workspace.check import PlaceReport, check_workspace
from rehydrate.runtime.workspace.drift import TouchedFile
from rehydrate.runtime.workspace.expected import ExpectedPlace, expected_place
from rehydrate.runtime.workspace.recorded import moved_while_acting
from rehydrate.runtime.workspace.sessions import RecordedSession
from rehydrate.runtime.workspace.telling import facts_on_going_on

from tests.support.git_world import World, commit, git

from .situations import recorded


def session(expected: ExpectedPlace, *files: TouchedFile) -> RecordedSession:
    return RecordedSession("s1", 1, expected, RecordedAgent(), files, acts=False)


def opened(known: RecordedSession, **options: object) -> tuple[PlaceReport, tuple[Fact, ...]]:
    report = check_workspace(known.expected, files=known.files, gate="open", **options)  # type: ignore[arg-type]  # options of one test
    return report, facts_on_going_on(report, known)


def place_after(*facts: Fact) -> ExpectedPlace:
    events = [
        Event("s1", number, draft.kind, draft.data, "0" * 32) for number, draft in enumerate(map(Draft.of, facts), 1)
    ]
    return expected_place(
        "s1", fold_one(fold_of("workspace"), [one for one in events if one.kind == "WorkspaceObserved"])
    )


def test_nothing_is_written_when_nothing_differs(world: World) -> None:
    assert opened(session(recorded(world)))[1] == ()


def test_drift_is_one_fact_and_one_note(world: World) -> None:
    file = TouchedFile(path=str(world.repo / "notes.txt"), digest=hashlib.sha256(b"then").hexdigest())
    known = session(recorded(world), file)
    _, facts = opened(known)
    fact, note = facts
    assert isinstance(fact, WorkspaceObserved)
    assert fact.drift["changed"] == [file.path]
    assert isinstance(note, UserInput)
    assert (note.origin, note.starts_turn) == ("context", False)
    assert note.preview.endswith("changed: notes.txt")


def test_the_same_drift_is_told_once(world: World) -> None:
    file = TouchedFile(path=str(world.repo / "notes.txt"), digest=hashlib.sha256(b"then").hexdigest())
    known = session(recorded(world), file)
    (fact, _) = opened(known)[1]
    assert isinstance(fact, WorkspaceObserved)
    again = RecordedSession("s1", 2, known.expected, known.agent, known.files, acts=False, drift=fact.drift)
    assert opened(again)[1] == ()


def test_new_commits_are_told_once(world: World) -> None:
    expected = recorded(world)
    commit(world.repo, "more")
    _, facts = opened(session(expected))
    assert "1 ahead of" in facts[1].preview  # type: ignore[union-attr]  # the note
    started = WorkspaceObserved(cwd=expected.cwd, project=expected.project, branch="main", head=expected.head)
    assert opened(session(place_after(started, facts[0])))[1] == ()


def test_what_a_person_forced_is_recorded_and_holds_from_then_on(world: World) -> None:
    expected = recorded(world)
    git(world.repo, "switch", "-q", "-c", "other")
    report, facts = opened(session(expected), accept=["branch-changed"])
    assert report.outcome == "ok"
    fact = facts[0]
    assert isinstance(fact, WorkspaceObserved)
    assert (fact.accepted, fact.branch, fact.rebound) == (("branch-changed",), "other", False)
    started = WorkspaceObserved(cwd=expected.cwd, project=expected.project, branch="main", head=expected.head)
    assert check_workspace(place_after(started, fact), gate="open").findings == ()


def test_a_chosen_place_becomes_the_sessions_own(world: World) -> None:
    expected = recorded(world)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    _, facts = opened(session(expected), project=world.folder / "second")
    fact = facts[0]
    assert isinstance(fact, WorkspaceObserved)
    assert (fact.rebound, fact.cwd) == (True, str(world.folder / "second"))
    assert check_workspace(place_after(fact), gate="open").findings == ()


def test_commits_and_branches_that_the_session_made_itself_are_noted_at_the_end_of_its_run(world: World) -> None:
    expected = recorded(world)
    assert moved_while_acting(world.repo, expected.model_copy(update={"dirty": ()})) is None
    git(world.repo, "switch", "-q", "-c", "its-own")
    commit(world.repo, "its own")
    fact = moved_while_acting(world.repo, expected)
    assert fact is not None
    started = WorkspaceObserved(cwd=expected.cwd, project=expected.project, branch="main", head=expected.head)
    assert check_workspace(place_after(started, fact), gate="open").findings == ()
