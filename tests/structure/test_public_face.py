"""The public face is `rehydrate.runtime`; its list is sorted, complete and loads lazily."""

from __future__ import annotations

import inspect
import subprocess
import sys

import rehydrate.runtime as face


def test_all_is_sorted_and_says_what_is_there() -> None:
    assert face.__all__ == sorted(face.__all__)
    assert set(face.__all__) == set(face._PLACES)
    assert set(face.__all__) <= set(dir(face))
    for name in face.__all__:
        assert getattr(face, name) is not None


def test_every_public_function_has_an_async_twin() -> None:
    functions = [name for name in face.__all__ if inspect.isfunction(getattr(face, name))]
    plain = [name for name in functions if not inspect.iscoroutinefunction(getattr(face, name))]
    assert [name for name in plain if f"a{name}" not in functions and name != "live"] == []


def test_every_public_function_has_a_sentence_and_takes_a_store() -> None:
    for name in face.__all__:
        function = getattr(face, name)
        if inspect.isfunction(function):
            assert inspect.getdoc(function), name
            assert "store" in inspect.signature(function).parameters, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(face, "no_such_name")


def test_importing_the_face_loads_nothing() -> None:
    code = "import sys, rehydrate.runtime; print(sorted(name for name in sys.modules if name.startswith('rehydrate')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['rehydrate', 'rehydrate.runtime']"
