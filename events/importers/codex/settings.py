"""Who acts, where and with what rights: turn contexts and applied settings."""

from __future__ import annotations

from typing import Any

from .batch import Batch, text_or_none
from .files import plain_path
from .memory import Memory
from .shapes import is_list, is_object


def emit_turn_context(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """AgentMetadata and WorkspaceObserved of a turn; the newest one holds."""
    memory.has_contexts = True
    turn_id = text_or_none(payload.get("turn_id"))
    if turn_id is not None and memory.turn_id is None:
        memory.turn_id = turn_id
    _emit(batch, memory, payload, payload.get("workspace_roots") or payload.get("runtime_workspace_roots"))


def emit_settings(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """The same of settings that were applied between turns."""
    settings = payload.get("thread_settings")
    if not is_object(settings):
        settings = payload
    tier = text_or_none(settings.get("service_tier"))
    memory.tier = None if tier == "default" else tier
    _emit(batch, memory, settings, settings.get("runtime_workspace_roots") or settings.get("workspace_roots"))


def _emit(batch: Batch, memory: Memory, value: dict[str, Any], roots: Any) -> None:
    memory.model = text_or_none(value.get("model")) or memory.model
    memory.provider = text_or_none(value.get("model_provider_id")) or memory.provider
    mode = value.get("collaboration_mode")
    inner = mode.get("settings") if is_object(mode) else None
    effort = (
        value.get("effort")
        or value.get("reasoning_effort")
        or (inner.get("reasoning_effort") if is_object(inner) else None)
    )
    approval = value.get("approval_policy")
    sandbox = sandbox_of(value)
    batch.add(
        "AgentMetadata",
        model=text_or_none(value.get("model")),
        provider=text_or_none(value.get("model_provider_id")),
        effort=text_or_none(effort),
        approval_policy=approval,
        permission_mode=approval if isinstance(approval, str) else ("granular" if approval else None),
        sandbox=sandbox,
        personality=text_or_none(value.get("personality")),
        collaboration_mode=text_or_none(mode.get("mode") if is_object(mode) else mode),
        cleared=None if effort else ["effort"],
    )
    cwd = text_or_none(value.get("cwd"))
    if cwd is not None:
        memory.cwd = plain_path(cwd, None)
        places = [plain_path(root, None) for root in roots if isinstance(root, str)] if is_list(roots) else None
        batch.add("WorkspaceObserved", cwd=memory.cwd, roots=places)


def sandbox_of(value: dict[str, Any]) -> Any:
    """The sandbox policy: its name, or an object with `type` where it has settings; None when nothing says."""
    policy = value.get("sandbox_policy")
    if isinstance(policy, str):
        return policy
    if is_object(policy):
        kind = policy.get("type") or policy.get("mode")
        rest = {key: item for key, item in policy.items() if key not in ("type", "mode")}
        return {"type": kind, **rest} if rest else kind
    profile = value.get("permission_profile")
    if is_object(profile) and isinstance(profile.get("type"), str):
        return "danger-full-access" if profile["type"] == "disabled" else profile
    return None
