"""A bundle carries one session to another machine, where it restores the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.export import export_session
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import ImportedSession, import_transcripts
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.verify import verify_store

from ..clients.sessions import SOURCES, claude_session, live_session


@pytest.fixture
def here(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "here.sqlite") as opened:
        yield opened


@pytest.fixture
def there(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "there.sqlite") as opened:
        yield opened


def carried(here: EventStore, there: EventStore, session: str, folder: Path) -> ImportedSession:
    path = Path(export_session(session, "bundle", folder / f"{session}.rehydrate", store=here).path)
    result = import_transcripts([path], store=there)
    assert not result.failed
    return result.sessions[-1]


@pytest.mark.parametrize("source", sorted(SOURCES))
@pytest.mark.parametrize("fork", [False, True])
def test_the_restore_is_equal_on_both_sides(
    here: EventStore, there: EventStore, tmp_path: Path, source: str, fork: bool
) -> None:
    session = SOURCES[source](here, tmp_path)
    if fork:
        session = fork_session(session, store=here).session_id
    carried(here, there, session, tmp_path)
    one, other = (resume_session(session, store=store, check_workspace=False) for store in (here, there))
    assert one.model_dump_json() == other.model_dump_json()
    assert verify_store(store=there).mismatches == ()


def test_importing_a_bundle_again_changes_nothing(here: EventStore, there: EventStore, tmp_path: Path) -> None:
    session = claude_session(here, tmp_path)
    first = carried(here, there, session, tmp_path)
    again = import_transcripts([tmp_path / f"{session}.rehydrate"], store=there).sessions[-1]
    assert (first.status, again.status) == ("new", "unchanged")
    assert again.events_added == 0


def test_a_longer_bundle_extends_the_session(here: EventStore, there: EventStore, tmp_path: Path) -> None:
    session = live_session(here, tmp_path)
    carried(here, there, session, tmp_path)
    here.append(session, [Draft("UserInput", {"content": [{"type": "text", "text": "and now?"}]})])
    path = export_session(session, "bundle", tmp_path / "later.rehydrate", store=here).path
    (later,) = import_transcripts([path], store=there).sessions
    assert (later.status, later.events_added) == ("extended", 1)


def test_another_session_under_the_same_id_is_a_conflict_and_nothing_is_written(
    here: EventStore, there: EventStore, tmp_path: Path
) -> None:
    session = live_session(here, tmp_path)
    there.create_session(session, source="live")
    there.append(session, [Draft("SessionStarted", {"source": "live", "cwd": "/elsewhere"})])
    path = export_session(session, "bundle", tmp_path / "one.rehydrate", store=here).path
    result = import_transcripts([path], store=there)
    assert [failed.exit_code for failed in result.failed] == [4]
    assert there.session(session).head == 1


def test_paths_of_the_other_machine_are_mapped(here: EventStore, there: EventStore, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    session = live_session(here, tmp_path / "old")
    path = export_session(session, "bundle", tmp_path / "one.rehydrate", store=here).path
    maps = {str(tmp_path / "old"): str(tmp_path / "new")}
    for _ in range(2):
        import_transcripts([path], store=there, path_map=maps)
    restored = resume_session(session, store=there, check_workspace=False)
    assert restored.workspace.cwd == str(tmp_path / "new")
    assert there.session(session).head == here.session(session).head + 1


def test_a_bundle_of_a_fork_holds_nothing_that_its_parent_did_later(
    here: EventStore, there: EventStore, tmp_path: Path
) -> None:
    parent = live_session(here, tmp_path)
    fork = fork_session(f"{parent}@2", store=here).session_id
    here.append(parent, [Draft("UserInput", {"content": [{"type": "text", "text": "later and secret"}]})])
    carried(here, there, fork, tmp_path)
    assert there.find_session(parent) is None
    assert b"later and secret" not in (tmp_path / f"{fork}.rehydrate").read_bytes()
    assert "later and secret" not in "".join(str(event.data) for event in there.read(fork))
