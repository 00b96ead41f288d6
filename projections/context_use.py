"""How full the model's window was at the last response of the main conversation; impossible values are not taken over."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State


def initial() -> State:
    return {"tokens": None, "window": None, "invalid": None}


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.lane is not None:
        return
    if event.kind == "ContextCompact":
        if not data.get("micro"):
            state["tokens"] = data.get("post_tokens")
        return
    if data.get("context_window"):
        state["window"] = data["context_window"]
    if event.kind == "RunStarted" or data.get("inherited") or data.get("failed"):
        return
    tokens = data.get("context_tokens")
    if tokens is None and not data.get("cumulative"):
        names = ("input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "output_tokens")
        known = [data[name] for name in names if data.get(name) is not None]
        tokens = sum(known) if any(known) else None
    if tokens is None:
        return
    if state["window"] is not None and tokens > state["window"]:
        state["invalid"] = {"at": event.position, "tokens": tokens, "window": state["window"]}
    else:
        state["tokens"] = tokens


FOLD = Projection("context_use", 1, "branch", initial, apply, frozenset({"Cost", "ContextCompact", "RunStarted"}))
