"""The closed union of facts. Each kind is a frozen model with a schema version; what it means never changes.

Every field is a JSON value; numbers are integers (times in ms, money as decimal text) so that the canonical form of an
event is the same on every machine. `None` means "not said by this event", never zero.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter

from .blocks import Block, Frozen, Json, Text


class Fact(Frozen):
    """Base of all kinds; `schema_version` is stored with each row, see `upcast.py`."""

    schema_version: ClassVar[int] = 1


class ProjectIdentity(Frozen):
    """What makes a project the same one elsewhere: git common directory, root commits, remotes; outside git the real path."""

    id: str
    path: str | None = None
    git_common_dir: str | None = None
    root_commits: tuple[str, ...] = ()
    remote: str | None = None
    remotes: tuple[str, ...] = ()


class SessionStarted(Fact):
    """The first event of a session (and of a fork: then `forked_from` is its pointer)."""

    kind: Literal["SessionStarted"] = "SessionStarted"
    source: str
    native_id: str | None = None
    client: str | None = None
    client_version: str | None = None
    cwd: str | None = None
    project: ProjectIdentity | None = None
    forked_from: str | None = None
    forked_from_native: str | None = None
    parent_session: str | None = None
    agent_id: str | None = None
    provider: str | None = None
    extra: Json = None


class RunStarted(Fact):
    """One request-to-idle cycle begins. `turn_id` is the source's own id of it."""

    kind: Literal["RunStarted"] = "RunStarted"
    run_id: str
    resumed: bool = False
    policy: str | None = None
    client: str | None = None
    turn_id: str | None = None
    context_window: int | None = None
    overrides: Json = None


class RunEnded(Fact):
    kind: Literal["RunEnded"] = "RunEnded"
    run_id: str | None = None
    turn_id: str | None = None
    status: Literal["completed", "interrupted", "failed", "waiting"]
    reason: str | None = None
    error: Json = None
    duration_ms: int | None = None


InputOrigin = Literal[
    "human", "queued", "hook", "meta", "notification", "command", "context", "summary", "attachment", "agent"
]


class UserInput(Fact):
    """Something that entered the conversation on the user's side.

    `origin`: human (typed or sent by a person), queued (typed while the agent worked), hook, meta (injected by the
    client),
    notification (a background task or agent reports), command (local command markup), context (environment,
    instructions),
    summary (of a compaction), attachment (a reminder or file put beside the prompt), agent (another agent wrote it).
    `starts_turn` is true for a human input that starts a run; `preview` holds up to 200 clean characters on one line.
    `replaces` lists native ids of earlier provisional messages with the same text that this one takes the place of.
    """

    kind: Literal["UserInput"] = "UserInput"
    content: list[Block]
    origin: InputOrigin = "human"
    visible_to_model: bool = True
    visible_to_reader: bool = True
    starts_turn: bool = False
    preview: str = ""
    role: Literal["user", "developer", "system"] = "user"
    attachment_type: str | None = None
    turn_id: str | None = None
    prompt_id: str | None = None
    source_call_id: str | None = None
    provisional: bool = False
    replaces: tuple[str, ...] = ()


class AssistantMessage(Fact):
    """Text and thinking of a reply, in order; calls follow as `ToolUse` with the same `response_id`.

    `synthetic` marks text that the client made up, `error` a stored API error: neither was said by a model.
    `provisional` text is known from the reader's ledger only; a later message that names its native id in `replaces`
    takes its place.
    """

    kind: Literal["AssistantMessage"] = "AssistantMessage"
    response_id: str | None = None
    request_id: str | None = None
    model: str | None = None
    provider: str | None = None
    blocks: list[Block]
    stop_reason: str | None = None
    synthetic: bool = False
    error: bool = False
    phase: str | None = None
    visible_to_model: bool = True
    visible_to_reader: bool = True
    preview: str = ""
    provisional: bool = False
    replaces: tuple[str, ...] = ()


CallType = Literal["function", "custom", "shell", "search", "server"]


class ToolUse(Fact):
    """A call by the model. `expects_result` is false for calls that the provider answers itself (a web search item)."""

    kind: Literal["ToolUse"] = "ToolUse"
    call_id: str
    name: str
    arguments: Json = None
    call_type: CallType = "function"
    namespace: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    model: str | None = None
    provider: str | None = None
    stop_reason: str | None = None
    item_id: str | None = None
    expects_result: bool = True
    preview: str = ""


class ToolResult(Fact):
    """The answer to a call. `structured` is the source's machine-readable twin of `content`."""

    kind: Literal["ToolResult"] = "ToolResult"
    call_id: str
    content: Text | list[Block]
    is_error: bool = False
    structured: Json = None
    synthesized: bool = False
    denied: str | None = None
    call_type: CallType = "function"
    source_message_id: str | None = None
    preview: str = ""


TodoStatus = Literal["pending", "in_progress", "completed"]


class TodoItem(Frozen):
    id: str
    content: str
    status: TodoStatus = "pending"
    active_form: str | None = None
    owner: str | None = None
    blocked_by: tuple[str, ...] = ()
    description: str | None = None
    priority: str | None = None


class TodoChange(Frozen):
    """One item's change; None leaves the field as it is."""

    id: str
    content: str | None = None
    status: TodoStatus | None = None
    active_form: str | None = None
    owner: str | None = None
    add_blocked_by: tuple[str, ...] = ()
    add_blocks: tuple[str, ...] = ()
    description: str | None = None


class TodoSnapshot(Fact):
    """The todo list: `items` is the whole list, or None when only `created`, `changed` and `removed` items are told.

    A list told by difference follows the branch it was changed on, so a rewind undoes it. `numbered` lists (tasks
    with ids that
    the agent uses) go on counting after the highest id ever seen.
    """

    kind: Literal["TodoSnapshot"] = "TodoSnapshot"
    items: tuple[TodoItem, ...] | None = None
    created: tuple[TodoItem, ...] = ()
    changed: tuple[TodoChange, ...] = ()
    removed: tuple[str, ...] = ()
    origin: Literal["tool", "reminder", "prompt", "file", "plan"] = "tool"
    numbered: bool = False
    explanation: str | None = None
    call_id: str | None = None


class PlanSnapshot(Fact):
    """A plan in prose: proposed, accepted or rejected by the person; `active` tells whether plan mode is on."""

    kind: Literal["PlanSnapshot"] = "PlanSnapshot"
    text: Text | None = None
    path: str | None = None
    status: Literal["draft", "proposed", "accepted", "rejected"] | None = None
    active: bool | None = None
    call_id: str | None = None


class QueuedInput(Fact):
    """A prompt that waits (`enqueue`), was given to the model (`deliver`), was taken back (`remove`) or all of them (`clear`).

    Without `content`, `deliver` and `remove` take the oldest.
    """

    kind: Literal["QueuedInput"] = "QueuedInput"
    operation: Literal["enqueue", "deliver", "remove", "clear"]
    content: Text | None = None
    text: str | None = None
    queue_id: str | None = None


class Question(Frozen):
    id: str
    text: str
    header: str | None = None
    choices: tuple[str, ...] = ()
    multiple: bool = False


class ApprovalRequested(Fact):
    """A call waits for a person: an approval of a tool, or answers to questions."""

    kind: Literal["ApprovalRequested"] = "ApprovalRequested"
    call_id: str
    tool: str | None = None
    type: Literal["approval", "question"] = "approval"
    reason: str | None = None
    questions: tuple[Question, ...] = ()
    expires_at: str | None = None
    arguments: Json = None


class ApprovalResolved(Fact):
    kind: Literal["ApprovalResolved"] = "ApprovalResolved"
    call_id: str
    decision: Literal["approved", "refused", "expired", "answered"]
    answers: dict[str, str] | None = None
    by: str | None = None
    reason: str | None = None


FileOperation = Literal["create", "update", "delete", "move", "notebook", "write"]


class FileChanged(Fact):
    """A tool changed a file. Digests are SHA-256 hex of the whole content as far as the record tells, else None.

    `backup` names a stored copy of the content before (a blob digest or the source's own backup name). `patch` is a
    unified diff or
    the source's structured patch.
    """

    kind: Literal["FileChanged"] = "FileChanged"
    path: str
    operation: FileOperation
    digest_before: str | None = None
    digest_after: str | None = None
    size_after: int | None = None
    content_after: Text | None = None
    content_before: Text | None = None
    patch: Json = None
    backup: str | None = None
    moved_to: str | None = None
    call_id: str | None = None
    user_modified: bool = False
    lines_added: int | None = None
    lines_removed: int | None = None


class FileRead(Fact):
    """A tool gave a file's content to the model; `partial` when only a range of it."""

    kind: Literal["FileRead"] = "FileRead"
    path: str
    digest: str | None = None
    partial: bool = False
    call_id: str | None = None
    type: str | None = None


class FileBackup(Frozen):
    """A copy of `path` as it was: `backup` is its name in the source's store, None when the file did not exist."""

    path: str
    backup: str | None = None
    version: int | None = None
    taken_at: str | None = None


class FileCheckpoint(Fact):
    """Backups taken for the prompt `message_id`; `replaces` supersedes the set stored for it, else the files are added."""

    kind: Literal["FileCheckpoint"] = "FileCheckpoint"
    message_id: str | None
    backups: tuple[FileBackup, ...] = ()
    replaces: bool = True
    caused_by: str | None = None


class ContextCompact(Fact):
    """The context was replaced. Events before stay readable.

    `summary` may be None when the summary is an event of its own (`summary_native_id`) or is unreadable.
    `replacement` is the complete new
    history as facts with their `kind`. `preserved` lists native ids kept verbatim behind `anchor`. `micro` only
    clears the results
    `cleared_call_ids`. An incomplete compaction (no summary ever followed) has no effect. With `keeps_inputs_tokens`
    a person's own inputs
    stay before the summary, newest first up to that many tokens, and everything else goes.
    """

    kind: Literal["ContextCompact"] = "ContextCompact"
    trigger: str | None = None
    summary: Text | None = None
    summary_native_id: str | None = None
    replacement: list[Json] | None = None
    preserved: tuple[str, ...] = ()
    preserved_segment: tuple[str | None, str | None] | None = None
    anchor: str | None = None
    logical_parent: str | None = None
    micro: bool = False
    cleared_call_ids: tuple[str, ...] = ()
    kept_from: int | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    window_number: int | None = None
    keeps_inputs_tokens: int | None = None


class ContentReplacement(Fact):
    """From here on the model sees `replacement` in place of the result of `call_id` (or of the message `native_id`)."""

    kind: Literal["ContentReplacement"] = "ContentReplacement"
    call_id: str | None = None
    native_target: str | None = None
    replacement: Text
    original_digest: str | None = None
    original_path: str | None = None


class AgentMetadata(Fact):
    """Who acts and with what rights, as far as this event says; fields named in `cleared` go back to unknown."""

    kind: Literal["AgentMetadata"] = "AgentMetadata"
    name: str | None = None
    color: str | None = None
    definition: str | None = None
    definition_digest: str | None = None
    model: str | None = None
    model_override: str | None = None
    provider: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    sandbox: Json = None
    approval_policy: Json = None
    tools: tuple[str, ...] | None = None
    tools_added: tuple[str, ...] = ()
    tools_removed: tuple[str, ...] = ()
    mcp_servers: tuple[str, ...] | None = None
    grants: tuple[str, ...] = ()
    output_style: str | None = None
    personality: str | None = None
    collaboration_mode: str | None = None
    instructions_digest: str | None = None
    instructions: Text | None = None
    parent_agent: str | None = None
    nickname: str | None = None
    role: str | None = None
    team: str | None = None
    goal: Json = None
    skills: tuple[str, ...] | None = None
    bridge: Json = None
    mode: str | None = None
    override: bool = False
    cleared: tuple[str, ...] = ()


class Subagent(Fact):
    """A sub-agent, teammate or spawned thread of this session; `session_id` is its own session in the store when known."""

    kind: Literal["Subagent"] = "Subagent"
    agent_id: str
    session_id: str | None = None
    name: str | None = None
    type: str | None = None
    prompt: Text | None = None
    description: str | None = None
    model: str | None = None
    status: Literal["running", "completed", "failed", "interrupted", "unknown"] | None = None
    call_id: str | None = None
    worktree: str | None = None
    background: bool | None = None


class BackgroundTask(Fact):
    """A command or job that outlives its call. After a restore none of them is running."""

    kind: Literal["BackgroundTask"] = "BackgroundTask"
    task_id: str
    type: str | None = None
    command: str | None = None
    status: str | None = None
    call_id: str | None = None
    exit_code: int | None = None
    output_file: str | None = None


class Worktree(Fact):
    """A git worktree was entered or left, or the session's working directory moved for good."""

    kind: Literal["Worktree"] = "Worktree"
    operation: Literal["entered", "left", "moved", "removed"]
    path: str | None = None
    name: str | None = None
    branch: str | None = None
    base_commit: str | None = None
    base_branch: str | None = None
    original_cwd: str | None = None
    kept: bool | None = None


class WorkspaceObserved(Fact):
    """What was seen of the place: by the source client at that time, or by us (`observed_by` = rehydrate).

    `observed_by` = import: what the directory showed when the transcript was read; it fills gaps and overrules nothing.
    `toplevel`: of the checkout that `cwd` lies in.
    """

    kind: Literal["WorkspaceObserved"] = "WorkspaceObserved"
    cwd: str | None = None
    project: ProjectIdentity | None = None
    root_commits: tuple[str, ...] = ()
    remote: str | None = None
    branch: str | None = None
    head: str | None = None
    dirty: tuple[str, ...] | None = None
    roots: tuple[str, ...] = ()
    toplevel: str | None = None
    pull_request: Json = None
    observed_by: str = "source"
    rebound: bool = False
    drift: Json = None
    accepted: tuple[str, ...] = ()


class Cost(Fact):
    """Tokens and money of one provider response, or the cumulative total of a thread (`cumulative`).

    `input_tokens` excludes cached input. `output_tokens` includes reasoning. `cost_usd` is decimal text or None when
    the price is unknown.
    `inherited` marks usage copied in from another session.
    """

    kind: Literal["Cost"] = "Cost"
    response_id: str | None = None
    request_id: str | None = None
    model: str | None = None
    provider: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    reasoning_tokens: int | None = None
    web_searches: int | None = None
    total_tokens: int | None = None
    cost_usd: str | None = None
    reported: bool = True
    price_source: str | None = None
    speed: str | None = None
    service_tier: str | None = None
    cumulative: bool = False
    cumulative_total_tokens: int | None = None
    inherited: bool = False
    replay: bool = False
    context_tokens: int | None = None
    context_window: int | None = None
    rate_limits: Json = None
    iterations: Json = None
    failed: bool = False


class SessionLabel(Fact):
    """Title, tag, colour, archived flag; an empty title or tag clears it. `set_by` ranks titles: person, agent, client.

    `deleted` hides the session from every list until it is taken back; `purge` removes content only of deleted ones.
    """

    kind: Literal["SessionLabel"] = "SessionLabel"
    title: str | None = None
    tag: str | None = None
    color: str | None = None
    archived: bool | None = None
    deleted: bool | None = None
    set_by: Literal["person", "agent", "summary", "prompt", "client"] = "person"
    native_target: str | None = None


class BranchChosen(Fact):
    """The source names the record at which its conversation ends (`native_leaf`)."""

    kind: Literal["BranchChosen"] = "BranchChosen"
    native_leaf: str
    text: str | None = None


class Rewound(Fact):
    """The conversation (or the files, or both) went back: to `to_position`, or by `turns` as the source counts them.

    `retracted` lists native ids that the source took back one by one. Nothing is deleted.
    """

    kind: Literal["Rewound"] = "Rewound"
    to_position: int | None = None
    turns: int | None = None
    retracted: tuple[str, ...] = ()
    scope: Literal["conversation", "files", "both"] = "conversation"
    files: Json = None


class Repair(Frozen):
    """One thing that had to be added or left out so that a model accepts the history."""

    code: str
    call_id: str | None = None
    position: int | None = None
    text: str | None = None


class Repaired(Fact):
    """Repairs that were written down once, so that the same interruption is never repaired twice."""

    kind: Literal["Repaired"] = "Repaired"
    repairs: tuple[Repair, ...]


class Notice(Fact):
    """Something a client logged: hooks, retries, durations, progress, notices. Never model-visible."""

    kind: Literal["Notice"] = "Notice"
    subtype: str
    level: str | None = None
    text: Text | None = None
    value: Json = None
    call_id: str | None = None


class Unrecognized(Fact):
    """A record of a type we do not know, or bytes that are no record (`damage` names how they are damaged).

    `line` counts from 1, `byte_offset` from 0, `size_bytes` without the line end.
    """

    kind: Literal["Unrecognized"] = "Unrecognized"
    type: str | None = None
    damage: str | None = None
    line: int | None = None
    byte_offset: int | None = None
    size_bytes: int | None = None
    reason: str | None = None
    recovered: bool = False


AnyFact = (
    SessionStarted
    | RunStarted
    | RunEnded
    | UserInput
    | AssistantMessage
    | ToolUse
    | ToolResult
    | TodoSnapshot
    | PlanSnapshot
    | QueuedInput
    | ApprovalRequested
    | ApprovalResolved
    | FileChanged
    | FileRead
    | FileCheckpoint
    | ContextCompact
    | ContentReplacement
    | AgentMetadata
    | Subagent
    | BackgroundTask
    | Worktree
    | WorkspaceObserved
    | Cost
    | SessionLabel
    | BranchChosen
    | Rewound
    | Repaired
    | Notice
    | Unrecognized
)
EventFact = Annotated[AnyFact, Field(discriminator="kind")]

KINDS: dict[str, type[Fact]] = {str(model.model_fields["kind"].default): model for model in AnyFact.__args__}


def validate_fact(data: dict[str, Any]) -> AnyFact:
    """Check the data of one event (with `kind`) against its model.

    Raises:
        pydantic.ValidationError: the data does not fit the kind.
    """
    return _facts().validate_python(data)


@cache
def _facts() -> TypeAdapter[AnyFact]:
    """Built at the first validation: replay validates nothing and need not wait for it."""
    return TypeAdapter(EventFact)
