"""The command reference, made from the program's own help: `make docs` writes it, a test compares it."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

from rehydrate.runtime.cli import main
from rehydrate.runtime.cli.commands import SECTIONS

PATH = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
HEAD = """# Commands

Made from the program's own help by `make docs`. What `--json` prints is in [json.md](json.md), exit codes as well; findings are
in [findings.md](findings.md). `--json`, `--db` and `--show-secrets` may stand before or behind any command.

The database is `--db URL`, else `REHYDRATE_DATABASE_URL`, else an SQLite file in the user's data folder, made with mode 0600.
"""


def help_of(*arguments: str) -> str:
    """What `rehydrate … --help` prints at 100 columns."""
    out = io.StringIO()
    before = {name: os.environ.get(name) for name in ("COLUMNS", "TERMINAL_WIDTH")}
    os.environ["COLUMNS"] = os.environ["TERMINAL_WIDTH"] = "100"
    try:
        with redirect_stdout(out):
            main([*arguments, "--help"])
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    return out.getvalue().strip()


def reference() -> str:
    """The whole page."""
    parts = [HEAD, f"```text\n{help_of()}\n```\n"]
    for title, entries in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [f"### {name}\n\n```text\n{help_of(name)}\n```\n" for name in entries]
    return "\n".join(parts)


if __name__ == "__main__":
    PATH.write_text(reference(), encoding="utf-8")
