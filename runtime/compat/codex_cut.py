"""Cuts of the client: tool outputs to the limit of the model in use, pictures that cannot be sent (I6, I7)."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from ...events.importers.codex.shapes import is_list, is_object
from ...projections.turns import cut_middle, ends

TOKENS = 10_000
BYTES_PER_TOKEN = 4
KNOWN_MODELS = ("gpt-5", "gpt-6", "codex-", "o3", "o4-mini", "gpt-4.1", "gpt-4o", "gpt-oss")
_UNREADABLE = "image content omitted because it could not be processed"
_REMOTE = "image content omitted because remote image URLs are not supported"


def budget(model: str | None) -> tuple[int, bool]:
    """Bytes that an output may have, and whether the marker counts tokens."""
    if model is not None and model.startswith(KNOWN_MODELS):
        return TOKENS * BYTES_PER_TOKEN * 12 // 10, True
    return 12_000, False


def cut_output(item: dict[str, Any], model: str | None) -> dict[str, Any]:
    """The output item as it enters history."""
    limit, by_tokens = budget(model)
    output = item.get("output")
    if isinstance(output, str):
        return {**item, "output": cut_text(output, limit, by_tokens)}
    if not is_list(output):
        return item
    parts: list[Any] = []
    left, omitted = limit, 0
    for part in output:
        if part.get("type") != "input_text":
            parts.append(part)
            continue
        size = len(part["text"].encode("utf-8", "replace"))
        if left <= 0:
            omitted += 1
        else:
            parts.append({**part, "text": cut_text(part["text"], left, by_tokens)})
            left -= size
    if omitted:
        parts.append({"type": "input_text", "text": f"[omitted {omitted} text items ...]"})
    return {**item, "output": parts}


def cut_text(text: str, limit_bytes: int, by_tokens: bool) -> str:
    """Head and tail of a text that is longer than the limit, half each, with the client's marker between."""
    if by_tokens:
        return cut_middle(text, limit_bytes)
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return text
    head, tail = ends(raw, limit_bytes)
    return f"{head}…{len(text) - len(head) - len(tail)} chars truncated…{tail}"


def prepared_images(item: dict[str, Any]) -> dict[str, Any]:
    """The item with pictures replaced by a remark where the client cannot send them."""
    for field in ("content", "output"):
        parts = item.get(field)
        if is_list(parts) and any(is_object(part) and part.get("type") == "input_image" for part in parts):
            return {**item, field: [_prepared(part) for part in parts]}
    return item


def _prepared(part: dict[str, Any]) -> dict[str, Any]:
    url = part.get("image_url")
    if part.get("type") != "input_image" or not isinstance(url, str):
        return part
    if url.startswith(("http:", "https:")):
        return {"type": "input_text", "text": _REMOTE}
    if url.startswith("data:") and not _decodes(url):
        return {"type": "input_text", "text": _UNREADABLE}
    return part


def _decodes(url: str) -> bool:
    """Whether a data URL holds something that begins and ends like a picture."""
    _, _, body = url.partition(",")
    try:
        raw = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return False
    if raw.startswith(b"\x89PNG\r\n\x1a\n"):
        return _png_is_whole(raw)
    if raw.startswith(b"\xff\xd8\xff"):
        return b"\xff\xda" in raw and b"\xff\xd9" in raw[-64:]
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return int.from_bytes(raw[4:8], "little") + 8 <= len(raw)
    return raw.startswith((b"GIF87a", b"GIF89a")) and b";" in raw[-64:]


def _png_is_whole(raw: bytes) -> bool:
    at = 8
    while at + 12 <= len(raw):
        size, kind = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        end = at + 12 + size
        if end > len(raw) or binascii.crc32(raw[at + 4 : end - 4]) != int.from_bytes(raw[end - 4 : end], "big"):
            return False
        if kind == b"IEND":
            return True
        at = end
    return False
