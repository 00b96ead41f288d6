"""`costs`: where the tokens went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .ago import count, many, money
from .frame import Answer, Frame
from .screen import Screen

if TYPE_CHECKING:
    from ..spending import Costs


def costs(
    context: typer.Context,
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="PATH", help="Only of this directory's project (default: of all)."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DAY", help="From this day on (2026-05-12, UTC).")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DAY", help="Up to this day, inclusive.")] = None,
) -> Answer:
    """Add up tokens and money over sessions.

    Each provider response counts once, also when several sessions hold a copy of it. An unknown price is never zero.

    Example: rehydrate costs --since 2026-05-01
    """
    from ..spending import add_up_costs

    result = add_up_costs(store=Frame.of(context).db, project=project, since=since, until=until)
    return Answer(result, lambda screen: _show(screen, result))


def _show(screen: Screen, result: Costs) -> None:
    if not result.total.requests and not result.total.input_tokens:
        screen.line("No costs are recorded.")
        screen.next_step("rehydrate import", "Bring sessions in")
        return
    _part(screen, "PROJECT", ((row.project or "(unknown)", row) for row in result.by_project))
    _part(screen, "MODEL", ((row.model, row) for row in result.by_model))
    _part(screen, "DAY", ((row.day or "(unknown)", row) for row in result.by_day))
    total = result.total
    screen.styled(
        (money(total.cost_usd, total.cost_usd_known), "bold"), (f" over {many(result.sessions, 'session')}", None)
    )
    if total.cost_usd is None:
        screen.line("Some models have no known price; what is known is shown.", style="dim")


def _part(screen: Screen, heading: str, rows: Any) -> None:
    screen.table(
        [heading, "REQUESTS", "INPUT", "CACHED", "OUTPUT", "COST"],
        (
            (
                name,
                count(row.requests),
                count(row.input_tokens),
                count(row.cache_read_tokens + row.cache_write_5m_tokens + row.cache_write_1h_tokens),
                count(row.output_tokens),
                money(row.cost_usd, row.cost_usd_known),
            )
            for name, row in rows
        ),
        right=[1, 2, 3, 4, 5],
    )
    screen.line()
