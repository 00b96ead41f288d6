"""The picker, by keys and by what stands on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rehydrate.runtime import archive_session, import_transcripts
from rehydrate.runtime.picker.app import Picked, Picker
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

EXAMPLES = Path(__file__).parents[3] / "examples" / "sessions"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("picker") / "store.sqlite"
    import_transcripts([EXAMPLES], store=path)
    return path


def titles(app: Picker) -> list[str]:
    table = app.query_one("#list", DataTable)
    return [str(table.get_row_at(number)[1]) for number in range(table.row_count)]


def shown(app: Picker, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).render())


async def until(condition: Callable[[], bool], pilot: Pilot[Picked]) -> None:
    for _ in range(200):
        await pilot.pause(0.05)
        if condition():
            return
    raise AssertionError("it did not come")


def drive(
    db: Path, steps: Callable[[Picker, Pilot[Picked]], Awaitable[None]], project: Path | None = None
) -> Picked | None:
    """Run the picker, take the steps, return what it was left with."""
    app = Picker(store=db, ago=lambda _: "some time ago", project=project)

    async def run() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await steps(app, pilot)

    asyncio.run(run())
    return app.return_value


def test_a_directory_without_sessions_shows_those_of_every_project(db: Path, tmp_path: Path) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        assert len(titles(app)) == 5
        assert "every project" in shown(app, "scope")

    drive(db, steps, tmp_path)


def test_enter_resumes_the_session_under_the_cursor(db: Path) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        await pilot.press("down", "enter")

    picked = drive(db, steps)
    assert picked is not None
    assert picked.action == "resume"
    assert picked.session_id.startswith("019e2af8")


@pytest.mark.parametrize(("key", "action"), [("ctrl+f", "fork"), ("ctrl+o", "show")])
def test_keys_choose_what_to_do(db: Path, key: str, action: str) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        await pilot.press(key)

    picked = drive(db, steps)
    assert picked == Picked(action, picked.session_id if picked else "")  # type: ignore[arg-type]


def test_escape_leaves_without_a_choice(db: Path) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        await pilot.press("escape")

    assert drive(db, steps) is None


def test_typing_in_the_search_field_narrows_the_list(db: Path) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        await pilot.press("slash")
        assert app.focused is app.query_one("#search", Input)
        await pilot.press(*"sqlite")
        await until(lambda: len(titles(app)) == 1, pilot)
        assert "SQLite" in titles(app)[0]
        await pilot.press("enter")

    picked = drive(db, steps)
    assert picked is not None
    assert picked.session_id.startswith("3bc801a3")


def test_the_preview_shows_what_was_said_todos_and_findings(db: Path) -> None:
    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        await pilot.press("down", "down", "down")
        await until(lambda: "Switch the readers" in shown(app, "preview"), pilot)
        text = shown(app, "preview")
        assert "First the schema." in text
        assert "open call: Bash" in text
        assert "directory-missing" in text
        assert "rehydrate rebind" in text

    drive(db, steps)


def test_only_the_project_is_listed_until_all_are_asked_for(db: Path, tmp_path: Path) -> None:
    import json

    own = tmp_path / "own"
    own.mkdir()
    record = {
        "type": "user", "uuid": "a1b2c3d4-1111-4000-8000-000000000001", "parentUuid": None, "isSidechain": False,
        "sessionId": "a1b2c3d4-0000-4000-8000-000000000001", "cwd": str(own), "version": "2.1.150",
        "timestamp": "2026-06-01T10:00:00.000Z", "message": {"role": "user", "content": "only here"},
    }  # fmt: skip
    transcript = tmp_path / "a1b2c3d4-0000-4000-8000-000000000001.jsonl"
    transcript.write_text(json.dumps(record) + "\n", encoding="utf-8")
    copy = tmp_path / "copy.sqlite"
    import_transcripts([EXAMPLES, transcript], store=copy)

    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        assert titles(app) == ["only here"]
        await pilot.press("ctrl+a")
        await until(lambda: len(titles(app)) == 6, pilot)

    drive(copy, steps, own)


def test_archived_sessions_are_not_offered(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    import_transcripts([EXAMPLES], store=copy)
    archive_session("3bc801a3", store=copy)

    async def steps(app: Picker, pilot: Pilot[Picked]) -> None:
        assert len(titles(app)) == 4

    drive(copy, steps)
