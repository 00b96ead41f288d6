"""The command `rehydrate`. A command parses, calls one public function of `rehydrate.runtime`, and gives back an `Answer`.

To add one: a file here with a function that takes `typer.Context` first, and a line in `commands.py`.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    0 done, 2 usage, 3 not found, 4 conflict, 5 refused by a check, 6 damaged data, 7 provider error, 1 anything else.
    """
    from .run_command import run_command

    return run_command(argv)
