"""Every event that an import of a Codex session stores fits the model of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.importers.run import import_file
from rehydrate.events.kinds import validate_fact
from rehydrate.events.store import EventStore

from ..support.samples import needs_samples, public, scenarios

pytestmark = needs_samples


def stored_facts(store: EventStore, path: Path) -> Iterator[dict[str, Any]]:
    result = import_file(store, path)
    assert result.identity is not None
    for one in store.read(result.identity.session_id):
        yield {"kind": one.kind, **one.data}


@pytest.mark.parametrize("sample", public("codex"), ids=lambda path: path.stem)
def test_every_event_of_a_published_session_fits_its_kind(sample: Path) -> None:
    with EventStore(":memory:") as store:
        for data in stored_facts(store, sample):
            validate_fact(data)


def test_every_event_of_a_generated_session_fits_its_kind() -> None:
    for scenario in list(scenarios("codex"))[::3]:
        for path in scenario.stages[-1].rollouts:
            with EventStore(":memory:") as store:
                for data in stored_facts(store, path):
                    validate_fact(data)
