"""What holds for every command: one document, exit codes, quiet signals, any locale."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rehydrate.runtime.cli.commands import COMMANDS

from .command import Rehydrate


def test_version_is_printed_for_people_and_for_programs(rehydrate: Rehydrate) -> None:
    assert rehydrate("--version").out.startswith("rehydrate ")
    assert set(rehydrate.json("--version")) == {"version"}


@pytest.mark.parametrize(
    "arguments", [["no-such-command"], ["resume", "--no-such-option"], ["rename"], ["export", "x", "--to"]]
)
def test_a_usage_error_exits_2_and_is_one_document_with_json(rehydrate: Rehydrate, arguments: list[str]) -> None:
    assert rehydrate(*arguments).code == 2
    ran = rehydrate(*arguments, "--json")
    assert ran.code == 2
    assert ran.error["code"] == "usage"
    assert "--help" in ran.error["remedy"]


def test_a_usage_error_for_a_person_names_the_help_on_stderr(rehydrate: Rehydrate) -> None:
    ran = rehydrate("rename")
    assert ran.out == ""
    assert "Missing argument" in ran.err
    assert "rehydrate rename --help" in ran.err


@pytest.mark.parametrize("place", ["before", "after"])
def test_global_options_may_stand_before_or_behind_the_command(rehydrate: Rehydrate, place: str) -> None:
    given = ["--json", "search", "x"] if place == "before" else ["search", "x", "--json"]
    assert rehydrate(*given).json["matches"] == []


def test_a_database_given_to_the_command_wins_over_the_global_one(rehydrate: Rehydrate) -> None:
    other = rehydrate.db.with_name("other.sqlite")
    rehydrate.json("search", "x", "--db", str(other))
    assert other.exists()
    assert not rehydrate.db.exists()


def test_the_database_can_come_from_the_environment(rehydrate: Rehydrate) -> None:
    ran = rehydrate.process("search", "x", "--json")
    assert json.loads(ran.stdout)["matches"] == []
    assert rehydrate.db.stat().st_mode & 0o777 == 0o600


def test_an_engine_that_is_not_installed_is_a_usage_error(rehydrate: Rehydrate) -> None:
    assert rehydrate("search", "x", "--db", "nosuch://host/db", "--json").error["code"] == "usage"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(rehydrate: Rehydrate, name: str) -> None:
    ran = rehydrate(name, "--help")
    assert ran.code == 0
    assert f"rehydrate {name}" in ran.out.partition("Example:")[2]
    assert "--json" in ran.out
    assert "--db" in ran.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_line_in_the_list_is_the_first_sentence_of_the_help(rehydrate: Rehydrate, name: str) -> None:
    text = " ".join(rehydrate(name, "--help").out.split())
    assert COMMANDS[name].help in text


def test_help_lists_every_command(rehydrate: Rehydrate) -> None:
    out = rehydrate("--help").out
    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []


def test_a_broken_pipe_is_quiet(rehydrate: Rehydrate) -> None:
    command = f"{sys.executable} -m rehydrate.runtime.cli --help | true"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert ran.stderr == ""


def test_an_interrupt_exits_130_without_a_traceback(rehydrate: Rehydrate) -> None:
    code = (
        "import sys, time, rehydrate.runtime.cli.run_command as r\n"
        "def slow(*_):\n    print('ready', flush=True); time.sleep(30)\n"
        "r._run = slow\nsys.exit(r.run_command([]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [["search", "größe 日本"], ["search", "größe 日本", "--json"], ["resume", "größe 日本"]]
)
def test_a_c_locale_prints_without_an_encoding_error(rehydrate: Rehydrate, arguments: list[str]) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = rehydrate.process(*arguments, env=env)
    assert ran.returncode in {0, 3}
    assert "UnicodeEncodeError" not in ran.stderr
    ran.stdout.encode("ascii")


def test_completion_is_offered_for_the_shell(rehydrate: Rehydrate) -> None:
    env = {"_REHYDRATE_COMPLETE": "complete_bash", "COMP_WORDS": "rehydrate una", "COMP_CWORD": "1"}
    ran = rehydrate.process(env=env)
    assert ran.stdout.split() == ["unarchive"]


def test_completion_offers_the_ids_of_sessions(examples: Rehydrate) -> None:
    env = {"_REHYDRATE_COMPLETE": "complete_bash", "COMP_WORDS": "rehydrate resume 3bc", "COMP_CWORD": "2"}
    assert examples.process(env=env).stdout.split() == ["3bc801a3-3ea8-4df4-94e1-aeb962a52412"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_cannot_be_written_is_a_clear_error(rehydrate: Rehydrate) -> None:
    rehydrate.db.parent.chmod(0o500)
    try:
        assert rehydrate("search", "x", "--json").code == 1
    finally:
        rehydrate.db.parent.chmod(0o700)


@pytest.mark.parametrize("hidden", [False, True])
def test_without_a_command_a_terminal_gets_the_picker_or_the_list_and_a_hint(examples: Rehydrate, hidden: bool) -> None:
    block = "import sys; sys.modules['textual'] = None\n" if hidden else ""
    code = f"{block}from rehydrate.runtime.cli import main\nraise SystemExit(main(['--db', {str(examples.db)!r}]))"
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        if not hidden:
            time.sleep(2)
            os.write(ours, b"\x1b")
        shown = b""
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 4096):
                shown += chunk
        process.wait(timeout=20)
    os.close(ours)
    assert process.returncode == 0
    if hidden:
        assert b"rehydrate[tui]" in shown
        assert b"There is no session" in shown
    else:
        assert b"Search in titles" in shown


def test_without_a_command_and_a_terminal_the_list_is_printed(examples: Rehydrate) -> None:
    ran = examples("--json")
    assert ran.code == 0
    assert set(ran.json) == {"sessions"}


def test_printed_commands_name_the_database_that_was_typed(examples: Rehydrate) -> None:
    """What is printed to be copied means the same database; one given by the environment needs no word."""
    assert f"rehydrate --db {examples.db} rebind 3bc801a3" in examples("check", "3bc801a3").out
    assert f"rehydrate --db {examples.db} sessions --all" in examples("resume", "no-such").err
    assert "rehydrate rebind 3bc801a3" in examples.process("check", "3bc801a3").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_output_that_cannot_be_written_is_said_in_one_line(examples: Rehydrate, options: list[str]) -> None:
    command = [sys.executable, "-m", "rehydrate.runtime.cli", "--db", str(examples.db), "sessions", "--all", *options]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert "No space left" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_closed_output_is_no_failure(examples: Rehydrate) -> None:
    command = f"exec {sys.executable} -m rehydrate.runtime.cli --db {examples.db} sessions --all >&-"
    ran = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
