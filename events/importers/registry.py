"""The importers by name; a new one is one line here. Their code is loaded when first used."""

from __future__ import annotations

from importlib import import_module

from ..errors import UsageError
from .importer import Importer

_PACKAGES = {
    "claude-code": "claude_code",
    "codex": "codex",
}
"""Package of each importer beside this file; it offers the importer as `IMPORTER`."""


def names() -> tuple[str, ...]:
    """What `--from` takes, beside `auto`."""
    return tuple(_PACKAGES)


def importer_named(name: str) -> Importer:
    """The importer of this name.

    Raises:
        UsageError: there is none.
    """
    package = _PACKAGES.get(name)
    if package is None:
        raise UsageError(
            f"There is no importer {name!r}.", remedy=f"Use one of: auto, {', '.join(_PACKAGES)}.", name=name
        )
    found: Importer = import_module(f".{package}", __package__).IMPORTER
    return found


def importers() -> tuple[Importer, ...]:
    """All importers, in the order in which they are asked whether they recognize a file."""
    found = (getattr(import_module(f".{package}", __package__), "IMPORTER", None) for package in _PACKAGES.values())
    return tuple(importer for importer in found if importer is not None)
