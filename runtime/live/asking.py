"""One request to the model, tried again within bounds; every failed try is told, so that it can be recorded."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator

from .model import Begun, Limits, ModelClient, ModelEvent, ModelFailure, ModelRequest, ReasoningDelta, TextDelta

Tell = Callable[[ModelFailure, int, float | None], None]
"""Gets the failure, the number of the try (from 1) and the wait before the next one in seconds, None when there is none."""


def ask(
    client: ModelClient,
    request: ModelRequest,
    limits: Limits,
    *,
    stream: bool,
    interrupted: threading.Event,
    tell: Tell,
) -> Iterator[ModelEvent]:
    """The events of one response. A try is repeated only while none of its items was finished.

    Raises:
        ModelFailure: the last try failed, or the failure is one that would come again.
    """
    attempt = 0
    while True:
        attempt += 1
        committed = False
        try:
            for event in client.ask(request, stream=stream):
                committed = committed or not isinstance(event, Begun | TextDelta | ReasoningDelta)
                yield event
                if interrupted.is_set():
                    return
            return
        except ModelFailure as failure:
            again = failure.retryable and not committed and attempt <= limits.retries and not interrupted.is_set()
            wait_s = _wait_s(failure, attempt, limits) if again else None
            tell(failure, attempt, wait_s)
            if wait_s is None:
                raise
        if interrupted.wait(wait_s):
            return


def _wait_s(failure: ModelFailure, attempt: int, limits: Limits) -> float:
    """What the service asks for, else doubling with a little chance so that many clients do not come back together."""
    if failure.retry_after_s is not None:
        return min(max(failure.retry_after_s, 0.0), limits.longest_wait_s)
    wait_s: float = limits.backoff_s * 2 ** (attempt - 1) * (1 + random.random() / 4)  # noqa: S311 - spreads clients, guards nothing
    return min(wait_s, limits.longest_wait_s)
