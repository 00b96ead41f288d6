"""What a tool may do without asking, by the permission mode and the sandbox that the session recorded. Unknown means ask."""

from __future__ import annotations

from typing import Any, Literal

from .json_shapes import is_object
from .tools import Tool

Verdict = Literal["allow", "ask", "deny"]
UNBOUNDED = "danger-full-access"
"""A sandbox that is none: what it allowed needs a person's word at each opening, as a mode without questions does."""

FREE = frozenset({"bypassPermissions", "full"})
EDITS = frozenset({"acceptEdits", "auto"})
WRITABLE = frozenset({"workspace-write", UNBOUNDED})
READ_ONLY = frozenset({"plan", "read-only"})
MODES = ("default", "plan", "acceptEdits", "bypassPermissions")


def verdict(tool: Tool, permission_mode: str | None, sandbox: Any) -> Verdict:
    """Whether a call of the tool runs, waits for a person, or is refused.

    A function of the caller's own (effect `none`) asks only when it was declared so; the modes are about the workspace.
    """
    if tool.effect in ("none", "read"):
        return "ask" if tool.approval else "allow"
    kind = sandbox_kind(sandbox)
    if permission_mode in READ_ONLY or kind == "read-only":
        return "deny"
    if tool.approval:
        return "ask"
    if permission_mode in FREE:
        return "allow"
    if tool.effect == "write" and (permission_mode in EDITS or kind in WRITABLE):
        return "allow"
    return "ask"


def confirmed_mode(permission_mode: str | None, sandbox: Any) -> str | None:
    """The mode that the words of this opening put in force; None leaves it to what is recorded."""
    if permission_mode is None and sandbox_kind(sandbox) == UNBOUNDED:
        return "bypassPermissions"
    return permission_mode


def sandbox_kind(sandbox: Any) -> str | None:
    """The name of a sandbox, whether recorded as a text or as an object."""
    if is_object(sandbox):
        sandbox = sandbox.get("type") or sandbox.get("mode")
    return sandbox if isinstance(sandbox, str) else None
