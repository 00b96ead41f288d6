"""Tokens of published Claude Code sessions equal a recount that knows nothing of our events.

The rules are those of formats/claude-code.md, section 5: one response by its message id and request id, the larger usage when it is
told several times, main chain over side chain, nothing for what no model said.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

from ..support.samples import needs_samples, public

pytestmark = needs_samples


@pytest.mark.parametrize("sample", public("claude-code"), ids=lambda path: path.stem)
def test_tokens_of_published_sessions_equal_a_recount(sample: Path) -> None:
    with EventStore(":memory:") as store:
        identity = import_file(store, sample).identity
        assert identity is not None
        total = resume_session(identity.session_id, store=store, check_workspace=False).accounting.total
    ours = {
        model: (one.input_tokens, one.output_tokens, one.cache_read_tokens,
                one.cache_write_5m_tokens + one.cache_write_1h_tokens)
        for model, one in total.by_model.items()
    }  # fmt: skip
    assert ours == _recount(sample)


def _recount(path: Path) -> dict[str, tuple[int, ...]]:
    best: dict[Any, tuple[tuple[bool, int], str, tuple[int, ...]]] = {}
    first: dict[str, Any] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")):
        for record in _records(line):
            message = record.get("message")
            if record.get("type") != "assistant" or not isinstance(message, dict):
                continue
            usage = message.get("usage")
            if not isinstance(usage, dict) or message.get("model") in (None, "<synthetic>"):
                continue
            tokens = _tokens(usage)
            key = _key(message.get("id"), record.get("requestId"), number, first)
            rank = (not record.get("isSidechain"), sum(tokens))
            if key not in best or rank > best[key][0]:
                best[key] = (rank, message["model"], tokens)
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for _, model, tokens in best.values():
        total[model] = [have + more for have, more in zip(total[model], tokens, strict=True)]
    return {model: tuple(numbers) for model, numbers in total.items()}


def _key(message: str | None, request: str | None, number: int, first: dict[str, Any]) -> Any:
    """A copy without a request id is the response that its message id was first seen with."""
    if message is None:
        return number
    known = first.setdefault(message, (message, request))
    return known if request is None else (message, request)


def _records(line: bytes) -> list[dict[str, Any]]:
    try:
        value = json.loads(line)
    except ValueError:
        return []
    return [value] if isinstance(value, dict) else []


def _tokens(usage: dict[str, Any]) -> tuple[int, ...]:
    nested = usage.get("cache_creation") or {}
    written = sum(nested.values()) or usage.get("cache_creation_input_tokens") or 0
    return (
        usage.get("input_tokens") or 0,
        usage.get("output_tokens") or 0,
        usage.get("cache_read_input_tokens") or 0,
        written,
    )
