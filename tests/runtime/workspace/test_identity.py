"""A project is the same one by symlink, rename, clone and worktree, and never another one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rehydrate.runtime.workspace.identify import (
    directory_identity,
    find_repository,
    is_git,
    project_identity,
    read_remotes,
    relate,
)

from tests.support.git_world import World, commit, git, head, new_repository


def test_a_symlink_a_subdirectory_and_a_worktree_are_the_repository(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to(world.repo)
    places = (world.repo, link, world.repo / "src", link / "src", world.worktree(), world.repo / ".git")
    assert len({project_identity(place).model_dump_json() for place in places}) == 1


def test_a_renamed_repository_keeps_its_id(world: World) -> None:
    before = project_identity(world.repo)
    world.repo.rename(world.folder / "renamed")
    after = project_identity(world.folder / "renamed")
    assert after.id == before.id
    assert relate(before, after) == "same"


def test_a_second_clone_has_the_same_id(world: World) -> None:
    git(world.folder, "clone", "-q", str(world.repo), "second")
    git(world.folder, "clone", "-q", f"file://{world.folder}/second", "third")
    ids = {project_identity(world.folder / name).id for name in ("demo", "second", "third")}
    assert len(ids) == 1


def test_clones_of_one_address_have_the_same_id_however_it_is_written(world: World) -> None:
    addresses = (
        "git@example.com:team/demo.git",
        "https://user:secret@example.com/team/demo",
        "ssh://example.com/team/demo/",
    )
    ids: set[str] = set()
    for number, address in enumerate(addresses):
        place = world.folder / f"clone{number}"
        shutil.copytree(world.repo, place)
        git(place, "remote", "add", "origin", address)
        identity = project_identity(place)
        ids.add(identity.id)
        assert identity.remote == "example.com/team/demo"
        assert "secret" not in identity.model_dump_json()
    assert len(ids) == 1


def test_two_repositories_are_two_projects(world: World) -> None:
    other = new_repository(world.folder / "other", "two\n")
    ours, theirs = project_identity(world.repo), project_identity(other)
    assert ours.id != theirs.id
    assert relate(ours, theirs) == "different"


def test_two_projects_from_one_template_are_told_apart_by_their_addresses(world: World) -> None:
    other = world.folder / "other"
    shutil.copytree(world.repo, other)
    git(world.repo, "remote", "add", "origin", "https://example.com/team/one")
    git(other, "remote", "add", "origin", "https://example.com/team/two")
    ours, theirs = project_identity(world.repo), project_identity(other)
    assert ours.id != theirs.id
    assert relate(ours, theirs) == "different"


def test_a_submodule_is_a_project_of_its_own(world: World) -> None:
    outer = new_repository(world.folder / "outer", "outer\n")
    git(outer, "submodule", "--quiet", "add", str(world.repo), "lib")
    inner = project_identity(outer / "lib")
    assert inner.path == str(outer / "lib")
    assert inner.id == project_identity(world.repo).id
    assert relate(inner, project_identity(outer)) == "different"


def test_a_repository_without_commits_is_the_same_after_its_first_one(tmp_path: Path, world: World) -> None:
    young = tmp_path / "young"
    young.mkdir()
    git(young, "init", "-q")
    before = project_identity(young)
    assert before.root_commits == ()
    commit(young, "begin")
    assert relate(before, project_identity(young)) == "same"


def test_another_repository_at_the_same_path_is_another_project(world: World) -> None:
    before = project_identity(world.repo)
    shutil.rmtree(world.repo)
    new_repository(world.repo, "two\n")
    assert relate(before, project_identity(world.repo)) == "different"


def test_a_merged_in_history_does_not_make_two_projects_one(world: World) -> None:
    other = new_repository(world.folder / "other", "two\n")
    own = project_identity(other)
    git(other, "fetch", "-q", str(world.repo), "main:demo")
    git(other, "merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "take demo in", "demo")
    merged = project_identity(other)
    assert set(merged.root_commits) == {*own.root_commits, *project_identity(world.repo).root_commits}
    assert merged.id == own.id
    assert relate(project_identity(world.repo), merged) == "different"
    assert relate(own, merged) == "same"


def test_an_orphan_branch_checked_out_does_not_change_the_project(world: World) -> None:
    before = project_identity(world.repo)
    git(world.repo, "switch", "-q", "--orphan", "pages")
    commit(world.repo, "pages")
    after = project_identity(world.repo)
    assert after.id == before.id
    assert relate(before, after) == "same"


def test_the_worktree_of_a_bare_repository_belongs_to_it(world: World) -> None:
    bare = world.folder / "bare.git"
    git(world.folder, "clone", "-q", "--bare", str(world.repo), str(bare))
    git(bare, "worktree", "add", "-q", str(world.folder / "wt"), "feat")
    assert project_identity(bare) == project_identity(world.folder / "wt")


def test_a_main_checkout_reached_through_a_symlinked_parent_is_no_linked_worktree(world: World) -> None:
    """B138."""
    (world.folder.parent / "alias").symlink_to(world.folder)
    found = find_repository(world.folder.parent / "alias" / "demo")
    assert found is not None
    assert not found.linked
    assert found.top == str(world.repo)


def test_a_commit_of_an_older_state_is_enough_when_a_codex_session_names_no_root(world: World) -> None:
    git(world.repo, "remote", "add", "origin", "https://example.com/new/home")
    from rehydrate.runtime.workspace.expected import ExpectedPlace

    expected = ExpectedPlace(session_id="s1", remote="https://example.com/new/home.git", head=head(world.repo))
    assert relate(expected.identity, project_identity(world.repo)) == "same"


@pytest.mark.parametrize("names", [("a_b", "a-b", "a.b"), ("a b", "a%20b", "a+b"), ("x/y", "x-y", "x--y")])
def test_directories_outside_git_never_share_an_id(tmp_path: Path, names: tuple[str, ...]) -> None:
    """B119: no lossy slug."""
    places = [tmp_path / name for name in names]
    for place in places:
        place.mkdir(parents=True)
    identities = [project_identity(place) for place in places]
    assert len({identity.id for identity in identities}) == len(names)
    assert not any(is_git(identity) for identity in identities)


@given(st.binary(min_size=1, max_size=30), st.binary(min_size=1, max_size=30))
def test_any_two_paths_have_two_ids(one: bytes, two: bytes) -> None:
    import os

    paths = [b"/nowhere/" + name.replace(b"\0", b"0").replace(b"/", b"1").replace(b".", b"2") for name in (one, two)]
    ids = [directory_identity(os.fsdecode(path)).id for path in paths]
    assert (ids[0] == ids[1]) == (paths[0] == paths[1])
    assert all(identity.isascii() for identity in ids)


def test_a_path_that_is_no_text_is_still_a_project(world: World) -> None:
    import os

    name = os.fsdecode(b"caf\xe9")
    place = new_repository(world.folder / name)
    identity = project_identity(place)
    assert identity.model_dump_json().isascii()
    assert str(identity.path).endswith("caf\\xe9")


def test_remotes_are_read_without_the_names_of_other_settings(world: World) -> None:
    git(world.repo, "remote", "add", "up.stream", "../other")
    git(world.repo, "config", "remote.pushdefault", "up.stream")
    assert read_remotes(str(world.repo)) == {"up.stream": f"file:{world.folder}/other"}
