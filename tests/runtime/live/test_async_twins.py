"""The async twins do what the sync ones do, and cancelling one interrupts its run instead of leaving it behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rehydrate.runtime.live.opening import aopen_session, astart_session

from ...support.live_session import QUICK, events_of
from ...support.scripted_replies import Reply, call, say
from ...support.strict_server import strict_server


def test_a_session_is_begun_run_compacted_and_opened_again_from_an_event_loop(workspace: Path, database: str) -> None:
    async def live(url: str) -> list[str]:
        options = {"store": database, "base_url": url, "limits": QUICK}
        async with await astart_session(workspace, model="gpt-test", **options) as session:
            outputs = [(await session.arun("look")).output]
            await session.acompact()
        async with await aopen_session(session.id, **options) as again:
            kinds = [event.type async for event in again.astream("and now?")]
            outputs.append((await again.arun("last")).output)
        return [*outputs, kinds[0], kinds[-1]]

    with strict_server(call("list_files"), say("One file."), say("SUMMARY"), say("Now."), say("Last.")) as server:
        assert asyncio.run(live(server.base_url)) == ["One file.", "Last.", "run_started", "run_finished"]
        assert server.refused == []


def test_cancelling_a_run_interrupts_it_and_waits_for_its_end(workspace: Path, database: str) -> None:
    async def live(url: str) -> str:
        options = {"store": database, "base_url": url, "limits": QUICK}
        async with await astart_session(workspace, model="gpt-test", **options) as session:
            task = asyncio.create_task(session.arun("talk", stream=True))
            await asyncio.sleep(0.6)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return session.id

    with strict_server(Reply(text="word " * 400, pause_s=0.02)) as server:
        session_id = asyncio.run(live(server.base_url))
    assert events_of(database, session_id)[-1].data["status"] == "interrupted"


def test_leaving_an_async_stream_early_interrupts_the_run(workspace: Path, database: str) -> None:
    async def live(url: str) -> str:
        options = {"store": database, "base_url": url, "limits": QUICK}
        async with await astart_session(workspace, model="gpt-test", **options) as session:
            stream = session.astream("talk")
            async for event in stream:
                if event.type == "text_delta":
                    break
            await stream.aclose()  # type: ignore[attr-defined]
            return session.id

    with strict_server(Reply(text="word " * 400, pause_s=0.02)) as server:
        session_id = asyncio.run(live(server.base_url))
    assert events_of(database, session_id)[-1].data["status"] == "interrupted"
