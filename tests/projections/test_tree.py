"""The branch of a message tree, as the client chooses it and as a person would."""

from __future__ import annotations

from typing import Any

from rehydrate.projections.tree import Branch, BranchPointer, Node, choose

SECOND = 1_000_000


def chain(*names: str, parent: str | None = None, start: int = 1) -> list[Node]:
    """Nodes named `u…` (user) or `a…` (assistant), each the child of the one before, a second apart."""
    nodes: list[Node] = []
    for number, name in enumerate(names, start):
        nodes.append(node(number, name, parent))
        parent = name
    return nodes


def node(order: int, name: str, parent: str | None, **more: Any) -> Node:
    kinds = {"u": "user", "a": "assistant", "s": "system", "t": "attachment", "p": "progress"}
    more.setdefault("type", kinds.get(name[0], "unknown"))
    more.setdefault("ts", order * SECOND)
    if more["type"] == "assistant":
        more.setdefault("message_id", f"msg_{name}")
    return Node(order=order, id=name, parent=parent, **more)


def ids(branch: Branch) -> list[str]:
    return [one.id for one in branch.context]


def codes(branch: Branch) -> list[str]:
    return [remark.code for remark in branch.remarks]


def both(*nodes: Node, pointers: list[BranchPointer] | None = None) -> tuple[list[str], list[str]]:
    client = choose([copy_of(one) for one in nodes], pointers or [], as_client=True)
    return ids(client), ids(choose([copy_of(one) for one in nodes], pointers or []))


def copy_of(one: Node) -> Node:
    return Node(**{name: getattr(one, name) for name in Node.__slots__})


def test_a_plain_chain_is_the_same_for_both() -> None:
    client, repaired = both(*chain("u1", "a1", "u2", "a2"))
    assert client == repaired == ["u1", "a1", "u2", "a2"]


def test_the_newest_branch_is_taken_and_the_other_end_is_kept() -> None:
    branch = choose([*chain("u1", "a1", "u2", "a2"), *chain("u3", "a3", parent="a1", start=5)])
    assert ids(branch) == ["u1", "a1", "u3", "a3"]
    assert branch.ends == ("a2", "a3")


def test_progress_records_are_links_only() -> None:
    nodes = [*chain("u1", "a1"), node(3, "p1", "a1"), node(4, "p2", "p1"), node(5, "u2", "p2")]
    client, repaired = both(*nodes)
    assert client == repaired == ["u1", "a1", "u2"]


def test_d1_a_missing_parent_loses_the_past_for_the_client_only() -> None:
    late = [node(100, "u2", "ghost"), node(101, "a2", "u2")]
    client, repaired = both(*chain("u1", "a1"), *late)
    assert client == ["u2", "a2"]
    assert repaired == ["u1", "a1", "u2", "a2"]


def test_the_client_bridges_up_to_five_seconds() -> None:
    client, _ = both(*chain("u1", "a1"), node(7, "u2", "ghost"))
    assert client == ["u1", "a1", "u2"]
    client, _ = both(*chain("u1", "a1"), node(8, "u2", "ghost"))
    assert client == ["u2"]


def test_d2_an_unknown_record_is_a_link_of_the_repaired_tree() -> None:
    nodes = [*chain("u1", "a1"), node(50, "x1", "a1"), node(100, "u2", "x1")]
    client, repaired = both(*nodes)
    assert client == ["u2"]
    assert repaired == ["u1", "a1", "u2"]


def test_d3_a_stale_pointer_hides_nothing() -> None:
    nodes = [*chain("u1", "a1", "u2", "a2"), *chain("u3", "a3", parent="a1", start=6)]
    pointers = [BranchPointer(5, "a2")]
    client, repaired = both(*nodes, pointers=pointers)
    assert client == ["u1", "a1", "u2", "a2"]
    assert repaired == ["u1", "a1", "u3", "a3"]
    assert "stale-branch-pointer" in codes(choose(nodes, pointers))


def test_a_pointer_behind_everything_chooses_the_other_branch_to_its_end() -> None:
    nodes = [*chain("u1", "a1", "u2", "a2"), *chain("u3", "a3", parent="a1", start=5)]
    client, repaired = both(*nodes, pointers=[BranchPointer(9, "u2")])
    assert client == ["u1", "a1", "u2"]
    assert repaired == ["u1", "a1", "u2", "a2"]


def test_d4_a_side_record_behind_the_last_reply_ends_nothing() -> None:
    nodes = [*chain("u1", "a1", "u2", "a2"), node(5, "s1", "a1")]
    client, repaired = both(*nodes)
    assert client == ["u1", "a1", "s1"]
    assert repaired == ["u1", "a1", "u2", "a2"]
    assert codes(choose(nodes)) == ["side-record-last"]


def parallel(*, late: bool = False) -> list[Node]:
    calls = [
        node(2, "a1", "u1", message_id="m", calls=("c1",)),
        node(3, "a2", "a1", message_id="m", calls=("c2",)),
    ]
    second = node(5, "u3", "a2", results=("c2",))
    reply = node(6, "a3", "u3")
    first = node(9 if late else 4, "u2", "a1", results=("c1",))
    return sorted([node(1, "u1", None), *calls, first, second, reply], key=lambda one: one.order)


def test_results_of_parallel_calls_are_attached_again() -> None:
    client, repaired = both(*parallel())
    assert client == repaired == ["u1", "a1", "a2", "u2", "u3", "a3"]


def test_d4_a_late_parallel_result_does_not_end_the_history() -> None:
    client, repaired = both(*parallel(late=True))
    assert "a3" not in client
    assert repaired == ["u1", "a1", "a2", "u2", "u3", "a3"]


def test_one_reply_without_results_yet_is_one_end() -> None:
    branch = choose(parallel()[:4])
    assert len(branch.ends) == 1


def compacted(**more: Any) -> list[Node]:
    return [
        *chain("u1", "a1", "u2", "a2"),
        node(5, "s1", None, cuts=True, logical_parent="a2", **more),
        node(6, "u9", "s1", summary=True),
        *chain("u3", "a3", parent="u9", start=7),
    ]


def test_the_context_starts_at_the_compaction_and_the_path_before_it() -> None:
    branch = choose(compacted())
    assert ids(branch) == ["s1", "u9", "u3", "a3"]
    assert [one.id for one in branch.path] == ["u1", "a1", "u2", "a2", "s1", "u9", "u3", "a3"]
    assert branch.ends == ("a3",)


def test_a_compaction_without_a_summary_counts_as_none() -> None:
    nodes = [*chain("u1", "a1"), node(3, "s1", None, cuts=True, logical_parent="a1"), node(4, "u2", "s1")]
    assert ids(choose(nodes)) == ["u1", "a1", "s1", "u2"]


def test_preserved_messages_stand_behind_the_summary() -> None:
    client, repaired = both(*compacted(preserved=("u2", "a2"), anchor="u9"))
    assert client == repaired == ["s1", "u9", "u2", "a2", "u3", "a3"]


def test_d5_missing_preserved_messages_do_not_undo_the_compaction() -> None:
    nodes = [
        *chain("u1", "a1", "u2", "a2"),
        node(5, "s1", None, cuts=True, logical_parent="a2", preserved=("gone", "a2"), anchor="u9"),
        node(6, "u9", "s1", summary=True),
        *chain("u3", "a3", parent="a2", start=7),
    ]
    client, repaired = both(*nodes)
    assert client[0] == "u1"
    assert repaired == ["s1", "u9", "a2", "u3", "a3"]
    assert "preserved-missing" in codes(choose(nodes))


def test_a_compaction_at_the_beginning_of_a_file_says_that_its_past_is_missing() -> None:
    nodes = [
        node(1, "s1", None, cuts=True, logical_parent="gone"),
        node(2, "u1", "s1", summary=True),
        node(3, "u2", "u1"),
    ]
    assert codes(choose(nodes)) == ["missing-ancestor"]


def test_loops_are_cut_and_every_message_is_reached() -> None:
    nodes = [node(1, "u1", "a2"), *chain("a1", "u2", "a2", parent="u1", start=2)]
    branch = choose(nodes)
    assert ids(branch) == ["u1", "a1", "u2", "a2"]
    assert codes(branch) == ["parent-cycle"]
    assert ids(choose([node(1, "u1", "u1"), node(2, "a1", "u1")])) == ["u1", "a1"]


def test_a_repeated_id_keeps_its_first_place() -> None:
    nodes = [*chain("u1", "a1", "u2", "a2"), node(5, "u1", None)]
    client, repaired = both(*nodes)
    assert client == ["u1"]
    assert repaired == ["u1", "a1", "u2", "a2"]


def test_d11_a_doubled_conversation_is_not_sent_twice() -> None:
    first = [
        node(1, "u1", None),
        node(2, "a1", "u1", message_id="m", calls=("c",)),
        node(3, "u2", "a1", results=("c",)),
    ]
    second = [
        node(4, "u4", None),
        node(5, "a4", "u4", message_id="m", calls=("c",)),
        node(6, "u5", "a4", results=("c",)),
    ]
    client, repaired = both(*first, *second)
    assert "a1" in client
    assert repaired == ["u4", "a4", "u5"]


def test_side_chains_are_no_part_of_the_conversation() -> None:
    side = [node(3, "u8", None, sidechain=True), node(4, "a8", "u8", sidechain=True)]
    client, repaired = both(*chain("u1", "a1"), *side)
    assert client == repaired == ["u1", "a1"]


def test_a_long_chain_needs_no_recursion() -> None:
    names = [f"{'u' if number % 2 == 0 else 'a'}{number}" for number in range(20_000)]
    client, repaired = both(*chain(*names))
    assert client == repaired == names
