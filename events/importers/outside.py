"""Files outside a transcript that its records refer to: spilled tool output, images on disk. Found without parsing the record."""

from __future__ import annotations

import json
import re

_TEXT = rb'"((?:[^"\\]|\\.){1,4096})"'
_SPILLED = re.compile(rb'"persistedOutputPath"\s*:\s*' + _TEXT)
_LOCAL_IMAGES = re.compile(rb'"local_images"\s*:\s*\[([^\]]{1,16384})\]')
_ITEM = re.compile(_TEXT)


def outside_files(record: bytes) -> list[tuple[str, str]]:
    """`(kind, path)` of each file that a record names: `tool-output` (Claude Code 2.1) or `image` (Codex `local_images`)."""
    found: list[tuple[str, str]] = []
    if b"persistedOutputPath" in record:
        found += [("tool-output", _string(match[1])) for match in _SPILLED.finditer(record)]
    if b"local_images" in record:
        for images in _LOCAL_IMAGES.finditer(record):
            found += [("image", _string(match[1])) for match in _ITEM.finditer(images[1])]
    return [(kind, path) for kind, path in found if path]


def _string(raw: bytes) -> str:
    try:
        return str(json.loads(b'"' + raw + b'"'))
    except ValueError:
        return ""
