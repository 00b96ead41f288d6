"""A finding's code is a promise: every code in the program is listed, with its meaning, in docs/reference/findings.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from rehydrate.events import errors

from .sources import modules

ROOT = Path(__file__).parents[2]
KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z]+")
MAKERS = {"Finding", "finding", "_finding", "Remark", "remark", "_remark", "warn", "note", "verdict"}


def codes_in_use() -> set[str]:
    """First arguments (or `code=`) of the calls that make findings."""
    found: set[str] = set()
    for module in modules():
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name not in MAKERS:
                continue
            place = 2 if name == "verdict" else 0
            given = [keyword.value for keyword in node.keywords if keyword.arg == "code"] or node.args[
                place : place + 1
            ]
            found.update(
                value.value
                for value in given
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and KEBAB.fullmatch(value.value)
            )
    return found


def documented() -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in (ROOT / "docs/reference/findings.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) >= 4:
            rows.update({code.strip().strip("`"): cells for code in cells[0].split(",")})
    return rows


def test_every_code_in_the_program_is_documented() -> None:
    assert sorted(codes_in_use() - documented().keys()) == []


def test_every_row_has_a_severity_a_meaning_and_a_remedy() -> None:
    for code, (_, severity, meaning, remedy, *_rest) in documented().items():
        assert set(re.split(r"[ ,/]+", severity)) <= {"info", "repaired", "warning", "error"}, code
        assert meaning, code
        assert remedy, code


def test_every_error_code_is_documented() -> None:
    text = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
    kinds = [errors.RehydrateError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    assert [kind.code for kind in kinds if f"`{kind.code}`" not in text] == []
