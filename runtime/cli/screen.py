"""Output for a person: aligned tables, colour only on a terminal, one clean line per text, the next command to run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

PLAIN_WIDTH = 160
"""Columns when the output is no terminal: wide enough not to cut ids and titles."""
GAP = 2
MIN_CUT = 20
"""Spaces between columns; a column that is cut keeps at least so many characters."""


def with_database(text: str, db: str | None) -> str:
    """Commands in a text as they must be typed to mean the same database: with `--db` when it was given by hand."""
    if db is None or text.endswith("--help"):
        return text
    from .commands import COMMANDS

    return re.sub(rf"\brehydrate (?=(?:{'|'.join(COMMANDS)})\b)", lambda _: f"rehydrate --db {shlex.quote(db)} ", text)


class Screen:
    """Where a command prints. Text is taken as it is, never as markup; `style` names a rich style.

    mask: replace known secret patterns; `redactions` counts them. db: the database that was typed, for commands to copy.
    """

    def __init__(self, out: TextIO, *, mask: bool = False, db: str | None = None) -> None:
        self._out = out
        self._mask = mask
        self._db = db
        self.redactions = 0
        self._console: Console | None = None

    @property
    def console(self) -> Console:
        if self._console is None:
            from rich.console import Console

            terminal = self._out.isatty()
            width = None if terminal else int(os.environ.get("COLUMNS", PLAIN_WIDTH))
            self._console = Console(
                file=self._out, width=width, highlight=False, markup=False, emoji=False, soft_wrap=not terminal
            )
        return self._console

    @property
    def width(self) -> int:
        return self.console.width

    def clean(self, value: Any) -> str:
        """One printable line: no control characters, secrets masked where the command asks for it."""
        return " ".join(self.text(value).split())

    def text(self, value: Any) -> str:
        """Printable text that may have several lines."""
        text = "" if value is None else str(value)
        if self._mask:
            from ..secrets import mask

            text, count = mask(text)
            self.redactions += count
        return "".join(ch if ch.isprintable() or ch == "\n" else " " for ch in text)

    def line(self, text: str = "", style: str | None = None) -> None:
        self.console.print(self.text(text), style=style)

    def raw(self, text: str) -> None:
        """Text for a program: printed as it is."""
        self._out.write(text + "\n")

    def pairs(self, rows: Iterable[tuple[str, Any]]) -> None:
        """Names and values, aligned; rows whose value is None or empty are left out."""
        shown = [(name, self.clean(value)) for name, value in rows if value not in (None, "", [], {}, ())]
        width = max((len(name) for name, _ in shown), default=0)
        for name, value in shown:
            self.console.print(self._styled((name.ljust(width + 2), "dim"), (value, None)))

    def table(
        self, headings: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[int] = (), grow: int = -1
    ) -> None:
        """An aligned table; columns in `right` are set flush right, the column `grow` is the one that may be cut.

        A cell is a value or a pair (value, style).
        """
        from rich.cells import cell_len
        from rich.table import Table

        made = [[self._cell(cell) for cell in row] for row in rows]
        widths = [
            max([cell_len(heading), *(text.cell_len for text in column)])
            for heading, *column in zip(headings, *made, strict=True)
        ]
        if grow >= 0:
            others = sum(widths) - widths[grow] + GAP * len(widths)
            widths[grow] = max(MIN_CUT, min(widths[grow], self.console.width - others))
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", show_edge=False)
        for number, heading in enumerate(headings):
            justify: Literal["left", "right"] = "right" if number in right else "left"
            table.add_column(heading, justify=justify, no_wrap=True, overflow="ellipsis", width=widths[number])
        for row in made:
            table.add_row(*row)
        # A narrow terminal wraps the line rather than cutting an id that a person wants to copy.
        width = self.console.width
        self.console.width = max(width, sum(widths) + GAP * len(widths))
        self.console.print(table, soft_wrap=True)
        self.console.width = width

    def next_step(self, command: str, why: str = "") -> None:
        """The exact command to run next, on a line of its own."""
        lead = f"{why}: " if why else "Next: "
        self.console.print(self._styled((lead, "dim"), (with_database(command, self._db), "bold cyan")), soft_wrap=True)

    def remedy(self, text: str) -> None:
        """What settles a finding: one command a line, never broken by the width of the terminal, so that it can be copied."""
        for line in with_database(self.text(text), self._db).split("\n"):
            self.console.print(self._styled(("  → ", "dim"), (line, None)), soft_wrap=True)

    def findings(self, findings: Iterable[Any]) -> None:
        """Each finding: what is wrong, why it matters, what settles it; the worst first."""
        from .finding_lines import show_findings

        show_findings(self, findings)

    def findings_by_kind(self, found: dict[str, list[Any]]) -> None:
        """The findings of many subjects (by name), counted by their code; the worst first."""
        from .finding_lines import show_kinds

        show_kinds(self, found)

    def styled(self, *parts: tuple[Any, str | None]) -> None:
        """One line made of parts, each with its style."""
        self.console.print(self._styled(*((self.clean_part(text), style) for text, style in parts)))

    def clean_part(self, value: Any) -> str:
        return self.text(value).replace("\n", " ")

    def _cell(self, cell: Any) -> Text:
        from rich.text import Text

        value, style = cast("tuple[Any, str | None]", cell) if isinstance(cell, tuple) else (cell, None)
        return Text(self.clean(value), style=style or "")

    @staticmethod
    def _styled(*parts: tuple[str, str | None]) -> Text:
        from rich.text import Text

        text = Text()
        for part, style in parts:
            text.append(part, style=style)
        return text
