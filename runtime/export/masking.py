"""Known secret patterns in what is written: masked line by line, counted, and told."""

from __future__ import annotations

import json

from ...events.findings import Finding
from ..secrets import mask, mask_document
from .transcript import Transcript, line_of


def masked_transcript(transcript: Transcript) -> None:
    """Mask the transcript's lines and its sub-agents' in place; file backups stay as they are: they are the person's
    own files."""
    transcript.lines, findings = masked_lines(transcript.lines)
    for name, data in transcript.side.items():
        if name.endswith(".jsonl"):
            lines, more = masked_lines(data.splitlines())
            transcript.side[name] = b"".join(line + b"\n" for line in lines)
            findings += more
    transcript.findings += findings


def masked_lines(lines: list[bytes]) -> tuple[list[bytes], list[Finding]]:
    """The lines with secrets masked, and one finding that counts them; lines without any keep their bytes."""
    made: list[bytes] = []
    total = 0
    for line in lines:
        masked, count = _masked(line)
        made.append(masked)
        total += count
    if not total:
        return made, []
    finding = Finding(
        code="secrets-masked",
        severity="warning",
        message=f"{total} known secret pattern(s) were masked in the export.",
        remedy="--show-secrets keeps them; --original gives the imported bytes.",
        facts={"count": total},
    )
    return made, [finding]


def _masked(line: bytes) -> tuple[bytes, int]:
    text = line.decode("utf-8", "surrogateescape")
    if not mask(text)[1]:
        return line, 0
    try:
        document = json.loads(line)
    except ValueError:
        masked, count = mask(text)
        return masked.encode("utf-8", "surrogateescape"), count
    masked_document, count = mask_document(document)
    return (line_of(masked_document), count) if count else (line, 0)
