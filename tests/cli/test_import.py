"""`import` as a user sees it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from .command import EXAMPLES, Rehydrate

SESSION = {"session_id", "source", "path", "events_added", "events_total", "pointer", "findings"}


def test_import_reports_every_file_with_its_session(rehydrate: Rehydrate) -> None:
    document = rehydrate.json("import", EXAMPLES)
    assert document["failed"] == []
    assert len(document["sessions"]) == 6
    for session in document["sessions"]:
        assert session.keys() >= SESSION
        assert session["pointer"] == f"{session['session_id']}@{session['events_total']}"
        assert session["events_added"] == session["events_total"] > 0


def test_importing_again_adds_nothing(examples: Rehydrate) -> None:
    document = examples.json("import", EXAMPLES)
    assert [session["events_added"] for session in document["sessions"]] == [0] * 6


def test_damage_is_a_finding_with_its_place_and_exit_0(rehydrate: Rehydrate) -> None:
    document = rehydrate.json("import", EXAMPLES)
    found = {finding["code"]: finding for session in document["sessions"] for finding in session["findings"]}
    assert {"malformed", "truncated-tail", "invalid-utf8"} <= found.keys()
    assert found["malformed"]["facts"].keys() >= {"path", "line", "byte_offset", "bytes"}
    assert found["malformed"]["facts"]["line"] == 5


def test_a_file_that_is_no_transcript_is_failed_with_exit_6(rehydrate: Rehydrate, tmp_path: Path) -> None:
    text = tmp_path / "notes.jsonl"
    text.write_text("this is no transcript\n", encoding="utf-8")
    document = rehydrate.json("import", text, code=6)
    assert document["sessions"] == []
    assert document["failed"][0]["path"] == str(text)
    assert document["failed"][0]["error"]


def test_one_bad_file_does_not_keep_the_others_out(rehydrate: Rehydrate, tmp_path: Path) -> None:
    good = shutil.copytree(EXAMPLES, tmp_path / "sessions")
    (tmp_path / "bad.jsonl").write_bytes(b"\x00\x01\x02")
    document = rehydrate.json("import", tmp_path / "bad.jsonl", good, code=6)
    assert len(document["sessions"]) == 6
    assert len(document["failed"]) == 1


def test_other_content_under_a_known_id_is_a_conflict_and_writes_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    original = next(EXAMPLES.glob("claude-code/projects/*/3bc801a3*.jsonl"))
    first = Path(shutil.copy(original, tmp_path / original.name))
    rehydrate.json("import", first)
    before = rehydrate.json("show", "3bc801a3")
    lines = first.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[1])
    changed["message"]["content"] = "Something else was said here."
    other = tmp_path / "elsewhere" / original.name
    other.parent.mkdir()
    other.write_text("\n".join([lines[0], json.dumps(changed), *lines[2:]]) + "\n", encoding="utf-8")
    document = rehydrate.json("import", other, code=4)
    assert document["failed"][0]["path"] == str(other)
    assert rehydrate.json("show", "3bc801a3") == before


def test_without_a_path_the_places_of_the_tools_are_read(rehydrate: Rehydrate, monkeypatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(EXAMPLES / "claude-code"))
    monkeypatch.setenv("CODEX_HOME", str(EXAMPLES / "codex"))
    assert len(rehydrate.json("import")["sessions"]) == 6


def test_without_any_transcripts_it_says_so_and_exits_0(rehydrate: Rehydrate) -> None:
    assert rehydrate.json("import") == {"sessions": [], "failed": [], "skipped": []}
    assert "rehydrate import PATH" in rehydrate("import").out


def test_the_source_can_be_forced_and_an_unknown_one_is_a_usage_error(rehydrate: Rehydrate) -> None:
    codex = next(EXAMPLES.glob("codex/**/*.jsonl"))
    assert rehydrate.json("import", codex, "--from", "codex")["sessions"][0]["source"] == "codex"
    assert rehydrate("import", codex, "--from", "nonsense", "--json").code == 2


def test_a_missing_path_is_failed_and_not_ignored(rehydrate: Rehydrate, tmp_path: Path) -> None:
    ran = rehydrate("import", tmp_path / "nowhere.jsonl", "--json")
    assert ran.code == 3
    assert "nowhere.jsonl" in ran.out


def test_scan_tells_new_changed_and_imported_files_apart(rehydrate: Rehydrate, tmp_path: Path) -> None:
    place = shutil.copytree(EXAMPLES, tmp_path / "sessions")
    assert rehydrate.json("scan", place)["counts"]["new"] == 6
    rehydrate.json("import", place)
    scanned = rehydrate.json("scan", place)
    assert scanned["counts"] == {"new": 0, "changed": 0, "imported": 6, "not-a-transcript": 0}
    transcript = next(place.glob("codex/**/*.jsonl"))
    transcript.write_bytes(transcript.read_bytes() + b"\n")
    assert rehydrate.json("scan", place)["counts"]["changed"] == 1
    transcript.unlink()
    assert rehydrate.json("scan", place)["missing"] == [str(transcript)]


def test_the_transcripts_are_never_touched(rehydrate: Rehydrate, tmp_path: Path) -> None:
    place = shutil.copytree(EXAMPLES, tmp_path / "sessions")
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in place.rglob("*") if file.is_file()}
    rehydrate.json("import", place)
    rehydrate.json("resume", "3bc801a3")
    after = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in place.rglob("*") if file.is_file()}
    assert after == before


def test_database_and_its_companions_are_private(examples: Rehydrate) -> None:
    examples.json("search", "test")
    for file in examples.db.parent.glob(f"{examples.db.name}*"):
        assert file.stat().st_mode & 0o077 == 0, file
