"""What a person says about a session (title, tag, archived, deleted), written as one more event of it."""

from __future__ import annotations

from ..events.blocks import Frozen
from ..events.event import Draft
from ..events.kinds import SessionLabel
from ..events.times import now_us
from .opened import StoreLike, opened


class Labelled(Frozen):
    """A session and the label it was just given; `title` or `tag` is None when this call did not set it."""

    session_id: str
    pointer: str
    title: str | None = None
    tag: str | None = None
    archived: bool | None = None
    deleted: bool | None = None


def rename_session(session: str, title: str, *, store: StoreLike = None) -> Labelled:
    """Set the title; an empty one gives way to the title the session had from its source.

    Titles need not be unique: looking one up that several sessions bear lists them all.

    Raises:
        SessionNotFound, AmbiguousSession: nothing was written.
        LeaseConflict: another process is writing the session.
    """
    return _label(session, SessionLabel(title=_one_line(title)), store)


def tag_session(session: str, tag: str, *, store: StoreLike = None) -> Labelled:
    """Set the tag, or take it away with an empty one. Raises as `rename_session`."""
    return _label(session, SessionLabel(tag=_one_line(tag)), store)


def archive_session(session: str, *, store: StoreLike = None) -> Labelled:
    """Hide the session from the list; it can still be found, shown and resumed. Raises as `rename_session`."""
    return _label(session, SessionLabel(archived=True), store)


def unarchive_session(session: str, *, store: StoreLike = None) -> Labelled:
    """Undo `archive_session` and `delete_session`. Raises as `rename_session`."""
    return _label(session, SessionLabel(archived=False, deleted=False), store)


def _label(session: str, label: SessionLabel, store: StoreLike) -> Labelled:
    from .live.lease import lease
    from .resolve import resolve_session

    with opened(store) as opened_store:
        row = resolve_session(opened_store, session)
        with lease(opened_store, row.session_id) as held:
            draft = Draft.of(label, ts=now_us())
            (event,) = opened_store.append(row.session_id, [draft], token=held.token)
        return Labelled(
            session_id=row.session_id,
            pointer=event.pointer,
            title=label.title,
            tag=label.tag,
            archived=label.archived,
            deleted=label.deleted,
        )


def _one_line(text: str) -> str:
    from ..events.references import preview

    return preview(text)
