"""Which user messages of a Codex rollout were put there by the client: its own wrappers, by formats/codex-resume-rules.md C6."""

from __future__ import annotations

import re
from typing import Any

from .shapes import is_list, is_object

SUMMARY_PREFIX = (
    "Another language model started to solve this problem and produced a summary of its thinking process. "
    "You also have access to the state of the tools that were used by that language model. Use this to build on the work "
    "that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use "
    "the information in this summary to assist with your own analysis:"
)
"""What the client (0.171) puts before a readable summary, followed by a newline."""

_TAGS = (
    "environment_context",
    "turn_aborted",
    "user_shell_command",
    "skill",
    "subagent_notification",
    "goal_context",
    "recommended_plugins",
)
_TAGGED = re.compile(
    r"<(?P<tag>" + "|".join(_TAGS) + r"|external_[\w.-]+)>.*</(?P=tag)>"
    r"|<(?P<internal>codex_internal_context) source=.*</codex_internal_context>"
    r"|<(?P<hook>hook_prompt) hook_run_id=.*</hook_prompt>",
    re.DOTALL | re.IGNORECASE,
)
_AGENTS = re.compile(r"# AGENTS\.md instructions.*</INSTRUCTIONS>", re.DOTALL | re.IGNORECASE)
_WARNINGS = (
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via",
)
_USER_INSTRUCTIONS = re.compile(r"<user_instructions>.*</user_instructions>", re.DOTALL | re.IGNORECASE)
_ACTION = re.compile(r"<user_action>.*</user_action>", re.DOTALL | re.IGNORECASE)

DEVELOPER_TAGS = (
    "permissions instructions",
    "collaboration_mode",
    "multi_agent_mode",
    "model_switch",
    "personality_spec",
    "environments_instructions",
    "realtime_conversation",
    "skills_instructions",
    "apps_instructions",
    "plugins_instructions",
    "context_window",
    "context_window_guidance",
    "token_budget",
    "rollout_budget",
)
"""Openings (after `<`) of the developer messages that the client writes by itself."""


def context_of(text: str) -> str | None:
    """The wrapper that makes this text part context for the client itself, None for anything else."""
    trimmed = text.strip()
    if trimmed.startswith(_WARNINGS):
        return "warning"
    if _AGENTS.fullmatch(trimmed):
        return "agents_md"
    match = _TAGGED.fullmatch(trimmed)
    if match is None:
        return None
    return (match["tag"] or match["internal"] or match["hook"]).lower()


def wrapper_of(text: str) -> str | None:
    """As `context_of`, and the wrapper of 2025 that today's client counts as a person's words."""
    known = context_of(text)
    if known is not None:
        return known
    trimmed = text.strip()
    if _USER_INSTRUCTIONS.fullmatch(trimmed):
        return "user_instructions"
    return "user_action" if _ACTION.fullmatch(trimmed) else None


def texts_of(item: dict[str, Any]) -> list[str]:
    """The text parts of a message item."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    if not is_list(content):
        return []
    return [part["text"] for part in content if is_object(part) and isinstance(part.get("text"), str)]


def is_context(item: dict[str, Any]) -> bool:
    """Whether the client takes this user message as context: one such part makes the whole message so."""
    return any(context_of(text) is not None for text in texts_of(item))


def is_developer_context(item: dict[str, Any]) -> bool:
    """Whether every text of a developer message is one of the client's own fragments."""
    texts = texts_of(item)
    return bool(texts) and all(
        text.lstrip().lower().startswith(tuple(f"<{tag}" for tag in DEVELOPER_TAGS)) for text in texts
    )


def is_summary(text: str) -> bool:
    """Whether the text is a summary that an earlier compaction left behind."""
    return text.startswith(f"{SUMMARY_PREFIX}\n")
