"""The package's own modules as syntax trees, and what each of them imports, by absolute name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP = ("events", "projections", "runtime", "migrations")


@dataclass(frozen=True, slots=True)
class Module:
    """`name` is dotted and begins below `rehydrate`; `imports` are absolute (`rehydrate.…` for our own)."""

    name: str
    path: Path
    tree: ast.Module
    imports: frozenset[str]

    def inside(self, *packages: str) -> bool:
        return any(self.name == package or self.name.startswith(package + ".") for package in packages)


@cache
def modules() -> tuple[Module, ...]:
    return tuple(_load(path) for top in TOP for path in sorted((ROOT / top).rglob("*.py")))


def _load(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = name if is_package else name.rpartition(".")[0]
    return Module(name, path, tree, frozenset(_imports(tree, package)))


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    here = ["rehydrate", *package.split(".")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module or "") if part)
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names)
