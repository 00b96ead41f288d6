"""How git is asked: by GitPython, read-only, without its optional locks, without the network, with a time limit.

An answer is never an exception: no git program, a refused owner and a broken repository are things to report.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

TIMEOUT_S = 20.0
"""Longer than any healthy repository needs for one question; a hanging network disk must not hang a check."""

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # `git status` would else refresh the index file
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would else fetch what it lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
}
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false")
_MISLEADING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE_SETUP",
)
"""Set inside a git hook, they would turn every question to another repository (or write a trace file)."""

_environment_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """status: git's exit code; None when git could not be run at all. Output is text with undecodable bytes escaped."""

    status: int | None
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def word(self) -> str:
        """The only line, without its end; empty when git said no."""
        return self.out.strip("\n") if self.ok else ""


def ask(directory: str | os.PathLike[str], *arguments: str) -> GitAnswer:
    """Ask git one read-only question about `directory`.

    The directory goes in as `-C`, never as the process's own: GitPython would fall back to the caller's directory when it
    cannot enter the other one, and answer for the wrong project.
    """
    command = ["git", "-C", os.fspath(directory), "--no-optional-locks", *_SETTINGS, *arguments]
    return run(command)


def run(command: list[str], *, timeout_s: float = TIMEOUT_S, reader: bool = True) -> GitAnswer:
    """Run a git command. reader: with the environment that keeps git from writing and fetching by the way."""
    git = _gitpython()
    with _plain_environment():
        try:
            status, out, err = git.cmd.Git().execute(
                command,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                env=_ENVIRONMENT if reader else {"GIT_TERMINAL_PROMPT": "0"},
                kill_after_timeout=timeout_s,
            )
        except git.exc.GitCommandNotFound as error:
            return GitAnswer(None, err=str(error))
        except git.exc.GitCommandError as error:
            return GitAnswer(128, err=str(error))
    return GitAnswer(int(status), _text(out), _text(err))


def has_git() -> bool:
    """Whether there is a git program that runs."""
    return run(["git", "version"]).status is not None


def _text(output: Any) -> str:
    return output.decode("utf-8", "surrogateescape") if isinstance(output, bytes) else str(output or "")


def _gitpython() -> Any:
    """GitPython, imported quietly: without a git program its import would fail, and that is a finding here."""
    key = "GIT_PYTHON_REFRESH"
    with _environment_guard:
        before = os.environ.get(key)
        os.environ[key] = "quiet"
        try:
            git: Any = importlib.import_module("git")
        finally:
            if before is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = before
    return git


@contextmanager
def _plain_environment() -> Generator[None]:
    """GitPython hands the process environment on; the variables that point git elsewhere are left out meanwhile."""
    if not any(name in os.environ for name in _MISLEADING):
        yield
        return
    with _environment_guard:
        kept = {name: os.environ.pop(name) for name in _MISLEADING if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(kept)
