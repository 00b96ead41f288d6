"""Options about the place of a session, shared by `resume`, `check` and `run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..workspace.paths import PathMap
    from ..workspace.policy import Policy

PlaceOption = Annotated[
    Path | None,
    typer.Option("--project", metavar="PATH", help="Where the project lies (default: the recorded directory)."),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="OLD=NEW", help="A directory of another machine and where it lies here; may be repeated."
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Go on over every refusal and record which: the same as --policy force.")
]
RecreateOption = Annotated[
    bool, typer.Option("--recreate-worktree", help="Make the removed worktree again, at its branch or recorded commit.")
]


def here() -> tuple[str, ...]:
    """The current directory as a place where a moved project may lie; none when it was removed under the shell."""
    try:
        return (str(Path.cwd()),)
    except FileNotFoundError:
        return ()


def path_maps(texts: Sequence[str] | None) -> tuple[PathMap, ...]:
    """The maps that were typed.

    Raises:
        UsageError: a text is no `OLD=NEW`.
    """
    from ..workspace.paths import PathMap

    return tuple(PathMap.parse(text) for text in texts or ())


def policy_in_force(policy: Policy, *, force: bool) -> Policy:
    """`--force` is a word for `--policy force`."""
    return "force" if force else policy
