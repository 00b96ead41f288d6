"""Where real transcripts lie beside the checkout; the suites over them are skipped where the folder is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples at {SAMPLES}")


def public(client: str) -> list[Path]:
    """Published transcripts of a client."""
    files = (SAMPLES / "public" / client).glob("*.json*")
    return sorted(path for path in files if not path.name.endswith(".expected.json"))


def recorded(client: str) -> list[Path]:
    """Those of them for which it is recorded what the client sent."""
    return [path for path in public(client) if expected_path(path).is_file()]


def expected_path(sample: Path) -> Path:
    return sample.with_name(f"{sample.stem}.expected.json")


@cache
def module(name: str) -> ModuleType:
    """`canon` or `compare` of the samples folder."""
    spec = spec_from_file_location(name, SAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    import sys

    sys.modules.setdefault(name, made)
    spec.loader.exec_module(made)
    return made


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a generated scenario. files: the client's home after it, by path inside the home."""

    scenario: Path
    name: str
    data: dict[str, Any]
    files: dict[str, Path]

    @property
    def rollouts(self) -> list[Path]:
        return [path for name, path in sorted(self.files.items()) if path.name.startswith("rollout-")]

    @property
    def request(self) -> dict[str, Any] | None:
        path = self.scenario / self.name / "request.json"
        return json.loads(path.read_text()) if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Scenario:
    folder: Path
    data: dict[str, Any]

    @property
    def version(self) -> str:
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def expect(self) -> dict[str, Any]:
        return self.data.get("expect") or {}

    @property
    def stages(self) -> list[Stage]:
        return [Stage(self.folder, stage["name"], stage, self._files(stage)) for stage in self.data["stages"]]

    def _files(self, stage: dict[str, Any]) -> dict[str, Path]:
        home = self.folder / stage["name"] / "home"
        kept = {
            name.removeprefix("home/"): self.folder / where / name
            for name, where in (stage.get("unchanged") or {}).items()
        }
        return kept | {str(path.relative_to(home)): path for path in home.rglob("*") if path.is_file()}


def scenarios(client: str, name: str | None = None) -> Iterator[Scenario]:
    """Generated scenarios of a client, by version and name."""
    for path in sorted((SAMPLES / "generated" / client).glob("*/*/scenario.json")):
        if name is None or path.parent.name == name:
            yield Scenario(path.parent, json.loads(path.read_text()))


def home_of(stage: Stage, folder: Path) -> Path:
    """The client's home after the stage, as a folder of links."""
    for name, path in stage.files.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path)
    return folder
