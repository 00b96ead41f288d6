"""Keeping order: labels, deleting and purging, copies of the database, costs."""

from __future__ import annotations

import shlex
import sqlite3
from pathlib import Path

from .command import EXAMPLES, Rehydrate

ROUNDING, MIGRATE = "19d6f933", "3bc801a3"


def listed(rehydrate: Rehydrate, *options: str) -> list[str]:
    return [row["session_id"][:8] for row in rehydrate.json("sessions", "--all", *options)["sessions"]]


def test_the_hint_after_a_rename_resumes_by_the_new_name(examples: Rehydrate) -> None:
    renamed = examples.json("rename", MIGRATE, "planb")
    assert renamed["title"] == "planb"
    assert examples.json("resume", "planb")["session"]["id"] == renamed["session_id"]
    hint = next(line for line in examples("rename", MIGRATE, "planc").out.splitlines() if " resume " in line)
    assert examples(*shlex.split(hint.partition("rehydrate ")[2])).code == 0
    assert examples.json("resume", "planc")["session"]["title"] == "planc"


def test_an_empty_title_gives_way_to_the_one_before(examples: Rehydrate) -> None:
    examples.json("rename", ROUNDING, "other")
    examples.json("rename", ROUNDING, "")
    assert examples.json("resume", ROUNDING)["session"]["title"] == "Fix rounding of invoice totals"


def test_a_title_may_be_taken_twice_and_naming_it_lists_both(examples: Rehydrate) -> None:
    examples.json("rename", ROUNDING, "same")
    examples.json("rename", MIGRATE, "same")
    ran = examples("resume", "same", "--json")
    assert ran.code == 3
    assert {entry["session_id"][:8] for entry in ran.error["facts"]["candidates"]} == {ROUNDING, MIGRATE}


def test_a_tag_is_shown_and_can_be_taken_away(examples: Rehydrate) -> None:
    examples.json("tag", ROUNDING, "release")
    assert examples.json("resume", ROUNDING)["session"]["tag"] == "release"
    assert listed(examples, "--search", "release") == [ROUNDING]
    examples.json("tag", ROUNDING, "")
    assert examples.json("resume", ROUNDING)["session"]["tag"] is None


def test_an_archived_session_is_hidden_until_asked_for(examples: Rehydrate) -> None:
    examples.json("archive", ROUNDING)
    assert ROUNDING not in listed(examples)
    assert ROUNDING in listed(examples, "--archived")
    assert examples.json("resume", ROUNDING)["session"]["archived"] is True
    examples.json("unarchive", ROUNDING)
    assert ROUNDING in listed(examples)


def test_labels_do_not_move_a_session_in_the_list(examples: Rehydrate) -> None:
    before = listed(examples)
    examples.json("rename", ROUNDING, "renamed now")
    assert listed(examples) == before


def test_delete_asks_and_without_a_person_nothing_happens(examples: Rehydrate) -> None:
    ran = examples("delete", ROUNDING, "--json")
    assert ran.code == 2
    assert "--yes" in ran.error["remedy"]
    assert ROUNDING in listed(examples)


def test_a_deleted_session_is_in_no_list_and_can_be_taken_back(examples: Rehydrate) -> None:
    full = examples.json("delete", ROUNDING, "--yes")["session_id"]
    assert ROUNDING not in listed(examples, "--archived")
    assert examples.json("search", "1047")["matches"] == []
    shown = examples("resume", ROUNDING).out
    assert f"rehydrate --db {examples.db} unarchive {full}" in shown
    examples.json("unarchive", ROUNDING)
    assert ROUNDING in listed(examples)
    assert examples.json("resume", ROUNDING)["session"]["archived"] is False


def test_purge_removes_what_was_said_from_the_file(examples: Rehydrate) -> None:
    marker = b"test_order_1047_is_exact"
    examples.json("search", "order")
    files = [examples.db, examples.db.with_name(examples.db.name + ".search")]
    full = examples.json("delete", ROUNDING, "--yes")["session_id"]
    planned = examples.json("purge", "--dry-run")
    assert planned["sessions"] == [full]
    assert examples.json("show", full)["entries"]
    purged = examples.json("purge", "--yes")
    assert purged["sessions"] == [full]
    assert purged["events"] == planned["events"] > 60
    assert purged["records"] > 30
    assert purged["bytes"] > 0
    assert len(purged["files"]) == 2
    assert all(marker not in file.read_bytes() for file in files)
    assert examples("resume", full).code == 3
    with sqlite3.connect(examples.db) as raw:
        left = raw.execute("SELECT count(*) FROM stream WHERE session_id LIKE '19d6%'").fetchone()
        triggers = raw.execute("SELECT count(*) FROM purge_permit").fetchone()
    raw.close()
    assert (left, triggers) == ((0,), (0,))
    assert examples.json("verify")["mismatches"] == []
    assert sorted(listed(examples)) == sorted({"019e2af8", "019e2c62", "bdbb9deb", MIGRATE})


def test_purge_leaves_a_fork_as_it_was(examples: Rehydrate) -> None:
    fork = examples.json("fork", f"{ROUNDING}@30")["session_id"]
    before = examples.json("resume", fork)
    full = examples.json("delete", ROUNDING, "--yes")["session_id"]
    purged = examples.json("purge", full, "--yes")
    assert purged["kept_for_forks"] == 30
    after = examples.json("resume", fork)
    for part in ("messages", "app_state", "agent", "accounting", "transcript_pointer"):
        assert after[part] == before[part], part
    assert examples.json("verify")["mismatches"] == []
    assert examples("resume", full).code == 3


def test_what_was_kept_for_a_fork_goes_with_the_fork(examples: Rehydrate) -> None:
    fork = examples.json("fork", f"{ROUNDING}@30")["session_id"]
    examples.json("delete", ROUNDING, "--yes")
    examples.json("purge", "--yes")
    examples.json("delete", fork, "--yes")
    purged = examples.json("purge", "--yes")
    assert purged["kept_for_forks"] == 0
    assert purged["events"] > 30
    with sqlite3.connect(examples.db) as raw:
        counts = [
            raw.execute("SELECT count(*) FROM stream WHERE session_id LIKE '19d6%'").fetchone()[0],
            raw.execute("SELECT count(*) FROM session WHERE session_id LIKE '19d6%'").fetchone()[0],
            raw.execute("SELECT count(*) FROM source WHERE session_id LIKE '19d6%'").fetchone()[0],
        ]
    raw.close()
    assert counts == [0, 0, 0]
    assert examples.json("verify")["mismatches"] == []


def test_only_deleted_sessions_can_be_purged(examples: Rehydrate) -> None:
    assert examples("purge", ROUNDING, "--yes", "--json").code == 2
    assert examples.json("purge", "--yes")["sessions"] == []


def test_a_purged_session_comes_back_when_its_file_is_imported_again(examples: Rehydrate) -> None:
    before = examples.json("resume", ROUNDING)
    examples.json("delete", ROUNDING, "--yes")
    examples.json("purge", "--yes")
    examples.json("import", EXAMPLES)
    assert examples.json("resume", ROUNDING)["messages"] == before["messages"]


def test_a_backup_holds_everything_and_is_private(examples: Rehydrate, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "monday.sqlite"
    made = examples.json("backup", target)
    assert made["sessions"] == 6
    assert target.stat().st_mode & 0o777 == 0o600
    copy = Rehydrate(target)
    assert copy.json("sessions", "--all") == examples.json("sessions", "--all")
    assert copy.json("verify")["mismatches"] == []


def test_a_backup_never_overwrites(examples: Rehydrate, tmp_path: Path) -> None:
    target = tmp_path / "there.sqlite"
    target.write_text("mine", encoding="utf-8")
    ran = examples("backup", target, "--json")
    assert ran.code == 4
    assert target.read_text(encoding="utf-8") == "mine"


def test_copy_moves_all_sessions_into_an_empty_database(examples: Rehydrate, tmp_path: Path) -> None:
    examples.json("fork", f"{ROUNDING}@30")
    target = Rehydrate(tmp_path / "other.sqlite")
    copied = examples.json("copy", target.db)
    assert copied["sessions"] == 7
    assert target.json("sessions", "--all") == examples.json("sessions", "--all")
    assert target.json("verify")["mismatches"] == []
    assert [row["events_added"] for row in target.json("import", EXAMPLES)["sessions"]] == [0] * 6
    assert examples("copy", target.db, "--json").code == 4


def test_repair_drops_caches_and_changes_no_restore(examples: Rehydrate) -> None:
    before = examples.json("resume", ROUNDING)
    examples.db.chmod(0o644)
    repaired = examples.json("repair")
    assert repaired["sessions"] == 6
    assert examples.db.stat().st_mode & 0o777 == 0o600
    assert examples.json("resume", ROUNDING) == before


def test_costs_are_the_sum_of_the_sessions_own_costs(examples: Rehydrate) -> None:
    document = examples.json("costs")
    own = [examples.json("resume", short)["accounting"]["own"] for short in listed(examples)]
    for name in ("requests", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens"):
        assert document["total"][name] == sum(one[name] for one in own), name
        for part in ("by_project", "by_model", "by_day"):
            assert sum(row[name] for row in document[part]) == document["total"][name], (part, name)
    assert abs(document["total"]["cost_usd"] - sum(one["cost_usd"] for one in own)) < 1e-9
    assert [row["day"] for row in document["by_day"]] == ["2026-05-12", "2026-05-13", "2026-05-14", "2026-05-15"]


def test_a_fork_costs_nothing_twice(examples: Rehydrate) -> None:
    before = examples.json("costs")["total"]
    examples.json("fork", f"{ROUNDING}@last")
    assert examples.json("costs")["total"] == before


def test_costs_can_be_narrowed_to_days_and_a_project(examples: Rehydrate) -> None:
    one_day = examples.json("costs", "--since", "2026-05-13", "--until", "2026-05-13")
    assert [row["day"] for row in one_day["by_day"]] == ["2026-05-13"]
    assert examples.json("costs", "--project", "/srv/orchard")["total"] == examples.json("costs")["total"]
    assert examples.json("costs", "--project", "/srv/other")["total"]["requests"] == 0
    assert examples("costs", "--since", "yesterday", "--json").code == 2


def test_search_finds_what_was_said_and_where(examples: Rehydrate) -> None:
    found = examples.json("search", "listdir", "sorting")
    assert [match["session_id"][:8] for match in found["matches"]] == ["bdbb9deb"]
    match = found["matches"][0]
    assert "os.listdir" in match["snippet"]
    assert examples("show", match["pointer"]).code == 0


def test_search_sees_what_was_added_since_the_last_search(examples: Rehydrate) -> None:
    assert examples.json("search", "zebra")["matches"] == []
    examples.json("rename", ROUNDING, "zebra crossing")
    assert examples.json("search", "zebra")["matches"][0]["title"] == "zebra crossing"


def test_a_lost_or_broken_search_index_is_made_again(examples: Rehydrate) -> None:
    before = examples.json("search", "decimal")
    index = examples.db.with_name(examples.db.name + ".search")
    index.write_bytes(b"no database at all" * 100)
    assert examples.json("search", "decimal") == before
    index.unlink()
    assert examples.json("search", "decimal") == before
