"""A removed worktree is made again when a person asks, at its branch or its commit, and never over somebody's files."""

from __future__ import annotations

import pytest
from rehydrate.events.errors import Refused, UsageError
from rehydrate.runtime.workspace.check import check_workspace
from rehydrate.runtime.workspace.recreate import recreate

from tests.support.git_world import World, commit, git, head

from .situations import in_worktree, recorded


def test_at_its_branch_wherever_that_is_now(world: World) -> None:
    place, expected = in_worktree(world)
    tip = commit(place, "more")
    git(world.repo, "worktree", "remove", str(place))
    made = recreate(expected)
    assert (made.path, made.branch, made.from_commit) == (str(place), "feat", tip)
    assert {finding.code for finding in check_workspace(expected, gate="open").findings} == {"head-moved"}


def test_at_the_recorded_commit_when_the_branch_is_gone(world: World) -> None:
    place, expected = in_worktree(world)
    tip = head(place)
    git(world.repo, "worktree", "remove", str(place))
    git(world.repo, "branch", "-D", "feat")
    recreate(expected)
    assert (head(place), git(place, "branch", "--show-current")) == (tip, "feat")
    assert check_workspace(expected, gate="open").findings == ()


def test_a_stale_entry_is_no_obstacle(world: World) -> None:
    import shutil

    place, expected = in_worktree(world)
    shutil.rmtree(place)
    recreate(expected)
    assert check_workspace(expected, gate="open").findings == ()


def test_somebodys_files_are_never_overwritten(world: World) -> None:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", str(place))
    place.mkdir()
    (place / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(Refused, match="not overwritten") as refused:
        recreate(expected)
    assert refused.value.remedy == f"Move it aside: mv {place} {place}.kept"
    assert [path.name for path in place.iterdir()] == ["mine.txt"]


def test_a_branch_that_is_checked_out_elsewhere_is_told(world: World) -> None:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", str(place))
    git(world.repo, "switch", "-q", "feat")
    with pytest.raises(Refused, match="one checkout of a branch") as refused:
        recreate(expected)
    assert refused.value.remedy == f"Go on there: rehydrate rebind s1 {world.repo}"
    assert not place.exists()


def test_a_session_without_a_worktree_has_none_to_recreate(world: World) -> None:
    with pytest.raises(UsageError, match="was in no worktree"):
        recreate(recorded(world))
