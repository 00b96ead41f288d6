"""What to do next, in the words of the HTTP interface: its callers have no command line."""

from __future__ import annotations

import re

_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"(?:List|See|Find) \w+(?: \w+)? with: rehydrate sessions[^.;]*", "List them with GET /api/sessions"),
        (r"rehydrate sessions(?: --all)?", "GET /api/sessions"),
        (r"rehydrate run (\S+?)(?: PROMPT| \"…\")?(?=[\s.;,]|$)", r"POST /api/agent with sessionId \1"),
        (r"rehydrate fork (\S+?)(?=[\s.;,]|$)", r"POST /api/sessions/ID/fork with pointer \1"),
        (r"rehydrate rewind (\S+?)(?=[\s.;,]|$)", r"POST /api/sessions/ID/rewind with pointer \1"),
        (r"rehydrate (?:resume|show) (\S+?)(?=[\s.;,]|$)", r"GET /api/sessions/\1/runtime"),
        (r"rehydrate (?=\w)", "(where the server runs) rehydrate "),
        (r"--model(?: M)?\b", 'the field "model"'),
        (r"--project(?: [A-Z]\w*)?\b", 'the field "project"'),
        (r"--allow-cross-project\b", "the command line there"),
    )
)


def over_http(remedy: str) -> str:
    """The remedy without commands and options that a caller over HTTP cannot use."""
    for pattern, words in _WORDS:
        remedy = pattern.sub(words, remedy)
    return remedy
