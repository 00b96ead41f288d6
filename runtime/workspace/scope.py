"""Which sessions belong to the project of a directory, with all its worktrees; and which places have changed since."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...events.kinds import ProjectIdentity
from . import paths
from .expected import ExpectedPlace, expected_place
from .identify import Repository, directory_identity, find_repository, is_git, relate, repository_identity
from .peek import peek_head

Mark = Literal["gone", "branch-changed", "head-moved", "foreign", "shares-checkout"]


@dataclass(frozen=True, slots=True)
class ProjectScope:
    """A directory's project. Git is asked once; each session is compared with what it said."""

    directory: str
    identity: ProjectIdentity
    repository: Repository | None

    @classmethod
    def of(cls, directory: str | os.PathLike[str]) -> ProjectScope:
        """The project that `directory` (which need not exist any more) lies in."""
        real = os.path.realpath(directory)
        repository = find_repository(real) if paths.is_directory(real) else None
        identity = directory_identity(real) if repository is None else repository_identity(repository)
        return cls(real, identity, repository)

    def holds(self, place: ExpectedPlace) -> bool:
        """Whether a session belongs here: by its recorded identity, else by where its directory lies now."""
        recorded = place.project
        if recorded is None and place.cwd is not None and paths.foreign(place.cwd) is None:
            return self._holds_directory(place)
        if recorded is None:
            remote = place.identity
            return remote is not None and relate(remote, self.identity) == "same"
        if is_git(recorded) and self.repository is not None:
            stands = recorded.git_common_dir is not None and Path(recorded.git_common_dir).exists()
            return relate(recorded, self.identity, recorded_place_stands=stands) == "same"
        return self._around(recorded.path)

    def _holds_directory(self, place: ExpectedPlace) -> bool:
        assert place.cwd is not None
        if self.repository is None:
            return self._around(paths.shown(os.path.realpath(place.cwd)))
        if paths.is_directory(place.cwd):
            theirs = find_repository(place.cwd)
            return theirs is not None and theirs.common_dir == self.repository.common_dir
        if paths.below(os.path.realpath(place.cwd), self.repository.top or self.repository.common_dir) is not None:
            return True
        identity = place.identity
        return identity is not None and relate(identity, self.identity) == "same"

    def _around(self, path: str | None) -> bool:
        """Outside git a session's directory holds all that lies below it; of nested ones the nearest wins (see `members`)."""
        return path is not None and paths.below(self.directory, path) is not None

    def depth(self, place: ExpectedPlace) -> int:
        """How near a session's directory outside git is; the nearest wins, so that nested projects stay apart."""
        path = place.project.path if place.project is not None else place.cwd
        return len(path or "")


def members(directory: str | os.PathLike[str], places: Iterable[ExpectedPlace]) -> set[str]:
    """The ids of the sessions that belong to the project of `directory`. A session of another project is never among them."""
    scope = ProjectScope.of(directory)
    held = [place for place in places if scope.holds(place)]
    if scope.repository is not None or not held:
        return {place.session_id for place in held}
    nearest = max(scope.depth(place) for place in held)
    return {place.session_id for place in held if scope.depth(place) == nearest}


def place_of(session_id: str, workspace_state: dict[str, Any]) -> ExpectedPlace:
    """The place of a session from the state of its `workspace` fold."""
    return expected_place(session_id, workspace_state)


def marks(places: Sequence[ExpectedPlace]) -> dict[str, tuple[Mark, ...]]:
    """What a list shows beside each session: its place is gone or foreign, branch or HEAD moved, or its checkout is shared.

    No process is started, and each directory is looked at once, however many sessions lie in it.
    """
    checkouts = Counter(os.path.realpath(str(place.cwd)) for place in places if _here(place))
    heads: dict[str, tuple[str, str]] = {}
    return {place.session_id: tuple(_marks(place, checkouts, heads)) for place in places}


def _here(place: ExpectedPlace) -> bool:
    return place.cwd is not None and paths.foreign(place.cwd) is None and paths.is_directory(place.cwd)


def _marks(place: ExpectedPlace, checkouts: Counter[str], heads: dict[str, tuple[str, str]]) -> Iterable[Mark]:
    if place.cwd is None:
        return
    if paths.foreign(place.cwd) is not None:
        yield "foreign"
        return
    if not _here(place):
        yield "gone"
        return
    real = os.path.realpath(place.cwd)
    if place.branch or place.head:
        if real not in heads:
            heads[real] = peek_head(real) or ("", "")
        branch, head = heads[real]
        if place.branch and head and branch != place.branch:
            yield "branch-changed"
        if place.head and head and not head.startswith(place.head):
            yield "head-moved"
    if checkouts[real] > 1:
        yield "shares-checkout"
