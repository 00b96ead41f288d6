"""Where Claude Code keeps its files: the configuration folder and what lies in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def config_folders() -> list[Path]:
    """`CLAUDE_CONFIG_DIR` (a comma list), else `~/.claude` and the older `~/.config/claude`."""
    named = os.environ.get("CLAUDE_CONFIG_DIR", "")
    folders = [Path(part.strip()).expanduser() for part in named.split(",") if part.strip()]
    if folders:
        return folders
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [home / ".claude", config / "claude"]


def transcript_places() -> Sequence[Path]:
    """The folders with transcripts on this machine."""
    return [folder / "projects" for folder in config_folders() if (folder / "projects").is_dir()]


def config_of(path: Path) -> Path | None:
    """The configuration folder a transcript lies in (`<config>/projects/<project>/…`), None elsewhere."""
    for parent in path.parents:
        if parent.name == "projects":
            return parent.parent
    return None
