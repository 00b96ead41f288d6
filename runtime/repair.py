"""Between fold and provider: what has to be added or left out so that a model accepts the history, each repair a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..events.findings import Finding
from .repair_blocks import clean_texts, drop_client_entries, drop_empty, drop_reasoning
from .repair_calls import pair_calls, rename_repeated
from .repair_images import replace_images
from .spoken import Spoken


def repaired_messages(
    messages: Iterable[Spoken], session_id: str, *, source: str, recorded: Iterable[Mapping[str, Any]] = ()
) -> tuple[list[Spoken], list[Finding]]:
    """The messages with every repair made, and the findings that tell of them.

    source: the session's kind, for reasoning whose issuer is not told. recorded: repairs that events already hold; they are made
    again the same way, without a finding.
    """
    findings: list[Finding] = []
    kept = drop_client_entries(list(messages), session_id, findings)
    clean_texts(kept, session_id, findings)
    drop_reasoning(kept, session_id, source, findings)
    drop_empty(kept, session_id, findings)
    rename_repeated(kept, session_id, findings)
    kept = pair_calls(
        kept, session_id, findings, {str(one.get("call_id")): one for one in recorded if one.get("call_id")}
    )
    replace_images(kept, session_id, findings)
    findings += [_aborted(message, session_id) for message in kept if _is_marker(message)]
    screen_only = [message for message in kept if message.provisional and message.blocks]
    if screen_only:
        findings.append(_screen_only(screen_only, session_id))
    return [message for message in kept if message.blocks], findings


def _screen_only(messages: list[Spoken], session_id: str) -> Finding:
    return Finding(
        code="screen-only-text",
        severity="info",
        message=f"{len(messages)} message(s) stand only in the record of the screen; the source's client leaves them out.",
        facts={"pointers": [f"{session_id}@{message.position}" for message in messages[:50]]},
    )


def _is_marker(message: Spoken) -> bool:
    return message.synthesized and message.origin == "notification" and message.text.startswith("<turn_aborted>")


def _aborted(message: Spoken, session_id: str) -> Finding:
    return Finding(
        code="turn-aborted",
        severity="repaired",
        message="A turn was interrupted and the history does not tell the model; a note was put in its place.",
        facts={"pointer": f"{session_id}@{message.position}"},
    )
