"""What the model must see, as a plan of positions: everything since the last compaction in force, and what replaces what."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from ..events.kinds import KINDS
from .projection import Projection, State

SPOKEN = frozenset({"UserInput", "AssistantMessage", "ToolUse", "ToolResult"})


def initial() -> State:
    """plan: inclusive ranges of positions in the model's order, of which only what `seen_by_model` counts.

    base: position of the compaction whose replacement or summary stands before the plan. cleared: calls whose results a
    micro-compaction emptied. replaced: position of the replacement, by call id or `#` and native id. inputs: where a person's own
    inputs of the plan are; kept_inputs: those that a compaction left standing before its summary.
    """
    return {
        "plan": [],
        "joined": False,
        "end": 0,
        "base": None,
        "cleared": [],
        "replaced": {},
        "repairs": [],
        "awaits_summary": False,
        "inputs": [],
        "kept_inputs": [],
    }


def seen_by_model(event: Event) -> bool:
    """Whether an event of the live path is part of the main conversation (an interruption is: the model must learn of it)."""
    if event.lane is not None:
        return False
    if event.kind == "RunEnded":
        return event.data.get("status") == "interrupted"
    return event.kind in SPOKEN and bool(event.data.get("visible_to_model", True))


def apply(state: State, event: Event) -> None:
    if event.position != state["end"] + 1:
        state["joined"] = False
    state["end"] = event.position
    if event.lane is not None:
        return
    if event.kind == "ContextCompact":
        _compact(state, event)
    elif event.kind == "ContentReplacement":
        target = event.data.get("call_id") or f"#{event.data.get('native_target')}"
        state["replaced"][target] = event.position
    elif event.kind == "Repaired":
        state["repairs"] += event.data["repairs"]
    elif seen_by_model(event):
        if state["awaits_summary"] and event.data.get("origin") == "summary":
            _restart(state, None)
        _append(state, event.position)
        if event.kind == "UserInput" and event.data.get("origin", "human") in ("human", "queued"):
            state["inputs"].append(event.position)


def _append(state: State, position: int) -> None:
    plan: list[list[int]] = state["plan"]
    if state["joined"] and plan:
        plan[-1][1] = position
    else:
        plan.append([position, position])
        state["joined"] = True


def _restart(state: State, base: int | None) -> None:
    state.update(plan=[], joined=False, base=base, cleared=[], replaced={}, repairs=[], awaits_summary=False)
    state.update(inputs=[], kept_inputs=[])


def _compact(state: State, event: Event) -> None:
    data = event.data
    if data.get("micro"):
        state["cleared"] += [call for call in data.get("cleared_call_ids") or () if call not in state["cleared"]]
        return
    if event.node is not None:
        return  # In a tree the chosen branch already starts at its last compaction.
    if data.get("replacement") is not None or data.get("summary") is not None:
        kept = _kept(state["plan"], data.get("kept_from"))
        repairs = state["repairs"]
        inputs = [*state["kept_inputs"], *state["inputs"]] if data.get("keeps_inputs_tokens") else []
        _restart(state, event.position)
        state["plan"], state["kept_inputs"] = kept, inputs
        state["repairs"] = repairs if kept else []
    elif data.get("summary_native_id") is not None:
        state["awaits_summary"] = True


def _kept(plan: list[list[int]], first: int | None) -> list[list[int]]:
    """The part of a plan from position `first` on."""
    if first is None:
        return []
    return [[max(lo, first), hi] for lo, hi in plan if hi >= first]


def positions(state: State) -> list[tuple[int, int]]:
    """The plan as pairs of first and last position."""
    return [(lo, hi) for lo, hi in state["plan"]]


FOLD = Projection("conversation", 1, "branch", initial, apply, frozenset(KINDS))


def summary_position(state: State) -> int | None:
    """Where the compaction in force lies, None when there is none or it is part of the plan."""
    base: Any = state["base"]
    return None if base is None else int(base)
