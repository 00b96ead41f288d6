"""What is exported: a session at a pointer, restored, and the place it shall be resumed in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...events.pointer import Pointer
from ...events.store import EventStore, SessionRow
from ...events.times import now_us, to_us
from ...projections.fold import Folded, restore_states
from ..restored import Message, RestoredRuntime
from ..spoken import Spoken

CLAUDE = "claude-code"
CODEX = "codex"
UNKNOWN_CWD = "/"
"""Stands where a client insists on a directory and nobody recorded one: never the caller's own by accident."""


@dataclass(frozen=True, slots=True)
class Subject:
    """`cwd` is where the exported session shall be resumed; `recorded_cwd` where it ran, None when nobody recorded
    it."""

    store: EventStore
    pointer: Pointer
    row: SessionRow
    restored: RestoredRuntime
    folded: Folded
    cwd: str
    recorded_cwd: str | None

    @property
    def whole(self) -> bool:
        """Whether nothing of the session lies behind the pointer."""
        return self.pointer.position == self.row.head

    @property
    def title(self) -> str | None:
        return self.restored.session.title

    @property
    def started_us(self) -> int:
        return to_us(self.restored.session.created) or now_us()

    def spoken(self) -> list[Spoken]:
        """What the model must see, repaired, as plain blocks."""
        return [spoken_of(message) for message in self.restored.messages]

    def own_ids(self) -> list[str]:
        """The session and those it was forked from, nearest first: whose side files belong to it."""
        return [self.row.session_id, *(parent.session_id for parent in self.restored.session.lineage)]


def subject_of(store: EventStore, pointer: Pointer, project: str | Path | None) -> Subject:
    """Restore the session at the pointer; the workspace is not looked at, an export acts nowhere.

    Raises:
        Refused: the history cannot be given without hiding a loss.
    """
    from ..resume import refusal, restored_from

    folded = restore_states(store, pointer.session_id, pointer.position)
    restored = restored_from(store, folded)
    if restored.report.outcome == "refused":
        raise refusal(restored)
    recorded = restored.workspace.expected.cwd or restored.workspace.cwd
    cwd = str(Path(project).absolute()) if project is not None else recorded or UNKNOWN_CWD
    return Subject(
        store=store,
        pointer=pointer,
        row=store.session(pointer.session_id),
        restored=restored,
        folded=folded,
        cwd=cwd,
        recorded_cwd=recorded,
    )


def spoken_of(message: Message) -> Spoken:
    """A restored message as plain blocks again."""
    return Spoken(
        role=message.role,
        position=int(message.pointer.rpartition("@")[2]),
        blocks=[block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in message.content],
        native_id=message.native_id,
        origin=message.origin,
        response_id=message.response_id,
        model=message.model,
        provider=message.provider,
        synthesized=message.synthesized,
        ts=to_us(message.timestamp),
    )
