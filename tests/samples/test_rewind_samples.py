"""Files of real sessions go back to what the scenario says they were: Claude Code with its backups, Codex by its patches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.history import rewind_points
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.rewind import rewind_session

from ..support.samples import Scenario, home_of, needs_samples, scenarios

pytestmark = needs_samples


def chosen(client: str, *names: str) -> list[Any]:
    return [pytest.param(one, id=f"{one.version}-{one.name}") for name in names for one in scenarios(client, name)]


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def wanted(stage: dict[str, Any]) -> dict[str, str]:
    return {name: told["sha256"] for name, told in stage["project_files"].items()}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "store.sqlite") as opened:
        yield opened


def started(scenario: Scenario, store: EventStore, folder: Path) -> tuple[str, Path]:
    """The session of the first stage, and its project as the tools left it."""
    home = home_of(scenario.stages[0], folder / "home")
    results = [one for one in import_transcripts([home], store=store).sessions if one.role == "main"]
    project = folder / "project"
    project.mkdir()
    return results[-1].session_id, project


@pytest.mark.parametrize("scenario", chosen("claude-code", "rewind-tui"))
def test_rewinding_to_the_second_prompt_gives_the_files_as_they_were_before_its_edits(
    scenario: Scenario, store: EventStore, tmp_path: Path
) -> None:
    session, project = started(scenario, store, tmp_path)
    before = wanted(scenario.data["stages"][0])
    known = {"one.txt": b"1\n", "two.txt": b"2\n"}
    for name, content in known.items():
        (project / name).write_bytes(content)
    backups = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in (tmp_path / "home").rglob("*@v*")}
    notes = backups.get(before["notes.txt"])
    if notes is None:
        pytest.skip("the state before is in no backup of this version")
    (project / "notes.txt").write_bytes(notes.read_bytes())
    points = rewind_points(session, store=store)

    result = rewind_session(points[1].prompt, "files", store=store, project=project)

    assert digests(project).keys() == {"one.txt", "notes.txt"}
    assert (project / "notes.txt").read_text() == "one\ntwo\nthree\n"
    assert {Path(path).name for path in result.restored} == {"two.txt", "notes.txt"}


@pytest.mark.parametrize(
    "scenario", [one for one in chosen("codex", "edit") if one.values[0].version in {"0.142.0", "0.171.0"}]
)
def test_patches_of_codex_are_taken_back_from_what_is_on_disk(
    scenario: Scenario, store: EventStore, tmp_path: Path
) -> None:
    session, project = started(scenario, store, tmp_path)
    stage = wanted(scenario.data["stages"][0])
    (project / "src").mkdir()
    for name, text in AFTER_THE_EDITS.items():
        (project / name).write_text(text, encoding="utf-8")
    assert digests(project) == {name: stage[name] for name in AFTER_THE_EDITS}

    result = rewind_session(rewind_points(session, store=store)[0].prompt, "files", store=store, project=project)

    back = {name: (project / name).read_text() for name in digests(project)}
    assert {name: text for name, text in back.items() if name != "README.md"} == BEFORE_THE_EDITS
    assert not {step.path for step in result.files if step.state in ("drift", "unverified", "not-restorable")}


APP = 'def greet(name):\n    return "Hello " + name\n\n\ndef add(a, b):\n    return a {} b\n'
UTIL = 'VERSION = "{}"\n\n\ndef twice(x):\n    return x * 2\n'
AFTER_THE_EDITS = {
    "src/new.py": 'NAME = "Zoë"\nprint(NAME)\n',
    "src/app.py": APP.format("+"),
    "src/helpers.py": UTIL.format("0.2"),
}
BEFORE_THE_EDITS = {
    "src/app.py": APP.format("-"),
    "src/util.py": UTIL.format("0.1"),
    "notes.txt": "one\ntwo\nthree\n",
}
"""Of the demo project, as far as the patches touch it."""
