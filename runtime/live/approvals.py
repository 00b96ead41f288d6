"""Decisions of a person on calls that wait, from any process, at any time; the call runs when the session next goes on."""

from __future__ import annotations

from typing import Any, Literal

from ...events.blocks import Frozen
from ...events.errors import Conflict, EventNotFound, PositionConflict, Refused
from ...events.event import Event
from ...events.kinds import ApprovalRequested, ApprovalResolved, Fact
from ...events.store import EventStore
from ..opened import StoreLike, opened
from . import calling
from .journal import Journal
from .state import LiveState
from .tools import Outcome

Decision = Literal["approved", "refused", "expired", "answered"]
RESULT_CHARS = 40_000
TRIES = 5


class Decided(Frozen):
    """What was decided, and the session's end after it."""

    session_id: str
    call_id: str
    decision: Decision
    pointer: str
    remaining: tuple[str, ...] = ()


def approve_call(session: str, call_id: str, *, by: str = "person", store: StoreLike = None) -> Decided:
    """Allow a call that waits. It runs once, when the session next goes on (`run` without a prompt).

    Raises:
        EventNotFound: no such call waits. Conflict: it is decided already. Refused: the time to decide is over.
    """

    def facts(request: ApprovalRequested) -> list[Fact]:
        return [ApprovalResolved(call_id=request.call_id, decision="approved", by=by)]

    return _decide(session, call_id, store, facts)


def refuse_call(
    session: str, call_id: str, *, reason: str | None = None, by: str = "person", store: StoreLike = None
) -> Decided:
    """Refuse a call that waits; the model is told so, with the reason.

    Raises:
        EventNotFound: no such call waits. Conflict: it is decided already. Refused: the time to decide is over.
    """

    def facts(request: ApprovalRequested) -> list[Fact]:
        decided = ApprovalResolved(call_id=request.call_id, decision="refused", by=by, reason=reason)
        return [decided, *calling.result_facts(request.call_id, calling.refusal(reason), RESULT_CHARS, "refused")]

    return _decide(session, call_id, store, facts)


def answer_question(
    session: str, question: str, choice: str, *, by: str = "person", store: StoreLike = None
) -> Decided:
    """Answer a question of the agent; when all questions of its call are answered, the answers are the call's result.

    question: its id, its call's id, or its text. choice: one of the choices, its number from 1, or words of one's own.

    Raises:
        EventNotFound: no such question is open.
    """

    def facts(request: ApprovalRequested, earlier: dict[str, str]) -> list[Fact]:
        asked = next((one for one in request.questions if question in (one.id, one.text)), None)
        if asked is None and request.questions:
            asked = next((one for one in request.questions if one.id not in earlier), request.questions[0])
        key = asked.id if asked else "1"
        answers = {**earlier, key: _chosen(asked.choices if asked else (), choice)}
        decided = ApprovalResolved(call_id=request.call_id, decision="answered", answers=answers, by=by)
        missing = [one for one in request.questions if one.id not in answers]
        if missing:
            return [decided, request.model_copy(update={"reason": "more questions"})]
        texts = {one.id: one.text for one in request.questions}
        lines = [
            f"{texts[key]}: {value}" if len(answers) > 1 and key in texts else value for key, value in answers.items()
        ]
        return [decided, *calling.result_facts(request.call_id, Outcome("\n".join(lines)), RESULT_CHARS)]

    return _decide(session, question, store, facts, question=True)


def _chosen(choices: tuple[str, ...], choice: str) -> str:
    if choice.isdigit() and choice not in choices and 0 < int(choice) <= len(choices):
        return choices[int(choice) - 1]
    return choice


def _decide(session: str, wanted: str, store: StoreLike, facts: Any, *, question: bool = False) -> Decided:
    """Append a decision on the request as it is now; when others append in between, look again."""
    with opened(store) as events:
        from .opening import looked_up

        session_id = looked_up(events, session)
        for attempt in range(1, TRIES + 1):
            state = LiveState(events, session_id)
            request, earlier = _request(events, state, session_id, wanted, question=question)
            if calling.is_expired(request.expires_at):
                _expire(events, state, session_id, request)
            made = facts(request, earlier) if question else facts(request)
            journal = Journal(events, session_id, state.position, tip=state.tip)
            journal.listen(state.take)
            try:
                journal.append(*made)
            except PositionConflict:
                if attempt == TRIES:
                    raise
                continue
            return Decided(
                session_id=session_id,
                call_id=request.call_id,
                decision=made[0].decision,
                pointer=f"{session_id}@{journal.head}",
                remaining=tuple(state.folded.states["calls"]["approvals"]),
            )
    raise AssertionError("unreachable")


def _request(
    store: EventStore, state: LiveState, session_id: str, wanted: str, *, question: bool
) -> tuple[ApprovalRequested, dict[str, str]]:
    """The request that waits for this decision, and the answers that were given to it so far."""
    waiting: dict[str, dict[str, Any]] = state.folded.states["calls"]["approvals"]
    for call_id, asked in waiting.items():
        (event,) = store.hydrate(store.read(session_id, after=asked["at"] - 1, until=asked["at"]))
        request = ApprovalRequested.model_validate(event.data)
        names = {call_id, *(one.id for one in request.questions), *(one.text for one in request.questions)}
        if (wanted in names if question else wanted == call_id) and question == (request.type == "question"):
            return request, _earlier_answers(store, session_id, event)
    decided = _last_decision(store, session_id, wanted)
    if decided is not None:
        raise Conflict(
            f"Call {wanted} is decided already: {decided}.",
            remedy=f"Go on with: rehydrate run {session_id}",
            session_id=session_id,
            call_id=wanted,
            decision=decided,
        )
    raise EventNotFound(
        f"Session {session_id} has no {'question' if question else 'call'} {wanted} that waits.",
        remedy=f"See what waits with: rehydrate resume {session_id}",
        session_id=session_id,
        call_id=wanted,
        waiting=list(waiting),
    )


def _earlier_answers(store: EventStore, session_id: str, request: Event) -> dict[str, str]:
    """Answers to the other questions of the same call: they stand right before the request that was made anew for the rest."""
    if request.data.get("reason") != "more questions":
        return {}
    for event in store.read(session_id, until=request.position - 1, reverse=True, kinds=["ApprovalResolved"]):
        if event.data["call_id"] == request.data["call_id"]:
            return dict(event.data.get("answers") or {})
    return {}


def _last_decision(store: EventStore, session_id: str, call_id: str) -> str | None:
    for event in store.read(session_id, reverse=True, kinds=["ApprovalResolved"]):
        if event.data["call_id"] == call_id:
            return str(event.data["decision"])
    return None


def _expire(store: EventStore, state: LiveState, session_id: str, request: ApprovalRequested) -> None:
    """Write down that it is too late, and say so.

    Raises:
        Refused: always.
    """
    journal = Journal(store, session_id, state.position, tip=state.tip)
    decided = ApprovalResolved(call_id=request.call_id, decision="expired")
    journal.append(decided, *calling.result_facts(request.call_id, calling.expiry_result(), RESULT_CHARS, "expired"))
    raise Refused(
        f"Call {request.call_id} waited until {request.expires_at}; that is over.",
        remedy=f"Let the agent ask again: rehydrate run {session_id}",
        session_id=session_id,
        call_id=request.call_id,
        expires_at=request.expires_at,
    )
