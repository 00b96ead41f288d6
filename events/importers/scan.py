"""Which files to import: named ones as they are, folders recursively for what may be a transcript."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .importer import Importer
from .registry import importers

_SUFFIXES = (".jsonl", ".json", ".jsonl.zst", ".json.zst")
_NO_TRANSCRIPTS = (
    "history.jsonl",
    "session_index.jsonl",
    "journal.jsonl",
    "sessions-index.json",
    "settings.json",
    "settings.local.json",
    ".meta.json",
    ".expected.json",
    "request.json",
    "requests.json",
    "scenario.json",
    "package.json",
    "package-lock.json",
)
"""Endings of files that lie beside transcripts; their content is looked at only when they are named themselves."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a transcript. named: it was given itself, so it must be one."""

    path: Path
    named: bool


def candidates(paths: Iterable[Path]) -> Iterator[Candidate]:
    """The files to look at, each once, folders in the order of their names."""
    met: set[str] = set()
    for path in paths:
        found = _in_folder(path) if path.is_dir() else [Candidate(path, True)]
        for one in found:
            real = os.path.realpath(one.path)
            if real not in met:
                met.add(real)
                yield one


def _in_folder(folder: Path) -> Iterator[Candidate]:
    for root, folders, files in os.walk(folder):
        folders.sort()
        if "todos" in folders:
            folders.remove("todos")
        for name in sorted(files):
            path = Path(root) / name
            if (
                name.endswith(_SUFFIXES)
                and not name.endswith(_NO_TRANSCRIPTS)
                and (path.is_file() or not path.exists())
            ):
                yield Candidate(path, False)


def default_places(among: Iterable[Importer] | None = None) -> list[Path]:
    """The existing folders where the tools keep their transcripts, each once."""
    places: dict[str, Path] = {}
    for importer in importers() if among is None else among:
        for place in importer.default_places():
            if place.exists():
                places.setdefault(os.path.realpath(place), place)
    return list(places.values())
