"""How long a check takes: a session with 5,000 touched files in a repository of 50,000 (goal: under 2 seconds).

Run: python benchmarks/workspace_check.py [files touched [--profile]]
"""

from __future__ import annotations

import cProfile
import hashlib
import os
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rehydrate.runtime.workspace.check import check_workspace
from rehydrate.runtime.workspace.drift import TouchedFile
from rehydrate.runtime.workspace.expected import ExpectedPlace
from rehydrate.runtime.workspace.identify import project_identity


def git(place: Path, *arguments: str) -> str:
    command = ["git", "-c", "gc.auto=0", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
    return subprocess.run(command, cwd=place, check=True, capture_output=True, text=True).stdout.strip()


def main(files: int, touched: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(os.path.realpath(folder)) / "repo"
        repo.mkdir()
        git(repo, "init", "-q", "-b", "main")
        seen: list[TouchedFile] = []
        for number in range(files):
            place = repo / f"part{number % 500}"
            place.mkdir(exist_ok=True)
            content = f"file {number}\n" * 40
            (place / f"file{number}.py").write_text(content, "utf-8")
            if number < touched:
                digest = hashlib.sha256(content.encode()).hexdigest()
                seen.append(TouchedFile(path=str(place / f"file{number}.py"), digest=digest))
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "begin")
        expected = ExpectedPlace(
            session_id="s1",
            cwd=str(repo),
            project=project_identity(repo),
            branch="main",
            head=git(repo, "rev-parse", "HEAD"),
            toplevel=str(repo),
        )
        (repo / "part0" / "file0.py").write_text("changed\n", "utf-8")
        if "--profile" in sys.argv:
            profile = cProfile.Profile()
            profile.runcall(check_workspace, expected, None, seen)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(25)
        for gate in ("restore", "open"):
            start = time.perf_counter()
            report = check_workspace(expected, None, seen, gate=gate)
            elapsed = time.perf_counter() - start
            assert report.drift is not None
            print(f"{gate}: {elapsed:.3f} s, {report.drift.unchanged} unchanged, {len(report.drift.changed)} changed")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]) if len(sys.argv) > 2 else (50_000, 5_000))
