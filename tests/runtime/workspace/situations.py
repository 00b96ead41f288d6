"""The table of git situations: how each is made, what was recorded before, and what a check must find afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rehydrate.runtime.workspace.expected import ExpectedPlace, ExpectedWorktree
from rehydrate.runtime.workspace.identify import project_identity
from rehydrate.runtime.workspace.paths import PathMap

from tests.support.git_world import World, commit, git, head, new_repository


@dataclass
class Case:
    """What a check is asked: the record, and what a person named."""

    expected: ExpectedPlace
    project: Path | None = None
    maps: tuple[PathMap, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


Build = Callable[[World], Case]


@dataclass(frozen=True)
class Situation:
    name: str
    build: Build
    codes: frozenset[str]
    restore: str
    open: str


TABLE: list[Situation] = []


def situation(*codes: str, restore: str = "degraded", open: str = "refused") -> Callable[[Build], Build]:  # noqa: A002 (the gate's name)
    def add(build: Build) -> Build:
        TABLE.append(Situation(build.__name__, build, frozenset(codes), restore, open))
        return build

    return add


def recorded(world: World, cwd: Path | None = None, **changes: object) -> ExpectedPlace:
    """The place as a session records it while all is well."""
    place = cwd or world.repo
    top = git(place, "rev-parse", "--show-toplevel")
    values: dict[str, object] = {
        "session_id": "s1",
        "cwd": str(place),
        "project": project_identity(place),
        "branch": git(place, "branch", "--show-current") or "HEAD",
        "head": head(place),
        "toplevel": top,
    }
    return ExpectedPlace.model_validate({**values, **changes})


def in_worktree(world: World, **changes: object) -> tuple[Path, ExpectedPlace]:
    """A session that entered the linked worktree `.wt/feat`, as Claude Code records it."""
    place = world.worktree()
    entered = ExpectedWorktree(
        path=str(place),
        name="feat",
        branch="feat",
        base_commit=head(world.repo),
        base_branch="main",
        original_cwd=str(world.repo),
    )
    return place, recorded(world, place, worktree=entered, **changes)


# -- nothing differs ---------------------------------------------------------------------------------------------------


@situation(restore="ok", open="ok")
def unchanged(world: World) -> Case:
    return Case(recorded(world))


@situation(restore="ok", open="ok")
def from_a_subdirectory(world: World) -> Case:
    return Case(recorded(world), project=world.repo / "src")


@situation(restore="ok", open="ok")
def recorded_in_a_subdirectory(world: World) -> Case:
    return Case(recorded(world, world.repo / "src"), project=world.repo)


@situation(restore="ok", open="ok")
def through_a_symlink(world: World) -> Case:
    link = world.folder / "link"
    link.symlink_to(world.repo)
    return Case(recorded(world), project=link)


@situation(restore="ok", open="ok")
def recorded_through_a_symlink(world: World) -> Case:
    link = world.folder / "link"
    link.symlink_to(world.repo)
    return Case(recorded(world, cwd=link), project=world.repo)


@situation(restore="ok", open="ok")
def recorded_through_a_symlinked_parent(world: World) -> Case:
    (world.folder / "alias").symlink_to(world.folder)
    return Case(recorded(world, cwd=world.folder / "alias" / "demo"))


@situation(restore="ok", open="ok")
def in_its_worktree(world: World) -> Case:
    return Case(in_worktree(world)[1])


@situation(restore="ok", open="ok")
def in_its_worktree_with_the_main_checkout_named(world: World) -> Case:
    return Case(in_worktree(world)[1], project=world.repo)


@situation(restore="ok", open="ok")
def recorded_without_any_git_fact(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1", cwd=str(world.repo)))


@situation(restore="ok", open="ok")
def outside_git(world: World) -> Case:
    plain = world.folder / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text("a", "utf-8")
    return Case(ExpectedPlace(session_id="s1", cwd=str(plain), project=project_identity(plain)))


@situation(restore="ok", open="ok")
def a_repository_begun_after_the_session(world: World) -> Case:
    plain = world.folder / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text("a", "utf-8")
    expected = ExpectedPlace(session_id="s1", cwd=str(plain), project=project_identity(plain))
    git(plain, "init", "-q")
    commit(plain, "begin")
    return Case(expected)


# -- the directory -----------------------------------------------------------------------------------------------------


@situation("directory-missing")
def deleted(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo)
    return Case(expected)


@situation("moved")
def moved_and_found_beside_its_old_place(world: World) -> Case:
    expected = recorded(world)
    world.repo.rename(world.folder / "renamed")
    return Case(expected)


@situation("moved", open="degraded")
def moved_and_named_by_the_person(world: World) -> Case:
    expected = recorded(world)
    new = world.folder / "far" / "away"
    new.parent.mkdir()
    world.repo.rename(new)
    return Case(expected, project=new)


@situation("moved", open="degraded")
def moved_and_named_from_a_subdirectory(world: World) -> Case:
    expected = recorded(world, world.repo / "src")
    world.repo.rename(world.folder / "renamed")
    return Case(expected, project=world.folder / "renamed")


@situation("not-a-directory")
def replaced_by_a_file(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo)
    world.repo.write_text("a file", "utf-8")
    return Case(expected)


@situation("directory-empty")
def emptied(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo)
    world.repo.mkdir()
    return Case(expected)


@situation("not-a-repository")
def its_git_folder_removed(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo / ".git")
    return Case(expected)


@situation("foreign-path")
def of_another_machine(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1", cwd="/Users/nobody-here/code/demo", branch="main"))


@situation("foreign-path")
def of_a_windows_machine(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1", cwd="C:\\Users\\a\\demo", branch="main"))


@situation("foreign-path")
def recorded_relative_to_nothing(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1", cwd="demo"))


@situation("foreign-path", open="degraded")
def of_another_machine_cloned_here(world: World) -> Case:
    git(world.repo, "remote", "add", "origin", "git@example.com:team/demo.git")
    expected = ExpectedPlace(
        session_id="s1", cwd="/Users/nobody-here/code/demo", branch="main", remote="https://example.com/team/demo"
    )
    return Case(expected, project=world.repo)


@situation("foreign-path", open="degraded")
def of_a_windows_machine_mapped(world: World) -> Case:
    git(world.repo, "remote", "add", "origin", "git@example.com:team/demo.git")
    expected = ExpectedPlace(
        session_id="s1", cwd="C:\\Users\\a\\demo", branch="main", remote="https://example.com/team/demo"
    )
    return Case(expected, maps=(PathMap.parse(f"C:\\Users\\a\\demo={world.repo}"),))


@situation("foreign-path", "project-unverified")
def of_another_machine_without_a_proof(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1", cwd="/Users/nobody-here/code/demo", branch="main"), project=world.repo)


@situation("directory-unknown")
def without_a_recorded_directory(world: World) -> Case:
    return Case(ExpectedPlace(session_id="s1"))


# -- another project ---------------------------------------------------------------------------------------------------


@situation("other-repository", restore="refused")
def another_repository_named(world: World) -> Case:
    return Case(recorded(world), project=new_repository(world.folder / "other", "two\n"))


@situation("other-repository", restore="refused")
def another_repository_at_its_place(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo)
    new_repository(world.repo, "quite another\n")
    return Case(expected)


@situation("other-repository", restore="refused")
def a_copy_beside_the_original_named(world: World) -> Case:
    expected = recorded(world)
    shutil.copytree(world.repo, world.folder / "copy")
    return Case(expected, project=world.folder / "copy")


@situation("other-repository", restore="refused")
def the_same_first_commit_but_another_address(world: World) -> Case:
    git(world.repo, "remote", "add", "origin", "https://example.com/team/demo.git")
    expected = recorded(world)
    other = world.folder / "other"
    shutil.copytree(world.repo, other)
    git(other, "remote", "set-url", "origin", "https://example.com/team/started-from-demo.git")
    return Case(expected, project=other)


@situation("other-repository", restore="refused")
def a_repository_that_merged_the_recorded_one(world: World) -> Case:
    expected = recorded(world)
    other = new_repository(world.folder / "other", "two\n")
    git(other, "fetch", "-q", str(world.repo), "main:demo")
    git(other, "merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "take demo in", "demo")
    git(other, "branch", "-D", "demo")
    shutil.rmtree(world.repo)
    return Case(expected, project=other)


@situation("other-project", restore="refused")
def a_plain_directory_named(world: World) -> Case:
    plain = world.folder / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text("a", "utf-8")
    return Case(recorded(world), project=plain)


@situation("other-project", restore="refused")
def another_plain_directory_named(world: World) -> Case:
    one, two = world.folder / "one", world.folder / "two"
    for plain in (one, two):
        plain.mkdir()
        (plain / "a.txt").write_text("a", "utf-8")
    return Case(ExpectedPlace(session_id="s1", cwd=str(one), project=project_identity(one)), project=two)


@situation("other-checkout", open="degraded")
def a_second_clone_named(world: World) -> Case:
    expected = recorded(world)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    return Case(expected, project=world.folder / "second")


@situation("other-checkout", open="degraded")
def a_second_clone_of_the_same_remote_named(world: World) -> Case:
    git(world.folder, "clone", "-q", "--bare", str(world.repo), "central.git")
    for name in ("first", "second"):
        git(world.folder, "clone", "-q", "-b", "main", str(world.folder / "central.git"), name)
    return Case(recorded(world, world.folder / "first"), project=world.folder / "second")


# -- worktrees ---------------------------------------------------------------------------------------------------------


@situation("other-checkout", "branch-changed", "branch-checked-out-elsewhere", "head-moved")
def another_worktree_named(world: World) -> Case:
    return Case(recorded(world), project=world.worktree())


@situation("worktree-missing")
def worktree_removed(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    return Case(expected)


@situation("worktree-missing")
def worktree_removed_and_the_main_checkout_named(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    return Case(expected, project=world.repo)


@situation("worktree-missing")
def worktree_deleted_but_registered(world: World) -> Case:
    place, expected = in_worktree(world)
    shutil.rmtree(place)
    return Case(expected)


@situation("worktree-missing")
def worktree_known_only_from_the_import(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    return Case(expected.model_copy(update={"worktree": None}))


@situation("worktree-missing", "branch-gone")
def worktree_and_branch_removed(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    git(world.repo, "branch", "-D", "feat")
    return Case(expected)


@situation("worktree-missing", "branch-checked-out-elsewhere")
def worktree_removed_and_its_branch_in_the_main_checkout(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    git(world.repo, "switch", "-q", "feat")
    return Case(expected)


@situation("worktree-locked")
def worktree_on_a_disk_that_is_not_mounted(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "lock", "--reason", "on a stick", str(place))
    shutil.rmtree(place)
    return Case(expected)


@situation("worktree-locked", restore="ok", open="ok")
def worktree_locked(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "lock", str(place))
    return Case(expected)


@situation("moved")
def worktree_moved(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "move", str(place), str(world.folder / "elsewhere"))
    return Case(expected)


@situation("worktree-pruned")
def worktree_pruned(world: World) -> Case:
    place, expected = in_worktree(world)
    shutil.rmtree(world.repo / ".git" / "worktrees" / "feat")
    assert place.is_dir()
    return Case(expected)


@situation("not-a-worktree")
def an_ordinary_directory_where_the_worktree_was(world: World) -> Case:
    place, expected = in_worktree(world)
    git(world.repo, "worktree", "remove", "--force", str(place))
    place.mkdir()
    (place / "app.py").write_text("edited in the wrong place", "utf-8")
    git(world.repo, "config", "core.excludesFile", str(world.folder / "excludes"))
    (world.folder / "excludes").write_text(".wt\n", "utf-8")
    return Case(expected.model_copy(update={"head": None, "branch": "main"}))


@situation("not-a-worktree", "branch-changed", "head-moved", "dirty")
def an_ordinary_directory_known_by_name_only(world: World) -> Case:
    place = world.repo / ".wt" / "feat"
    place.mkdir(parents=True)
    (place / "app.py").write_text("edited in the wrong place", "utf-8")
    feat = git(world.repo, "rev-parse", "feat")
    return Case(ExpectedPlace(session_id="s1", cwd=str(place), branch="feat", head=feat))


@situation("not-a-worktree")
def an_empty_directory_outside_the_repository_where_the_worktree_was(world: World) -> Case:
    place = world.folder / "outside"
    git(world.repo, "worktree", "add", "-q", str(place), "feat")
    expected = recorded(world, place)
    git(world.repo, "worktree", "remove", "--force", str(place))
    place.mkdir()
    return Case(expected)


# -- branch and HEAD ---------------------------------------------------------------------------------------------------


@situation("branch-changed", "head-moved")
def another_branch(world: World) -> Case:
    expected = recorded(world)
    git(world.repo, "switch", "-q", "feat")
    return Case(expected)


@situation("branch-changed", "branch-gone")
def its_branch_deleted(world: World) -> Case:
    git(world.repo, "switch", "-q", "-c", "short-lived")
    expected = recorded(world)
    git(world.repo, "switch", "-q", "main")
    git(world.repo, "branch", "-D", "short-lived")
    return Case(expected)


@situation("branch-changed", "branch-checked-out-elsewhere")
def its_branch_taken_by_a_worktree(world: World) -> Case:
    git(world.repo, "switch", "-q", "-c", "work")
    expected = recorded(world)
    git(world.repo, "switch", "-q", "main")
    world.worktree("work", ".wt/work")
    git(world.repo, "config", "status.showUntrackedFiles", "no")
    (world.repo / ".git" / "info" / "exclude").write_text(".wt\n", "utf-8")
    return Case(expected)


@situation("detached-head")
def detached(world: World) -> Case:
    expected = recorded(world)
    git(world.repo, "switch", "-q", "--detach")
    return Case(expected)


@situation(restore="ok", open="ok")
def detached_as_recorded(world: World) -> Case:
    git(world.repo, "switch", "-q", "--detach")
    return Case(recorded(world))


@situation("branch-changed")
def on_a_branch_that_was_detached(world: World) -> Case:
    git(world.repo, "switch", "-q", "--detach")
    expected = recorded(world)
    git(world.repo, "switch", "-q", "main")
    return Case(expected)


@situation("head-moved", open="degraded")
def head_ahead(world: World) -> Case:
    expected = recorded(world)
    commit(world.repo, "more")
    commit(world.repo, "and more")
    return Case(expected)


@situation("head-moved", open="degraded")
def head_behind(world: World) -> Case:
    expected = recorded(world)
    git(world.repo, "reset", "-q", "--hard", "HEAD~1")
    return Case(expected)


@situation("head-moved", open="degraded")
def head_diverged(world: World) -> Case:
    expected = recorded(world)
    git(world.repo, "commit", "-q", "--amend", "-m", "told otherwise")
    return Case(expected)


@situation("head-unknown", open="degraded")
def recorded_commit_unknown(world: World) -> Case:
    return Case(recorded(world, head="1" * 40))


@situation("no-commits", restore="ok", open="ok")
def no_commit_yet(world: World) -> Case:
    young = world.folder / "young"
    young.mkdir()
    git(young, "init", "-q", "-b", "main")
    return Case(ExpectedPlace(session_id="s1", cwd=str(young), project=project_identity(young), branch="main"))


# -- operations in progress --------------------------------------------------------------------------------------------


def conflict(world: World) -> None:
    """`clash` and `main` changed the same line."""
    git(world.repo, "switch", "-q", "-c", "clash", "HEAD~1")
    (world.repo / "notes.txt").write_text("theirs\n", "utf-8")
    commit(world.repo, "theirs")
    git(world.repo, "switch", "-q", "main")


@situation("operation-in-progress", "dirty")
def merge_in_progress(world: World) -> Case:
    conflict(world)
    expected = recorded(world)
    git(world.repo, "merge", "clash", check=False)
    return Case(expected)


@situation("operation-in-progress", "dirty", "head-moved")
def rebase_in_progress(world: World) -> Case:
    conflict(world)
    expected = recorded(world)
    git(world.repo, "rebase", "clash", check=False)
    return Case(expected)


@situation("operation-in-progress", "dirty")
def cherry_pick_in_progress(world: World) -> Case:
    conflict(world)
    expected = recorded(world)
    git(world.repo, "cherry-pick", "clash", check=False)
    return Case(expected)


@situation("operation-in-progress", "dirty")
def revert_in_progress(world: World) -> Case:
    (world.repo / "notes.txt").write_text("second\n", "utf-8")
    commit(world.repo, "second")
    expected = recorded(world)
    git(world.repo, "revert", "--no-edit", "HEAD~1", check=False)
    return Case(expected)


@situation("operation-in-progress", "head-moved")
def bisect_in_progress(world: World) -> Case:
    expected = recorded(world)
    git(world.repo, "bisect", "start", "HEAD", "HEAD~2")
    return Case(expected)


@situation("operation-in-progress", "dirty")
def patches_being_applied(world: World) -> Case:
    conflict(world)
    git(world.repo, "format-patch", "-q", "-1", "clash", "-o", str(world.folder / "patches"))
    expected = recorded(world)
    (patch,) = (world.folder / "patches").iterdir()
    git(world.repo, "am", str(patch), check=False)
    git(world.repo, "am", "--abort")
    git(world.repo, "am", "-3", str(patch), check=False)
    return Case(expected)


# -- files and kinds of repositories -----------------------------------------------------------------------------------


@situation("dirty", open="degraded")
def files_changed_staged_and_new(world: World) -> Case:
    expected = recorded(world)
    (world.repo / "notes.txt").write_text("changed\n", "utf-8")
    (world.repo / "staged.txt").write_text("staged\n", "utf-8")
    git(world.repo, "add", "staged.txt")
    (world.repo / "näw file.txt").write_text("new\n", "utf-8")
    return Case(expected)


@situation("dirty", restore="ok", open="ok")
def dirty_as_it_was_recorded(world: World) -> Case:
    (world.repo / "notes.txt").write_text("changed\n", "utf-8")
    return Case(recorded(world, dirty=("notes.txt",)))


@situation(restore="ok", open="ok")
def only_touched(world: World) -> Case:
    expected = recorded(world)
    (world.repo / "notes.txt").touch()
    return Case(expected)


@situation("submodule", restore="ok", open="ok")
def inside_a_submodule(world: World) -> Case:
    outer = new_repository(world.folder / "outer", "outer\n")
    git(outer, "submodule", "--quiet", "add", str(world.repo), "lib")
    commit(outer, "take the library in")
    return Case(recorded(world, outer / "lib"))


@situation("submodule-missing", restore="ok", open="ok")
def with_a_submodule_not_checked_out(world: World) -> Case:
    outer = new_repository(world.folder / "outer", "outer\n")
    git(outer, "submodule", "--quiet", "add", str(world.repo), "lib")
    commit(outer, "take the library in")
    git(world.folder, "clone", "-q", str(outer), "clone")
    return Case(recorded(world, world.folder / "clone"))


@situation("other-repository", restore="refused")
def the_outer_repository_of_a_submodule_named(world: World) -> Case:
    outer = new_repository(world.folder / "outer", "outer\n")
    git(outer, "submodule", "--quiet", "add", str(world.repo), "lib")
    commit(outer, "take the library in")
    return Case(recorded(world, outer / "lib"), project=outer)


@situation("bare-repository")
def in_a_bare_repository(world: World) -> Case:
    bare = world.folder / "bare.git"
    git(world.folder, "clone", "-q", "--bare", str(world.repo), str(bare))
    identity = project_identity(bare)
    return Case(ExpectedPlace(session_id="s1", cwd=str(bare), project=identity, branch="main"))


@situation(restore="ok", open="ok")
def in_a_worktree_of_a_bare_repository(world: World) -> Case:
    bare = world.folder / "bare.git"
    git(world.folder, "clone", "-q", "--bare", str(world.repo), str(bare))
    git(bare, "worktree", "add", "-q", str(world.folder / "wt"), "feat")
    return Case(recorded(world, world.folder / "wt"))


@situation("inside-git-directory")
def inside_the_git_directory(world: World) -> Case:
    expected = recorded(world)
    return Case(expected.model_copy(update={"cwd": str(world.repo / ".git"), "toplevel": None}))


@situation("shallow-clone", restore="ok", open="ok")
def in_a_shallow_clone(world: World) -> Case:
    git(world.folder, "clone", "-q", "--depth", "1", "-b", "main", f"file://{world.repo}", "shallow")
    return Case(recorded(world, world.folder / "shallow"))


@situation("shallow-clone", "other-checkout", open="degraded")
def a_shallow_clone_named_for_a_full_one(world: World) -> Case:
    expected = recorded(world)
    git(world.folder, "clone", "-q", "--depth", "1", "-b", "main", f"file://{world.repo}", "shallow")
    return Case(expected, project=world.folder / "shallow")


@situation("shallow-clone", "head-unknown", open="degraded")
def a_commit_beyond_the_end_of_a_shallow_clone(world: World) -> Case:
    git(world.folder, "clone", "-q", "--depth", "1", "-b", "main", f"file://{world.repo}", "shallow")
    return Case(recorded(world, world.folder / "shallow", head=git(world.repo, "rev-parse", "HEAD~1")))


@situation(restore="ok", open="ok")
def with_its_git_directory_elsewhere(world: World) -> Case:
    place = world.folder / "apart"
    git(world.folder, "clone", "-q", "--separate-git-dir", str(world.folder / "store.git"), str(world.repo), str(place))
    return Case(recorded(world, place))


# -- git itself --------------------------------------------------------------------------------------------------------


@situation("git-missing")
def without_a_git_program(world: World) -> Case:
    return Case(recorded(world), environment={"PATH": str(world.folder / "no-programs")})


@situation("safe-directory")
def of_another_owner(world: World) -> Case:
    return Case(recorded(world), environment={"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})


@situation("repository-broken")
def its_head_file_broken(world: World) -> Case:
    expected = recorded(world)
    (world.repo / ".git" / "HEAD").write_text("no reference\n", "utf-8")
    return Case(expected)


@situation("repository-broken")
def its_git_file_pointing_nowhere(world: World) -> Case:
    expected = recorded(world)
    shutil.rmtree(world.repo / ".git")
    (world.repo / ".git").write_text("gitdir: /nowhere/at/all\n", "utf-8")
    return Case(expected)


@situation(restore="ok", open="ok")
def while_a_git_hook_points_elsewhere(world: World) -> Case:
    other = new_repository(world.folder / "other", "two\n")
    return Case(recorded(world), environment={"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)})


@situation("head-unknown", open="degraded")
def with_a_recorded_commit_that_looks_like_an_option(world: World) -> Case:
    return Case(recorded(world, head="--output=x"))
