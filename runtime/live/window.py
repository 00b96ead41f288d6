"""How many tokens a model takes, from the price list's table; None when nobody knows."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=64)
def context_window(model: str) -> int | None:
    """The window of a model by its name, None when the table does not have it."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    return found.context_window
