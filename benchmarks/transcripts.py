"""A large Claude Code transcript made from real records: a sample repeated with new ids until the size is reached."""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CALL = re.compile(rb"\b(toolu|msg|req)_[0-9A-Za-z]+")
SESSION = "6f6a1c1e-0000-4000-8000-000000000001"


def records(samples: list[Path]) -> list[bytes]:
    """The message records of the samples, without what is larger than a usual record."""
    found: list[bytes] = []
    for sample in samples:
        lines = sample.read_bytes().split(b"\n")
        found += [line for line in lines if line.startswith(b"{") and b'"uuid"' in line and len(line) < 400_000]
    return found


def invented(count: int = 400) -> list[bytes]:
    """Records of the same shape for machines without samples."""
    found: list[bytes] = []
    parent = None
    for number in range(count):
        own = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
        call = f"toolu_{number // 3:024d}"
        text = f"Step {number}: " + "look at the parser and write the next test. " * (5 + number % 40)
        content: object = text
        usage = None
        kind = "user"
        if number % 3 == 1:
            kind = "assistant"
            content = [
                {"type": "text", "text": text},
                {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"/repo/src/f{number}.py"}},
            ]
            usage = {"input_tokens": 12, "cache_read_input_tokens": 9000 + number, "output_tokens": 200 + number}
        elif number % 3 == 2:
            content = [{"type": "tool_result", "tool_use_id": call, "content": text * 4}]
        message: dict[str, object] = {"role": kind, "content": content}
        if usage:
            message |= {"id": f"msg_{number:024d}", "type": "message", "model": "claude-opus-4-1", "usage": usage}
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "uuid": own,
            "sessionId": SESSION,
            "timestamp": f"2026-01-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
            "cwd": "/repo",
            "version": "2.1.200",
            "message": message,
        }
        found.append(json.dumps(record).encode())
        parent = own
    return found


def repeated(lines: list[bytes], size_bytes: int) -> Iterator[bytes]:
    """The records again and again, each round with ids of its own, all of one session."""
    written = 0
    turn = 0
    while written < size_bytes:
        salt = str(turn).encode()
        for line in lines:
            fresh = _UUID.sub(lambda match: _fresh(match[0], salt), line)  # noqa: B023 - used within the round only
            fresh = _CALL.sub(lambda match: match[0] + b"x" + salt, fresh)  # noqa: B023 - as above
            fresh = re.sub(rb'"sessionId":\s*"[^"]*"', b'"sessionId":"%b"' % SESSION.encode(), fresh)
            yield fresh + b"\n"
            written += len(fresh) + 1
            if written >= size_bytes:
                return
        turn += 1


def _fresh(old: bytes, salt: bytes) -> bytes:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, (old + salt).decode())).encode()


def write(target: Path, size_mb: float, samples: list[Path]) -> None:
    lines = records(samples) if samples else invented()
    with target.open("wb") as out:
        for line in repeated(lines, int(size_mb * 1_000_000)):
            out.write(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("samples", nargs="*", type=Path)
    given = parser.parse_args()
    write(given.target, given.mb, given.samples)
    sys.stdout.write(f"{given.target} {given.target.stat().st_size:,} bytes\n")
