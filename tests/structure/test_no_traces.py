"""Nothing in the repository points at one machine, one person or one package index."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE = re.compile(r"/work/(?:main|shared|\.library)|/root/\.|/opt/(?:pypi|npm)")
HOSTS = re.compile(
    r"(?:pyp[i]\.org|npmj[s]\.(?:com|org)|pythonhoste[d]\.org|deb\.debia[n]\.org|archive\.ubunt[u]\.com)"
)  # no host is spelled out


def texts() -> dict[str, str]:
    names = (
        subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    )
    found: dict[str, str] = {}
    for name in filter(None, names):
        path = ROOT / name
        if path.is_symlink() or not path.is_file() or path.suffix in {".zdict", ".png", ".ico"}:
            continue
        found[name] = path.read_text(encoding="utf-8", errors="replace")
    return found


def test_no_path_of_a_machine_and_no_host_of_a_registry() -> None:
    here = Path(__file__).name
    wrong = [
        f"{name}: {match[0]}"
        for name, text in texts().items()
        if Path(name).name != here
        for pattern in (MACHINE, HOSTS)
        for match in pattern.finditer(text)
    ]
    assert wrong == []
