"""What the environment message of old files says of rights and place; newer files say it in turn contexts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .batch import Batch
from .memory import Memory

_TAG = re.compile(r"<(cwd|approval_policy|sandbox_mode|model)>\s*(.*?)\s*</\1>", re.DOTALL)
_LINE = re.compile(
    r"^(?:Current )?(working directory|approval policy|sandbox mode):\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE
)
_NAMES = {"working directory": "cwd", "approval policy": "approval_policy", "sandbox mode": "sandbox_mode"}


def emit_environment(batch: Batch, memory: Memory, texts: Sequence[str]) -> None:
    """AgentMetadata and WorkspaceObserved, as long as no turn context has said better."""
    if memory.has_contexts:
        return
    told: dict[str, str] = {}
    for text in texts:
        if "<environment_context>" in text:
            told |= {_NAMES[name.lower()]: value for name, value in _LINE.findall(text)}
            told |= dict(_TAG.findall(text))
    approval, sandbox, cwd = told.get("approval_policy"), told.get("sandbox_mode"), told.get("cwd")
    if approval or sandbox:
        batch.add("AgentMetadata", approval_policy=approval, permission_mode=approval, sandbox=sandbox)
    if cwd and cwd != memory.cwd:
        memory.cwd = cwd
        batch.add("WorkspaceObserved", cwd=cwd)
