"""Attachments that become text for the model, in the client's wording where it is known."""

from __future__ import annotations

from typing import Any

from ...events.importers.claude_code.shape import is_obj, is_rows, obj

_QUEUED = (
    "The user sent a new message while you were working:\n{}\n\nIMPORTANT: After completing your current task, you MUST"
    " address the user's message above. Do not ignore it."
)
_NOTIFIED = "[SYSTEM NOTIFICATION - NOT USER INPUT]\nA background task reported.\n{}"


def attachment_text(attachment: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks an attachment gives; none for the silent ones and for those whose wording is only the client's own."""
    kind = attachment.get("type")
    if kind == "queued_command":
        return _queued(attachment)
    text = _reminder(str(kind), attachment)
    return [] if text is None else [_wrapped(text)]


def _wrapped(text: str) -> dict[str, Any]:
    return {"type": "text", "text": f"<system-reminder>\n{text}\n</system-reminder>"}


def _queued(attachment: dict[str, Any]) -> list[dict[str, Any]]:
    prompt = attachment.get("prompt")
    texts: list[str] = []
    others: list[dict[str, Any]] = []
    for block in map(obj, prompt if is_rows(prompt) else [{"type": "text", "text": prompt or ""}]):
        if block.get("type") == "text":
            texts.append(str(block.get("text") or ""))
        elif block:
            others.append(block)
    text = "\n".join(texts)
    origin = obj(attachment.get("origin"))
    notified = "task-notification" in (attachment.get("commandMode"), origin.get("kind"))
    return [_wrapped((_NOTIFIED if notified else _QUEUED).format(text)), *others]


def _reminder(kind: str, attachment: dict[str, Any]) -> str | None:
    if kind == "hook_additional_context":
        content = attachment.get("content")
        lines: list[Any] = content if is_rows(content) else [content]
        return f"{attachment.get('hookEvent')} hook additional context: " + "\n".join(map(str, lines))
    if kind == "hook_success":
        if attachment.get("hookEvent") in ("SessionStart", "UserPromptSubmit") and attachment.get("content"):
            return f"{attachment.get('hookEvent')} hook success: {attachment['content']}"
        return None
    if kind == "nested_memory":
        content = attachment.get("content")
        text = obj(content).get("content") if is_obj(content) else content
        return f"Contents of {attachment.get('path')}:\n\n{text}"
    if kind == "edited_text_file":
        return f"Note: {attachment.get('filename')} was modified.\n{attachment.get('snippet') or ''}"
    return None
