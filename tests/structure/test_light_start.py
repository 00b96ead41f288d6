"""A command starts quickly because it imports only what it needs; what must not be loaded is named here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rehydrate.runtime import import_transcripts, resume_session

HEAVY = {
    "alembic", "git", "genai_prices", "hypothesis", "jinja2", "openai", "rich", "sqlalchemy.orm", "starlette", "textual",
    "uvicorn", "httpx",
}  # fmt: skip


EXAMPLES = Path(__file__).parents[2] / "examples" / "sessions"


def loaded(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom rehydrate.runtime.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(ran.stderr.split())


@pytest.mark.parametrize("arguments", [["--version", "--json"], ["--help"], ["resume", "--help"]])
def test_version_and_help_load_no_database_and_no_models(arguments: list[str]) -> None:
    heavy = HEAVY | {"sqlalchemy", "zstandard", "sqlite3"}
    assert loaded(*arguments) & heavy == set()


def test_a_restore_loads_no_migrations_no_models_and_no_screen(tmp_path: Path) -> None:
    """Measured at the second restore: the first one looks up prices and remembers them."""
    db = tmp_path / "store.sqlite"
    import_transcripts([EXAMPLES], store=db)
    resume_session("3bc801a3", store=db)
    assert loaded("resume", "3bc801a3", "--json", "--db", str(db)) & HEAVY == set()
