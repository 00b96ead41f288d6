"""Plain Python functions as tools: the schema comes from their typed arguments, the description from their docstring."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from ...events.errors import UsageError
from ...events.kinds import Fact
from .json_shapes import is_list, is_object
from .model import ToolSchema

Effect = Literal["none", "read", "write", "execute"]
"""What a tool may do to the workspace; `none` is a function of the caller's own, outside our rules."""


@dataclass(slots=True)
class ToolContext:
    """What a tool gets beside its arguments: a parameter annotated with this type is filled in, the model never sees it.

    root: the session's effective directory, in which file tools stay. keep: stores bytes and returns their SHA-256.
    interrupted: set when the run is to stop; long tools look at it.
    """

    root: Path
    call_id: str
    keep: Callable[[bytes], str]
    interrupted: threading.Event
    spawn: Callable[..., Outcome] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool gives back: text for the model, and facts that become events beside the result."""

    content: str
    is_error: bool = False
    structured: Any = None
    facts: tuple[Fact, ...] = ()
    ask: Fact | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the loop runs it. approval: each call waits for a person. effect: what it may do to the workspace."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[dict[str, Any], ToolContext], Any]
    approval: bool = False
    effect: Effect = "none"
    schema: ToolSchema = field(init=False)

    def __post_init__(self) -> None:
        parameters = _without_titles(self.arguments.model_json_schema())
        object.__setattr__(self, "schema", ToolSchema(self.name, self.description, parameters))


@overload
def tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    approval: bool = False,
    effect: Effect = "none",
) -> Tool: ...
@overload
def tool(
    function: None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    approval: bool = False,
    effect: Effect = "none",
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    approval: bool = False,
    effect: Effect = "none",
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function with typed arguments; also a decorator, with or without options.

    A parameter annotated `ToolContext` is filled in by the loop. What the function returns is given to the model: text as
    it is, an `Outcome` with its facts, anything else as JSON. What it raises becomes an error result. approval: each call
    waits for a person. effect: what it may do to the workspace, for the permission modes.

    Raises:
        UsageError: an argument has no annotation, or takes any number of values.
    """
    if function is None:
        return lambda given: _made(given, name, description, approval=approval, effect=effect)
    return _made(function, name, description, approval=approval, effect=effect)


def _made(
    function: Callable[..., Any], name: str | None, description: str | None, *, approval: bool, effect: Effect
) -> Tool:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    context: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        hint = hints.get(parameter.name)
        if hint is ToolContext:
            context = parameter.name
            continue
        if hint is None or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UsageError(
                f"Argument {parameter.name!r} of {function.__name__} cannot be described to a model.",
                remedy="Give each argument a type, and no *args or **kwargs.",
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hint, Field(default))

    def run(arguments: dict[str, Any], given: ToolContext) -> Any:
        return function(**arguments, **({context: given} if context else {}))

    return Tool(
        name=name or function.__name__,
        description=description or inspect.getdoc(function) or function.__name__,
        arguments=create_model(f"{function.__name__}_arguments", __config__=ConfigDict(extra="forbid"), **fields),
        run=run,
        approval=approval,
        effect=effect,
    )


def as_tools(given: Iterable[Tool | Callable[..., Any]]) -> tuple[Tool, ...]:
    """Tools from tools and plain functions; names must differ.

    Raises:
        UsageError: two have one name.
    """
    tools = tuple(each if isinstance(each, Tool) else tool(each) for each in given)
    names = [each.name for each in tools]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"Two tools are named {twice[0]!r}.", remedy="Give one of them another name.")
    return tools


def parsed_arguments(text: str) -> Any:
    """The model's text as JSON; as it is when it is none."""
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError:
        return text


def call_tool(called: Tool, arguments: Any, context: ToolContext) -> Outcome:
    """Run a tool; whatever goes wrong inside it is a result for the model, never an end of the run."""
    if not isinstance(arguments, dict):
        return error(f"The arguments of {called.name} are no JSON object.")
    try:
        checked = called.arguments.model_validate(arguments)
    except ValidationError as problem:
        return error(f"Wrong arguments for {called.name}: {_explained(problem)}")
    values = {name: getattr(checked, name) for name in called.arguments.model_fields}
    try:
        given = called.run(values, context)
    except Exception as problem:  # noqa: BLE001 - foreign code: any failure of it is told to the model
        return error(f"{type(problem).__name__}: {problem}")
    return _outcome(given)


def error(text: str) -> Outcome:
    return Outcome(f"Error: {text}", is_error=True)


def _outcome(given: Any) -> Outcome:
    if isinstance(given, Outcome):
        return given
    if given is None:
        return Outcome("Done.")
    if isinstance(given, str):
        return Outcome(given or "(no output)")
    if isinstance(given, BaseModel):
        given = given.model_dump(mode="json")
    try:
        return Outcome(json.dumps(given, ensure_ascii=False), structured=given)
    except (TypeError, ValueError):
        return Outcome(str(given) or "(no output)")


def _explained(problem: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(step) for step in part['loc']) or 'arguments'}: {part['msg']}" for part in problem.errors()
    )


def _without_titles(schema: Any) -> Any:
    """Titles say nothing to a model; without them the schema is shorter and stays the same when a class is renamed."""
    if is_object(schema):
        kept = {key: value for key, value in schema.items() if key != "title" or not isinstance(value, str)}
        return {key: _without_titles(value) for key, value in kept.items()}
    if is_list(schema):
        return [_without_titles(value) for value in schema]
    return schema
