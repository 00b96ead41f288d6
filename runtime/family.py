"""Which provider's rules a message or model lives by; reasoning is accepted only by the family that issued it."""

from __future__ import annotations

import re
from typing import Literal

Family = Literal["anthropic", "openai", "other"]

_ANTHROPIC = re.compile(r"claude|anthropic|opus|sonnet|haiku|fable", re.IGNORECASE)
_OPENAI = re.compile(r"gpt|codex|openai|azure|(^|[/.])o\d", re.IGNORECASE)
_SOURCES: dict[str, Family] = {"claude-code": "anthropic", "codex": "openai", "live": "openai"}


def family_of(provider: str | None, model: str | None, source: str) -> Family:
    """By model name, else by provider, else by what the source's client talks to."""
    for name in (model, provider):
        if name and _ANTHROPIC.search(name):
            return "anthropic"
        if name and _OPENAI.search(name):
            return "openai"
    return _SOURCES.get(source, "other")
