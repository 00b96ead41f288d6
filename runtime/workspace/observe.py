"""Looks at a place: the directory, its repository, its state. Reads only, and says what it could not see."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...events.kinds import ProjectIdentity
from . import paths
from .expected import ExpectedPlace
from .git_reading import ask
from .identify import Relation, Repository, directory_identity, find_repository, is_git, relate, repository_identity
from .observe_state import changed_files, operation_of, recorded_branch, registered_worktrees, submodules_of
from .observed import Distance, GitState, ObservedPlace, RegisteredWorktree, RepositoryView


def observe(path: str, expected: ExpectedPlace) -> ObservedPlace:
    """See `path` as it is now, with an eye on what was recorded (branch, commit, project).

    Nothing is created, refreshed or fetched. A foreign path (another machine's) is never looked up on this one.
    """
    foreign = paths.foreign(path)
    if foreign in ("windows", "posix", "relative"):
        return ObservedPlace(path=path, exists=False, foreign=foreign)
    place = Path(path)
    try:
        status = place.stat()
    except (OSError, ValueError) as error:
        return _missing(path, expected, unreadable=isinstance(error, PermissionError))
    directory = stat.S_ISDIR(status.st_mode)
    real = os.path.realpath(path)
    if not directory:
        return ObservedPlace(path=path, exists=True, real_path=paths.shown(real), foreign=foreign)
    if not os.access(real, os.R_OK | os.X_OK):
        return ObservedPlace(
            path=path, exists=True, is_directory=True, readable=False, real_path=paths.shown(real), git="unreadable"
        )
    return _directory(path, real, expected)


def _directory(path: str, real: str, expected: ExpectedPlace) -> ObservedPlace:
    recorded_top = expected.worktree.path if expected.worktree is not None else expected.toplevel
    seen = ObservedPlace(
        path=path,
        exists=True,
        is_directory=True,
        real_path=paths.shown(real),
        empty=_is_empty(real),
        recorded_top=None if recorded_top is None else paths.shown(os.path.realpath(recorded_top)),
    )
    repository = find_repository(real)
    if repository is None:
        state, message, link = _why_no_repository(real)
        relation: Relation = "unknown"
        recorded_here = expected.cwd is not None and os.path.realpath(expected.cwd) == real
        if state == "none" and expected.identity is not None and (not recorded_here or not expected.in_repository):
            relation = relate(expected.identity, directory_identity(real))
        registered = _registered(expected)
        update: dict[str, object] = {"git": state, "git_message": message, "link_target": link, "relation": relation}
        return seen.model_copy(update={**update, "registered": registered})
    view = _repository_view(real, repository, expected)
    return seen.model_copy(
        update={"git": "repository", "repository": view, "relation": _relation(expected, view, repository)}
    )


def _is_empty(directory: str) -> bool:
    with os.scandir(directory) as entries:
        return next(entries, None) is None


def _missing(path: str, expected: ExpectedPlace, *, unreadable: bool) -> ObservedPlace:
    nearest = (
        next((str(parent) for parent in Path(path).parents if paths.is_directory(str(parent))), None)
        if not unreadable
        else None
    )
    base = _project_place(expected)
    branch = None
    if expected.branch and base is not None:
        branch = recorded_branch(base, expected.branch, ours=expected.worktree_path)
    return ObservedPlace(
        path=path,
        exists=False,
        readable=not unreadable,
        foreign=paths.foreign(path),
        nearest=nearest,
        registered=_registered(expected),
        recorded_branch=branch,
    )


def _project_place(expected: ExpectedPlace) -> str | None:
    """A directory from which the recorded repository can still be asked: its main checkout, or where the worktree was entered."""
    worktree = expected.worktree
    identity = expected.identity
    places = [identity.path if identity else None, worktree.original_cwd if worktree else None, expected.started_in]
    for place in places:
        if place and paths.style(place) == "posix" and paths.is_directory(place):
            return place
    return None


def _registered(expected: ExpectedPlace) -> tuple[RegisteredWorktree, ...]:
    base = _project_place(expected)
    return () if base is None else registered_worktrees(base)


def _why_no_repository(real: str) -> tuple[GitState, str, str | None]:
    """Tell a plain directory from a repository that git cannot or will not read."""
    marker = next((folder / ".git" for folder in (Path(real), *Path(real).parents) if (folder / ".git").exists()), None)
    answer = ask(real, "rev-parse", "--absolute-git-dir")
    message = next((line for line in answer.err.splitlines() if line.startswith("fatal:")), answer.err.strip())
    link = None if marker is None else _link_target(marker)
    if answer.status is None:
        return ("no-git" if marker is not None else "none"), "there is no git program on this machine", link
    if "dubious ownership" in answer.err or "safe.directory" in answer.err:
        return "unsafe", message, link
    if marker is None:
        return "none", "", None
    return "broken", paths.shown(message.removeprefix("fatal: ")), link


def _link_target(marker: Path) -> str | None:
    """Where a `.git` file (of a worktree or submodule) points to."""
    if not marker.is_file():
        return None
    try:
        text = marker.read_text("utf-8", "surrogateescape")[:4096]
    except OSError:
        return None
    target = text.removeprefix("gitdir:").strip()
    return paths.shown(os.path.normpath(marker.parent / target))


def _repository_view(real: str, repository: Repository, expected: ExpectedPlace) -> RepositoryView:
    head = ask(real, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word or None
    symbolic = ask(real, "symbolic-ref", "--quiet", "--short", "HEAD").word
    operation, operation_branch = operation_of(repository.git_dir)
    worktrees = registered_worktrees(real)
    changed = None
    if repository.top is not None:
        changed = changed_files(real, paths.shown(repository.top), (one.path for one in worktrees))
    superproject = ask(real, "rev-parse", "--show-superproject-working-tree").word if repository.top is not None else ""
    branch = _wanted_branch(expected)
    return RepositoryView(
        top=None if repository.top is None else paths.shown(repository.top),
        git_dir=paths.shown(repository.git_dir),
        common_dir=paths.shown(repository.common_dir),
        main_path=paths.shown(repository.main_path),
        is_worktree=repository.linked,
        is_bare=repository.bare,
        is_shallow=repository.shallow,
        inside_git_dir=repository.top is None and not repository.bare,
        superproject=paths.shown(superproject) or None,
        branch=paths.shown(symbolic) or None,
        detached=head is not None and not symbolic,
        head=head,
        operation=operation,
        operation_branch=operation_branch,
        dirty=changed.files if changed else (),
        dirty_count=changed.count if changed else 0,
        untracked_count=changed.untracked if changed else 0,
        conflicts=changed.conflicts if changed else (),
        submodules=submodules_of(repository.top) if repository.top is not None else (),
        worktrees=worktrees,
        distance=_distance(real, expected.head, head),
        recorded_branch=recorded_branch(real, branch, ours=repository.top) if branch else None,
        identity=_cheap_identity(repository, expected),
    )


def _wanted_branch(expected: ExpectedPlace) -> str | None:
    return expected.branch if expected.branch and expected.branch != "HEAD" else None


def _cheap_identity(repository: Repository, expected: ExpectedPlace) -> ProjectIdentity:
    """The recorded identity itself, without walking the history, when the place and a recorded root commit are the same."""
    recorded = expected.project
    if (
        recorded is not None
        and recorded.root_commits
        and recorded.git_common_dir == paths.shown(repository.common_dir)
        and not repository.shallow
        and ask(repository.common_dir, "cat-file", "-e", recorded.root_commits[0] + "^{commit}").ok
    ):
        return recorded
    return repository_identity(repository)


def _relation(expected: ExpectedPlace, view: RepositoryView, repository: Repository) -> Relation:
    recorded, found = expected.identity, view.identity
    if found is None:
        return "unknown"
    stands = False
    if recorded is not None and recorded.git_common_dir and recorded.git_common_dir != found.git_common_dir:
        old = find_repository(recorded.path or recorded.git_common_dir)
        stands = old is not None and paths.shown(old.common_dir) == recorded.git_common_dir
    known = view.distance.known if view.distance is not None else None
    if (
        recorded is not None
        and not is_git(recorded)
        and recorded.path == paths.shown(os.path.realpath(expected.cwd or ""))
    ):
        return relate(recorded, directory_identity(repository.top or repository.common_dir))
    return relate(recorded, found, recorded_place_stands=stands, has_recorded_head=known)


def _distance(real: str, recorded: str | None, head: str | None) -> Distance | None:
    """How far HEAD is from the recorded commit (which may be abbreviated)."""
    if not recorded:
        return None
    commit = ask(real, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{recorded}^{{commit}}").word
    if not commit or head is None:
        return Distance(recorded=recorded, known=bool(commit))
    counts = ask(real, "rev-list", "--left-right", "--count", f"{commit}...{head}")
    if not counts.ok:
        return Distance(recorded=commit, known=True)
    behind, ahead = (int(number) for number in counts.out.split())
    return Distance(recorded=commit, known=True, ahead=ahead, behind=behind)
