"""The list, and naming sessions: ids, beginnings, titles, `--last`."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from .command import EXAMPLES, Rehydrate

ROW = {
    "session_id", "title", "source", "project", "worktree", "created_at", "last_activity", "events", "forked_from", "pointer",
}  # fmt: skip


def git(place: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=place, check=True, capture_output=True)


def repository(place: Path) -> Path:
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    (place / "a.txt").write_text(f"{place.name}\n", encoding="utf-8")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", place.name)
    return place


def transcript(folder: Path, cwd: Path, number: int, day: int, said: str = "hello") -> Path:
    """A minimal session of Claude Code in `cwd`."""
    session = f"{number:08d}-0000-4000-8000-{number:012d}"
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "type": "user", "uuid": f"{number:08d}-1111-4000-8000-000000000001", "parentUuid": None, "isSidechain": False,
        "sessionId": session, "cwd": str(cwd), "version": "2.1.150", "gitBranch": "main", "userType": "external",
        "timestamp": f"2026-05-{day:02d}T10:00:00.000Z", "message": {"role": "user", "content": said},
    }  # fmt: skip
    path = folder / f"{session}.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def test_all_lists_each_session_once_newest_activity_first(examples: Rehydrate) -> None:
    rows = examples.json("sessions", "--all")["sessions"]
    assert len(rows) == 5
    assert all(row.keys() >= ROW for row in rows)
    times = [row["last_activity"] for row in rows]
    assert times == sorted(times, reverse=True)
    assert rows[-1]["title"] == "Fix rounding of invoice totals"


def test_titles_are_one_clean_line(rehydrate: Rehydrate, tmp_path: Path) -> None:
    rehydrate.json("import", transcript(tmp_path / "t", tmp_path, 7, 1, "fix\u0000me\n\tnow \x1b[31mred"))
    (row,) = rehydrate.json("sessions", "--all")["sessions"]
    assert row["title"].isprintable()
    assert "\n" not in row["title"]


def test_search_narrows_the_list(examples: Rehydrate) -> None:
    rows = examples.json("sessions", "--all", "--search", "sqlite")["sessions"]
    assert [row["session_id"][:8] for row in rows] == ["3bc801a3"]


def test_an_empty_database_lists_nothing_and_exits_0(rehydrate: Rehydrate) -> None:
    assert rehydrate.json("sessions", "--all") == {"sessions": []}
    assert rehydrate.json("rebuild") == {"sessions": 0, "events": 0, "mismatches": []}
    assert rehydrate.json("verify")["mismatches"] == []


def test_a_unique_beginning_and_a_title_name_a_session(examples: Rehydrate) -> None:
    full = examples.json("resume", "19d6f933")["session"]["id"]
    assert full.startswith("19d6f933-")
    assert examples.json("resume", "Fix rounding of invoice totals")["session"]["id"] == full
    assert examples.json("resume", full)["session"]["id"] == full
    assert examples.json("resume", f"local_{full}")["session"]["id"] == full


def test_an_ambiguous_beginning_lists_the_candidates(examples: Rehydrate) -> None:
    ran = examples("resume", "019e", "--json")
    assert ran.code == 3
    assert ran.error["code"] == "ambiguous-session"
    assert len(ran.error["facts"]["candidates"]) == 2


@pytest.mark.parametrize("command", ["resume", "show", "check", "fork", "rewind", "delete", "rename", "export"])
def test_an_unknown_id_is_not_found_and_creates_nothing(examples: Rehydrate, tmp_path: Path, command: str) -> None:
    before = examples.json("sessions", "--all")
    extra = {"delete": ["--yes"], "rename": ["x"], "export": ["--to", "jsonl", "--out", str(tmp_path / "out")]}
    ran = examples(
        command,
        "no-such-session@3" if command in {"fork", "rewind"} else "no-such-session",
        *extra.get(command, []),
        "--json",
    )
    assert ran.code == 3
    assert ran.error["code"] == "session-not-found"
    assert ran.error["remedy"]
    assert examples.json("sessions", "--all") == before
    assert not (tmp_path / "out").exists()


def test_a_position_behind_the_end_is_not_found(examples: Rehydrate) -> None:
    ran = examples("resume", "19d6f933@9999", "--json")
    assert ran.code == 3
    assert ran.error["code"] == "event-not-found"


@pytest.mark.parametrize("text", ["@5", "19d6f933@", "19d6f933@0"])
def test_what_is_no_pointer_is_a_usage_error(examples: Rehydrate, text: str) -> None:
    assert examples("resume", text, "--json").code == 2


def test_last_stays_in_the_project_also_from_below(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = repository(tmp_path / "p" / "a"), repository(tmp_path / "p" / "b")
    (a / "x").mkdir()
    rehydrate.json("import", transcript(tmp_path / "t", a, 1, 1), transcript(tmp_path / "t", b, 2, 2))
    for place in (a, a / "x"):
        monkeypatch.chdir(place)
        assert rehydrate.json("resume", "--last")["session"]["id"].startswith("00000001")
        assert [row["session_id"][:8] for row in rehydrate.json("sessions")["sessions"]] == ["00000001"]
    assert rehydrate.json("sessions", "--all")["sessions"][0]["session_id"].startswith("00000002")


@pytest.mark.parametrize(
    "command", [["show"], ["check"], ["resume"], ["tail", "--no-follow"], ["tag", "x"], ["archive"], ["tree"]]
)
def test_last_names_the_session_for_every_command(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    a, b = repository(tmp_path / "p" / "a"), repository(tmp_path / "p" / "b")
    rehydrate.json("import", transcript(tmp_path / "t", a, 1, 1), transcript(tmp_path / "t", b, 2, 2))
    monkeypatch.chdir(a)
    ran = rehydrate(*command, "--last", "--json")
    assert ran.code == 0, ran
    assert "00000001-0000" in ran.out
    assert "00000002-0000" not in ran.out


def test_last_without_a_session_is_one_message_and_exit_3(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rehydrate("resume", "--last").code == 3
    assert rehydrate("resume", "--last", "--json").error["code"] == "session-not-found"


def test_naming_no_session_or_one_too_many_is_a_usage_error(examples: Rehydrate) -> None:
    assert examples("resume", "--json").error["code"] == "usage"
    assert examples("resume", "19d6f933", "--last", "--json").error["code"] == "usage"


def test_folders_with_alike_names_are_different_projects(rehydrate: Rehydrate, tmp_path: Path) -> None:
    places = [tmp_path / "p" / name for name in ("a_b", "a-b", "a.b")]
    for place in places:
        place.mkdir(parents=True)
    files = [transcript(tmp_path / "-p-a-b", place, number, number) for number, place in enumerate(places, 1)]
    rehydrate.json("import", *files)
    for number, place in enumerate(places, 1):
        rows = rehydrate.json("sessions", "--project", str(place))["sessions"]
        assert [row["session_id"][:8] for row in rows] == [f"{number:08d}"]


def test_the_short_ids_on_the_screen_can_be_used(examples: Rehydrate) -> None:
    lines = examples("sessions", "--all").out.splitlines()
    shown = [line.split()[0] for line in lines[1:6]]
    assert [examples("check", short).code for short in shown] == [0] * 5


def test_the_list_is_complete_after_its_rows_were_lost_or_broken(examples: Rehydrate) -> None:
    before = examples.json("sessions", "--all")
    with sqlite3.connect(examples.db) as raw:
        raw.execute("DELETE FROM session_index WHERE session_id LIKE '3bc8%'")
        raw.execute("UPDATE session_index SET data = 'broken' WHERE session_id LIKE '19d6%'")
        raw.execute("DELETE FROM snapshot")
    raw.close()
    assert examples.json("sessions", "--all") == before


def test_secrets_are_in_no_list_and_no_view(rehydrate: Rehydrate, tmp_path: Path) -> None:
    secrets = {
        "openai": "sk-proj-" + "Ab3d" * 10,
        "aws": "AKIA" + "ABCDEFGH12345678",
        "password": "p4ssw0rd9",
        "key": "MIIEowIBAAKCAQEA",
    }
    said = (
        f"OPENAI_API_KEY={secrets['openai']} {secrets['aws']} postgres://u:{secrets['password']}@h/db\n"
        f"-----BEGIN RSA PRIVATE KEY-----\n{secrets['key']}\n-----END RSA PRIVATE KEY-----"
    )
    rehydrate.json("import", transcript(tmp_path / "t", tmp_path, 9, 1, said))
    for arguments in (
        ["sessions", "--all"],
        ["show", "00000009"],
        ["search", "OPENAI_API_KEY"],
        ["tree"],
        ["resume", "00000009"],
    ):
        out = rehydrate(*arguments).out
        assert [name for name, secret in secrets.items() if secret in out] == [], arguments
        if arguments[0] != "resume":
            out = rehydrate(*arguments, "--json").out
            assert [name for name, secret in secrets.items() if secret in out] == [], arguments
    assert secrets["openai"] in rehydrate("show", "00000009", "--show-secrets").out
    assert rehydrate.json("search", "OPENAI_API_KEY")["matches"][0]["redactions"] == 4
    assert EXAMPLES.exists()


@pytest.mark.parametrize("title", ["x" * 500, "two\nlines\tand  \x1b[31mred"])
def test_a_title_is_accepted_as_its_source_wrote_it(title: str, rehydrate: Rehydrate, tmp_path: Path) -> None:
    place = tmp_path / "p"
    place.mkdir()
    path = transcript(tmp_path / "t", place, 1, 1)
    session = path.stem
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "custom-title", "customTitle": title, "sessionId": session}) + "\n")
    rehydrate.json("import", path)
    assert rehydrate.json("resume", title)["session"]["id"] == session


def test_a_session_is_resumed_by_id_where_the_current_directory_was_removed(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "p"
    place.mkdir()
    path = transcript(tmp_path / "t", place, 1, 1)
    rehydrate.json("import", path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert rehydrate.json("resume", path.stem)["session"]["id"] == path.stem
    assert rehydrate.json("check", path.stem)["session_id"] == path.stem
    assert "directory was removed" in rehydrate("resume", "--last", "--json").error["message"]
