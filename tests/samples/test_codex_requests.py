"""The history for the client equals what real clients of nine versions sent in generated scenarios, or the reason is listed."""

from __future__ import annotations

from typing import Any

import pytest
from rehydrate.events.importers.codex.context import texts_of
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.codex import render_lines
from rehydrate.runtime.compat.codex_lines import load_lines
from rehydrate.runtime.importing import import_transcripts

from ..support.samples import Stage, module, needs_samples, scenarios

pytestmark = needs_samples

OTHER_RULES = {
    # Up to 0.142 a rollback over a compaction lost what lay before it; 0.171, whose rules these are, brings it back.
    ("0.104.0", "app-server", "7"),
    ("0.104.0", "app-server", "8"),
    ("0.118.0", "app-server", "7"),
    ("0.118.0", "app-server", "8"),
    ("0.142.0", "app-server", "7"),
    ("0.142.0", "app-server", "8"),
    # Up to 0.47 a compaction put all inputs and the summary into one message.
    ("0.47.0", "compact-auto", "2"),
    ("0.47.0", "compact-auto", "3"),
    ("0.47.0", "compact-auto", "4"),
    ("0.47.0", "compact-local", "2"),
    ("0.47.0", "compact-local", "3"),
    ("0.47.0", "compact-local", "4"),
    # These versions wrote outputs of patches in another form than they sent them.
    ("0.47.0", "edit", "2"),
    ("0.47.0", "plan", "2"),
    ("0.77.0", "edit", "2"),
    ("0.104.0", "edit", "2"),
    ("0.118.0", "edit", "2"),
    # 0.34 compacts in memory and writes no record of it; a resume has the whole history again.
    ("0.34.0", "tui", "4"),
}

STAGES = [
    pytest.param(
        stage, (scenario.version, scenario.name, stage.name[0]), id=f"{scenario.version}-{scenario.name}-{stage.name}"
    )
    for scenario in scenarios("codex")
    for stage in scenario.stages
    if stage.request is not None
]


@pytest.mark.parametrize(("stage", "key"), STAGES)
def test_the_history_is_the_one_that_this_version_sent(stage: Stage, key: tuple[str, str, str]) -> None:
    if key in OTHER_RULES:
        pytest.skip("another version's rules, see OTHER_RULES")
    request = stage.request or {}
    canon, compare = module("canon"), module("compare")
    expected = canon.drop_injected(canon.responses(request["items"]))
    found = [canon.drop_injected(canon.responses(items)) for items in _histories(stage, request)]
    assert any(len(expected) == len(ours) and all(map(_alike, expected, ours, [compare] * len(ours))) for ours in found)


def _histories(stage: Stage, request: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each session of the home gives up to the prompt of the request."""
    prompt = request["prompt_of_this_request"]
    histories: list[list[dict[str, Any]]] = []
    with EventStore(":memory:") as store:
        import_transcripts(stage.rollouts, store=store)
        for row in store.sessions():
            lines = load_lines(store, row.session_id, row.head)
            asked = [
                number
                for number, one in enumerate(lines)
                if one.payload.get("role") == "user" and any(prompt in text for text in texts_of(one.payload))
            ]
            if asked:
                histories.append(render_lines(lines[: asked[-1] + 1], request["model"], row.session_id))
    return histories


def _alike(expected: Any, ours: Any, compare: Any) -> bool:
    """Equal, apart from what the client or the recording shortened."""
    if compare.same(expected, ours):
        return True
    if list(expected[:-1]) != list(ours[:-1]) or "<client text>" not in str(expected[-1]):
        return False
    head, _, tail = str(expected[-1]).partition("<client text>")
    return str(ours[-1]).startswith(head.rstrip()) and str(ours[-1]).endswith(tail.lstrip())
