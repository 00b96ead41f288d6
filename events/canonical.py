"""Canonical bytes (RFC 8785) of an event and the SHA-256 chain over them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from .shapes import is_array, is_object

_SUSPECT = re.compile(rb'[:\[,]-?[0-9]+[.eE]|[\xf0-\xf4](?:[^"\\]|\\.)*":')
"""What only a fraction or a key beyond U+FFFF looks like in compact JSON (and now and then a text, which costs a look)."""
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)
GENESIS = bytes(32)


def canonical(value: Any) -> bytes:
    """JSON by RFC 8785: sorted keys, no white space, ECMAScript numbers, UTF-8.

    The standard encoder gives the same bytes unless there are fractions or keys beyond U+FFFF (whose order differs); integers
    beyond 2**53 and lone surrogates (outside RFC 8785) are written as they are.
    """
    raw = _text(value).encode("utf-8", "surrogatepass")
    if _SUSPECT.search(raw) is None or not _needs_care(value):
        return raw
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return raw


def _encoder() -> Callable[[Any], str]:
    """`_ENCODER.encode`; it makes a new scanner of its settings for every call, which costs more than a small value does."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    step = make(None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, True)
    return lambda value: "".join(step(value, 0))


_text = _encoder()


def _needs_care(value: Any) -> bool:
    if isinstance(value, float):
        return True
    if is_object(value):
        return any(max(key, default="") > "\uffff" or _needs_care(member) for key, member in value.items())
    return is_array(value) and any(map(_needs_care, value))


def chained(
    previous: bytes,
    event_id: str,
    kind: str,
    version: int,
    ts: int | None,
    meta: str | None,
    data: bytes,
    *,
    record_digest: bytes | None,
) -> bytes:
    """SHA-256 over the previous hash, the event's envelope and canonical data, and the digest of its native record's bytes.

    meta, data: as stored, so that a check need not encode anything again.
    """
    head = f"{event_id} {kind} {version} {'' if ts is None else ts} {len(data)} {meta or ''}\n"
    digest = hashlib.sha256(previous)
    digest.update(head.encode("utf-8", "surrogatepass"))
    digest.update(data)
    if record_digest is not None:
        digest.update(record_digest)
    return digest.digest()
