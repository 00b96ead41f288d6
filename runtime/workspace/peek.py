"""Branch and commit of a checkout from git's own files, for lists: no process is started, so hundreds of places cost nothing."""

from __future__ import annotations

from pathlib import Path

from .git_reading import ask

_SHA_DIGITS = (40, 64)


def peek_head(directory: str) -> tuple[str, str] | None:
    """`(branch, commit)` of the checkout a directory lies in: branch `HEAD` when detached, commit empty before the first.

    None outside git. A store of references in another form than files is asked of git itself.
    """
    marker = next((one for one in _markers(directory) if one.exists()), None)
    if marker is None:
        return None
    try:
        git_dir = _git_dir(marker)
        head = (git_dir / "HEAD").read_text("utf-8", "surrogateescape").strip()
        if not head.startswith("ref: "):
            return ("HEAD", head) if len(head) in _SHA_DIGITS else None
        name = head.removeprefix("ref: ").strip()
        common = _common_dir(git_dir)
        if (common / "reftable").exists():
            return _asked(directory)
        return name.removeprefix("refs/heads/"), _commit(name, git_dir, common)
    except OSError:
        return None


def _markers(directory: str) -> list[Path]:
    place = Path(directory)
    return [folder / ".git" for folder in (place, *place.parents)]


def _git_dir(marker: Path) -> Path:
    if marker.is_dir():
        return marker
    target = marker.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
    return marker.parent / target


def _common_dir(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    return git_dir / pointer.read_text("utf-8", "surrogateescape").strip() if pointer.is_file() else git_dir


def _commit(name: str, git_dir: Path, common: Path) -> str:
    for folder in (git_dir, common):
        loose = folder / name
        if loose.is_file():
            return loose.read_text("utf-8", "replace").strip()
    packed = common / "packed-refs"
    if packed.is_file():
        for line in packed.read_text("utf-8", "surrogateescape").splitlines():
            commit, _, found = line.partition(" ")
            if found == name:
                return commit
    return ""


def _asked(directory: str) -> tuple[str, str]:
    branch = ask(directory, "symbolic-ref", "--quiet", "--short", "HEAD").word or "HEAD"
    return branch, ask(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word
