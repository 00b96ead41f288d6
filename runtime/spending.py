"""What all sessions together cost: each provider response once, however many sessions hold a copy of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from ..events.blocks import Frozen
from ..events.errors import UsageError
from ..events.event import Event
from ..events.store import EventStore, SessionRow
from ..events.times import to_iso
from ..projections import accounting
from .listing import of_project
from .opened import StoreLike, opened
from .pricing import PriceBook
from .restored import ModelUsage, Totals
from .session_index import listed_rows
from .totals import Buckets, added, totals

Cell = tuple[str | None, str | None]
"""A project's path and a day (UTC, `2026-05-12`); None where it is not known."""


class ProjectCosts(Totals):
    """Of one project; `project` is its path, None for sessions that name none."""

    project: str | None = None
    sessions: int = 0


class ModelCosts(ModelUsage):
    """Of one model over all sessions."""

    model: str


class DayCosts(Totals):
    """Of one day; `day` is None for responses without a usable time."""

    day: str | None = None


class Costs(Frozen):
    """The sum, and its parts: by project and by model with the most tokens first, by day with the oldest first."""

    sessions: int
    total: Totals
    by_project: tuple[ProjectCosts, ...]
    by_model: tuple[ModelCosts, ...]
    by_day: tuple[DayCosts, ...]


def add_up_costs(
    *,
    store: StoreLike = None,
    project: str | os.PathLike[str] | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Costs:
    """Add up tokens and money over sessions, deleted ones included, sub-agents counted to their sessions.

    project: only this one's sessions (a directory of it). since, until: days as `2026-05-12`, both inclusive.

    Raises:
        UsageError: `since` or `until` is no day.
    """
    _require_day(since)
    _require_day(until)
    with opened(store) as opened_store:
        rows = listed_rows(opened_store)
        count = _Count({row["session_id"]: row["project"] for row in rows})
        if project is not None:
            count.only = {row["session_id"] for row in of_project(opened_store, rows, project)}
        for row in opened_store.sessions():
            count.session(opened_store, row)
        prices = PriceBook(opened_store)
        wanted = {
            cell: totals(buckets, prices)
            for cell, buckets in count.cells.items()
            if _within(cell[1], since, until) and buckets
        }
    return Costs(
        sessions=len({session_id for cell in wanted for session_id in count.members[cell]}),
        total=added(*wanted.values()),
        by_project=_by_project(wanted, count.members),
        by_model=_by_model(added(*wanted.values())),
        by_day=_by_day(wanted),
    )


def _require_day(text: str | None) -> None:
    if text is None:
        return
    try:
        date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no day.", remedy="Write it as 2026-05-12.") from error


def _within(day: str | None, since: str | None, until: str | None) -> bool:
    if day is None:
        return since is None and until is None
    return (since is None or day >= since) and (until is None or day <= until)


def _grouped(cells: dict[Cell, Totals], key: Callable[[Cell], str | None]) -> dict[str | None, Totals]:
    groups: dict[str | None, list[Totals]] = {}
    for cell, one in cells.items():
        groups.setdefault(key(cell), []).append(one)
    return {name: added(*several) for name, several in groups.items()}


def _tokens(usage: ModelUsage) -> int:
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_5m_tokens


def _by_project(cells: dict[Cell, Totals], members: dict[Cell, set[str]]) -> tuple[ProjectCosts, ...]:
    groups = _grouped(cells, lambda cell: cell[0])
    rows = [
        ProjectCosts(
            project=name,
            sessions=len({session_id for cell in cells if cell[0] == name for session_id in members[cell]}),
            **dict(one),
        )
        for name, one in groups.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.cost_usd_known, -_tokens(row), row.project or "")))


def _by_model(total: Totals) -> tuple[ModelCosts, ...]:
    rows = [ModelCosts(model=name, **dict(one)) for name, one in total.by_model.items()]
    return tuple(sorted(rows, key=lambda row: (-row.cost_usd_known, -_tokens(row), row.model)))


def _by_day(cells: dict[Cell, Totals]) -> tuple[DayCosts, ...]:
    groups = _grouped(cells, lambda cell: cell[1])
    return tuple(DayCosts(day=day, **dict(groups[day])) for day in sorted(groups, key=lambda day: day or ""))


class _Count:
    """Buckets of tokens by project and day.

    members: the sessions that a cell's costs come from. only: None, or the sessions that are counted.
    """

    def __init__(self, projects: dict[str, str | None]) -> None:
        self.only: set[str] | None = None
        self.cells: dict[Cell, Buckets] = {}
        self.members: dict[Cell, set[str]] = {}
        self._projects = projects
        self._owners: dict[str, str] = {}
        self._parents: dict[str, str] = {}

    def session(self, store: EventStore, row: SessionRow) -> None:
        if row.parent_session is not None:
            self._parents[row.session_id] = row.parent_session
        main = self._main(row.session_id)
        project = self._projects.get(main)
        counted = self.only is None or main in self.only
        for event, delta in self._deltas(store, row):
            if not counted:
                continue
            cell = (project, (to_iso(event.ts) or "")[:10] or None)
            self.members.setdefault(cell, set()).add(main)
            buckets = self.cells.setdefault(cell, {})
            for model, part in delta.items():
                _merge(buckets, model, part)

    def _main(self, session_id: str) -> str:
        """The session that a sub-agent (of a sub-agent) belongs to."""
        for _ in range(100):
            if session_id not in self._parents:
                break
            session_id = self._parents[session_id]
        return session_id

    def _deltas(self, store: EventStore, row: SessionRow) -> Iterator[tuple[Event, Buckets]]:
        """What each response added to the session's own costs, in the accounting fold's own judgement."""
        own_from = int(row.forked_from.rpartition("@")[2]) if row.forked_from else 0
        state = accounting.initial()
        for event in store.read(row.session_id, kinds=("Cost", "SessionStarted")):
            response = event.data.get("response_id") or event.data.get("request_id")
            if response is not None and self._owners.setdefault(response, row.session_id) != row.session_id:
                continue
            before = {model: _copy(bucket) for model, bucket in state["own"].items()}
            accounting.apply(state, event)
            if event.position > own_from and event.kind == "Cost":
                delta = _difference(before, state["own"])
                if delta:
                    yield event, delta


def _copy(bucket: dict[str, Any]) -> dict[str, Any]:
    return {key: value[:] if isinstance(value, list) else value for key, value in bucket.items()}


def _difference(before: Buckets, after: Buckets) -> Buckets:
    delta: Buckets = {}
    for model in before.keys() | after.keys():
        old, new = before.get(model, _EMPTY), after.get(model, _EMPTY)
        if old == new:
            continue
        part = _copy(new)
        part["requests"] = new["requests"] - old["requests"]
        for name in ("short", "long", "costed"):
            part[name] = [a - b for a, b in zip(new[name], old[name], strict=True)]
        part["cost"] = str(Decimal(new["cost"]) - Decimal(old["cost"]))
        delta[model] = part
    return delta


def _merge(buckets: Buckets, model: str, part: dict[str, Any]) -> None:
    if model not in buckets:
        buckets[model] = _copy(part)
        return
    held = buckets[model]
    held["requests"] += part["requests"]
    for name in ("short", "long", "costed"):
        held[name] = [a + b for a, b in zip(held[name], part[name], strict=True)]
    held["cost"] = str(Decimal(held["cost"]) + Decimal(part["cost"]))
    held["last_us"] = part["last_us"] if part["last_us"] is not None else held["last_us"]


_ZERO = [0] * len(accounting.CLASSES)
_EMPTY: dict[str, Any] = {
    "requests": 0, "short": _ZERO, "long": _ZERO, "costed": _ZERO, "cost": "0", "provider": None, "last_us": None,
}  # fmt: skip
