"""The package list in pyproject.toml is written by hand: it must name every folder that holds modules, and no other."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP = ("events", "projections", "runtime", "migrations")


def folders() -> set[str]:
    found = {"rehydrate"}
    for top in TOP:
        for module in (ROOT / top).rglob("*.py"):
            found.add(".".join(["rehydrate", *module.parent.relative_to(ROOT).parts]))
    return found


def test_the_package_list_names_exactly_the_folders() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert set(listed) == folders()
    assert listed == sorted(listed)


def test_every_package_folder_has_an_init_module() -> None:
    missing = [
        str(module.parent.relative_to(ROOT))
        for top in TOP
        for module in (ROOT / top).rglob("*.py")
        if not (module.parent / "__init__.py").exists()
    ]
    assert sorted(set(missing)) == []


def test_the_root_module_holds_a_docstring_and_nothing_else() -> None:
    import ast

    body = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8")).body
    assert len(body) == 1
    assert isinstance(body[0], ast.Expr)


def test_files_that_are_no_modules_are_package_data() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    packed = {
        file
        for package, patterns in data.items()
        for pattern in patterns
        for file in (ROOT / package.removeprefix("rehydrate").lstrip(".").replace(".", "/")).glob(pattern)
    }
    others = {
        file
        for top in TOP
        for file in (ROOT / top).rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"} and "__pycache__" not in file.parts
    }
    assert {str(file.relative_to(ROOT)) for file in others - packed} == set()
