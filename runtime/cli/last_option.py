"""`--last` for every command whose first argument names a session: it stands for the newest session of this project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperArgument, TyperCommand

from .frame import Frame

NAMES_A_SESSION = {"ID", "ID[@POS]", "ID|new"}
FLAG = "--last"


class SessionCommand(TyperCommand):
    """A command that puts the id of the newest session in place of `--last`, unless it has such an option of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        if FLAG in options and takes_last(self):
            args = list(args)
            args.remove(FLAG)
            args.insert(0, _newest(ctx, args))
        return super().parse_args(ctx, args)


def takes_last(command: Any) -> bool:
    """Whether the first argument names a session and nothing else gives `--last` a meaning."""
    arguments = [param for param in command.params if isinstance(param, TyperArgument)]
    own = any(param.name == "last" and param.expose_value for param in command.params)
    return bool(arguments) and arguments[0].metavar in NAMES_A_SESSION and arguments[0].nargs == 1 and not own


def _newest(ctx: Any, args: Sequence[str]) -> str:
    from ..listing import last_session

    frame = ctx.find_root().obj
    assert isinstance(frame, Frame)
    project = _given(args, "--project")
    return last_session(None if project is None else Path(project), store=_given(args, "--db") or frame.db)


def _given(args: Sequence[str], name: str) -> str | None:
    """The value of an option that is not parsed yet."""
    for place, word in enumerate(args):
        if word == name and place + 1 < len(args):
            return args[place + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None
