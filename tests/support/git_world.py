"""Real git repositories in a temporary folder: a small template, copied for each test, and what is true of it before and after."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.com",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.com",
    "GIT_EDITOR": "true",
    "GIT_ALLOW_PROTOCOL": "file",
}


def git(place: Path, *arguments: str, check: bool = True) -> str:
    """Run git in `place` as the tests' person; returns what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=place, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(arguments)} in {place}: {done.stderr}")
    return done.stdout.strip()


def new_repository(place: Path, text: str = "one\n") -> Path:
    """A repository with one commit on `main`; the text makes its first commit its own."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    (place / "README.md").write_text(f"{place.name}: {text}", "utf-8", errors="replace")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", f"begin {place.name}")
    return place


def template(folder: Path) -> Path:
    """`demo`: three commits on `main`, a branch `feat` with one more, a sub-directory with a file."""
    demo = new_repository(folder / "demo")
    (demo / "src").mkdir()
    (demo / "src" / "app.py").write_text("print('hello')\n", "utf-8")
    commit(demo, "add the app")
    (demo / "notes.txt").write_text("first\n", "utf-8")
    commit(demo, "add notes")
    git(demo, "switch", "-q", "-c", "feat")
    (demo / "src" / "feat.py").write_text("feat = True\n", "utf-8")
    commit(demo, "add the feature")
    git(demo, "switch", "-q", "main")
    return demo


def commit(place: Path, message: str) -> str:
    """Commit all that is there; returns the commit."""
    git(place, "add", "-A")
    git(place, "commit", "-q", "--allow-empty", "-m", message)
    return git(place, "rev-parse", "HEAD")


def head(place: Path) -> str:
    return git(place, "rev-parse", "HEAD")


@dataclass
class World:
    """A folder with a fresh copy of the template at `repo`."""

    folder: Path
    repo: Path = field(init=False)

    def __post_init__(self) -> None:
        self.repo = self.folder / "demo"

    @classmethod
    def copied(cls, source: Path, folder: Path) -> World:
        shutil.copytree(source, folder / "demo", symlinks=True)
        return cls(folder.resolve())

    def worktree(self, branch: str = "feat", path: str = ".wt/feat") -> Path:
        """A linked worktree of `repo` on an existing branch."""
        place = self.repo / path
        git(self.repo, "worktree", "add", "-q", str(place), branch)
        return place


def traces(folder: Path) -> dict[str, str]:
    """Everything that a look must leave alone: of each file and folder its kind, content and time of change."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = ""
        if path.is_symlink():
            content = str(path.readlink())
        elif path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(path.relative_to(folder))] = f"{status.st_mode:o} {status.st_mtime_ns} {status.st_size} {content}"
    return found
