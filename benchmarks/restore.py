"""How long a restore takes, against `json.loads` of the same items as JSON lines: alternating, the median of the ratios.

usage: restore.py [EVENTS] [--profile]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.projections.fold import restore_states
from rehydrate.runtime.resume import resume_session

PAIRS = 9
FILES = 40
CONTEXT = 100
MODEL = "claude-sonnet-4-5"


def turns(seed: int = 1) -> Iterator[list[Draft]]:
    """Endless coding turns: prompt, reply, call, usage, result of 0.2 to 8 kB, a changed file, now and then a todo list."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        reply, path = f"r{number}", f"src/file{number % FILES}.py"
        body = "line of output\n" * chance.choice([15, 130, 550])
        turn = [
            ("UserInput", {"content": [_text(f"step {number}")], "preview": f"step {number}", "starts_turn": True}),
            ("AssistantMessage", {"blocks": [_text("I look at it. " * 8)], "response_id": reply, "model": MODEL}),
            ("ToolUse", {"call_id": f"c{number}", "name": "Edit", "arguments": {"path": path}, "response_id": reply}),
            ("Cost", {"response_id": reply, "model": MODEL, "input_tokens": 900, "output_tokens": 80}),
            ("ToolResult", {"call_id": f"c{number}", "content": body}),
            ("FileChanged", {"path": path, "operation": "update", "digest_after": f"{number:064d}"}),
        ]
        if number % 5 == 0:
            turn.append(("TodoSnapshot", {"items": [{"id": str(n), "content": f"todo {n}"} for n in range(5)]}))
        yield [Draft(kind, data, ts=1_767_225_600_000_000 + number) for kind, data in turn]


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def build(store: EventStore, events: int) -> list[bytes]:
    """A session of that many events, compacted shortly before its end; returns its items as JSON lines."""
    source = turns()
    drafts = [Draft("SessionStarted", {"source": "live"})]
    while len(drafts) < events:
        drafts += next(source)
    drafts.append(Draft("ContextCompact", {"summary": "what happened so far", "pre_tokens": 100_000}))
    for turn in islice(source, CONTEXT):
        drafts += turn
    store.create_session("s", source="live")
    for start in range(0, len(drafts), 5_000):
        store.append("s", drafts[start : start + 5_000])
    return [json.dumps({"kind": draft.kind, **draft.data}).encode() for draft in drafts]


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def main() -> None:
    events = int(next((word for word in sys.argv[1:] if word.isdecimal()), "100000"))
    with tempfile.TemporaryDirectory() as folder, EventStore(Path(folder) / "store.sqlite") as store:
        lines = build(store, events)
        size = sum(map(len, lines))
        acts: dict[str, Callable[[], object]] = {
            "states": lambda: restore_states(store, "s"),
            "runtime": lambda: resume_session("s", store=store, check_workspace=False),
        }
        print(f"{events} events, {size / 1e6:.1f} MB of items; first restore {timed(acts['runtime']):.2f} s")
        if "--profile" in sys.argv:
            _profile(acts["runtime"])
        for name, act in acts.items():
            act()
            pairs = [(timed(act), timed(lambda: [json.loads(line) for line in lines])) for _ in range(PAIRS)]
            ratio = median(ours / theirs for ours, theirs in pairs)
            print(f"{name}: {median(ours for ours, _ in pairs) * 1e3:.2f} ms, {ratio:.2%} of json.loads")


def _profile(act: Callable[[], object]) -> None:
    import cProfile
    import pstats

    act()
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(10):
        act()
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
