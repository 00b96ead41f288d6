"""Pictures that a provider refuses: unreadable, too heavy, or too large where there are many; a text stands in for each."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ..events.findings import Finding
from .spoken import Block, Spoken

MAX_BASE64_BYTES = 5 * 1024 * 1024
MANY_IMAGES = 20
MAX_SIDE_PX_OF_MANY = 2000
MAX_SIDE_PX = 8000


@dataclass(slots=True)
class _Picture:
    holder: list[Block]
    index: int
    message: Spoken

    @property
    def block(self) -> Block:
        return self.holder[self.index]


def _pictures(messages: list[Spoken]) -> Iterator[_Picture]:
    for message in messages:
        holders = [message.blocks]
        holders += [
            block["content"] for block in message.of_type("tool_result") if isinstance(block.get("content"), list)
        ]
        for holder in holders:
            for index, block in enumerate(holder):
                if block.get("type") == "image":
                    yield _Picture(holder, index, message)


def replace_images(messages: list[Spoken], session_id: str, findings: list[Finding]) -> None:
    """Put placeholders where pictures cannot be sent; the originals stay in the store."""
    pictures = list(_pictures(messages))
    for picture in pictures:
        picture.holder[picture.index] = _with_data(picture.block)
    for picture in pictures:
        data = picture.block.get("data")
        if picture.block.get("url") and data is None:
            continue
        fault = _fault(data, many=len(pictures) > MANY_IMAGES)
        if fault is None:
            continue
        code, why, width, height = fault
        size = len(data) if isinstance(data, str) else 0
        name = picture.message.native_id or f"@{picture.message.position}"
        measure = f"{width}x{height} px, " if width else ""
        text = f"[image left out: {why}; {measure}{size} bytes of base64, message {name}]"
        picture.holder[picture.index] = {"type": "text", "text": text}
        findings.append(
            Finding(
                code=code,
                severity="repaired",
                message=f"A picture in message {name} is left out: {why}.",
                remedy="The original stays in the store.",
                facts={
                    "pointer": f"{session_id}@{picture.message.position}",
                    "native_id": picture.message.native_id,
                    "bytes": size,
                    "width_px": width,
                    "height_px": height,
                    "images": len(pictures),
                },
            )
        )


def _with_data(block: Block) -> Block:
    """A picture given as a `data:` URL has its bytes in the block like any other."""
    url = block.get("url")
    if not isinstance(url, str) or not url.startswith("data:"):
        return block
    kind, _, data = url.removeprefix("data:").partition(",")
    rest = {name: value for name, value in block.items() if name != "url"}
    return {**rest, "media_type": kind.split(";")[0] or None, "data": data}


def _fault(data: object, *, many: bool) -> tuple[str, str, int | None, int | None] | None:
    if not isinstance(data, str) or not data.strip():
        return "bad-image", "it is empty", None, None
    try:
        head = base64.b64decode(_head(data), validate=True)
        if len(data) <= MAX_BASE64_BYTES:
            base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "bad-image", "it is no base64", None, None
    width, height = dimensions(head) or (None, None)
    if len(data) > MAX_BASE64_BYTES:
        return "large-image", "it is over 5 MB", width, height
    side = max(width or 0, height or 0)
    if many and side > MAX_SIDE_PX_OF_MANY:
        return (
            "large-image",
            f"over {MAX_SIDE_PX_OF_MANY} px where there are more than {MANY_IMAGES} pictures",
            width,
            height,
        )
    if side > MAX_SIDE_PX:
        return "large-image", f"it is over {MAX_SIDE_PX} px", width, height
    return None


def _head(data: str) -> str:
    """Enough of the base64 text to find the picture's size: whole groups of four characters."""
    return data if len(data) <= 262_144 else data[:262_144]


def dimensions(raw: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG or WebP from its first bytes; None when they do not tell."""
    if raw[:8] == b"\x89PNG\r\n\x1a\n" and len(raw) >= 24:
        return struct.unpack(">II", raw[16:24])
    if raw[:6] in (b"GIF87a", b"GIF89a") and len(raw) >= 10:
        return struct.unpack("<HH", raw[6:10])
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return _webp(raw)
    if raw[:2] == b"\xff\xd8":
        return _jpeg(raw)
    return None


def _webp(raw: bytes) -> tuple[int, int] | None:
    if raw[12:16] == b"VP8X" and len(raw) >= 30:
        return int.from_bytes(raw[24:27], "little") + 1, int.from_bytes(raw[27:30], "little") + 1
    if raw[12:16] == b"VP8L" and len(raw) >= 25:
        bits = int.from_bytes(raw[21:25], "little")
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if raw[12:16] == b"VP8 " and len(raw) >= 30:
        width, height = struct.unpack("<HH", raw[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(raw: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(raw):
        if raw[at] != 0xFF:
            return None
        marker = raw[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(raw[at + 2 : at + 4], "big")
    return None
