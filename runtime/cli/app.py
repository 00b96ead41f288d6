"""The root command: global options, and a group that imports a command's module only when that command is used."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from typing import Annotated, Any, TypeGuard

import typer
from typer.core import TyperGroup

from .commands import COMMANDS, SECTIONS
from .frame import Answer, Frame
from .last_option import SessionCommand, takes_last

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _json(context: typer.Context, value: bool) -> None:
    frame = context.find_root().obj
    if value and isinstance(frame, Frame):
        frame.json = True


def _db(context: typer.Context, value: str | None) -> None:
    frame = context.find_root().obj
    if value is not None and isinstance(frame, Frame):
        frame.db = value


def _show_secrets(context: typer.Context, value: bool) -> None:
    frame = context.find_root().obj
    if value and isinstance(frame, Frame):
        frame.show_secrets = True


JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", callback=_json, expose_value=False, is_eager=True)
]
DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="The database: a URL or a file (default: REHYDRATE_DATABASE_URL, else in the user's data folder).",
        callback=_db,
        expose_value=False,
    ),
]
SecretsOption = Annotated[
    bool,
    typer.Option(
        "--show-secrets",
        help="Do not mask keys and passwords in what is shown.",
        callback=_show_secrets,
        expose_value=False,
    ),
]


LastOption = Annotated[bool, typer.Option("--last", help="The newest session of this project.", expose_value=False)]


def _last(_last: LastOption = False) -> None:
    """Carries the option of commands whose first argument names a session."""


def _shared(_json: JsonOption = False, _db: DbOption = None, _secrets: SecretsOption = False) -> None:
    """Carries the options that every command has."""


def _command_of(function: Any, name: str) -> Any:
    single = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=SETTINGS)
    single.command(name, cls=SessionCommand)(function)
    return typer.main.get_command(single)


def _with_real_texts(callback: Any) -> Any:
    """The command with its texts as they were typed: in a C locale the system hands them over with surrogates.

    Paths stay as they are: the system wants them back in that form.
    """

    @wraps(callback)
    def called(**values: Any) -> Any:
        return callback(**{name: _real_text(value) for name, value in values.items()})

    return called


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _real_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return [_real_text(one) for one in value] if _is_list(value) else value


class LazyGroup(TyperGroup):
    """Knows all commands by name (`commands.py`) and loads one when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is the framework's
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the signature is the framework's
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, function = entry.place.partition(":")
        command = _command_of(getattr(import_module(f".{module}", __package__), function), cmd_name)
        command.callback = _with_real_texts(command.callback)
        for carrier in [_last, _shared] if takes_last(command) else [_shared]:
            command.params.extend(param for param in _command_of(carrier, "shared").params if param.name != "help")
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the signature is the framework's
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in entries.items()])


app = typer.Typer(
    name="rehydrate",
    cls=LazyGroup,
    add_completion=True,
    rich_markup_mode=None,
    invoke_without_command=True,
    context_settings=SETTINGS,
)


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    _json: JsonOption = False,
    _db: DbOption = None,
    _secrets: SecretsOption = False,
) -> Answer | None:
    """Restore the runtime of a coding-agent session: messages, todos, agent, workspace and costs, checked.

    Without a command, on a terminal: pick a session from a list.

    Example: rehydrate import && rehydrate sessions && rehydrate resume --last
    """
    if version:
        return _version()
    if context.invoked_subcommand is None:
        from .pick import pick

        return pick(context)
    return None


def _version() -> Answer:
    from importlib.metadata import version

    number = version("rehydrate")
    return Answer({"version": number}, lambda screen: screen.line(f"rehydrate {number}"))
