"""Taking the right to write from whoever holds it; what they still try to append is refused."""

from __future__ import annotations

from typing import Any

from ...events.blocks import Frozen
from ..opened import StoreLike, opened
from .lease import acquire, holder_of


class TakenOver(Frozen):
    """token: the new fencing token; former: who held the lease, None when nobody did."""

    session_id: str
    token: int
    former: dict[str, Any] | None = None


def takeover_session(session: str, *, store: StoreLike = None) -> TakenOver:
    """Fence off the present writer and leave the session free for the next one.

    Raises:
        SessionNotFound: there is no such session.
    """
    with opened(store) as events:
        from .opening import looked_up

        session_id = looked_up(events, session)
        former = holder_of(events, session_id)
        held = acquire(events, session_id, takeover=True)
        held.release()
        return TakenOver(session_id=session_id, token=held.token, former=former)
