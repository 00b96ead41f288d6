"""A Claude Code session restored as its client would: against what the real client sent when it resumed the same file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.client import client_messages
from rehydrate.runtime.importing import import_transcripts

from ..support.samples import expected_path, module, needs_samples, recorded

pytestmark = needs_samples


@pytest.mark.parametrize("sample", recorded("claude-code"), ids=lambda path: path.stem)
def test_the_history_is_the_one_that_the_client_sent(sample: Path) -> None:
    canon, compare = module("canon"), module("compare")
    record = json.loads(expected_path(sample).read_text())
    with EventStore(":memory:") as store:
        import_transcripts([sample], store=store)
        messages = client_messages(record["session_id"], form="anthropic", model=record["model"], store=store)
    ours = canon.drop_injected(canon.anthropic(messages))
    assert compare.identical(record["history"], ours)
