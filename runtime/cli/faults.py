"""What went wrong, told once: the JSON document of an error, or message and remedy for a person, and the exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from ...events.errors import RehydrateError
from .frame import Frame, as_json


def report(error: Exception, frame: Frame) -> int:
    """Print the error in the form asked for and return its exit code."""
    document, code = _describe(error)
    if os.environ.get("REHYDRATE_TRACEBACK"):
        import traceback

        traceback.print_exception(error, file=frame.err)
    if frame.json:
        frame.out.write(as_json({"error": document}, frame.out) + "\n")
        frame.out.flush()
    else:
        _tell(document, frame)
    return code


def _describe(error: Exception) -> tuple[dict[str, Any], int]:
    if isinstance(error, RehydrateError):
        return error.as_json(), error.exit_code
    import typer

    if isinstance(error, typer.Abort):
        return _document("aborted", "Stopped; nothing was done."), 130
    if isinstance(error, typer.TyperException):
        return _usage(error), error.exit_code
    if isinstance(error, OSError):
        return _os_error(error)
    return _unexpected(error), 1


def _document(code: str, message: str, remedy: str = "", **facts: Any) -> dict[str, Any]:
    return {"code": code, "message": message, "remedy": remedy, "facts": facts}


def _usage(error: Any) -> dict[str, Any]:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "rehydrate"
    return _document("usage", error.format_message().replace("\n", " "), f"See: {path} --help")


def _os_error(error: OSError) -> tuple[dict[str, Any], int]:
    path = error.filename if isinstance(error.filename, str) else None
    name = f"{path}: " if path else ""
    message = f"{name}{error.strerror or error}."
    if isinstance(error, FileNotFoundError) and path is None and not _here():
        return _document(
            "file-not-found", "The current directory was removed.", "Go to a directory that exists, or give --project."
        ), 3
    if isinstance(error, FileNotFoundError):
        return _document("file-not-found", message, "Check the path.", path=path), 3
    return _document("os-error", message, "Check the path and its rights.", path=path), 1


def _here() -> bool:
    """Whether the current directory still exists."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _unexpected(error: Exception) -> dict[str, Any]:
    return _document(
        "internal",
        f"{type(error).__name__}: {error}",
        "This is a defect of rehydrate; set REHYDRATE_TRACEBACK=1 to see where, and report it.",
        type=type(error).__name__,
    )


def _tell(document: dict[str, Any], frame: Frame) -> None:
    colour = frame.err.isatty() and "NO_COLOR" not in os.environ
    mark = "\x1b[1;31mError:\x1b[0m" if colour else "Error:"
    candidates: list[Any] = document["facts"].get("candidates") or []
    frame.note(f"{mark} {_headline(document['message'], candidates)}")
    for candidate in candidates:
        frame.note(f"  {_candidate(candidate)}")
    findings: list[dict[str, Any]] = document["facts"].get("findings") or []
    if findings:
        from .screen import Screen

        Screen(frame.err, mask=True, db=frame.db).findings(findings)
    remedy = document["remedy"]
    if remedy and all(finding.get("remedy") != remedy for finding in findings):
        from .screen import with_database

        frame.note(with_database(remedy, frame.db))
    frame.err.flush()


def _headline(message: str, candidates: list[Any]) -> str:
    """The message without the candidates that it names: they follow on lines of their own."""
    known = [cast("dict[str, Any]", one) for one in candidates if isinstance(one, dict)]
    names = [str(one["session_id"]) for one in known if "session_id" in one]
    places = [message.find(name) for name in names if name in message]
    if not places:
        return message
    head, dot, _ = message[: min(places)].rpartition(". ")
    return f"{head}." if dot else message[: min(places)].rstrip(": ") + ":"


def _candidate(candidate: Any) -> str:
    if not isinstance(candidate, dict):
        return str(candidate)
    values: list[Any] = list(cast("dict[str, Any]", candidate).values())
    return "  ".join(str(value) for value in values if value is not None)
