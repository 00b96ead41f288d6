"""The picker's screen: a table with a search field, a preview that is read in the background, keys for what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import DataTable, Footer, Input, Static

from ..listing import SessionSummary, list_sessions
from .preview import preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..opened import StoreLike


COLUMNS = (("WHEN", None), ("TITLE", 44), ("EVENTS", None), ("WHERE", None))
"""Headings and widths; None fits the content."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The session chosen, and what is to be done with it."""

    action: Literal["resume", "fork", "show"]
    session_id: str


class Picker(App[Picked]):
    """Returns a `Picked`, or None when it was left without a choice.

    ago: how a time stamp is shown. project: whose sessions come first; None for the current directory's.
    """

    TITLE = "rehydrate"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    #search { height: 3; }
    #list { width: 3fr; }
    #side { width: 2fr; border-left: solid $panel; padding: 0 1; }
    #scope { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick('resume')", "Resume", priority=True),
        Binding("ctrl+f", "pick('fork')", "Fork"),
        Binding("ctrl+o", "pick('show')", "Show"),
        Binding("ctrl+a", "toggle_scope", "All / this project"),
        Binding("slash", "search", "Search", show=True),
        Binding("down", "into_list", show=False),
        Binding("escape", "leave", "Quit"),
    ]

    def __init__(self, *, store: StoreLike, ago: Callable[[str | None], str], project: Path | None = None) -> None:
        super().__init__()
        self._store = store
        self._ago = ago
        self._project = project
        self._all = False
        self._rows: tuple[SessionSummary, ...] = ()

    def compose(self) -> ComposeResult:
        yield Input(placeholder="Search in titles, tags, branches, models", id="search")
        yield Static(id="scope")
        with Horizontal():
            yield DataTable[Text](id="list", cursor_type="row", zebra_stripes=True)
            with VerticalScroll(id="side"):
                yield Static(id="preview")
        yield Footer()

    def on_mount(self) -> None:
        table = self._table
        for heading, width in COLUMNS:
            table.add_column(heading, width=width)
        self._rows = self._listed()
        if not self._rows:
            self._all = True
            self._rows = self._listed()
        self._fill("")
        table.focus()

    @property
    def _table(self) -> DataTable[Text]:
        return cast("DataTable[Text]", self.query_one("#list", DataTable))

    def _listed(self) -> tuple[SessionSummary, ...]:
        return list_sessions(self._project, all=self._all, store=self._store, marks=True)

    def _fill(self, words: str) -> None:
        wanted = words.casefold().split()
        table = self._table
        table.clear()
        for row in self._rows:
            text = " ".join(filter(None, (row.title, row.tag, row.branch, row.model, row.project, row.session_id)))
            if all(word in text.casefold() for word in wanted):
                table.add_row(*self._cells(row), key=row.session_id)
        scope = "every project" if self._all else f"the project of {self._project or Path.cwd()}"
        self.query_one("#scope", Static).update(Text(f"{table.row_count} sessions of {scope}"))
        if not table.row_count:
            self.query_one("#preview", Static).update(Text("No session. Ctrl+A looks in every project.", "dim"))

    def _cells(self, row: SessionSummary) -> tuple[Text, ...]:
        where = [f"worktree {Path(row.worktree).name}" if row.worktree else None, *row.marks]
        if self._all and row.project:
            where.insert(0, Path(row.project).name)
        return (
            Text(self._ago(row.last_activity), "dim"),
            Text(row.title or "(no title)", overflow="ellipsis"),
            Text(str(row.events), "dim"),
            Text(", ".join(part for part in where if part), "yellow"),
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        if event.row_key.value is not None:
            self._load(event.row_key.value)

    @work(thread=True, exclusive=True)
    def _load(self, session_id: str) -> None:
        made = preview(session_id, store=self._store)
        self.call_from_thread(self.query_one("#preview", Static).update, made)

    def action_search(self) -> None:
        self.query_one("#search", Input).focus()

    def action_into_list(self) -> None:
        self._table.focus()

    def action_toggle_scope(self) -> None:
        self._all = not self._all
        self._rows = self._listed()
        self._fill(self.query_one("#search", Input).value)

    def action_leave(self) -> None:
        self.exit(None)

    def action_pick(self, action: Literal["resume", "fork", "show"]) -> None:
        """What a key asks for, with the row under the cursor."""
        table = self._table
        if table.row_count:
            key = table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value
            if key is not None:
                self.exit(Picked(action, key))
