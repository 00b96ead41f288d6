"""A person's word against findings: a policy for all, a code for one, and a word of its own for another project."""

from __future__ import annotations

import pytest
from rehydrate.events.errors import Refused
from rehydrate.events.findings import Finding, grade
from rehydrate.runtime.workspace.check import check_workspace
from rehydrate.runtime.workspace.policy import Policy, forced, settled
from rehydrate.runtime.workspace.verdict import verdict

from tests.support.git_world import World, commit, git, new_repository

from .situations import recorded

BRANCH = verdict("open", "refuse-open", "branch-changed", "Another branch.")
OTHER = verdict("restore", "refuse", "other-repository", "Another repository.")
DIRTY = verdict("open", "warn", "dirty", "Files.")


def outcome(*findings: Finding, policy: Policy = "strict", accept: tuple[str, ...] = (), cross: bool = False) -> str:
    return grade(settled(findings, policy, accept, allow_cross_project=cross)).outcome


@pytest.mark.parametrize(
    ("finding", "policy", "accept", "cross", "expected"),
    [
        (BRANCH, "strict", (), False, "refused"),
        (BRANCH, "strict", ("branch-changed",), False, "ok"),
        (BRANCH, "strict", ("dirty",), False, "refused"),
        (BRANCH, "warn", (), False, "degraded"),
        (BRANCH, "force", (), False, "degraded"),
        (BRANCH, "strict", (), True, "refused"),
        (OTHER, "strict", (), False, "refused"),
        (OTHER, "strict", (), True, "degraded"),
        (OTHER, "warn", (), False, "refused"),
        (OTHER, "force", (), False, "degraded"),
        (OTHER, "strict", ("other-repository",), False, "refused"),
        (DIRTY, "strict", ("dirty",), False, "ok"),
        (DIRTY, "force", (), False, "degraded"),
    ],
)
def test_what_a_word_settles(
    finding: Finding, policy: Policy, accept: tuple[str, ...], *, cross: bool, expected: str
) -> None:
    assert outcome(finding, policy=policy, accept=accept, cross=cross) == expected


def test_what_was_overruled_is_named() -> None:
    assert forced(settled([BRANCH, OTHER, DIRTY], "force")) == ("branch-changed", "other-repository")
    assert forced(settled([BRANCH, DIRTY], "strict", ["dirty"])) == ("dirty",)


def test_a_finding_that_only_opening_refuses_is_a_warning_for_a_restore() -> None:
    assert verdict("restore", "refuse-open", "x", "y").severity == "warning"
    assert verdict("open", "refuse-open", "x", "y").facts == {"blocks": ["open"]}


def test_a_refusal_is_an_error_that_names_session_finding_and_remedy(world: World) -> None:
    other = new_repository(world.folder / "other", "two\n")
    report = check_workspace(recorded(world), other)
    with pytest.raises(Refused, match="s1 is refused") as refused:
        report.settle()
    error = refused.value
    assert error.exit_code == 5
    assert error.facts["codes"] == ["other-repository"]
    assert error.facts["findings"][0]["remedy"] == error.remedy
    assert "--allow-cross-project" in error.remedy


def test_an_allowed_other_project_says_what_else_differs(world: World) -> None:
    other = new_repository(world.folder / "other", "two\n")
    report = check_workspace(recorded(world), other, allow_cross_project=True).settle()
    assert report.cwd == str(other)
    assert report.forced == ("other-repository",)


def test_accepting_one_of_two_leaves_the_other(world: World) -> None:
    expected = recorded(world)
    git(world.repo, "switch", "-q", "--detach")
    commit(world.repo, "more")
    report = check_workspace(expected, gate="open", accept=["head-moved"])
    assert report.outcome == "refused"
    assert report.forced == ("head-moved",)
