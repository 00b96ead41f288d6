"""What people reported of damaged, odd and large files: each test is one report's input and the value that is right."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from ..cli.command import Rehydrate
from ..support.claude_log import SESSION, Lines, img, tu, txt


@pytest.fixture
def rehydrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no-codex"))
    return Rehydrate(tmp_path / "store.sqlite")


def put(folder: Path, raw: bytes, name: str = f"{SESSION}.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(raw)
    return path


def joined(lines: Lines) -> bytes:
    return b"".join(line + b"\n" for line in lines.raw)


def take(rehydrate: Rehydrate, path: Path) -> dict[str, Any]:
    (session,) = rehydrate.json("import", path)["sessions"]
    return session


def codes(session: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in session["findings"]]


def messages(rehydrate: Rehydrate) -> list[dict[str, Any]]:
    return rehydrate.json("resume", SESSION)["messages"]


def events(rehydrate: Rehydrate) -> list[tuple[Any, ...]]:
    with sqlite3.connect(rehydrate.db) as raw:
        rows = raw.execute("SELECT seq, uid, hash FROM event ORDER BY stream, seq").fetchall()
    raw.close()
    return rows


def test_a_line_cut_in_the_middle_costs_itself_only(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """anthropics/claude-code#50347"""
    lines = Lines().turns(1, 2)
    lines.raw.append(b'{"type":"file-history-snapshot","messageId":"u3","snap')
    lines.turns(3, 3)
    session = take(rehydrate, put(tmp_path, joined(lines)))
    (damage,) = [finding for finding in session["findings"] if finding["code"] == "malformed"]
    assert damage["facts"]["line"] == 5
    assert damage["facts"]["byte_offset"] == len(b"\n".join(lines.raw[:4])) + 1
    assert len(messages(rehydrate)) == 6


def test_a_damaged_parent_link_does_not_hide_what_was_before(rehydrate: Rehydrate, tmp_path: Path) -> None:
    raw = joined(Lines(cwd=str(tmp_path)).turns(1, 4))
    link = raw.index(b'"parentUuid"', raw.index(b'"u3"') - 200)
    while raw.index(b"\n", link) < raw.index(b'"uuid": "u3"' if b'"uuid": "u3"' in raw else b'"uuid":"u3"'):
        link = raw.index(b'"parentUuid"', link + 1)
    value = raw.index(b'"', raw.index(b":", link))
    end = raw.index(b'"', value + 1)
    take(rehydrate, put(tmp_path, raw[:end] + b"*" + raw[end + 1 :]))
    ids = [message["native_id"] for message in messages(rehydrate)]
    assert ids[:4] == ["u1", "a1", "u2", "a2"]
    assert ids[-1] == "a4"


@pytest.mark.parametrize("damage", [b"[" * 100_000, b"\x00" * 70_000, b'{"a":' * 20_000, b'{"type":"x' * 7_000])
def test_a_long_damaged_beginning_costs_itself_only(rehydrate: Rehydrate, tmp_path: Path, damage: bytes) -> None:
    raw = damage + b"\n" + joined(Lines(cwd=str(tmp_path)).turns(1, 2))
    session = take(rehydrate, put(tmp_path, raw, "cut.jsonl"))
    assert session["session_id"] == SESSION
    assert session["findings"]
    assert [message["native_id"] for message in messages(rehydrate)] == ["u1", "a1", "u2", "a2"]


@pytest.mark.parametrize("field", ["uuid", "type", "cwd", "gitBranch", "version", "customTitle", "sessionId"])
def test_a_lone_surrogate_in_any_field_is_no_failure(rehydrate: Rehydrate, tmp_path: Path, field: str) -> None:
    odd = {"type": "user", "uuid": "odd", "parentUuid": None, "sessionId": SESSION, "message": {"content": "odd"}}
    if field == "customTitle":
        odd = {"type": "custom-title", "sessionId": SESSION}
    lines = Lines(cwd=str(tmp_path)).line({**odd, field: "x\ud800"}).turns(1, 2)
    take(rehydrate, put(tmp_path, joined(lines)))
    assert {"u1", "a1", "u2", "a2"} <= {message["native_id"] for message in messages(rehydrate)}
    assert len(rehydrate.json("sessions", "--all")["sessions"]) == 1
    assert rehydrate("show", SESSION).code == 0


@pytest.mark.parametrize("odd", [{"a": 1}, ["x"], 5, None, "null"], ids=repr)
@pytest.mark.parametrize("field", ["type", "message", "message.id", "message.content.0.type", "message.content.0.id"])
def test_a_field_of_another_type_is_no_failure(rehydrate: Rehydrate, tmp_path: Path, field: str, odd: Any) -> None:
    lines = Lines(cwd=str(tmp_path)).turns(1, 1).user("u2", "go").assistant("a2", tu("t1")).result("r2", "t1")
    at = record = json.loads(lines.raw[3])
    *steps, last = field.split(".")
    for step in steps:
        at = at[int(step) if step.isdigit() else step]
    at[last] = odd
    lines.raw[3] = json.dumps(record).encode()
    lines.turns(3, 3)
    take(rehydrate, put(tmp_path, joined(lines)))
    assert {"u1", "a1", "u2", "u3", "a3"} <= {message["native_id"] for message in messages(rehydrate)}
    wire = rehydrate("resume", SESSION, "--messages", "anthropic", "--compat", "client", "--json")
    assert wire.code == 0, wire
    rehydrate.json("export", SESSION, "--to", "claude-code", "--out", tmp_path / "out")


def test_a_pipe_is_no_transcript_and_keeps_nobody_waiting(rehydrate: Rehydrate, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    put(tmp_path, joined(Lines(cwd=str(tmp_path)).turns(1, 1)))
    (failed,) = rehydrate.json("import", tmp_path / "pipe.jsonl", code=6)["failed"]
    assert "no regular file" in failed["error"]
    assert len(rehydrate.json("import", tmp_path)["sessions"]) == 1


def test_a_torn_last_line_never_empties_a_session(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """anthropics/claude-code#53821"""
    lines = Lines().turns(1, 100)
    torn = Lines().assistant("a101", txt("never finished")).raw[0][:60]
    session = take(rehydrate, put(tmp_path, joined(lines) + torn))
    assert codes(session) == ["truncated-tail"]
    assert len(messages(rehydrate)) == 200
    told = [finding["code"] for finding in rehydrate.json("resume", SESSION)["report"]["findings"]]
    assert told.count("truncated-tail") == 1


def test_a_file_read_while_it_was_written_is_completed(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """Ruya-AI/cozempic#147"""
    whole = joined(Lines().turns(1, 4))
    at = len(b"\n".join(Lines().turns(1, 3).raw)) + 30
    path = put(tmp_path, whole[:at])
    take(rehydrate, path)
    put(tmp_path, whole)
    assert codes(take(rehydrate, path)) == []
    other = Rehydrate(tmp_path / "other.sqlite")
    take(other, path)
    assert events(rehydrate) == events(other)


def test_what_is_no_transcript_is_refused_clearly(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """cline/cline#954"""
    array = put(tmp_path, b'[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assi', "history.json")
    text = put(tmp_path, b"Dear diary,\nnothing happened.\n", "diary.txt")
    for path in (array, text):
        (failed,) = rehydrate.json("import", path, code=6)["failed"]
        assert failed["path"] == str(path)
        assert "not a supported transcript" in failed["error"]
    assert rehydrate.json("sessions", "--all")["sessions"] == []


def test_blank_lines_change_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """block/goose#1946"""
    lines = Lines().turns(1, 3).raw
    blank = b"\n".join([lines[0], b"", lines[1], b"   ", *lines[2:], b"", b"", b""])
    session = take(rehydrate, put(tmp_path / "one", blank))
    assert session["findings"] == []
    assert len(messages(rehydrate)) == 6
    other = Rehydrate(tmp_path / "other.sqlite")
    take(other, put(tmp_path / "two", b"\n".join(lines) + b"\n"))
    assert [row[:2] for row in events(rehydrate)] == [row[:2] for row in events(other)]


def test_an_empty_session_is_in_nobodys_way(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """zed-industries/zed#49045"""
    empty = put(tmp_path / "p", b"", "00000000-0000-4000-8000-000000000001.jsonl")
    document = rehydrate.json("import", empty)
    assert (document["sessions"], document["failed"]) == ([], [])
    bare = Lines("00000000-0000-4000-8000-000000000002")
    bare.line({"type": "custom-title", "customTitle": "x", "sessionId": bare.session})
    rehydrate.json("import", put(tmp_path / "p", joined(bare), f"{bare.session}.jsonl"))
    take(rehydrate, put(tmp_path / "p", joined(Lines(cwd=str(tmp_path)).turns(1, 1))))
    listed = rehydrate.json("sessions", "--all")["sessions"]
    assert [session["session_id"] for session in listed if session.get("messages")] == [SESSION]


def test_nul_in_a_result_is_kept_and_found(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """zszz3/AgentRecall#315"""
    lines = Lines().user("u1", "go").assistant("a1", tu("t1")).result("r1", "t1", "W\x00s\x00l\x00 afterwards")
    take(rehydrate, put(tmp_path, joined(lines)))
    (block,) = [part for part in messages(rehydrate)[-1]["content"] if part["type"] == "tool_result"]
    assert "afterwards" in json.dumps(block)
    assert "\x00" not in rehydrate("show", SESSION).out


def test_nul_in_a_prompt_and_a_title_is_shown_as_one_clean_line(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """viggy28/recall#39"""
    lines = Lines().user("u1", "fix\x00me").assistant("a1", txt("done"))
    lines.line({"type": "custom-title", "customTitle": "a\x00b", "sessionId": SESSION})
    take(rehydrate, put(tmp_path, joined(lines)))
    (session,) = rehydrate.json("sessions", "--all")["sessions"]
    assert session["title"].isprintable()
    wire = rehydrate.json("resume", SESSION, "--messages", "anthropic")
    assert "\x00" not in wire[0]["content"][0]["text"]


def test_crlf_is_counted_in_bytes(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """stablyai/orca#15354"""
    lines = [line + b"\r\n" for line in Lines().turns(1, 5).raw]
    path = put(tmp_path, b"".join(lines[:5]))
    take(rehydrate, path)
    put(tmp_path, b"".join(lines))
    session = take(rehydrate, path)
    with sqlite3.connect(rehydrate.db) as raw:
        assert raw.execute("SELECT offset_bytes FROM source").fetchall() == [(path.stat().st_size,)]
    raw.close()
    other = Rehydrate(tmp_path / "other.sqlite")
    assert take(other, put(tmp_path / "lf", joined(Lines().turns(1, 5))))["events_total"] == session["events_total"]
    assert [row[1] for row in events(rehydrate)] == [row[1] for row in events(other)]


def test_another_locale_changes_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """Baelfyre/Orchestra#514"""
    lines = Lines().user("u1", "안녕하세요 🌀").assistant("a1", txt("네 🎉"))
    path = put(tmp_path, joined(lines))
    plain = Rehydrate(tmp_path / "plain.sqlite")
    unicode = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for one, env in ((rehydrate, unicode), (plain, narrow)):
        assert one.process("import", path, env=env).returncode == 0
    assert events(rehydrate) == events(plain)
    shown = [one.process("resume", SESSION, "--json", env=env) for one, env in ((rehydrate, unicode), (plain, narrow))]
    assert json.loads(shown[0].stdout) == json.loads(shown[1].stdout)
    told = plain.process("show", SESSION, env=narrow)
    assert told.returncode == 0
    assert "UnicodeEncodeError" not in told.stderr


def test_unknown_records_are_counted_and_harmless(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """datadog-labs/trajectory#78"""
    lines = Lines().turns(1, 2)
    lines.line({"type": "atis-latch", "atis": "", "sessionId": SESSION})
    lines.raw += [b'{"kind":"x"}', b"[1,2]", b"42"]
    session = take(rehydrate, put(tmp_path, joined(lines)))
    (unknown,) = [finding for finding in session["findings"] if finding["code"] == "unknown-records"]
    assert unknown["severity"] == "info"
    assert unknown["facts"]["types"]["atis-latch"] == 1
    assert sum(unknown["facts"]["types"].values()) == 4
    assert len(messages(rehydrate)) == 4


def test_a_newer_database_is_refused_by_every_command_and_stays_as_it_is(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """zed-industries/codex-acp#203"""
    path = put(tmp_path, joined(Lines().turns(1, 1)))
    take(rehydrate, path)
    with sqlite3.connect(rehydrate.db) as raw:
        raw.execute("UPDATE alembic_version SET version_num = 'ffff'")
    raw.close()
    before = rehydrate.db.read_bytes()
    commands = [["sessions", "--all"], ["show", SESSION], ["resume", SESSION], ["check", SESSION], ["import", path]]
    for command in [*commands, ["verify"], ["rebuild"], ["export", SESSION, "--to", "jsonl", "--out", tmp_path / "x"]]:
        ran = rehydrate(*command, "--json")
        assert ran.code != 0, command
        assert "newer than this program" in ran.error["message"], command
    assert rehydrate.db.read_bytes() == before


def test_bulk_records_cost_no_restore_time(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """anthropics/claude-code#18905"""
    lines = Lines().turns(1, 50)
    for number in range(400):
        lines.node("progress", f"p{number}", f"u{number % 50 + 1}", data={"type": "bash", "output": "x" * 20_000})
    take(rehydrate, put(tmp_path, joined(lines)))
    began = time.perf_counter()
    assert len(messages(rehydrate)) == 100
    assert time.perf_counter() - began < 5


def test_equal_outputs_are_stored_once_and_forks_add_next_to_nothing(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """RooCodeInc/Roo-Code#2201"""
    big = "0123456789abcdef" * 16_384
    lines = Lines(cwd=str(tmp_path)).user("u0", "go")
    for number in range(20):
        lines.assistant(f"a{number}", tu(f"t{number}")).result(f"r{number}", f"t{number}", big)
    session = take(rehydrate, put(tmp_path, joined(lines)))
    size = rehydrate.db.stat().st_size
    assert size < 1_500_000
    for _ in range(10):
        rehydrate.json("fork", session["pointer"])
    assert rehydrate.db.stat().st_size - size < 200_000


def test_a_copied_session_knows_its_parent_in_any_order(tmp_path: Path) -> None:
    """anthropics/claude-code#8069"""
    first, second = Lines(), Lines("5e551011-0000-4000-8000-000000000002")
    first.turns(1, 3)
    second.turns(1, 4)
    files = [
        put(tmp_path, joined(first), f"{first.session}.jsonl"),
        put(tmp_path, joined(second), f"{second.session}.jsonl"),
    ]
    results = []
    for number, order in enumerate((files, files[::-1])):
        rehydrate = Rehydrate(tmp_path / f"{number}.sqlite")
        rehydrate.json("import", *order)
        found = [rehydrate.json("resume", one.session) for one in (first, second)]
        results.append([[message["native_id"] for message in one["messages"]] for one in found])
        assert len(found[1]["messages"]) == 8
    assert results[0] == results[1]


def test_pictures_are_kept_once_and_come_back(rehydrate: Rehydrate, tmp_path: Path) -> None:
    data = "QUJD" * 20_000
    lines = Lines(cwd=str(tmp_path))
    for number in range(5):
        lines.user(f"u{number}", [txt("look"), img(data)]).assistant(f"a{number}", txt("seen"))
    path = put(tmp_path, joined(lines))
    take(rehydrate, path)
    out = tmp_path / "back.jsonl"
    rehydrate.json("export", SESSION, "--to", "claude-code", "--out", out, "--original")
    assert out.read_bytes() == path.read_bytes()
    with sqlite3.connect(rehydrate.db) as raw:
        assert raw.execute("SELECT count(*) FROM blob").fetchone() == (1,)
    raw.close()


def test_a_file_without_rights_is_failed_by_name(rehydrate: Rehydrate, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    path = put(tmp_path, joined(Lines().turns(1, 1)))
    path.chmod(0)
    (failed,) = rehydrate.json("import", path, code=6)["failed"]
    assert str(path) in failed["error"]
