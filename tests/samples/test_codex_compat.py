"""Codex histories restored for the client equal what the client itself sent to its model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.codex import render
from rehydrate.runtime.importing import import_transcripts

from ..support.samples import expected_path, module, needs_samples, recorded

pytestmark = needs_samples


@pytest.mark.parametrize("sample", recorded("codex"), ids=lambda path: path.stem)
def test_the_history_is_the_one_that_the_client_sent(sample: Path) -> None:
    record = json.loads(expected_path(sample).read_text())
    canon, compare = module("canon"), module("compare")
    with EventStore(":memory:") as store:
        import_transcripts([sample], store=store)
        session = store.session(record["session_id"])
        items = render(store, session.session_id, session.head, record["model"])
    assert compare.identical(record["history"], canon.drop_injected(canon.responses(items)))
