"""Published and generated transcripts, exported and imported again, say the same; the client would read ours as we do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.claude_code import render_records
from rehydrate.runtime.export import export_session
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.resume import resume_session

from ..support.roundtrip import imported_again, said, without_plan
from ..support.samples import SAMPLES, needs_samples, public

pytestmark = needs_samples
PLANS = ("update_plan", "TodoWrite")
LARGEST = 1_500_000
NOT_CARRIED_BACK = {"ocodex__2025-08-30T11-44-14-cdadf2f0-e515.jsonl"}
"""An old form whose plain reasoning today's Codex does not keep."""


def samples() -> Iterator[Any]:
    """A spread of sizes and versions; every third published file keeps the suite short."""
    for client in ("claude-code", "codex"):
        for path in islice(public(client), 0, None, 3):
            if path.suffix == ".jsonl" and path.stat().st_size < LARGEST and path.name not in NOT_CARRIED_BACK:
                yield pytest.param(client, path, id=f"{client}-{path.stem[:40]}")
    patterns = {"claude-code": "*/*/*/home/projects/*/*.jsonl", "codex": "*/*/*/home/sessions/*/*/*/rollout-*.jsonl"}
    for client, pattern in patterns.items():
        for path in islice(sorted((SAMPLES / "generated" / client).glob(pattern)), 5, None, 41):
            yield pytest.param(client, path, id=f"{client}-{'-'.join(path.relative_to(SAMPLES).parts[2:5])}")


@pytest.mark.parametrize(("client", "path"), list(samples()))
def test_every_target_says_what_the_session_says(client: str, path: Path, tmp_path: Path) -> None:
    with EventStore(tmp_path / "store.sqlite") as store:
        mains = [one for one in import_transcripts([path], store=store).sessions if one.role == "main"]
        if not mains:
            pytest.skip("a sub-agent's file, or an empty one")
        session = fork_session(mains[0].session_id, store=store).session_id
        before = resume_session(session, store=store, check_workspace=False)
        for target in ("claude-code", "codex"):
            same = target == client
            out = tmp_path / f"{target}.jsonl"
            export_session(session, target, out, store=store, show_secrets=True)  # type: ignore[arg-type]
            if not before.messages:
                continue
            expected = _sorted(said(before, thinking=same, context=same))
            assert _sorted(said(imported_again(out, tmp_path), thinking=same, context=same)) == expected
            if target == "claude-code":
                assert _client_reads(out) >= sum(one.startswith("('user', {'type': 'tool_result'") for one in expected)


def _sorted(found: Any) -> list[str]:
    """Parallel calls and their results may stand in another order within a reply; nothing is added, nothing lost."""
    kept = [one for one in without_plan(found, *PLANS) if one[1] != {"type": "text", "text": ""}]
    return sorted(repr(one) for one in kept if not _has_unknown(one[1]))


def _has_unknown(block: dict[str, Any]) -> bool:
    """Blocks of one client that another has no form for: a line of text stands in their place."""
    parts = [block, *(block["content"] if isinstance(block.get("content"), list) else ())]
    return any(part["type"] == "other" or "not carried over]" in str(part.get("text")) for part in parts)


def _client_reads(path: Path) -> int:
    """How many results the real client's own rules find in the file."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sum(
        block["type"] == "tool_result"
        for message in render_records(records, None)
        if isinstance(message["content"], list)
        for block in message["content"]
    )
