"""Event logs of every shape that sources and crashes have left, made by Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .events import Log, Tree, text

SIGNATURE = "Eq" + "A" * 200
WORDS = st.sampled_from(["hello", "look", "", "  \n", "half \ud83c here", "nul \x00 here", "emoji 👩‍💻", "<b>"])
CALLS = st.sampled_from(["c1", "c2", "c3", "call.with/odd:chars", "x" * 80])
RESPONSES = st.sampled_from([None, "r1", "r2", "r3"])
IMAGES = st.sampled_from(
    [
        {"type": "image", "media_type": "image/png", "data": "iVBORw0KGgo="},
        {"type": "image", "media_type": "image/png", "data": "not base64!!"},
        {"type": "image", "media_type": "image/png", "data": ""},
    ]
)


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """One event: its kind and its data."""
    kind = draw(st.sampled_from(["user", "says", "thinks", "call", "call", "result", "result", "other"]))
    if kind == "user":
        blocks = [text(draw(WORDS))]
        if draw(st.booleans()):
            blocks.append(draw(IMAGES))
        starts = draw(st.booleans())
        return "UserInput", {
            "content": blocks,
            "preview": "p",
            "starts_turn": starts,
            "origin": "human" if starts else "meta",
        }
    if kind in ("says", "thinks"):
        return "AssistantMessage", draw(replies(kind))
    if kind == "call":
        data = {"call_id": draw(CALLS), "name": draw(st.sampled_from(["Bash", "odd name!"])), "model": "claude-test-1"}
        data["arguments"] = draw(st.sampled_from([{}, {"a": 1}, "text", None]))
        return "ToolUse", _with_response(data, draw(RESPONSES))
    if kind == "result":
        content = draw(st.one_of(WORDS, st.lists(st.one_of(WORDS.map(text), IMAGES), max_size=2)))
        return "ToolResult", {"call_id": draw(CALLS), "content": content, "is_error": draw(st.booleans())}
    return draw(others())


@st.composite
def replies(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    if kind == "says":
        blocks: list[Any] = [text(draw(WORDS))]
    else:
        thought = {
            "type": "thinking",
            "thinking": draw(WORDS),
            "signature": draw(st.sampled_from([SIGNATURE, "abc=", ""])),
        }
        blocks = [thought]
    data: dict[str, Any] = {
        "blocks": blocks,
        "model": draw(st.sampled_from(["claude-test-1", "gpt-test", "<synthetic>"])),
    }
    if data["model"] == "<synthetic>":
        data["synthetic"] = True
        data["error"] = draw(st.booleans())
    return _with_response(data, draw(RESPONSES))


def _with_response(data: dict[str, Any], response: str | None) -> dict[str, Any]:
    return data if response is None else {**data, "response_id": response}


@st.composite
def others(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    return draw(
        st.sampled_from(
            [
                ("RunStarted", {"run_id": "run"}),
                ("RunEnded", {"status": "interrupted"}),
                ("RunEnded", {"status": "completed"}),
                ("ContextCompact", {"summary": "what was"}),
                ("ContextCompact", {"micro": True, "cleared_call_ids": ["c1"]}),
                ("ContextCompact", {"summary_native_id": "never"}),
                ("ContentReplacement", {"call_id": "c2", "replacement": "short"}),
                ("TodoSnapshot", {"items": [{"id": "1", "content": "a"}]}),
                ("FileChanged", {"path": "a.py", "operation": "update", "digest_after": "0" * 64}),
                ("QueuedInput", {"operation": "enqueue", "content": "later"}),
                ("Cost", {"response_id": "r1", "model": "claude-test-1", "input_tokens": 3, "output_tokens": 2}),
                ("AgentMetadata", {"permission_mode": "plan"}),
                ("PlanSnapshot", {"active": False}),
                ("Repaired", {"repairs": [{"code": "unpaired-call", "call_id": "c3", "text": "told before"}]}),
                ("Unrecognized", {"type": "new"}),
            ]
        )
    )


@st.composite
def linear_logs(draw: st.DrawFn) -> Log:
    """A log in order of position, with rewinds to any earlier place."""
    log = Log()
    for _ in range(draw(st.integers(1, 25))):
        if log.head > 3 and draw(st.integers(0, 9)) == 0:
            log.rewind(draw(st.integers(1, log.head)))
        else:
            kind, data = draw(steps())
            log.add(kind, **data)
    return log


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A message tree whose parents are mostly the record before, and sometimes any other or one that is missing."""
    tree = Tree()
    names: list[str] = []
    for number in range(draw(st.integers(1, 18))):
        name = f"n{number}"
        choice = draw(st.integers(0, 9))
        parent = names[-1] if names else None
        if names and choice == 0:
            parent = draw(st.sampled_from(names))
        elif choice == 1:
            parent = draw(st.sampled_from([None, "ghost"]))
        kind, data = draw(steps())
        node = {"UserInput": "user", "ToolResult": "user", "AssistantMessage": "assistant", "ToolUse": "assistant"}.get(
            kind
        )
        if node is None:
            tree.side(kind, **data)
            continue
        tree.add(kind, node, name, parent, **data)
        names.append(name)
    return tree
