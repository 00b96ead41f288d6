"""Where a missing project went: found by its commits among registered worktrees, known projects and its old neighbours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import paths
from .compare import Located
from .effective import recorded_below
from .expected import ExpectedPlace
from .git_reading import ask
from .identify import find_repository, is_git, relate, repository_identity
from .observed import ObservedPlace

NEIGHBOURS = 200
"""So many entries beside the old place are looked at."""


def locate(
    expected: ExpectedPlace, observed: ObservedPlace, known: Iterable[str] = (), candidates: Iterable[str] = ()
) -> Located | None:
    """The place where the recorded project (or worktree) lies now, or None.

    known: directories of other sessions. candidates: directories that the caller has in mind, such as its own; they are proven
    like all others. A directory outside git has no content that proves it, so it is not searched for.
    """
    worktree = _moved_worktree(expected, observed)
    if worktree is not None:
        return Located(worktree, "worktree")
    identity = expected.identity
    if identity is None or not is_git(identity):
        return None
    if _old_repository_stands(expected):
        return None
    seen: set[str] = set()
    for how, place in _places(expected, known, candidates):
        if place in seen or not paths.is_directory(place):
            continue
        seen.add(place)
        found = _proven(expected, place)
        if found is not None:
            return Located(found, how)
    return None


def _moved_worktree(expected: ExpectedPlace, observed: ObservedPlace) -> str | None:
    """A registered worktree that holds the recorded worktree's branch at another path (`git worktree move`)."""
    path = expected.worktree_path
    branch = (expected.worktree.branch if expected.worktree is not None else None) or expected.branch
    linked = observed.registered[1:]
    if path is None or not branch or any(entry.path == path for entry in linked):
        return None
    found = next((entry for entry in linked if entry.branch == branch and not entry.prunable), None)
    return None if found is None else found.path


def _old_repository_stands(expected: ExpectedPlace) -> bool:
    common = expected.project.git_common_dir if expected.project is not None else None
    return common is not None and Path(common).is_dir()


def _places(expected: ExpectedPlace, known: Iterable[str], candidates: Iterable[str]) -> Iterator[tuple[str, str]]:
    for place in candidates:
        yield "near", os.path.realpath(place)
    for place in known:
        if paths.foreign(place) is None:
            yield "session", os.path.realpath(place)
    old = expected.project.path if expected.project is not None else expected.cwd
    if old is None or paths.foreign(old) is not None:
        return
    for parent in list(Path(old).parents)[:2]:
        if parent.is_dir() and parent != Path("/"):
            yield from (("near", str(entry)) for entry in _neighbours(parent))


def _neighbours(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            named = [Path(entry.path) for _, entry in zip(range(NEIGHBOURS), entries, strict=False)]
    except OSError:
        return []
    return sorted(path for path in named if (path / ".git").exists())


def _proven(expected: ExpectedPlace, place: str) -> str | None:
    """The recorded sub-directory at `place` (or its top) when its repository is the recorded project."""
    repository = find_repository(place)
    identity = expected.identity
    if repository is None or identity is None:
        return None
    roots = identity.root_commits
    if roots and not ask(place, "cat-file", "-e", roots[0] + "^{commit}").ok:
        return None
    head = expected.head
    known = None if head is None else ask(place, "cat-file", "-e", head + "^{commit}").ok
    if relate(identity, repository_identity(repository), has_recorded_head=known) != "same":
        return None
    top = repository.top or repository.common_dir
    below = recorded_below(expected)
    inside = Path(top, below) if below is not None else Path(top)
    return str(inside) if inside.is_dir() else top
