"""The public face is `rehydrate.runtime`; its list is sorted, complete and loads lazily."""

from __future__ import annotations

import inspect
import subprocess
import sys

import rehydrate.runtime as face

NO_ACTS = {"coding_tools", "tail_session", "tool"}
"""Functions that make tools for a live session and touch no store; an iterator that waits for events."""
ACTS = [
    name
    for name in face.__all__
    if inspect.isfunction(getattr(face, name))
    and not inspect.iscoroutinefunction(getattr(face, name))
    and name not in NO_ACTS
]


def test_all_is_sorted_and_says_what_is_there() -> None:
    assert face.__all__ == sorted(face.__all__)
    assert set(face.__all__) == set(face._PLACES)
    assert set(face.__all__) <= set(dir(face))
    for name in face.__all__:
        assert getattr(face, name) is not None


def test_every_public_function_has_an_async_twin() -> None:
    functions = [name for name in face.__all__ if inspect.isfunction(getattr(face, name))]
    assert [name for name in ACTS if f"a{name}" not in functions] == []


def test_every_public_function_has_a_sentence_and_takes_a_store() -> None:
    for name in face.__all__:
        function = getattr(face, name)
        assert inspect.getdoc(function), name
        if name in ACTS:
            assert "store" in inspect.signature(function).parameters, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(face, "no_such_name")


def test_importing_the_face_loads_nothing() -> None:
    code = "import sys, rehydrate.runtime; print(sorted(name for name in sys.modules if name.startswith('rehydrate')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['rehydrate', 'rehydrate.runtime']"
