"""The unused bytes of a database file's pages: empty in tables that only grow, so that a change there is found as well.

SQLite fills new pages with zeros and, told so by `secure_delete`, overwrites what it frees. Pages of tables that are only added
to, and indexes of a single page, therefore have nothing but zeros between their cell pointers and their cells, and behind the end
of an overflow chain. Layout: https://www.sqlite.org/fileformat2.html (b-tree pages, cell payload overflow).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from ..events.store import EventStore
from .verify_result import Mismatch

_GROWING = {"event", "record", "blob"}
_CHANGING = {"session", "stream", "source", "store_info"}
"""Rows of these change, so old bytes may be left behind in the table itself, not in its indexes."""
_SHRINKING = {"session_index", "snapshot", "lease", "purge_permit"}
_INTERIOR = (2, 5)
_LEAVES = (10, 13)
_TABLE_LEAF = 13
_FIRST_HEADER = 100
_LIST = 2048
"""A page that once listed free pages may still hold that list in its first bytes."""


def check_pages(store: EventStore) -> Iterator[Mismatch]:
    """One mismatch for each page with something in its unused part.

    Not looked at while changes wait in the write-ahead log, nor in a file that events were purged from and that was not
    packed since.
    """
    path = store.path
    if path is None or _waits(path):
        return
    with store.reading() as connection:
        size = int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
        rows = connection.exec_driver_sql("SELECT tbl_name, rootpage, type FROM sqlite_master WHERE rootpage > 0").all()
        free = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
        purged = connection.exec_driver_sql("SELECT coalesce(max(pos), 0) - count(*) FROM event").scalar_one()
    if free and purged:
        return
    roots = [("sqlite_master", 1, "table"), *((str(row[0]), int(row[1]), str(row[2])) for row in rows)]
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        pages = _Pages(raw, size)
        for table, root, kind in roots:
            grows = table not in _SHRINKING and not (table in _CHANGING and kind == "table")
            for page in pages.with_something_unused(root, growing=table in _GROWING, grows=grows):
                yield Mismatch(
                    what="file",
                    message=f"The database {path}: page {page} ({table}) holds something in its unused part.",
                    facts={"path": str(path), "page": page, "table": table},
                )


def _waits(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


class _Pages:
    """The pages of a file, numbered from 1."""

    def __init__(self, raw: mmap.mmap, size: int) -> None:
        self._raw = raw
        self._size = size

    def with_something_unused(self, root: int, *, growing: bool, grows: bool) -> Iterator[int]:
        """grows: rows of this tree were only ever added. growing: it is one of the tables of which all pages are looked at."""
        single = self._kind(root) in _LEAVES
        if single and grows and self._gap(root).strip(b"\x00"):
            yield root
        if growing:
            for page in self._leaves(root):
                if page != root and self._gap(page).strip(b"\x00"):
                    yield page
                yield from self._loose_ends(page)

    def _start(self, page: int) -> int:
        return (page - 1) * self._size

    def _header(self, page: int) -> int:
        return self._start(page) + (_FIRST_HEADER if page == 1 else 0)

    def _number(self, at: int, length: int) -> int:
        return int.from_bytes(self._raw[at : at + length], "big")

    def _kind(self, page: int) -> int:
        return self._raw[self._header(page)] if 0 < page <= len(self._raw) // self._size else 0

    def _cells(self, page: int) -> list[int]:
        """Where the cells of a page begin in the file."""
        header = self._header(page)
        first = header + (12 if self._kind(page) in _INTERIOR else 8)
        return [self._start(page) + self._number(first + 2 * n, 2) for n in range(self._number(header + 3, 2))]

    def _gap(self, page: int) -> bytes:
        header = self._header(page)
        end = self._start(page) + (self._number(header + 5, 2) or 65_536)
        return self._raw[header + 8 + 2 * self._number(header + 3, 2) : end]

    def _leaves(self, page: int, depth: int = 0) -> Iterator[int]:
        if self._kind(page) not in _INTERIOR:
            if self._kind(page) == _TABLE_LEAF:
                yield page
            return
        if depth > 20:
            return
        for cell in self._cells(page):
            yield from self._leaves(self._number(cell, 4), depth + 1)
        yield from self._leaves(self._number(self._header(page) + 8, 4), depth + 1)

    def _loose_ends(self, page: int) -> Iterator[int]:
        """Last pages of overflow chains that go on behind the end of their row."""
        usable = self._size
        most, least = usable - 35, (usable - 12) * 32 // 255 - 23
        for cell in self._cells(page):
            length, at = self._varint(cell)
            _, at = self._varint(at)
            if length <= most:
                continue
            local = least + (length - least) % (usable - 4)
            local = local if local <= most else least
            left, following = length - local, self._number(at + local, 4)
            while left > usable - 4 and 0 < following <= len(self._raw) // usable:
                left, following = left - (usable - 4), self._number(self._start(following), 4)
            start = self._start(following)
            if following > 0 and self._raw[start + max(4 + left, _LIST) : start + usable].strip(b"\x00"):
                yield following

    def _varint(self, at: int) -> tuple[int, int]:
        value = 0
        for number in range(9):
            byte = self._raw[at + number]
            if number == 8:
                return value << 8 | byte, at + 9
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + number + 1
        return value, at + 9
