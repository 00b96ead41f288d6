"""Paths of other machines, maps, and addresses of repositories in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rehydrate.events.errors import UsageError
from rehydrate.runtime.workspace.paths import PathMap, below, foreign, mapped, shown
from rehydrate.runtime.workspace.remotes import normalized


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("C:\\Users\\a\\demo", "windows"),
        ("d:/work/demo", "windows"),
        ("\\\\server\\share\\demo", "windows"),
        ("/Users/nobody-here/demo", "home"),
        ("/home/nobody-here/demo", "home"),
        ("demo", "relative"),
        ("./demo", "relative"),
        ("/tmp", None),
        ("/nowhere/at/all", None),
    ],
)
def test_a_foreign_path_is_told_by_its_form(path: str, why: str | None) -> None:
    assert foreign(path) == why


@pytest.mark.parametrize(
    ("old", "path", "expected"),
    [
        ("/Users/a/demo", "/Users/a/demo/src/x.py", "/here/src/x.py"),
        ("/Users/a/demo/", "/Users/a/demo", "/here"),
        ("/Users/a/demo", "/Users/a/demo-2/x.py", "/Users/a/demo-2/x.py"),
        ("C:\\work\\demo", "c:\\Work\\Demo\\src\\x.py", "/here/src/x.py"),
        ("C:\\work\\demo", "C:/work/demo/src/x.py", "/here/src/x.py"),
        ("C:\\work\\demo", "C:\\work\\demonstration", "C:\\work\\demonstration"),
        ("C:\\", "C:\\x.py", "/here/x.py"),
    ],
)
def test_a_map_moves_what_lies_below_it(old: str, path: str, expected: str) -> None:
    assert mapped(path, [PathMap.parse(f"{old}=/here")]) == expected


def test_the_longest_map_wins() -> None:
    maps = [PathMap("/a", "/one"), PathMap("/a/b", "/two")]
    assert [mapped(path, maps) for path in ("/a/x", "/a/b/x", "/c")] == ["/one/x", "/two/x", "/c"]


@pytest.mark.parametrize("text", ["", "/a", "/a=", "a=/b", "=/b"])
def test_what_maps_nothing_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="maps no path"):
        PathMap.parse(text)


@given(st.text(), st.text(min_size=1))
def test_below_is_exact(folder: str, name: str) -> None:
    assert below(f"/x{folder}/{name}", f"/x{folder}") == name or folder.endswith("/")


def test_bytes_that_are_no_text_are_shown() -> None:
    assert shown("caf\udce9") == "caf\\xe9"
    assert shown("café") == "café"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("git@github.com:Org/Repo.git", "github.com/org/repo"),
        ("https://user:token@github.com/org/repo/", "github.com/org/repo"),
        ("ssh://git@ssh.github.com:443/org/repo.git", "github.com/org/repo"),
        ("git+ssh://git@github.com/org/repo", "github.com/org/repo"),
        ("https://github.com:443/org/repo.git", "github.com/org/repo"),
        ("https://git.example.com/Team/Repo", "git.example.com/Team/Repo"),
        ("ssh://git@example.com:2222/team/repo.git", "example.com:2222/team/repo"),
        ("host:path/to/repo", "host/path/to/repo"),
        ("file:///srv/git/repo.git", "file:/srv/git/repo.git"),
        ("/srv/git/../git/repo.git", "file:/srv/git/repo.git"),
        ("../sister", "file:/work/sister"),
        ("  ", None),
    ],
)
def test_an_address_has_one_form(address: str, expected: str | None) -> None:
    assert normalized(address, "/work/here") == expected
