"""A fair queue of writers: a blocking file lock beside the database, because a busy time-out alone starves some of them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .errors import DatabaseBusy

try:
    import fcntl
except ImportError:  # pragma: no cover - a platform without flock falls back to the database's own time-out
    fcntl = None  # type: ignore[assignment]


class WriterLock:
    """One lock file per database; re-entrant within a thread is not needed, one writer thread at a time is."""

    def __init__(self, path: Path | None, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._threads = threading.Lock()
        self._fd: int | None = None

    @contextmanager
    def held(self, wait_s: float | None = None) -> Generator[None]:
        """Hold the lock. wait_s: how long to wait for it (None: the general limit; 0: not at all).

        Raises:
            DatabaseBusy: it could not be had within the time limit.
        """
        limit_s = self._timeout_s if wait_s is None else wait_s
        deadline = time.monotonic() + limit_s
        if not self._threads.acquire(timeout=limit_s):
            raise self._busy()
        try:
            fd = self._open()
            if fd is not None:
                self._flock(fd, deadline)
            try:
                yield
            finally:
                if fd is not None and fcntl is not None:
                    fcntl.flock(fd, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def _open(self) -> int | None:
        if self._path is None or fcntl is None:
            return None
        if self._fd is None:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._fd

    def _flock(self, fd: int, deadline: float) -> None:
        assert fcntl is not None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if deadline <= time.monotonic():
                raise self._busy() from None
        done = threading.Event()
        waiter = threading.Thread(target=self._wait, args=(fd, done), daemon=True)
        waiter.start()
        if not done.wait(max(0.0, deadline - time.monotonic())):
            # The abandoned wait may still succeed later: closing our descriptor frees it then.
            self._fd = None
            threading.Thread(target=_close_after, args=(waiter, fd), daemon=True).start()
            raise self._busy()

    @staticmethod
    def _wait(fd: int, done: threading.Event) -> None:
        assert fcntl is not None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        except OSError:
            return
        done.set()

    def _busy(self) -> DatabaseBusy:
        return DatabaseBusy(
            f"The database is in use by another writer; it was waited for {self._timeout_s:g} s.",
            remedy="Try again, or raise REHYDRATE_LOCK_TIMEOUT.",
            timeout_s=self._timeout_s,
        )

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _close_after(waiter: threading.Thread, fd: int) -> None:
    waiter.join()
    os.close(fd)
