"""The command as a user runs it: in this process for speed, in a process of its own where the process is the point."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehydrate.runtime.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "sessions"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; anything beside it is an error."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        document = self.json
        assert set(document) == {"error"}
        assert {"code", "message", "remedy", "facts"} <= set(document["error"])
        return document["error"]


@dataclass(frozen=True, slots=True)
class Rehydrate:
    """`rehydrate` bound to one database."""

    db: Path

    def __call__(self, *arguments: str | Path) -> Ran:
        """Run it in this process, with `--db`."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["--db", str(self.db), *map(str, arguments)])
        return Ran(code, out.getvalue(), err.getvalue())

    def json(self, *arguments: str | Path, code: int = 0) -> Any:
        """Run it with `--json`; the exit code must be `code`."""
        ran = self(*arguments, "--json")
        assert ran.code == code, ran
        return ran.json

    def process(
        self, *arguments: str | Path, env: dict[str, str] | None = None, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run it in a process of its own."""
        environment = {**os.environ, "REHYDRATE_DATABASE_URL": str(self.db), **(env or {})}
        command = [sys.executable, "-m", "rehydrate.runtime.cli", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, **options)
