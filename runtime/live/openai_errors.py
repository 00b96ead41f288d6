"""The `openai` package, imported on first use, and its errors as one kind of failure."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

from ...events.errors import UsageError
from .json_shapes import is_object
from .model import Limits, ModelFailure
from .service_settings import ServiceSettings

RETRYABLE = frozenset({408, 409, 425, 429})
UNAVAILING = frozenset({"insufficient_quota", "context_length_exceeded"})


def client(limits: Limits, base_url: str | None, api_key: str | None) -> Any:
    """An `openai.OpenAI` that retries nothing by itself (our retries are recorded).

    Raises:
        UsageError: there is neither a key nor a base URL of one's own.
    """
    from openai import OpenAI, Timeout

    settings = ServiceSettings()
    url = base_url or settings.base_url
    key = api_key or (settings.api_key.get_secret_value() if settings.api_key else None)
    if key is None:
        if url is None:
            raise UsageError(
                "There is no key for the model's service.",
                remedy="Set OPENAI_API_KEY, or OPENAI_BASE_URL for a local one.",
            )
        key = "none"
    timeout = Timeout(limits.idle_s, connect=limits.connect_s)
    return OpenAI(api_key=key, base_url=url, timeout=timeout, max_retries=0)


@contextmanager
def translated() -> Generator[None]:
    """Turn the package's and the transport's errors into ModelFailure."""
    import openai

    broken: tuple[type[Exception], ...] = (openai.APIConnectionError, *_transport_errors())
    try:
        yield
    except openai.APIStatusError as error:
        raise _of_status(error) from error
    except openai.APITimeoutError as error:
        raise ModelFailure("The model's service did not answer in time.", code="timeout", retryable=True) from error
    except broken as error:
        reason = str(error.__cause__ or error) or type(error).__name__
        raise ModelFailure(
            f"The connection to the model's service failed: {reason}", code="connection", retryable=True
        ) from error
    except openai.APIError as error:
        code = str(error.code) if error.code else None
        raise ModelFailure(error.message, code=code, retryable=code not in UNAVAILING) from error
    except openai.OpenAIError as error:
        raise ModelFailure(str(error)) from error
    except ValueError as error:
        raise ModelFailure(
            f"The model's service answered with something unreadable: {error}", code="unreadable"
        ) from error


def whole_answer(stream: Any, model: Any) -> Any | None:
    """The answer of a service that was asked for a stream and gave one document instead; None when it streams."""
    if "application/json" not in stream.response.headers.get("content-type", ""):
        return None
    return model.construct(**json.loads(stream.response.read()))


@lru_cache(maxsize=1)
def _transport_errors() -> tuple[type[Exception], ...]:
    """What a connection that breaks in mid-stream raises: of `httpx2`, or of `httpx` with older versions of the package."""
    found: list[type[Exception]] = []
    for name in ("httpx2", "httpx"):
        with suppress(ImportError):
            found.append(import_module(name).TransportError)
    return tuple(found)


def _of_status(error: Any) -> ModelFailure:
    status = int(error.status_code)
    code = str(error.code) if error.code else None
    return ModelFailure(
        f"The model's service answered {status}: {_message(error)}",
        status=status,
        code=code,
        retryable=(status in RETRYABLE or status >= 500) and code not in UNAVAILING,
        retry_after_s=_retry_after(error.response.headers),
        request_id=error.request_id,
    )


def _message(error: Any) -> str:
    body = error.body
    text = body.get("message") if is_object(body) else None
    return str(text or error.message)


def _retry_after(headers: Any) -> float | None:
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * factor
        except (KeyError, ValueError):
            continue
    return None
