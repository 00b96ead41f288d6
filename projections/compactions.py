"""The compactions of the live branch, with what triggered them and how many tokens they replaced."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State


def initial() -> State:
    return {"list": []}


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.lane is not None:
        return
    names = ("trigger", "pre_tokens", "post_tokens", "window_number", "micro")
    state["list"].append({"at": event.position, **{name: data[name] for name in names if data.get(name) is not None}})


FOLD = Projection("compactions", 1, "branch", initial, apply, frozenset({"ContextCompact"}))
