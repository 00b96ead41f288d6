"""Runs turns that die at a chosen append, each in a fork of one process that has loaded everything already.

Started as a script: reads one JSON job a line, answers with the exit status of its fork.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rehydrate.events.event import Draft, Event
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.opening import start_session
from rehydrate.runtime.live.tools import ToolContext, tool

DIED = 9


class DyingStore(EventStore):
    """Ends the process right before or right after its append number `die_at`; notes what was acknowledged."""

    def prepare(self, die_at: int, moment: str, notes: Path) -> None:
        self.die_at = die_at
        self.moment = moment
        self.notes = notes
        self.appends = 0

    def append(
        self, session_id: str, drafts: Sequence[Draft], expected_position: int | None = None, **more: Any
    ) -> list[Event]:
        self.appends += 1
        if self.appends == self.die_at and self.moment == "before":
            os._exit(DIED)
        events = super().append(session_id, drafts, expected_position, **more)
        if self._depth == 0:
            note(self.notes, f"{session_id} {events[-1].position}")
        if self.appends == self.die_at and self.moment == "after" and self._depth == 0:
            os._exit(DIED)
        return events


def note(file: Path, line: str) -> None:
    with file.open("a") as out:
        out.write(line + "\n")


def marking_tool(runs: Path) -> Any:
    """A tool whose every execution leaves a line, so that a second one would be seen."""

    def mark(number: int, context: ToolContext) -> str:
        """Leave a mark."""
        note(runs, context.call_id)
        return f"marked {number}"

    return tool(mark)


def run_one(job: dict[str, Any]) -> None:
    """The fork: one session, one turn, and perhaps an early end."""
    folder = Path(job["folder"])
    import openai  # noqa: F401 - loaded by the parent already

    store = DyingStore(job["database"])
    store.prepare(job["die_at"], job["moment"], folder / "acknowledged")
    session = start_session(
        job["workspace"],
        model="gpt-test",
        tools=[marking_tool(folder / "runs")],
        instructions="mark five times",
        store=store,
        base_url=job["base_url"],
        api=job.get("api", "responses"),
    )
    session.run("do the five things", stream=job["stream"])
    note(folder / "appends", str(store.appends))
    os._exit(0)


def main() -> None:
    import openai.resources.chat.completions
    import openai.resources.responses  # noqa: F401 - before the first fork

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                run_one(json.loads(line))
            except BaseException:  # the fork must not fall back into the loop
                import traceback

                traceback.print_exc()
            os._exit(1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
