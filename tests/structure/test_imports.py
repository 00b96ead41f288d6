"""The six rules of the house (docs/explanation/architecture.md), read from the modules' syntax trees."""

from __future__ import annotations

import ast
import itertools
import sys

import pytest

from .sources import Module, modules

BELOW = {
    "events": {"events"},
    "projections": {"events", "projections"},
    "runtime": {"events", "projections", "runtime"},
    "migrations": {"migrations"},
}
STORE = (
    "rehydrate.events.schema",
    "rehydrate.events.database",
    "rehydrate.events.blobs",
    "rehydrate.events.native",
    "rehydrate.projections",
    "sqlalchemy",
    "sqlite3",
)
IMPURE = {
    "asyncio", "datetime.datetime.now", "glob", "http", "io", "locale", "os", "pathlib", "random", "secrets", "shutil",
    "socket", "sqlalchemy", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid", "git",
    "rehydrate.events.store", "rehydrate.events.database", "rehydrate.events.times.now_us",
}  # fmt: skip
DRIVERS = (
    "projections.fold",
    "projections.snapshots",
    "projections.session_index",
    "projections.index",
    "projections.path",
)
"""The modules of projections/ that read the store and feed the folds; they are no folds."""


def ids(module: Module) -> str:
    return module.name


@pytest.mark.parametrize("top", BELOW)
def test_imports_go_down_only(top: str) -> None:
    wrong = {
        f"{module.name} imports {name}"
        for module in modules()
        if module.inside(top)
        for name in module.imports
        if name.startswith("rehydrate.") and name.split(".")[1] not in BELOW[top]
    }
    assert wrong == set()


def test_inside_the_package_imports_are_relative() -> None:
    wrong = {
        module.name
        for module in modules()
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "rehydrate")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "rehydrate" for alias in node.names))
    }
    assert wrong == set()


def test_faces_hold_a_store_at_most_to_hand_it_on() -> None:
    """`EventStore` is public as the `store=` of public functions; its methods are not for faces."""
    from rehydrate.events.store import EventStore

    methods = {name for name in vars(EventStore) if not name.startswith("_")} - {"close"}
    wrong = {
        f"{module.name}: store.{node.func.attr}"
        for module in modules()
        if module.inside("runtime.cli", "runtime.web", "runtime.picker")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in methods
        and ast.unparse(node.func.value).split(".")[-1] in {"store", "opened_store", "events"}
    }
    assert wrong == set()


def test_faces_import_no_part_of_the_storage() -> None:
    wrong = {
        f"{module.name} imports {name}"
        for module in modules()
        if module.inside("runtime.cli", "runtime.web", "runtime.picker")
        for name in module.imports
        if name.startswith(STORE)
    }
    assert wrong == set()


def test_folds_read_no_clock_disk_network_or_randomness() -> None:
    wrong = {
        f"{module.name} imports {name}"
        for module in modules()
        if module.inside("projections") and not module.inside(*DRIVERS)
        for name in module.imports
        if name in IMPURE or name.split(".")[0] in IMPURE
    }
    assert wrong == set()


def test_folds_open_no_files() -> None:
    wrong = {
        module.name
        for module in modules()
        if module.inside("projections") and not module.inside(*DRIVERS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"open", "input", "exec"}
    }
    assert wrong == set()


def test_folds_know_no_agent_by_name() -> None:
    """Only importers, exporters and the client-compatible renderings know one agent's ways."""
    wrong = {
        f"{module.name}: {node.value!r}"
        for module in modules()
        if module.inside("projections")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant)
        and node.value in {"claude-code", "codex", "claude_code", "gemini", "opencode"}
    }
    assert wrong == set()


def test_migrations_import_alembic_and_sqlalchemy_only() -> None:
    allowed = {"alembic", "sqlalchemy", "__future__", "typing", "collections"}
    wrong = {
        f"{module.name} imports {name}"
        for module in modules()
        if module.inside("migrations")
        for name in module.imports
        if name.split(".")[0] not in allowed
    }
    assert wrong == set()


def test_every_third_party_import_is_a_declared_dependency() -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = " ".join(
        [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    ).lower()
    distribution = {"git": "gitpython", "rich": "rich", "agents": "openai-agents", "google": "protobuf"}
    used = {name.split(".")[0] for module in modules() for name in module.imports}
    foreign = {name for name in used if name and name != "rehydrate" and name not in sys.stdlib_module_names}
    missing = {name for name in foreign if distribution.get(name, name).replace("_", "-").lower() not in declared}
    assert missing == set()
