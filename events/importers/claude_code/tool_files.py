"""Edits, writes and reads of files, with the digests that the recorded contents allow."""

from __future__ import annotations

from typing import Any

from .calls import digest_of
from .record import Record, absolute_path
from .shape import Json, obj, rows, text, whole


def file_written(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """Write, Edit, MultiEdit. Without the structured twin only the call's own words are known."""
    path = _path(record, text(twin.get("filePath")) or text(call.get("p")))
    if path is None:
        return
    before_key = "originalFileContents" if "originalFileContents" in twin else "originalFile"
    before = twin.get(before_key)
    after = _after(twin, before if isinstance(before, str) else None)
    added, removed = _lines(twin, after)
    record.add(
        "FileChanged",
        path=path,
        operation=_operation(call, twin),
        digest_before=digest_of(before) if isinstance(before, str) else None,
        digest_after=digest_of(after) if after is not None else text(call.get("d")),
        size_after=len(after.encode("utf-8", "surrogatepass")) if after is not None else call.get("s"),
        content_after=record.at("toolUseResult", "content") if isinstance(twin.get("content"), str) else None,
        content_before=record.at("toolUseResult", before_key) if text(before) else None,
        patch=record.at("toolUseResult", "structuredPatch") if rows(twin.get("structuredPatch")) else None,
        call_id=call_id,
        user_modified=True if twin.get("userModified") is True else None,
        lines_added=added,
        lines_removed=removed,
    )


def _path(record: Record, named: str | None) -> str | None:
    return absolute_path(named, text(record.value.get("cwd"))) if named is not None else None


def _operation(call: Json, twin: Json) -> str:
    if twin.get("type") == "create":
        return "create"
    if call.get("n") == "Write" and not twin:
        return "write"
    original = twin.get("originalFile", "?")
    if call.get("n") == "Edit" and original == "" and twin.get("oldString") == "":
        return "create"
    return "update"


def _after(twin: Json, before: str | None) -> str | None:
    """The whole content after the change, where the record tells enough to be sure."""
    content = twin.get("content")
    if isinstance(content, str):
        return content
    if before is None:
        return None
    patched = patched_text(before, rows(twin.get("structuredPatch")))
    return patched if patched is not None else _replaced(twin, before)


def _replaced(twin: Json, before: str) -> str | None:
    edits = rows(twin.get("edits")) or [twin]
    found = before
    for entry in edits:
        edit = obj(entry)
        old = edit.get("oldString", edit.get("old_string"))
        new = edit.get("newString", edit.get("new_string"))
        if not isinstance(old, str) or not isinstance(new, str) or (old not in found) or (not old and found):
            return None
        every = bool(edit.get("replaceAll", edit.get("replace_all")))
        found = found.replace(old, new) if every else found.replace(old, new, 1)
    return found


def patched_text(before: str, hunks: list[Any]) -> str | None:
    """The text with the hunks applied; None when one does not fit exactly."""
    if not hunks:
        return None
    old = before.split("\n")
    made: list[str] = []
    at = 0
    for entry in hunks:
        hunk = obj(entry)
        start = whole(hunk.get("oldStart"))
        if start is None:
            return None
        start = max(start - 1, 0)
        if start < at or start > len(old):
            return None
        made += old[at:start]
        at = start
        for line in rows(hunk.get("lines")):
            if not isinstance(line, str):
                return None
            sign, body = line[:1], line[1:]
            if sign == "+":
                made.append(body)
            elif sign in (" ", "-"):
                if at >= len(old) or old[at] != body:
                    return None
                if sign == " ":
                    made.append(body)
                at += 1
            elif sign != "\\":
                return None
    return "\n".join([*made, *old[at:]])


def _lines(twin: Json, after: str | None) -> tuple[int | None, int | None]:
    hunks = rows(twin.get("structuredPatch"))
    lines = [line for hunk in hunks for line in rows(obj(hunk).get("lines")) if isinstance(line, str)]
    if lines:
        return sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines)
    if twin.get("type") == "create" and after is not None:
        return after.count("\n") + (1 if after and not after.endswith("\n") else 0), 0
    return None, None


def notebook_edited(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """A cell of a notebook changed; the whole file is told by newer versions only."""
    path = _path(record, text(twin.get("notebook_path")) or text(call.get("p")))
    if path is None or text(twin.get("error")):
        return
    before, after = text(twin.get("original_file")), text(twin.get("updated_file"))
    record.add(
        "FileChanged",
        path=path,
        operation="notebook",
        digest_before=digest_of(before) if before is not None else None,
        digest_after=digest_of(after) if after is not None else None,
        content_before=record.at("toolUseResult", "original_file") if before else None,
        content_after=record.at("toolUseResult", "updated_file") if after else None,
        call_id=call_id,
    )


def file_read(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """A file or a part of it was shown to the model."""
    file = obj(twin.get("file"))
    path = _path(record, text(file.get("filePath")) or text(call.get("p")))
    if path is None:
        return
    partial, digest = part_and_digest(file)
    record.add(
        "FileRead",
        path=path,
        digest=digest,
        partial=True if partial or (not file and call.get("part")) else None,
        call_id=call_id,
        type=text(twin.get("type")),
    )


def part_and_digest(file: Json) -> tuple[bool, str | None]:
    """Whether only a part of the file was given, and the digest of the content when it was all of it."""
    content, total = file.get("content"), whole(file.get("totalLines"))
    if not isinstance(content, str):
        return False, None
    start, count = whole(file.get("startLine")) or 1, whole(file.get("numLines"))
    if start > 1 or (total is not None and count is not None and count < total) or file.get("truncated"):
        return True, None
    return False, digest_of(content)
