"""The app state of a restored runtime: todos, plan, files, prompts that wait, open calls and questions, jobs, who wrote what."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ..events.blocks import Frozen


class Todo(Frozen):
    id: str
    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str | None = None
    owner: str | None = None
    blocked_by: tuple[str, ...] = ()
    description: str | None = None
    priority: str | None = None


class PlanStep(Frozen):
    step: str
    status: Literal["pending", "in_progress", "completed"]


class Plan(Frozen):
    """status: draft, proposed (a person has not answered yet), accepted or rejected; active: plan mode is on.

    steps: of a plan that the agent keeps as a list (they are the todos as well).
    """

    text: str | None = None
    path: str | None = None
    status: str | None = None
    active: bool = False
    pointer: str | None = None
    steps: tuple[PlanStep, ...] = ()
    explanation: str | None = None


class FileOperation(Frozen):
    operation: str
    pointer: str
    call_id: str | None = None


class FileBackup(Frozen):
    """backup: its name in the source's store or a blob digest; None when the file did not exist then."""

    backup: str | None = None
    version: int | None = None
    message_id: str | None = None
    pointer: str


class FileState(Frozen):
    """Digests are SHA-256 hex, None when the record does not tell. operations: the newest 20; operation_count: all."""

    operations: tuple[FileOperation, ...] = ()
    operation_count: int = 0
    last_written_digest: str | None = None
    last_read_digest: str | None = None
    read_partially: bool = False
    backups: tuple[FileBackup, ...] = ()
    backup: str | None = None
    deleted: bool = False
    moved_to: str | None = None
    moved_from: str | None = None
    restorable: bool = False


class Writer(Frozen):
    """agent: None for the main agent without a name."""

    model: str | None = None
    agent: str | None = None
    changes: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    pointer: str


class QueuedInput(Frozen):
    text: str
    pointer: str
    queue_id: str | None = None


class PendingCall(Frozen):
    """A call without a result. It is not running: `status` is interrupted, or waiting when a person's decision is missing."""

    call_id: str
    name: str
    pointer: str
    status: Literal["interrupted", "waiting"] = "interrupted"


class PendingApproval(Frozen):
    call_id: str
    tool: str | None = None
    reason: str | None = None
    pointer: str
    expires_at: str | None = None


class OpenQuestion(Frozen):
    id: str
    call_id: str
    text: str
    header: str | None = None
    choices: tuple[str, ...] = ()
    multiple: bool = False
    pointer: str


class BackgroundTask(Frozen):
    """status: as it is now, so `not running` for one that was last heard of running (`recorded_status`)."""

    id: str
    type: str | None = None
    command: str | None = None
    status: str
    recorded_status: str | None = None
    call_id: str | None = None
    exit_code: int | None = None
    output_file: str | None = None
    pointer: str


class AppState(Frozen):
    todos: tuple[Todo, ...] = ()
    next_todo_id: int = 1
    plan: Plan | None = None
    pending_plan: str | None = None
    files: dict[str, FileState] = Field(default_factory=dict)
    queued_inputs: tuple[QueuedInput, ...] = ()
    pending_calls: tuple[PendingCall, ...] = ()
    pending_approvals: tuple[PendingApproval, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
    background_tasks: tuple[BackgroundTask, ...] = ()
    attribution: dict[str, tuple[Writer, ...]] = Field(default_factory=dict)
    world_state: Any = None
