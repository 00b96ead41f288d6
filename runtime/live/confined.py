"""Files below one directory: a path that leads out of it, by dots or by a link, is refused, also when a link is put in late."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_BYTES = 10_000_000
"""A larger file is not read or kept whole."""


class Outside(ValueError):
    """The path leads out of the workspace."""


class Confined:
    """File access below `root`. Paths may be relative to it or absolute within it; links inside it are followed inside it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def relative(self, path: str) -> Path:
        """Where the path really leads, relative to the real root.

        Raises:
            Outside: out of the root.
            FileNotFoundError: the root itself is gone (it is never made).
        """
        real_root = self._real_root()
        wanted = Path(path)
        target = wanted if wanted.is_absolute() else real_root / wanted
        real = Path(os.path.realpath(target))
        if real != real_root and real_root not in real.parents:
            raise Outside(f"{path} is outside the workspace {self.root}")
        return real.relative_to(real_root)

    def shown(self, path: str) -> str:
        """The absolute path under which the file is recorded."""
        return str(self._real_root() / self.relative(path))

    def _real_root(self) -> Path:
        if not self.root.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the working directory is gone", str(self.root))
        return Path(os.path.realpath(self.root))

    @contextmanager
    def _folder(self, relative: Path, *, make: bool = False) -> Generator[int]:
        """A descriptor of the folder, reached step by step without following links."""
        descriptor = os.open(self._real_root(), os.O_RDONLY | os.O_DIRECTORY)
        try:
            for step in relative.parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(step, dir_fd=descriptor)
                following = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = following
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, path: str) -> bytes:
        """The content of a regular file.

        Raises:
            Outside, OSError: it cannot be had. ValueError: it is no regular file or too large.
        """
        relative = self.relative(path)
        with self._folder(relative.parent) as folder:
            descriptor = os.open(relative.name or ".", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{path} is not a regular file")
            if status.st_size > MAX_BYTES:
                raise ValueError(f"{path} has {status.st_size} bytes; at most {MAX_BYTES} are read")
            return file.read()

    def read_if_there(self, path: str) -> bytes | None:
        try:
            return self.read(path)
        except FileNotFoundError:
            self._real_root()
            return None

    def write(self, path: str, content: bytes) -> None:
        """Replace or create a file, whole or not at all; missing folders below the root are made."""
        relative = self.relative(path)
        if not relative.name:
            raise ValueError(f"{path} is a directory")
        with self._folder(relative.parent, make=True) as folder:
            mode = self._mode(relative.name, folder)
            draft = f".{relative.name[:100]}.{os.urandom(6).hex()}.part"
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fchmod(file.fileno(), mode)
                os.rename(draft, relative.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(draft, dir_fd=folder)
                raise

    @staticmethod
    def _mode(name: str, folder: int) -> int:
        """The file's own mode, or what a new file gets."""
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            mask = os.umask(0o022)
            os.umask(mask)
            return 0o666 & ~mask
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a directory", name)
        return stat.S_IMODE(status.st_mode)

    def walk(self, path: str = ".") -> Iterator[Path]:
        """Regular files below a folder, relative to the root, in order; links and `.git` are not entered."""
        start = self._real_root() / self.relative(path)
        if start.is_file():
            yield start.relative_to(self._real_root())
            return
        for folder, folders, files in os.walk(start, followlinks=False):
            folders[:] = sorted(name for name in folders if name != ".git")
            for name in sorted(files):
                file = Path(folder, name)
                if not file.is_symlink():
                    yield file.relative_to(self._real_root())
