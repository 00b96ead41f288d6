"""From a command line to an exit code: errors become one document or one clear message, signals and broken pipes stay quiet."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from .frame import Answer, Frame

INTERRUPTED = 130
BROKEN_PIPE = 141


def run_command(argv: Sequence[str] | None = None) -> int:
    """Run the command line; never raises for what a user can cause."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    _tolerate(sys.stdout)
    _tolerate(sys.stderr)
    frame = Frame(json=_wants_json(arguments), out=sys.stdout, err=sys.stderr)
    try:
        code = _guarded(arguments, frame)
        frame.out.flush()
        return code
    except BrokenPipeError:
        _silence()
        return BROKEN_PIPE
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            print(f"Error: the output cannot be written: {error.strerror or error}.", file=frame.err, flush=True)
        _silence()
        return 1


def _nowhere() -> TextIO:
    """Where output goes when the process was started with the stream closed."""
    return Path(os.devnull).open("w", encoding="utf-8")


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the options: a usage error comes before the options are parsed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _tolerate(stream: TextIO) -> None:
    """Characters outside the locale's encoding are escaped, never an error."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _silence() -> None:
    """Nobody reads any more: the interpreter's own flush at exit must not complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(arguments: list[str], frame: Frame) -> int:
    try:
        return _run(arguments, frame)
    except KeyboardInterrupt:
        frame.note("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the one place where errors become exit codes
        from .faults import report

        return report(error, frame)


def _run(arguments: list[str], frame: Frame) -> int:
    import typer

    from .app import app

    command = typer.main.get_command(app)
    shielded = contextlib.redirect_stdout(frame.err) if frame.json else contextlib.nullcontext()
    with shielded:
        result = command.main(arguments, prog_name="rehydrate", standalone_mode=False, obj=frame)
    if isinstance(result, Answer):
        return frame.give(result)
    return result if isinstance(result, int) else 0
