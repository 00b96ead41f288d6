"""Each provider response is counted once; unknown prices stay unknown; own and inherited are apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.restored import Accounting
from rehydrate.runtime.resume import resume_session

from ..support.events import Log


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def accounting(store: EventStore, pointer: str = "s") -> Accounting:
    return resume_session(pointer, store=store, check_workspace=False).accounting


@pytest.mark.parametrize("request_id", [{"request_id": "req_1"}, {}, {"request_id": None}])
def test_records_of_one_response_count_once_with_the_last_usage(store: EventStore, request_id: dict[str, str]) -> None:
    named = {key: value for key, value in request_id.items() if value is not None}
    log = Log()
    for output in (2, 2, 384):
        log.cost("msg_1", input_tokens=3, output_tokens=output, cache_read_tokens=22137, **named)
    log.store_in(store)
    own = accounting(store).own
    assert (own.requests, own.input_tokens, own.output_tokens, own.cache_read_tokens) == (1, 3, 384, 22137)


def test_a_replay_in_a_side_chain_does_not_replace_the_main_record(store: EventStore) -> None:
    log = Log().cost("msg_1", input_tokens=10, output_tokens=5)
    log.add("Cost", lane="a", model="claude-test-1", response_id="msg_1", input_tokens=99, output_tokens=99).store_in(
        store
    )
    assert accounting(store).own.input_tokens == 10


def test_repeated_running_totals_count_once(store: EventStore) -> None:
    log = Log()
    for total in (1000, 1000, 1000, 3300):
        log.add("Cost", model="m", cumulative=True, input_tokens=total, output_tokens=0)
    log.store_in(store)
    assert accounting(store).own.input_tokens == 3300


def test_repeated_responses_with_the_same_thread_total_count_once(store: EventStore) -> None:
    log = Log()
    for total, last in ((1000, 1000), (1000, 1000), (3300, 2300)):
        log.add("Cost", model="m", input_tokens=last, cumulative_total_tokens=total)
    log.store_in(store)
    assert (accounting(store).own.input_tokens, accounting(store).own.requests) == (3300, 2)


def test_totals_of_a_parent_copied_into_a_child_are_inherited(store: EventStore) -> None:
    log = Log().add("Cost", model="m", cumulative=True, input_tokens=1000, inherited=True)
    log.add("Cost", model="m", cumulative=True, input_tokens=1200).store_in(store)
    found = accounting(store)
    assert (found.own.input_tokens, found.inherited.input_tokens, found.total.input_tokens) == (200, 1000, 1200)


def test_a_fork_inherits_what_was_spent_before_it(store: EventStore) -> None:
    Log().user("go").says("ok", "r1").cost("r1", input_tokens=100, output_tokens=10).store_in(store)
    child = fork_session("s", store=store).session_id
    before = accounting(store, child)
    assert (before.own.input_tokens, before.inherited.input_tokens) == (0, 100)
    store.append(child, Log().cost("r2", input_tokens=7, output_tokens=1).drafts[1:])
    after = accounting(store, child)
    assert (after.own.input_tokens, after.inherited.input_tokens, after.total.input_tokens) == (7, 100, 107)
    assert accounting(store).own.input_tokens == 100


def test_an_unknown_model_keeps_its_tokens_and_has_no_cost(store: EventStore) -> None:
    Log().cost("r1", model="unknown-9", input_tokens=5, output_tokens=5).store_in(store)
    own = accounting(store).own
    assert (own.input_tokens, own.cost_usd, own.cost_usd_known) == (5, None, 0.0)


def test_a_known_price_is_given_beside_an_unknown_one(store: EventStore) -> None:
    log = Log().cost("r1", model="unknown-9", input_tokens=5, output_tokens=5)
    log.cost("r2", model="claude-sonnet-4-5", input_tokens=1_000, output_tokens=1_000).store_in(store)
    own = accounting(store).own
    assert own.cost_usd is None
    assert own.cost_usd_known == pytest.approx(0.018)


def test_the_four_classes_have_their_own_prices(store: EventStore) -> None:
    counts = {"input_tokens": 18, "output_tokens": 2435, "cache_write_5m_tokens": 13560, "cache_read_tokens": 69460}
    Log().cost("r1", model="claude-sonnet-4-5", **counts).store_in(store)
    expected = 18 * 3e-6 + 2435 * 15e-6 + 13560 * 3.75e-6 + 69460 * 0.3e-6
    assert accounting(store).own.cost_usd == pytest.approx(expected, abs=1e-9)


def test_a_reported_cost_is_taken_as_it_is(store: EventStore) -> None:
    Log().cost("r1", model="unknown-9", input_tokens=5, output_tokens=5, cost_usd="0.25").store_in(store)
    own = accounting(store).own
    assert (own.cost_usd, own.price_source) == (0.25, "reported")


def test_a_fallback_is_paid_to_the_model_that_was_tried_first(store: EventStore) -> None:
    iterations = [
        {"type": "message", "model": "claude-a", "input_tokens": 50, "output_tokens": 1},
        {"type": "message", "model": "claude-b", "input_tokens": 60, "output_tokens": 9},
    ]
    Log().cost("r1", model="claude-b", input_tokens=60, output_tokens=9, iterations=iterations).store_in(store)
    own = accounting(store).own
    assert {model: usage.input_tokens for model, usage in own.by_model.items()} == {"claude-a": 50, "claude-b": 60}
    assert own.requests == 1


def test_an_impossible_context_is_not_taken_over(store: EventStore) -> None:
    log = Log().add("Cost", model="m", response_id="a", context_tokens=1000, context_window=258_000, input_tokens=1)
    log.add("Cost", model="m", response_id="b", context_tokens=777_000, context_window=258_000, input_tokens=1)
    log.store_in(store)
    runtime = resume_session("s", store=store, check_workspace=False)
    assert runtime.accounting.context.tokens == 1000
    assert "context-use-invalid" in [finding.code for finding in runtime.report.findings]


def test_tokens_of_sub_agents_belong_to_their_session(store: EventStore) -> None:
    Log().cost("r1", input_tokens=100).store_in(store)
    store.create_session("s/agent-1", source="live", role="subagent", parent_session="s", agent_id="1")
    store.append("s/agent-1", Log().says("hi", "q").cost("q", model="claude-other", input_tokens=11).drafts)
    runtime = resume_session("s", store=store, check_workspace=False)
    assert runtime.accounting.total.input_tokens == 111
    (agent,) = runtime.agent.subagents
    assert (agent.id, agent.accounting.input_tokens) == ("1", 11)


def test_what_a_parents_sub_agent_spent_before_a_fork_is_inherited(store: EventStore) -> None:
    log = Log().user("go").add("Subagent", agent_id="1", status="completed").cost("r1", input_tokens=100)
    log.store_in(store)
    store.create_session("s/agent-1", source="live", role="subagent", parent_session="s", agent_id="1")
    store.append("s/agent-1", Log().says("hi", "q").cost("q", input_tokens=11).drafts)
    child = fork_session("s", store=store).session_id
    found = accounting(store, child)
    assert (found.own.input_tokens, found.inherited.input_tokens) == (0, 111)
    assert accounting(store).total == found.total


def test_a_side_chain_in_the_transcript_is_a_sub_agent_and_counts_once(store: EventStore) -> None:
    log = Log().user("go").add("Subagent", agent_id="call_1", call_id="call_1", prompt="look at it", status="completed")
    log.add("UserInput", lane="x", content=[{"type": "text", "text": "look at it"}], preview="look at it")
    log.add("AssistantMessage", lane="x", blocks=[], model="claude-side").cost("r1", input_tokens=100)
    log.add("Cost", lane="x", model="claude-side", response_id="r2", input_tokens=7).store_in(store)
    runtime = resume_session("s", store=store, check_workspace=False)
    (agent,) = runtime.agent.subagents
    assert (agent.model, agent.accounting.input_tokens) == ("claude-side", 7)
    assert (runtime.accounting.total.input_tokens, runtime.accounting.subagents.input_tokens) == (107, 7)
