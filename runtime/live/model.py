"""What the loop asks of a model's service, whichever of its interfaces is spoken, and how its failures are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlparse

if TYPE_CHECKING:
    from ..restored import RestoredRuntime

REASONING_MODELS = ("o1", "o3", "o4", "gpt-5", "codex")
"""Model names that begin so take and give encrypted reasoning; others refuse the request for it."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model is told of it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `conversation` is already in the wire form of the client that gets it."""

    model: str
    instructions: str | None
    conversation: list[dict[str, Any]]
    tools: tuple[ToolSchema, ...] = ()
    effort: str | None = None
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class SaidText:
    """A finished text item."""

    text: str
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A finished reasoning item; `secret` is what its issuer needs to take it back."""

    text: str
    secret: str | None
    item_id: str | None


@dataclass(frozen=True, slots=True)
class Called:
    """A finished tool call. `arguments` is the model's text, which may be no JSON."""

    call_id: str
    name: str
    arguments: str
    item_id: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response; `input_tokens` without the cached ones, `output_tokens` with the reasoning."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """The service took the request."""

    response_id: str | None
    request_id: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The response is whole. `failure` is the service's reason when it failed on the way."""

    response_id: str | None
    model: str | None
    usage: Usage | None
    stop_reason: str | None
    failure: str | None = None
    request_id: str | None = None


ModelEvent = Begun | TextDelta | ReasoningDelta | SaidText | Reasoned | Called | Finished


class ModelFailure(Exception):
    """A request that failed. `retryable` says whether the same request may succeed later."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retryable: bool = False,
        retry_after_s: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.request_id = request_id

    @property
    def too_long(self) -> bool:
        """Whether the service says that the conversation exceeds the model's window."""
        text = f"{self.code} {self.message}".lower()
        return "context_length" in text or "context window" in text or "maximum context" in text


class ModelClient(Protocol):
    """One interface of a service. Implementations keep no conversation: each request holds all of it."""

    api: str
    provider: str

    def render(self, runtime: RestoredRuntime, model: str) -> list[dict[str, Any]]:
        """The conversation in this interface's wire form, without the instructions."""
        ...

    def ask(self, request: ModelRequest, *, stream: bool) -> Iterator[ModelEvent]:
        """Send one request, once.

        Raises:
            ModelFailure: refused, unreachable, timed out or cut off.
        """
        ...

    def close(self) -> None:
        """Free the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a turn: time per request (`idle_s` between two bytes), tries per request, requests per run."""

    connect_s: float = 10.0
    idle_s: float = 300.0
    retries: int = 2
    backoff_s: float = 0.5
    longest_wait_s: float = 30.0
    max_turns: int = 50
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


def provider_of(base_url: str) -> str:
    """Whose service it is: `openai`, else the host. Reasoning of one service is never sent to another."""
    host = urlparse(base_url).hostname or "unknown"
    return "openai" if host == "openai.com" or host.endswith(".openai.com") else host


def is_foreign(message_provider: str | None, provider: str) -> bool:
    """Whether reasoning in a message is another service's; old transcripts that do not say whose are of OpenAI's own."""
    return (message_provider or "openai") != provider


def takes_reasoning(model: str) -> bool:
    """Whether encrypted reasoning may be asked of a model of this name."""
    name = model.rpartition("/")[2].lower()
    return name.startswith(REASONING_MODELS)
