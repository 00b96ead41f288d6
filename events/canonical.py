"""Canonical bytes (RFC 8785) of an event and the SHA-256 chain over them."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_NEEDS_CARE = re.compile(rb"[0-9][.eE]|[0-9]{16}|[^\x20-\x7e]|\\u")
GENESIS = bytes(32)


def canonical(value: Any) -> bytes:
    """JSON by RFC 8785: sorted keys, no white space, ECMAScript numbers, UTF-8.

    Plain ASCII data without fractions is written by the standard encoder, which gives the same bytes faster; integers beyond
    2**53 (outside RFC 8785) are written in full.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    raw = text.encode("utf-8", "surrogatepass")
    if not _NEEDS_CARE.search(raw):
        return raw
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return raw


def chained(
    previous: bytes, envelope: dict[str, Any], kind: str, data: dict[str, Any], record_digest: bytes | None
) -> bytes:
    """SHA-256 over the previous hash, the event's canonical content and the digest of its native record's bytes."""
    digest = hashlib.sha256(previous)
    digest.update(canonical([kind, envelope, data]))
    if record_digest is not None:
        digest.update(record_digest)
    return digest.digest()
