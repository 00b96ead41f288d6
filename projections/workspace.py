"""Where the session believes to be: directory, worktree, branch, HEAD, project; an explicit rebinding is one event among them."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .moves import still_bound, with_rebinding
from .projection import Projection, State

CWDS = 50


def initial() -> State:
    return {
        "cwd": None,
        "cwds": [],
        "branch": None,
        "head": None,
        "remote": None,
        "root_commits": [],
        "dirty": None,
        "roots": [],
        "project": None,
        "toplevel": None,
        "started_in": None,
        "worktree": None,
        "main_cwd": None,
        "pull_request": None,
        "rebound_at": None,
        "moves": [],
        "accepted": [],
        "drift": None,
        "observed_by": None,
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.lane is not None:
        return
    if event.kind == "Worktree":
        _worktree(state, data)
        return
    if data.get("observed_by") == "import":
        _fill(state, data)
        return
    if data.get("rebound"):
        _rebind(state, event)
    else:
        _observe(state, event)
    if event.kind == "SessionStarted":
        return
    if "drift" in data or data.get("observed_by") == "rehydrate":
        state["drift"] = data.get("drift")
    state["accepted"] += [code for code in data.get("accepted") or () if code not in state["accepted"]]
    state["observed_by"] = data.get("observed_by", "source")


def apply_off_path(state: State, event: Event) -> None:
    """Where a person bound the session is a fact about the machine: going back in the conversation does not take it back."""
    if event.lane is None and event.data.get("rebound"):
        _rebind(state, event)


def _observe(state: State, event: Event) -> None:
    data = event.data
    if data.get("cwd"):
        _go(state, data["cwd"])
    if data.get("project"):
        state["project"] = data["project"]
    if event.kind == "SessionStarted":
        return
    if data.get("branch") not in (None, state["branch"]):
        state["head"] = None  # the commit that was noted belongs to the branch before
    for name in ("branch", "head", "remote", "dirty", "pull_request", "toplevel"):
        if data.get(name) is not None:
            state[name] = data[name]
    for name in ("root_commits", "roots"):
        if data.get(name):
            state[name] = list(data[name])


def _rebind(state: State, event: Event) -> None:
    """A person bound the session to a directory: what was recorded of the place before holds no longer."""
    moves = with_rebinding(state, event.data, event.position)
    _observe(state, event)
    state["moves"] = moves
    state["rebound_at"] = event.position
    state["worktree"] = None
    for name in ("branch", "head", "remote", "dirty", "toplevel"):
        state[name] = event.data.get(name)


def _fill(state: State, data: dict[str, Any]) -> None:
    """What an import saw of the directory: it fills what the source left open and overrules nothing."""
    for name in ("project", "branch", "head", "toplevel", "root_commits"):
        if data.get(name) and not state[name]:
            state[name] = data[name]


def _go(state: State, cwd: str) -> None:
    if state["started_in"] is None:
        state["started_in"] = cwd
    if state["toplevel"] is not None and not f"{cwd}/".startswith(state["toplevel"].rstrip("/") + "/"):
        state["toplevel"] = None
    state["cwd"] = cwd
    state["moves"] = still_bound(state["moves"], cwd)
    if cwd not in state["cwds"]:
        state["cwds"] = [*state["cwds"], cwd][-CWDS:]


def _worktree(state: State, data: dict[str, Any]) -> None:
    operation = data["operation"]
    inside: dict[str, Any] = state["worktree"] or {}
    if operation == "entered":
        state["main_cwd"] = data.get("original_cwd") or inside.get("original_cwd") or state["cwd"]
        state["worktree"] = {
            "path": data.get("path"),
            "name": data.get("name"),
            "branch": data.get("branch"),
            "base_commit": data.get("base_commit"),
            "base_branch": data.get("base_branch"),
            "original_cwd": state["main_cwd"],
        }
        if data.get("branch"):
            state["branch"] = data["branch"]
        if data.get("path"):
            _go(state, data["path"])
    elif operation == "moved":
        if data.get("path"):
            _go(state, data["path"])
    else:
        back = data.get("original_cwd") or inside.get("original_cwd")
        left_branch = inside.get("branch")
        state["worktree"] = None
        if back:
            _go(state, back)
        if state["branch"] == left_branch:
            state["branch"] = data.get("base_branch")


FOLD = Projection(
    "workspace",
    3,
    "branch",
    initial,
    apply,
    frozenset({"SessionStarted", "Worktree", "WorkspaceObserved"}),
    apply_off_path,
)
