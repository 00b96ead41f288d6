"""What is written down, once, when a session goes on in a place that is not as it was: a fact, and a note for the model."""

from __future__ import annotations

from pathlib import Path

from ...events.blocks import TextBlock
from ...events.kinds import Fact, UserInput
from .check import PlaceReport
from .paths import below
from .rebind import observed_fact
from .sessions import RecordedSession

_TOLD = (
    "moved",
    "foreign-path",
    "other-checkout",
    "branch-changed",
    "detached-head",
    "head-moved",
    "head-unknown",
    "drift",
)
_NAMED = 30


def facts_on_going_on(report: PlaceReport, recorded: RecordedSession) -> tuple[Fact, ...]:
    """The events with which a session goes on: empty when the place is as recorded, and when the same was written down before.

    A place that a person chose becomes the session's own (a rebinding). What was overruled is named. The note tells the model
    what changed since it last looked, so that it does not act on what is no longer true.
    """
    drift = report.recorded_drift()
    news = [finding for finding in report.findings if finding.code in _TOLD]
    known = drift == recorded.drift
    if known:
        news = [finding for finding in news if finding.code != "drift"]
    if report.cwd is None or not (news or report.forced or report.reason != "recorded" or not known):
        return ()
    place = observed_fact(Path(report.cwd))
    changes = {"rebound": report.reason != "recorded", "drift": drift, "accepted": report.forced}
    fact = place.model_copy(update=changes)
    if report.reason == "recorded":
        fact = fact.model_copy(update={"cwd": None, "project": None, "remote": None, "root_commits": ()})
    if not news:
        return (fact,)
    return fact, note_for_model(report, with_drift=not known)


def note_for_model(report: PlaceReport, *, with_drift: bool) -> UserInput:
    """The changes in a few lines, as context: visible to the model and to a reader, said by neither."""
    lines = [line for line in (_line(report, code) for code in _TOLD if with_drift or code != "drift") if line]
    text = "The workspace changed since this session last ran:\n" + "\n".join(f"- {line}" for line in lines)
    preview = text.replace("\n", " ")[:200]
    return UserInput(content=[TextBlock(text=text)], origin="context", preview=preview)


def _line(report: PlaceReport, code: str) -> str | None:
    finding = next((finding for finding in report.findings if finding.code == code), None)
    if finding is None:
        return None
    facts = finding.facts
    if code in ("moved", "foreign-path", "other-checkout"):
        return f"the working directory is {report.cwd} now (it was {facts.get('expected')})"
    if code in ("branch-changed", "detached-head"):
        return f"the branch is {facts.get('found') or 'none (detached HEAD)'} now (it was {facts.get('expected')})"
    if code == "head-moved":
        counts = [f"{facts[name]} {name}" for name in ("ahead", "behind") if facts.get(name)]
        return f"HEAD is {facts['found']} now, {' and '.join(counts)} of {facts['expected']}"
    if code == "head-unknown":
        return f"HEAD is {facts['found']} now; the former commit {facts['expected']} is not in the repository"
    parts = [f"{words}: {_names(facts[name], report.cwd)}" for name, words in _DRIFT if facts[name]]
    return "files differ from what was last seen, read them again before relying on them; " + "; ".join(parts)


_DRIFT = (("changed", "changed"), ("gone", "gone"), ("returned", "deleted then, there again"))


def _names(names: list[str], cwd: str | None) -> str:
    """Files below the working directory by their path in it, the first ones by name."""
    listed = [(below(name, cwd) if cwd else None) or name for name in names[:_NAMED]]
    shown = ", ".join(listed)
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
