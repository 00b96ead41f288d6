"""From patches and their results to FileChanged events, with digests where the record tells the whole content."""

from __future__ import annotations

import hashlib
from posixpath import isabs, join, normpath
from typing import Any
from urllib.parse import unquote, urlparse

from .batch import Batch
from .patches import FilePatch, parse_patch
from .shapes import is_object

KEPT_CHARS = 32_768
KEPT_FILES = 16


def plain_path(value: Any, cwd: str | None) -> str:
    """A path as the record means it: absolute where the working directory is known, `file://` taken off."""
    text = str(value)
    if text.startswith("file://"):
        text = unquote(urlparse(text).path)
    if cwd and not isabs(text) and not (len(text) > 1 and text[1] == ":"):
        return normpath(join(cwd, text))
    return text


def digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


class KnownFiles:
    """Contents of the last few small files written whole, so that an update of one has digests too."""

    def __init__(self, contents: dict[str, str]) -> None:
        self.contents = contents

    def get(self, path: str) -> str | None:
        return self.contents.get(path)

    def put(self, path: str, content: str | None) -> None:
        self.contents.pop(path, None)
        if content is None or len(content) > KEPT_CHARS:
            return
        self.contents[path] = content
        while len(self.contents) > KEPT_FILES:
            del self.contents[next(iter(self.contents))]


def remembered(text: str, workdir: str | None) -> list[dict[str, Any]]:
    """A patch as it waits for its result: small JSON."""
    files: list[dict[str, Any]] = []
    for patch in parse_patch(text):
        added, removed = patch.counts
        entry: dict[str, Any] = {"path": plain_path(patch.path, workdir), "op": patch.operation, "n": [added, removed]}
        if patch.moved_to:
            entry["to"] = plain_path(patch.moved_to, workdir)
        if sum(map(len, patch.lines)) <= KEPT_CHARS:
            entry["lines"] = patch.lines
        elif patch.content is not None:
            entry["digest"], entry["size"] = digest(patch.content), len(patch.content.encode("utf-8", "surrogatepass"))
        files.append(entry)
    return files


def emit_patched(batch: Batch, known: KnownFiles, files: list[dict[str, Any]], call_id: str | None) -> None:
    """FileChanged for every file of a remembered patch that was applied."""
    for entry in files:
        patch = FilePatch(entry["path"], entry["op"], entry.get("to"), entry.get("lines", []))
        after = patch.content if "lines" in entry else None
        _emit(batch, known, patch, after, call_id, entry.get("n"), entry.get("digest"), entry.get("size"))


def emit_changes(
    batch: Batch, known: KnownFiles, changes: Any, path: tuple[str | int, ...], cwd: str | None, call_id: str | None
) -> int:
    """FileChanged for a `changes` map of a patch result (`path` leads to it in the payload); returns how many files."""
    if not is_object(changes):
        return 0
    count = 0
    for name, raw in changes.items():
        change = raw
        at: tuple[str | int, ...] = (*path, name)
        if is_object(change) and "type" not in change and len(change) == 1:
            tag, inner = next(iter(change.items()))
            change, at = ({"type": tag, **inner} if is_object(inner) else {"type": tag}), (*at, tag)
        if not is_object(change):
            continue
        count += 1
        _emit_change(batch, known, plain_path(name, cwd), change, at, cwd, call_id)
    return count


def _emit_change(
    batch: Batch,
    known: KnownFiles,
    name: str,
    change: dict[str, Any],
    at: tuple[str | int, ...],
    cwd: str | None,
    call_id: str | None,
) -> None:
    content = change.get("content") if isinstance(change.get("content"), str) else None
    if change.get("type") == "delete":
        known.put(name, None)
        known_before = {} if content is None else {"content_before": batch.at(*at, "content")}
        batch.add(
            "FileChanged",
            path=name,
            operation="delete",
            digest_before=None if content is None else digest(content),
            call_id=call_id,
            **known_before,
        )
        return
    if change.get("type") == "add":
        patch = FilePatch(name, "create")
        _emit(
            batch,
            known,
            patch,
            content,
            call_id,
            [len((content or "").splitlines()), 0],
            content_after=batch.at(*at, "content"),
        )
        return
    diff = change.get("unified_diff")
    moved = change.get("move_path")
    patch = FilePatch(name, "update", plain_path(moved, cwd) if moved else None)
    patch.lines = [line for line in str(diff or "").split("\n") if not line.startswith(("--- ", "+++ ", "\\"))]
    if patch.lines and patch.lines[-1] == "":
        patch.lines.pop()
    _emit(batch, known, patch, None, call_id, list(patch.counts), patch_text=batch.at(*at, "unified_diff"))


def _emit(
    batch: Batch,
    known: KnownFiles,
    patch: FilePatch,
    after: str | None,
    call_id: str | None,
    counts: list[int] | None,
    known_digest: str | None = None,
    known_size: int | None = None,
    *,
    content_after: Any = None,
    patch_text: Any = None,
) -> None:
    before = known.get(patch.path)
    if patch.operation == "update" and before is not None and patch.lines:
        after = patch.applied_to(before)
    operation = "move" if patch.moved_to and patch.moved_to != patch.path else patch.operation
    known.put(patch.path, None)
    known.put(patch.moved_to or patch.path, after)
    size = len(after.encode("utf-8", "surrogatepass")) if after is not None else known_size
    batch.add(
        "FileChanged",
        path=patch.path,
        operation=operation,
        moved_to=patch.moved_to if operation == "move" else None,
        digest_before=digest(before) if before is not None else None,
        digest_after=digest(after) if after is not None else known_digest,
        size_after=size,
        content_after=content_after,
        patch=patch_text,
        call_id=call_id,
        lines_added=counts[0] if counts else None,
        lines_removed=counts[1] if counts else None,
    )
