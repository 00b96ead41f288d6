"""A shell command with a time limit and an output limit; its whole process group ends with it."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

OUTPUT_BYTES = 30_000
POLL_S = 0.05
GRACE_S = 1.0
SECRETS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended: `exit_code` is None when it was stopped (`stopped` says why)."""

    output: str
    exit_code: int | None
    stopped: str | None = None
    dropped_bytes: int = 0


class _Kept:
    """The first and the last part of an output; the middle is counted and dropped."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self.dropped += excess

    def text(self) -> str:
        gap = f"\n[… {self.dropped} bytes left out …]\n".encode() if self.dropped else b""
        return (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace").replace("\x00", "\ufffd")


def run_shell(command: str, cwd: Path, *, timeout_s: float, interrupted: threading.Event) -> CommandResult:
    """Run `command` in `cwd` with no input; standard error is part of the output.

    Raises:
        OSError: it cannot be started (the directory is gone).
    """
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    process = subprocess.Popen(  # noqa: S603 - running the command is what the tool is for
        ["/bin/sh", "-c", command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    kept = _Kept(OUTPUT_BYTES)
    try:
        stopped = _follow(process, kept, time.monotonic() + timeout_s, timeout_s, interrupted)
    finally:
        _end_group(process)
        assert process.stdout is not None
        process.stdout.close()
    code = None if stopped else process.returncode
    return CommandResult(kept.text(), code, stopped, kept.dropped)


def _follow(
    process: subprocess.Popen[bytes], kept: _Kept, deadline: float, timeout_s: float, interrupted: threading.Event
) -> str | None:
    """Read until the shell ends; the reason when it has to be stopped."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        open_pipe = True
        while True:
            ended = process.poll() is not None
            if open_pipe and ready.select(0 if ended else POLL_S):
                data = os.read(process.stdout.fileno(), 65_536)
                open_pipe = bool(data)
                kept.add(data)
                if data and not (interrupted.is_set() or time.monotonic() > deadline):
                    continue
            elif ended:
                return None
            elif not open_pipe:
                time.sleep(POLL_S)
            if interrupted.is_set():
                return "interrupted"
            if time.monotonic() > deadline:
                return f"time limit of {timeout_s:g} s"
            if ended and not open_pipe:
                return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of the group: politely, then not."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
