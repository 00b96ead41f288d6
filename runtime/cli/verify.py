"""`verify`: nothing is taken on trust: the file, the chain of hashes, the folds, the blobs."""

from __future__ import annotations

import typer

from .frame import Answer, Frame, plain
from .rebuild import SessionsArgument, show_counts

DAMAGED = 6


def verify(context: typer.Context, sessions: SessionsArgument = None) -> Answer:
    """Prove the store, the hash chain, the folds and the blobs.

    Example: rehydrate verify
    """
    from ..verify import verify_store

    document = plain(verify_store(sessions or (), store=Frame.of(context).db))
    return Answer(
        document, lambda screen: show_counts(screen, document, "checked"), DAMAGED if document["mismatches"] else 0
    )
