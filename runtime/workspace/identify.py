"""What makes a directory the same project elsewhere: the repository's own content, never a path turned into a slug.

Inside git: the common directory (one for all worktrees), the root commits, the remotes. Outside: the real path.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from ...events.kinds import ProjectIdentity
from . import remotes as addresses
from .git_reading import ask
from .paths import shown

Relation = Literal["same", "different", "unknown"]
_MAINLINES = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/trunk")
_REMOTE_DEPTH = 3
_PLAIN = "/:@+~,=() "
"""Left as they are in ids made of paths; every other byte is percent-encoded, so that no two paths share an id."""


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a directory's repository lies. top is None for a bare one; all paths are real and absolute."""

    top: str | None
    git_dir: str
    common_dir: str
    bare: bool
    shallow: bool

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree, not the main checkout."""
        return self.git_dir != self.common_dir

    @property
    def main_path(self) -> str:
        """The directory that stands for the project: the main checkout, or the repository itself when bare."""
        common = Path(self.common_dir)
        if common.name == ".git":
            return str(common.parent)
        if self.bare or self.linked or self.top is None:
            return self.common_dir
        return self.top


def project_identity(path: str | os.PathLike[str]) -> ProjectIdentity:
    """The identity of the project that `path` lies in, as the disk shows it now; nothing is written.

    One for every path into a repository (symlink, sub-directory, worktree) and, by its root commit, for a renamed directory and
    a clone. A submodule is a project of its own. Whether two identities are one project is told by `relate`, not by equal ids:
    the id of a repository changes when it gets its first commit or another address.
    """
    repository = find_repository(path)
    if repository is None:
        return directory_identity(path)
    return repository_identity(repository)


def directory_identity(path: str | os.PathLike[str]) -> ProjectIdentity:
    """The identity of a directory outside git: its real path, without loss."""
    real = os.path.realpath(path)
    return ProjectIdentity(id="dir:" + quote(os.fsencode(real), safe=_PLAIN), path=shown(real))


def find_repository(path: str | os.PathLike[str]) -> Repository | None:
    """The repository that git itself finds from `path`, or None (also when git is missing, refuses or breaks)."""
    real = os.path.realpath(path)
    facts = ask(
        real,
        "rev-parse",
        "--is-bare-repository",
        "--is-inside-work-tree",
        "--is-shallow-repository",
        "--absolute-git-dir",
        "--git-common-dir",
    )
    if not facts.ok or len(facts.lines) < 5:
        return None
    bare, inside, shallow, git_dir, common_dir = facts.lines[:5]
    top = ask(real, "rev-parse", "--show-toplevel").word if inside == "true" else ""
    return Repository(
        top=os.path.realpath(top) if top else None,
        git_dir=os.path.realpath(git_dir),
        common_dir=os.path.realpath(Path(real) / common_dir),
        bare=bare == "true",
        shallow=shallow == "true",
    )


def repository_identity(repository: Repository, *, depth: int = 0) -> ProjectIdentity:
    """The identity of a repository. Walks its history once; a shallow one shows no root commit."""
    base = repository.top or repository.common_dir
    known = read_remotes(base)
    roots = () if repository.shallow else root_commits(base, repository.common_dir)
    network = tuple(sorted({remote for remote in known.values() if not addresses.is_local(remote)}))
    primary = known.get("origin") or next(iter(sorted(known.values())), None)
    return ProjectIdentity(
        id=_id_of(repository, roots, known, network, depth),
        path=shown(repository.main_path),
        git_common_dir=shown(repository.common_dir),
        root_commits=roots,
        remote=None if primary is None else shown(primary),
        remotes=tuple(sorted({shown(remote) for remote in known.values()})),
    )


def read_remotes(directory: str) -> dict[str, str]:
    """Normalized address by remote name."""
    answer = ask(directory, "config", "--null", "--get-regexp", r"^remote\..*\.url$")
    found: dict[str, str] = {}
    for entry in answer.out.split("\0") if answer.ok else ():
        key, _, address = entry.partition("\n")
        remote = addresses.normalized(address, directory)
        if remote is not None:
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), remote)
    return found


def root_commits(directory: str, common_dir: str) -> tuple[str, ...]:
    """The commits without parents that branches, tags and HEAD reach, that of the main line first; empty before the first."""
    heads = [] if not ask(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").ok else ["HEAD"]
    answer = ask(directory, "rev-list", "--max-parents=0", "--branches", "--remotes", "--tags", *heads)
    roots = sorted(set(answer.lines)) if answer.ok else []
    if len(roots) > 1:
        main = _main_root(directory, common_dir)
        roots.sort(key=lambda commit: commit != main)
    return tuple(roots)


def _main_root(directory: str, common_dir: str) -> str | None:
    """The root of the default branch by first parents: merged-in histories of other projects do not count."""
    listed = set(ask(directory, "for-each-ref", "--format=%(refname)", *_MAINLINES).lines)
    mainline = next((name for name in _MAINLINES if name in listed), None)
    if mainline is None:
        mainline = ask(common_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word or "HEAD"
    found = ask(directory, "rev-list", "--max-parents=0", "--first-parent", mainline).lines
    return found[-1] if found else None


def _id_of(
    repository: Repository, roots: tuple[str, ...], known: dict[str, str], network: tuple[str, ...], depth: int
) -> str:
    """`git:` and a digest of main root commit and network address; a clone by path takes the id of what it was cloned from."""
    origin = known.get("origin")
    if not network and origin is not None and depth < _REMOTE_DEPTH:
        source = find_repository(origin.removeprefix(addresses.LOCAL))
        if source is not None and source.common_dir != repository.common_dir:
            upstream = repository_identity(source, depth=depth + 1)
            if upstream.root_commits[:1] == roots[:1] or not roots:
                return upstream.id
    address = origin if origin in network else next(iter(network), "")
    if not roots and not address:
        return "git-dir:" + quote(os.fsencode(repository.common_dir), safe=_PLAIN)
    digest = hashlib.sha256("\n".join([*roots[:1], address or ""]).encode("utf-8", "surrogateescape"))
    return "git:" + digest.hexdigest()[:32]


def relate(
    recorded: ProjectIdentity | None,
    found: ProjectIdentity,
    *,
    recorded_place_stands: bool = False,
    has_recorded_head: bool | None = None,
) -> Relation:
    """Whether `found` is the project that was recorded.

    recorded_place_stands: the recorded repository still lies where it was; then one elsewhere with the same root commit is the
    same project only when a remote connects them (a copy, or another project started from the same template, is not).
    has_recorded_head: whether `found` holds the recorded commit; None when there is none.
    """
    if recorded is None:
        return "unknown"
    if not is_git(recorded):
        return "same" if recorded.path is None or _within(recorded.path, found.path) else "different"
    if not is_git(found):
        return "unknown" if recorded.path is None or _within(found.path, recorded.path) else "different"
    ours, theirs = set(recorded.remotes), set(found.remotes)
    connected = bool(ours & theirs) or _cloned_from(recorded, found) or _cloned_from(found, recorded)
    one_place = recorded.git_common_dir is not None and recorded.git_common_dir == found.git_common_dir
    roots = _share_main_root(recorded.root_commits, found.root_commits)
    if one_place:
        overlap = not recorded.root_commits or not found.root_commits
        overlap = overlap or bool(set(recorded.root_commits) & set(found.root_commits))
        return "same" if overlap or connected or has_recorded_head else "different"
    if connected:
        return "same"
    if _network(ours) and _network(theirs):
        return "different"
    if roots is None:
        return "same" if has_recorded_head else "unknown"
    return "same" if roots and not recorded_place_stands else "different"


def is_git(identity: ProjectIdentity) -> bool:
    """Whether an identity was taken inside a repository."""
    return bool(identity.git_common_dir or identity.root_commits or identity.remotes or identity.remote)


def _share_main_root(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool | None:
    """Each side's main root is known to the other; None when one side shows no roots."""
    if not ours or not theirs:
        return None
    return ours[0] in theirs and theirs[0] in ours


def _cloned_from(clone: ProjectIdentity, source: ProjectIdentity) -> bool:
    places = {addresses.LOCAL + place for place in (source.path, source.git_common_dir) if place}
    return bool(places & set(clone.remotes))


def _within(path: str | None, folder: str | None) -> bool:
    return path is not None and folder is not None and (path == folder or path.startswith(folder.rstrip("/") + "/"))


def _network(known: set[str]) -> bool:
    return any(not addresses.is_local(remote) for remote in known)
