"""What no provider takes: the client's error entries, empty texts, unsigned or emptied thinking, broken characters."""

from __future__ import annotations

import math
import re
from typing import Any

from ..events.findings import Finding
from ..events.references import clean, has_surrogate
from .family import family_of
from .live.json_shapes import is_list, is_object
from .spoken import Block, Spoken

MIN_SIGNATURE_CHARS = 50
"""Real signatures have hundreds of characters; what is shorter was cut."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_FILLER = frozenset({"No response requested.", "(no content)"})


class Tally:
    """Counts repairs of one kind and where they were made; one finding tells of all."""

    def __init__(self, code: str, text: str) -> None:
        self._code = code
        self._text = text
        self._pointers: list[str] = []

    def add(self, session_id: str, position: int) -> None:
        self._pointers.append(f"{session_id}@{position}")

    def report(self, findings: list[Finding]) -> None:
        if not self._pointers:
            return
        count = len(self._pointers)
        facts = {"count": count, "pointers": list(dict.fromkeys(self._pointers))[:20]}
        text = self._text.format(count=count)
        findings.append(Finding(code=self._code, severity="repaired", message=text, facts=facts))


def drop_client_entries(messages: list[Spoken], session_id: str, findings: list[Finding]) -> list[Spoken]:
    """Leave out what the client wrote in the model's place: stored API errors, filler replies."""
    errors = Tally("api-error", "{count} stored API error(s) were not said by a model and are left out.")
    filler = Tally("synthetic-message", "{count} filler reply/replies of the client are left out.")
    kept: list[Spoken] = []
    for message in messages:
        if message.role == "assistant" and message.error:
            errors.add(session_id, message.position)
        elif message.role == "assistant" and message.synthetic and message.text.strip() in _FILLER:
            filler.add(session_id, message.position)
        else:
            kept.append(message)
    errors.report(findings)
    filler.report(findings)
    return kept


def clean_texts(messages: list[Spoken], session_id: str, findings: list[Finding]) -> None:
    """Replace lone surrogates and NULs by U+FFFD and numbers that are none by null, in names and arguments as well."""
    surrogates = Tally("lone-surrogate", "{count} text(s) held half of a character; it became U+FFFD.")
    nuls = Tally("nul-character", "{count} text(s) held NUL characters; they became U+FFFD.")
    numbers = Tally("number-not-finite", "{count} message(s) held NaN or Infinity, which no JSON has; it became null.")
    for message in messages:
        seen: set[str] = set()
        message.blocks = [_cleaned(block, seen) for block in message.blocks]
        if "surrogate" in seen:
            surrogates.add(session_id, message.position)
        if "nul" in seen:
            nuls.add(session_id, message.position)
        if "number" in seen:
            numbers.add(session_id, message.position)
    surrogates.report(findings)
    nuls.report(findings)
    numbers.report(findings)


def _cleaned(value: Any, seen: set[str]) -> Any:
    if isinstance(value, str):
        if has_surrogate(value):
            fixed = clean(value)
            if "\ufffd" in fixed:
                seen.add("surrogate")
            value = fixed
        if "\x00" in value:
            seen.add("nul")
            value = value.replace("\x00", "\ufffd")
        return value
    if is_list(value):
        return [_cleaned(item, seen) for item in value]
    if is_object(value):
        return {_cleaned(name, seen): _cleaned(item, seen) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        seen.add("number")
        return None
    return value


def drop_reasoning(messages: list[Spoken], session_id: str, source: str, findings: list[Finding]) -> None:
    """Leave out thinking that its issuer would refuse, and reasoning that nothing follows."""
    emptied = Tally("emptied-thinking", "{count} thinking block(s) lost their text and are left out.")
    unsigned = Tally("unsigned-thinking", "{count} thinking block(s) have no plausible signature and are left out.")
    alone = Tally("reasoning-without-follower", "{count} reasoning item(s) have nothing that follows and are left out.")
    for message in messages:
        if message.role != "assistant":
            continue
        issuer = family_of(message.provider, message.model, source)
        kept: list[Block] = []
        for block in message.blocks:
            fault = _fault(block, issuer) if block.get("type") == "thinking" else None
            if fault is None:
                kept.append(block)
            else:
                (emptied if fault == "emptied" else unsigned).add(session_id, message.position)
        while kept and kept[-1].get("type") == "thinking":
            kept.pop()
            alone.add(session_id, message.position)
        message.blocks = kept
    for tally in (emptied, unsigned, alone):
        tally.report(findings)


def _fault(block: Block, issuer: str) -> str | None:
    signature = block.get("signature")
    text = block.get("thinking")
    if issuer != "anthropic":
        return None if signature or (isinstance(text, str) and text.strip()) else "emptied"
    if not _plausible(signature):
        return "unsigned"
    if not block.get("redacted") and not (isinstance(text, str) and text.strip()):
        return "emptied"
    return None


def _plausible(signature: Any) -> bool:
    return isinstance(signature, str) and len(signature) >= MIN_SIGNATURE_CHARS and bool(_BASE64.fullmatch(signature))


def drop_empty(messages: list[Spoken], session_id: str, findings: list[Finding]) -> None:
    """Leave out texts of white space only; a message of nothing else disappears."""
    empty = Tally("empty-text", "{count} empty text(s) are left out.")
    for message in messages:
        kept = [block for block in message.blocks if not _is_empty(block)]
        for _ in range(len(message.blocks) - len(kept)):
            empty.add(session_id, message.position)
        if all(block.get("type") == "thinking" for block in kept) and message.role == "assistant":
            kept = []
        message.blocks = kept
        for block in message.of_type("tool_result"):
            if isinstance(block.get("content"), list):
                block["content"] = [part for part in block["content"] if not _is_empty(part)]
    empty.report(findings)
    messages[:] = [message for message in messages if message.blocks]


def _is_empty(block: Block) -> bool:
    return block.get("type") == "text" and not str(block.get("text") or "").strip()
