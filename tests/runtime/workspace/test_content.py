"""What a session's events point to is there, or it is said what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from rehydrate.events import schema
from rehydrate.events.event import Draft
from rehydrate.events.importers.outside import outside_files
from rehydrate.events.kinds import SessionStarted, UserInput
from rehydrate.events.store import EventStore
from rehydrate.runtime.workspace.content import content_findings
from sqlalchemy import delete

from tests.cli.command import Rehydrate
from tests.support.git_world import World
from tests.support.transcripts import ClaudeSession


@pytest.fixture
def rehydrate(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    assert world.repo.is_dir()
    return Rehydrate(tmp_path / "store.sqlite")


def codes(rehydrate: Rehydrate, session: str) -> dict[str, dict[str, object]]:
    return {finding["code"]: finding["facts"] for finding in rehydrate.json("check", session)["findings"]}


def test_a_spilled_tool_output(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    told = ClaudeSession(cwd=world.repo).prompt("go")
    folder = tmp_path / "claude" / "projects" / "-demo"
    spilled = folder / told.session_id / "tool-results" / "b1.txt"
    text = f"<persisted-output>\nOutput too large. Full output saved to: {spilled}\n</persisted-output>"
    told.call("Bash", {"command": "x"}, text, {"stdout": "", "persistedOutputPath": str(spilled)}).reply()
    spilled.parent.mkdir(parents=True)
    spilled.write_text("all of it", "utf-8")
    rehydrate.json("import", told.save(folder))
    assert codes(rehydrate, told.session_id) == {}
    spilled.unlink()
    assert codes(rehydrate, told.session_id)["outside-file-missing"]["files"] == [str(spilled)]


def test_file_backups(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects" / "-demo"
    told = ClaudeSession(cwd=world.repo).prompt("go")
    prompt = told.records[-1]["uuid"]
    backup = {"backupFileName": "abc@v1", "version": 1, "backupTime": "2026-01-01T00:00:00.000Z"}
    snapshot = {
        "messageId": prompt,
        "trackedFileBackups": {"notes.txt": backup},
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    told.meta("file-history-snapshot", messageId=prompt, snapshot=snapshot, isSnapshotUpdate=False).reply()
    kept = tmp_path / "claude" / "file-history" / told.session_id / "abc@v1"
    kept.parent.mkdir(parents=True)
    kept.write_text("first\n", "utf-8")
    rehydrate.json("import", told.save(folder))
    assert codes(rehydrate, told.session_id) == {}
    kept.unlink()
    assert codes(rehydrate, told.session_id)["backup-missing"]["files"] == [str(world.repo / "notes.txt")]


def test_a_missing_blob_is_an_error(tmp_path: Path) -> None:
    with EventStore(tmp_path / "store.sqlite") as store:
        store.create_session("s1", source="live")
        large = UserInput.model_validate({"content": [{"type": "text", "text": "x" * 20_000}]})
        store.append("s1", [Draft.of(SessionStarted(source="live")), Draft.of(large)])
        assert content_findings(store, "s1", None, "restore") == []
        with store.writing() as connection:
            connection.execute(delete(schema.blob))
        (finding,) = content_findings(store, "s1", None, "restore")
        assert (finding.code, finding.severity) == ("blob-missing", "error")


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (b'{"a":1}', []),
        (rb'{"toolUseResult":{"persistedOutputPath":"C:\\Users\\a\\b.txt"}}', [("tool-output", "C:\\Users\\a\\b.txt")]),
        (b'{"payload":{"local_images":["/a/b.png", "/c.png"]}}', [("image", "/a/b.png"), ("image", "/c.png")]),
        (b'{"payload":{"local_images":[]}}', []),
        (b'{"persistedOutputPath": null}', []),
        (b'{"persistedOutputPath": "torn', []),
    ],
)
def test_files_that_a_record_names(record: bytes, expected: list[tuple[str, str]]) -> None:
    assert outside_files(record) == expected


def test_a_deleted_transcript_is_told_and_nothing_is_lost(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B182: the client's own clean-up takes nothing from here."""
    told = ClaudeSession(cwd=world.repo).prompt("go").reply()
    file = told.save(tmp_path)
    rehydrate.json("import", file)
    before = rehydrate.json("resume", told.session_id)
    file.unlink()
    assert codes(rehydrate, told.session_id)["transcript-gone"]["path"] == str(file)
    assert rehydrate.json("resume", told.session_id) == before
