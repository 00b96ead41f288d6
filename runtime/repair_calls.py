"""Calls and results: every call gets exactly one result right behind its message, in call order; no result without a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..events.findings import Finding
from .spoken import Block, Spoken

INTERRUPTED = (
    "SESSION_RESUME_INTERRUPTED: this call was interrupted before its result was recorded. "
    "It may have run in part or completely; check its effects before you run it again."
)


@dataclass(slots=True)
class _Result:
    """A result where it was found: in message number `index`."""

    block: Block
    index: int
    taken: bool = False


def rename_repeated(messages: list[Spoken], session_id: str, findings: list[Finding]) -> None:
    """A call id that was used before gets a number: the second `x` becomes `x_2`, and so does the result that answers it."""
    calls: dict[str, list[tuple[int, Block]]] = {}
    results: dict[str, list[tuple[int, Block]]] = {}
    for index, message in enumerate(messages):
        for block in message.of_type("tool_use"):
            calls.setdefault(str(block["id"]), []).append((index, block))
        for block in message.of_type("tool_result"):
            results.setdefault(str(block["tool_use_id"]), []).append((index, block))
    taken = set(calls)
    for call_id, uses in calls.items():
        if len(uses) < 2:
            continue
        waiting = list(results.get(call_id, ()))
        for number, (index, block) in enumerate(uses):
            following = uses[number + 1][0] if number + 1 < len(uses) else len(messages)
            answer = next((one for one in waiting if index < one[0] <= following), None) or next(
                (one for one in waiting if one[0] > index), None
            )
            if answer is not None:
                waiting.remove(answer)
            if number == 0:
                continue
            name = _free(f"{call_id}_{number + 1}", taken)
            block["id"] = name
            if answer is not None:
                answer[1]["tool_use_id"] = name
            findings.append(_repeated(call_id, name, messages[index], session_id))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _repeated(call_id: str, name: str, message: Spoken, session_id: str) -> Finding:
    return Finding(
        code="duplicate-call-id",
        severity="repaired",
        message=f"The call id {call_id} was used before; this call goes by {name}.",
        facts={"call_id": call_id, "renamed_to": name, "pointer": f"{session_id}@{message.position}"},
    )


def pair_calls(
    messages: list[Spoken], session_id: str, findings: list[Finding], recorded: Mapping[str, Mapping[str, Any]]
) -> list[Spoken]:
    """The messages with each reply's results in one user message right behind it."""
    results: dict[str, list[_Result]] = {}
    for index, message in enumerate(messages):
        for block in message.of_type("tool_result"):
            results.setdefault(str(block["tool_use_id"]), []).append(_Result(block, index))
    placed: list[Spoken] = []
    for index, message in enumerate(messages):
        if message.role == "assistant":
            placed.append(message)
            calls = [block for block in message.of_type("tool_use") if not block.get("answered")]
            if calls:
                placed.append(_batch(messages, index, calls, results, findings, session_id, recorded))
        else:
            rest = [block for block in message.blocks if block.get("type") != "tool_result"]
            if rest:
                message.blocks = [*message.blocks[:0], *rest] if len(rest) != len(message.blocks) else message.blocks
                placed.append(message)
    _report_orphans(messages, results, findings, session_id)
    return _joined(placed)


def _batch(
    messages: list[Spoken],
    index: int,
    calls: list[Block],
    results: dict[str, list[_Result]],
    findings: list[Finding],
    session_id: str,
    recorded: Mapping[str, Mapping[str, Any]],
) -> Spoken:
    reply = messages[index]
    batch = Spoken("user", reply.position, record=-1, ts=reply.ts)
    upto = _end_of_answers(messages, index)
    for call in calls:
        call_id = str(call["id"])
        answer = next((one for one in results.get(call_id, ()) if not one.taken), None)
        if answer is None:
            batch.blocks.append(_interrupted(call, recorded.get(call_id)))
            batch.synthesized = True
            if call_id not in recorded:
                findings.append(_unpaired(call, reply, session_id))
            continue
        answer.taken = True
        origin = messages[answer.index]
        if not index < answer.index < upto:
            findings.append(_late(call, origin, session_id))
        if batch.record == -1:
            batch.native_id, batch.record, batch.ts = origin.native_id, origin.record, origin.ts
        batch.position = max(batch.position, origin.position)
        batch.synthesized = batch.synthesized or bool(answer.block.get("synthesized"))
        batch.blocks.append(answer.block)
    return batch


def _end_of_answers(messages: list[Spoken], index: int) -> int:
    """The number of the first message after `index` that is the model's again."""
    for number in range(index + 1, len(messages)):
        if messages[number].role == "assistant":
            return number
    return len(messages)


def _interrupted(call: Block, recorded: Mapping[str, Any] | None) -> Block:
    text = (recorded or {}).get("text") or INTERRUPTED
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": True, "synthesized": True}


def _unpaired(call: Block, reply: Spoken, session_id: str) -> Finding:
    return Finding(
        code="unpaired-call",
        severity="repaired",
        message=f"The call {call['id']} ({call['name']}) has no result; it is answered as interrupted.",
        remedy="Look at what it may have changed before it is run again.",
        facts={"call_id": call["id"], "tool": call["name"], "pointer": f"{session_id}@{reply.position}"},
    )


def _late(call: Block, origin: Spoken, session_id: str) -> Finding:
    return Finding(
        code="late-result",
        severity="repaired",
        message=f"The result of {call['id']} stood apart from its call; it was moved behind it.",
        facts={"call_id": call["id"], "pointer": f"{session_id}@{origin.position}"},
    )


def _report_orphans(
    messages: list[Spoken], results: dict[str, list[_Result]], findings: list[Finding], session_id: str
) -> None:
    for call_id, answers in results.items():
        for answer in answers:
            if not answer.taken:
                place = f"{session_id}@{messages[answer.index].position}"
                findings.append(
                    Finding(
                        code="orphan-result",
                        severity="repaired",
                        message=f"A result for {call_id} answers no call of the context; it is left out.",
                        facts={"call_id": call_id, "pointer": place},
                    )
                )


def _joined(messages: list[Spoken]) -> list[Spoken]:
    """Text that shared its record with results stands in their message, behind them."""
    found: list[Spoken] = []
    for message in messages:
        last = found[-1] if found else None
        beside = last is not None and last.role == message.role == "user" and message.record is not None
        if last is not None and beside and last.record == message.record and last.only_results:
            last.blocks += message.blocks
            last.position = max(last.position, message.position)
            last.origin = message.origin
        else:
            found.append(message)
    return found
