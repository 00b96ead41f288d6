"""What every command needs and gives: the options given to all of them, and the one answer that is printed at its end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    import typer

    from .screen import Screen


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command.

    document: what `--json` prints: JSON values, or an object with `model_dump(mode="json")`.
    show: prints the same for a person; gets the screen. exit_code: 0, or the code of a result that is a refusal.
    masked: known secret patterns in the document are replaced too (on the screen they always are); `--show-secrets` turns
    both off.
    """

    document: Any
    show: Callable[[Screen], None]
    exit_code: int = 0
    masked: bool = False


@dataclass(slots=True)
class Frame:
    """The options that all commands share, and the ways out: one document on stdout, notes on stderr.

    db: a database URL or path, None for the default (`REHYDRATE_DATABASE_URL`, else the user's data folder).
    """

    json: bool = False
    db: str | None = None
    show_secrets: bool = False
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    @classmethod
    def of(cls, context: typer.Context) -> Frame:
        """The frame of a running command."""
        frame = context.find_root().obj
        assert isinstance(frame, Frame)
        return frame

    def note(self, text: str) -> None:
        """A message to the person, never part of the result."""
        print(text, file=self.err, flush=True)

    def line(self, document: Any) -> None:
        """Print one JSON document on a line of its own at once: for commands that stream and return no `Answer`."""
        self.out.write(as_json(document, self.out, indent=None) + "\n")
        self.out.flush()

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked: a terminal on both sides and no `--json`."""
        return not self.json and sys.stdin.isatty() and self.err.isatty()

    def give(self, answer: Answer) -> int:
        """Print an answer and return its exit code."""
        if self.json:
            document = answer.document
            if answer.masked and not self.show_secrets:
                from ..secrets import mask_document

                document, _ = mask_document(plain(document))
            self.out.write(as_json(document, self.out) + "\n")
            self.out.flush()
            return answer.exit_code
        from .screen import Screen

        screen = Screen(self.out, mask=not self.show_secrets, db=self.db)
        answer.show(screen)
        if screen.redactions:
            self.note(f"{screen.redactions} secret(s) masked; --show-secrets shows them.")
        self.out.flush()
        return answer.exit_code


def plain(document: Any) -> Any:
    """JSON values of a document that may be (or hold) pydantic models, dataclasses or paths."""
    return json.loads(json.dumps(document, default=_encode))


def as_json(document: Any, out: TextIO, indent: int | None = 2) -> str:
    """JSON text that `out` can take: characters outside its encoding, and lone surrogates, are written as escapes.

    Numbers that JSON has not (NaN, Infinity) become null.
    """
    try:
        text = json.dumps(document, ensure_ascii=False, indent=indent, default=_encode, allow_nan=False)
    except ValueError:
        document = json.loads(json.dumps(document, default=_encode), parse_constant=lambda _: None)
        text = json.dumps(document, ensure_ascii=False, indent=indent)
    try:
        text.encode(getattr(out, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return json.dumps(document, ensure_ascii=True, indent=indent, default=_encode)
    return text


def _encode(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "as_json"):
        return value.as_json()
    if hasattr(value, "__dataclass_fields__"):
        import dataclasses

        return dataclasses.asdict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(cast("set[Any]", value))
    return str(value)
