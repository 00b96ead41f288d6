"""The restored messages as a provider takes them; the one place that knows which renderer makes which form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .restored import RestoredRuntime

Form = Literal["anthropic", "responses", "chat"]


def messages_for(
    runtime: RestoredRuntime, form: Form, model: str | None = None, *, provider: str | None = None
) -> list[dict[str, Any]]:
    """Messages that are legal for `model` (None: the session's own) at `provider` (None: told by the model).

    Reasoning goes only back to the family that issued it, and for Anthropic only to the very model.
    """
    if form == "anthropic":
        from .render_anthropic import anthropic_messages

        return anthropic_messages(runtime.messages, source=runtime.session.source, model=model or runtime.agent.model)
    if form == "responses":
        from .render_responses import response_items

        return response_items(
            runtime.messages,
            source=runtime.session.source,
            model=model or runtime.agent.model,
            provider=provider or (runtime.agent.provider if model is None else None),
        )
    from .render_chat import chat_messages

    return chat_messages(runtime.messages)
