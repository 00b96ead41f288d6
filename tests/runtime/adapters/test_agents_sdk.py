"""The session for the OpenAI Agents SDK does what that protocol expects, and keeps what the SDK's own would lose."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.adapters.agents_sdk import RehydrateSession
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.resume import resume_session

from ...support.scripted_replies import call, say
from ...support.strict_server import strict_server

HELLO = {"role": "user", "content": "Hello"}
HI = {"role": "assistant", "content": "Hi there!"}
CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"at": "x"}', "id": "fc_1"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "seen"}


def done(what: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(what)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "db.sqlite") as store:
        yield store


@pytest.fixture
def session(store: EventStore) -> RehydrateSession:
    return RehydrateSession("S", store=store)


def test_what_was_added_comes_back_as_it_was_in_order(session: RehydrateSession) -> None:
    items = [HELLO, CALL, OUTPUT, HI]
    done(session.add_items(items))
    assert done(session.get_items()) == items


def test_a_limit_gives_the_newest_items_in_order(session: RehydrateSession) -> None:
    done(session.add_items([{"role": "user", "content": str(number)} for number in range(5)]))
    assert [item["content"] for item in done(session.get_items(limit=2))] == ["3", "4"]
    assert len(done(session.get_items(limit=10))) == 5
    assert done(session.get_items(limit=0)) == []


def test_an_empty_session_has_no_items_and_nothing_to_pop_and_is_not_made(
    session: RehydrateSession, store: EventStore
) -> None:
    assert done(session.get_items()) == []
    assert done(session.pop_item()) is None
    done(session.clear_session())
    done(session.add_items([]))
    assert store.sessions() == []


def test_popping_returns_the_newest_item_and_destroys_nothing(session: RehydrateSession, store: EventStore) -> None:
    done(session.add_items([HELLO, HI]))
    head = store.session("S").head
    assert done(session.pop_item()) == HI
    assert done(session.get_items()) == [HELLO]
    done(session.add_items([{"role": "assistant", "content": "Good day."}]))
    assert [item["content"] for item in done(session.get_items())] == ["Hello", "Good day."]
    assert [message.role for message in resume_session(f"S@{head}", store=store).messages] == ["user", "assistant"]


def test_clearing_leaves_an_empty_session_that_can_be_used_again(session: RehydrateSession) -> None:
    done(session.add_items([HELLO, HI]))
    done(session.clear_session())
    assert done(session.get_items()) == []
    done(session.add_items([HELLO]))
    assert done(session.get_items()) == [HELLO]


def test_another_process_finds_the_session_as_it_was_left(session: RehydrateSession, tmp_path: Path) -> None:
    done(session.add_items([HELLO, HI]))
    again = RehydrateSession("S", store=str(tmp_path / "db.sqlite"))
    assert done(again.get_items()) == [HELLO, HI]
    again.close()


def test_sessions_do_not_see_each_other(session: RehydrateSession, store: EventStore) -> None:
    done(session.add_items([HELLO]))
    assert done(RehydrateSession("T", store=store).get_items()) == []


def test_a_call_that_was_cut_off_is_answered_once_for_the_next_request(
    session: RehydrateSession, store: EventStore
) -> None:
    done(session.add_items([HELLO, CALL]))
    items = done(session.get_items())
    assert items[-1]["call_id"] == "call_1"
    assert "SESSION_RESUME_INTERRUPTED" in items[-1]["output"]
    done(session.add_items([{"role": "user", "content": "go on"}]))
    done(session.add_items([HI]))
    assert done(session.get_items())[:3] == items
    results = [event for event in store.read("S") if event.kind == "ToolResult"]
    assert [event.data["synthesized"] for event in results] == [True]


def test_a_result_that_comes_in_a_later_batch_is_no_repair(session: RehydrateSession, store: EventStore) -> None:
    done(session.add_items([HELLO, CALL]))
    done(session.add_items([OUTPUT]))
    assert done(session.get_items()) == [HELLO, CALL, OUTPUT]
    assert [event.kind for event in store.read("S") if event.kind == "Repaired"] == []


def test_its_messages_are_those_of_any_other_session(session: RehydrateSession, store: EventStore) -> None:
    done(session.add_items([HELLO, CALL, OUTPUT, HI]))
    runtime = resume_session("S", store=store)
    assert [message.role for message in runtime.messages] == ["user", "assistant", "user", "assistant"]
    fork = fork_session("S", store=store).session_id
    assert done(RehydrateSession(fork, store=store).get_items()) == [HELLO, CALL, OUTPUT, HI]


def test_several_tasks_may_add_at_once(session: RehydrateSession) -> None:
    async def add_all() -> None:
        await asyncio.gather(*(session.add_items([{"role": "user", "content": str(number)}]) for number in range(8)))

    done(add_all())
    assert sorted(item["content"] for item in done(session.get_items())) == [str(number) for number in range(8)]


def test_the_sdk_itself_runs_an_agent_on_it_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    agents = pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed")
    from openai import AsyncOpenAI

    @agents.function_tool
    def look(at: str) -> str:
        """Look at something."""
        return f"seen {at}"

    database = str(tmp_path / "db.sqlite")
    agents.set_tracing_disabled(True)

    async def turn(url: str, text: str) -> str:
        session = RehydrateSession("S", store=database)
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            model = agents.OpenAIResponsesModel("gpt-test", client)
            agent = agents.Agent(name="looker", instructions="Look.", tools=[look], model=model)
            result = await agents.Runner.run(agent, text, session=session)
        session.close()
        return str(result.final_output)

    with strict_server(call("look", at="x"), say("I saw x."), say("It was x.")) as server:
        assert asyncio.run(turn(server.base_url, "look at x")) == "I saw x."
        assert asyncio.run(turn(server.base_url, "what was it?")) == "It was x."
        assert server.refused == []
        assert [item.get("type", "message") for item in server.requests[2]["input"]] == [
            "message",
            "function_call",
            "function_call_output",
            "message",
            "message",
        ]
    assert isinstance(RehydrateSession("S", store=database), agents.memory.Session)
