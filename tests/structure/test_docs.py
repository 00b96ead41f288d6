"""What the documentation shows is what the program does: its examples run here, its output is compared."""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from textwrap import dedent

import pytest
from rehydrate.runtime import import_transcripts
from rehydrate.runtime.cli import main

from . import command_reference

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
WILD = "[...]"
TODAY = "1796040000"
"""2026-11-30: relative times in the pages are as of this day."""


def blocks(page: Path, language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the bundled examples, a home and a database of its own."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, value in {
        "HOME": str(tmp_path / "home"),
        "REHYDRATE_DATABASE_URL": str(tmp_path / "home" / "store.sqlite"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "examples" / "sessions" / "claude-code"),
        "CODEX_HOME": str(tmp_path / "examples" / "sessions" / "codex"),
        "SOURCE_DATE_EPOCH": TODAY,
        "COLUMNS": "100",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def steps(console: str) -> list[tuple[str, str]]:
    """`$ command` lines, each with the output that follows it."""
    found: list[tuple[str, str]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def alike(expected: str, found: str) -> bool:
    """Equal up to space at the ends of lines; `[...]` stands for anything."""
    want, got = (re.sub(r"[ \t]+$", "", text.strip(), flags=re.MULTILINE) for text in (expected, found))
    return doctest.OutputChecker().check_output(want.replace(WILD, "...") + "\n", got + "\n", doctest.ELLIPSIS)


def typed(command: str, place: Path) -> tuple[int, str]:
    """Exit code and output of a command line; `rehydrate` runs in this process, because starting it takes most of its time."""
    words = shlex.split(command.replace("$PWD", str(place)), comments=True)
    if words[0] != "rehydrate":
        ran = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr
    out, err = io.StringIO(), io.StringIO()
    end = next((number for number, word in enumerate(words) if word in {">", "|"}), len(words))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words[1:end])
    printed, rest = out.getvalue(), words[end:]
    if rest[:1] == [">"]:
        (place / rest[1]).write_text(printed, encoding="utf-8")
        printed = ""
    elif rest[:3] == ["|", "tail", "-n"]:
        printed = "".join(printed.splitlines(keepends=True)[-int(rest[3]) :])
    return code, printed + err.getvalue()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=named)
def test_commands_in_the_pages_print_what_is_shown(page: Path, sandbox: Path) -> None:
    for console in blocks(page, "console"):
        for command, expected in steps(console):
            code, printed = typed(command, sandbox)
            if expected.strip():
                assert alike(expected, printed), f"$ {command}\n{printed}"
            else:
                assert code == 0, (command, printed)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=named)
def test_python_in_the_pages_runs(page: Path, sandbox: Path) -> None:
    import_transcripts(["examples/sessions"])
    code = "\n".join(dedent(text) for text in blocks(page, "python"))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=sandbox, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=named)
def test_example_scripts_run(script: Path, sandbox: Path) -> None:
    import_transcripts(["examples/sessions"])
    ran = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=sandbox, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_command_reference_is_the_programs_own_help() -> None:
    assert command_reference.PATH.read_text(encoding="utf-8") == command_reference.reference(), "run: make docs"


def test_the_changelog_keeps_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n")
    allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Schema", "Formats"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= allowed
