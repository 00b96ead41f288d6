"""Cases from the field, through the command line: moved directories, worktrees, other machines, other branches."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Rehydrate
from tests.support.git_world import World, commit, git, head, new_repository, traces
from tests.support.transcripts import ClaudeSession, codex_session


@pytest.fixture
def rehydrate(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    """The command on an empty database, run from a directory that belongs to no session."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no-codex"))
    (tmp_path / "nowhere").mkdir()
    monkeypatch.chdir(tmp_path / "nowhere")
    return Rehydrate(tmp_path / "store.sqlite")


def imported(rehydrate: Rehydrate, session: ClaudeSession, folder: Path) -> str:
    rehydrate.json("import", session.save(folder))
    return session.session_id


def plain(rehydrate: Rehydrate, cwd: Path | str, folder: Path, branch: str | None = "main") -> str:
    """A session with one exchange in `cwd`."""
    return imported(rehydrate, ClaudeSession(cwd=cwd, branch=branch).prompt("hello").reply(), folder)


def codes(document: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in document.get("report", document)["findings"]}


def finding(document: dict[str, Any], code: str) -> dict[str, Any]:
    (found,) = [one for one in document.get("report", document)["findings"] if one["code"] == code]
    return found


def typed(rehydrate: Rehydrate, remedy: str) -> None:
    """Do what the first line of a remedy says, as a person would copy it."""
    command = remedy.split("\n", maxsplit=1)[0].partition(": ")[2]
    for part in command.split(" && "):
        words = shlex.split(part)
        if words[0] == "rehydrate":
            assert rehydrate(*words[1:]).code == 0, part
        else:
            subprocess.run(words, check=True, capture_output=True)


# -- the same session from everywhere ----------------------------------------------------------------------------------


def test_through_a_symlink(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B124: recorded through a link, resumed in the directory itself; the real path is reported."""
    link = world.folder / "link"
    link.symlink_to(world.repo)
    session = plain(rehydrate, link, tmp_path)
    for arguments in ([], ["--project", str(world.repo)], ["--project", str(link)]):
        runtime = rehydrate.json("resume", session, *arguments)
        assert runtime["report"]["outcome"] == "ok"
        assert runtime["workspace"]["cwd"] == str(world.repo)
        assert runtime["workspace"]["worktree"] is None


def test_from_a_subdirectory(
    rehydrate: Rehydrate, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    monkeypatch.chdir(world.repo / "src")
    for arguments in ([], ["--project", "."], ["--last"]):
        named = [] if "--last" in arguments else [session]
        runtime = rehydrate.json("resume", *named, *arguments)
        assert runtime["session"]["id"] == session
        assert (runtime["report"]["outcome"], runtime["workspace"]["cwd"]) == ("ok", str(world.repo))


def test_after_mv(rehydrate: Rehydrate, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B115, B116: found by its commits, listed in its new place, bound there by one command; the old path is never made again."""
    session = plain(rehydrate, world.repo, tmp_path)
    new = world.folder / "renamed"
    world.repo.rename(new)
    monkeypatch.chdir(new)

    checked = rehydrate.json("check", session)
    assert finding(checked, "moved")["facts"]["found"] == str(new)
    listed = rehydrate.json("sessions", "--project", new)["sessions"]
    assert [row["session_id"] for row in listed] == [session]
    named = rehydrate.json("resume", session, "--project", ".")
    assert (named["workspace"]["cwd"], named["report"]["outcome"]) == (str(new), "degraded")

    typed(rehydrate, finding(checked, "moved")["remedy"])
    runtime = rehydrate.json("resume", session)
    assert (runtime["workspace"]["cwd"], runtime["report"]["outcome"]) == (str(new), "ok")
    assert not world.repo.exists()


def test_in_a_second_clone(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    git(world.folder, "clone", "-q", str(world.repo), "second")
    runtime = rehydrate.json("resume", session, "--project", world.folder / "second")
    assert codes(runtime) == {"other-checkout"}
    assert runtime["workspace"]["cwd"] == str(world.folder / "second")


def test_in_a_worktree(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B124: a sister worktree is the same project; that it has another branch is said."""
    session = plain(rehydrate, world.repo, tmp_path)
    worktree = world.worktree()
    runtime = rehydrate.json("resume", session, "--project", worktree)
    assert runtime["report"]["outcome"] == "degraded"
    assert "other-repository" not in codes(runtime)
    assert "branch-changed" in codes(runtime)
    assert runtime["workspace"]["project"]["path"] == str(world.repo)


def test_in_a_removed_worktree(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B129: said before any turn, readable all the same, and recreated at its branch only when asked."""
    worktree = world.worktree()
    tip = head(worktree)
    told = ClaudeSession(cwd=world.repo).prompt("go").reply().entered(worktree, "feat", world.repo).prompt("on").reply()
    session = imported(rehydrate, told, tmp_path)
    git(world.repo, "worktree", "remove", "--force", str(worktree))

    runtime = rehydrate.json("resume", session)
    assert (runtime["report"]["outcome"], codes(runtime)) == ("degraded", {"worktree-missing"})
    assert len(runtime["messages"]) == 4
    assert runtime["workspace"]["cwd"] == str(worktree)
    opening = rehydrate.json("check", session, "--gate", "open", code=5)
    assert finding(opening, "worktree-missing")["severity"] == "error"
    assert not worktree.exists()

    typed(rehydrate, finding(opening, "worktree-missing")["remedy"])
    assert (head(worktree), git(worktree, "branch", "--show-current")) == (tip, "feat")
    assert rehydrate.json("check", session, "--gate", "open")["findings"] == []


# -- the caller's directory --------------------------------------------------------------------------------------------


def test_the_callers_directory_is_never_taken(
    rehydrate: Rehydrate, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B118: run somewhere else without a word, the session stays where it was recorded."""
    session = plain(rehydrate, world.repo / "src", tmp_path)
    other = new_repository(world.folder / "other", "two\n")
    monkeypatch.chdir(other)
    runtime = rehydrate.json("resume", session)
    assert (runtime["workspace"]["cwd"], runtime["report"]["outcome"]) == (str(world.repo / "src"), "ok")


def test_another_project_is_refused_unless_it_is_meant(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    other = new_repository(world.folder / "other", "two\n")
    refused = rehydrate.json("resume", session, "--project", other, code=5)
    assert refused["error"]["facts"]["codes"] == ["other-repository"]
    assert str(other) in refused["error"]["message"]
    assert str(world.repo) in refused["error"]["message"]
    assert rehydrate.json("check", session, "--project", other, code=5)["outcome"] == "refused"
    for allowed in (["--allow-cross-project"], ["--policy", "force"], ["--force"]):
        runtime = rehydrate.json("resume", session, "--project", other, *allowed)
        assert (runtime["report"]["outcome"], runtime["workspace"]["cwd"]) == ("degraded", str(other))
    rehydrate.json("resume", session, "--project", other, "--policy", "warn", code=5)
    rehydrate.json("resume", session, "--project", other, "--accept", "other-repository", code=5)


def test_an_accepted_code_no_longer_degrades(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    git(world.repo, "switch", "-q", "-c", "other")
    assert rehydrate.json("resume", session)["report"]["outcome"] == "degraded"
    assert rehydrate.json("resume", session, "--accept", "branch-changed")["report"]["outcome"] == "ok"


# -- other machines ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", ["/Users/nobody-here/code/demo", "C:\\Users\\a\\demo"])
def test_a_session_of_another_machine(
    rehydrate: Rehydrate, world: World, tmp_path: Path, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B121: the path is foreign, nothing is joined below the caller's directory, and a map brings directory and files here."""
    slash = "\\" if "\\" in old else "/"
    told = ClaudeSession(cwd=old).prompt("go").write(f"{old}{slash}src{slash}app.py", "print('hello')\n").reply()
    session = imported(rehydrate, told, tmp_path)
    monkeypatch.chdir(world.folder)

    runtime = rehydrate.json("resume", session)
    assert "foreign-path" in codes(runtime)
    assert runtime["workspace"]["cwd"] == old
    mapped = rehydrate.json("resume", session, "--map", f"{old}={world.repo}")
    assert mapped["workspace"]["cwd"] == str(world.repo)
    assert list(mapped["app_state"]["files"]) == [str(world.repo / "src" / "app.py")]
    assert mapped["workspace"]["drift"]["unchanged"] == 1
    assert list(tmp_path.joinpath("nowhere").iterdir()) == []


def test_a_codex_session_of_another_machine_is_known_by_its_remote(
    rehydrate: Rehydrate, world: World, tmp_path: Path
) -> None:
    git(world.repo, "remote", "add", "origin", "git@example.com:team/demo.git")
    facts = {"commit_hash": head(world.repo), "branch": "main", "repository_url": "https://example.com/team/demo.git"}
    session, file = codex_session(tmp_path, ["/Users/nobody-here/demo"], facts)
    rehydrate.json("import", file)
    assert codes(rehydrate.json("check", session)) == {"foreign-path"}
    named = rehydrate.json("resume", session, "--project", world.repo)
    assert codes(named) == {"foreign-path"}
    assert named["workspace"]["cwd"] == str(world.repo)
    other = new_repository(world.folder / "other", "two\n")
    git(other, "remote", "add", "origin", "https://example.com/team/other.git")
    rehydrate.json("resume", session, "--project", other, code=5)


# -- worktrees ---------------------------------------------------------------------------------------------------------


def test_the_worktree_it_ended_in(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B127, B139: directory, branch and HEAD are the worktree's, not the main checkout's, also when that is named."""
    worktree = world.worktree()
    commit(world.repo, "main goes on")
    told = ClaudeSession(cwd=world.repo).prompt("go").reply().entered(worktree, "feat", world.repo).prompt("on").reply()
    session = imported(rehydrate, told, tmp_path)
    for arguments in ([], ["--project", str(world.repo)]):
        place = rehydrate.json("resume", session, *arguments)["workspace"]
        assert place["cwd"] == place["worktree"] == str(worktree)
        assert (place["main_repo"], place["branch"]) == (str(world.repo), "feat")
        assert place["head"] == place["found"]["head"] == head(worktree)


@pytest.mark.parametrize("recorded", [True, False], ids=["with the worktree's record", "by directory and branch only"])
def test_a_directory_in_place_of_the_worktree(
    rehydrate: Rehydrate, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, recorded: bool
) -> None:
    """B128: files there would be edits of the main branch; going on is refused."""
    monkeypatch.setenv("OPENAI_API_KEY", "none-is-asked")
    place = world.repo / ".wt" / "feat"
    place.mkdir(parents=True)
    (place / "app.py").write_text("x", "utf-8")
    told = ClaudeSession(cwd=world.repo).prompt("go").reply()
    told = told.entered(place, "feat", world.repo) if recorded else told.at(place, "feat")
    session = imported(rehydrate, told.prompt("on").reply(), tmp_path)
    checked = rehydrate.json("check", session)
    facts = finding(checked, "not-a-worktree")["facts"]
    assert (facts["expected"], facts["found"]) == (str(place), str(world.repo))
    assert finding(rehydrate.json("check", session, "--gate", "open", code=5), "not-a-worktree")["severity"] == "error"
    assert rehydrate("run", session, "go on", "--model", "gpt-5").code == 5


def test_the_last_turns_directory_wins(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B132: a Codex session is where its last turn was; at its first turn it is where that was."""
    worktree = world.worktree()
    session, file = codex_session(tmp_path, [world.repo, world.repo, worktree])
    rehydrate.json("import", file)
    assert rehydrate.json("resume", session)["workspace"]["cwd"] == str(worktree)
    assert rehydrate.json("resume", f"{session}@turn:1")["workspace"]["cwd"] == str(world.repo)
    assert rehydrate.json("resume", session)["workspace"]["cwds"] == [str(world.repo), str(worktree)]


# -- branch, HEAD, files -----------------------------------------------------------------------------------------------


def test_branch_head_and_files_changed_since(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B134: three findings with their facts; a warning each, and the session can be resumed."""
    session = plain(rehydrate, world.repo, tmp_path)
    before = head(world.repo)
    git(world.repo, "switch", "-q", "-c", "other")
    commit(world.repo, "one")
    after = commit(world.repo, "two")
    (world.repo / "notes.txt").write_text("changed\n", "utf-8")
    runtime = rehydrate.json("resume", session)
    assert codes(runtime) == {"branch-changed", "head-moved", "dirty"}
    assert {one["severity"] for one in runtime["report"]["findings"]} == {"warning"}
    changed, moved = finding(runtime, "branch-changed")["facts"], finding(runtime, "head-moved")["facts"]
    assert (changed["expected"], changed["found"]) == ("main", "other")
    assert (moved["expected"], moved["found"], moved["ahead"], moved["commits"]) == (before, after, 2, 2)
    assert finding(runtime, "dirty")["facts"]["files"] == ["notes.txt"]
    typed(rehydrate, finding(runtime, "branch-changed")["remedy"])
    assert codes(rehydrate.json("check", session)) == {"dirty"}


def test_two_sessions_in_one_checkout(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B135: the list says that they share it, and the one whose branch was switched away hears of it before its turn."""
    first = plain(rehydrate, world.repo, tmp_path)
    git(world.repo, "switch", "-q", "-c", "other")
    second = plain(rehydrate, world.repo, tmp_path, branch="other")
    marks = {row["session_id"]: row["marks"] for row in rehydrate.json("sessions", "--project", world.repo)["sessions"]}
    assert "shares-checkout" in marks[first]
    assert "shares-checkout" in marks[second]
    assert "branch-changed" in marks[first]
    assert "branch-changed" in codes(rehydrate.json("check", first, "--gate", "open", code=5))
    assert rehydrate.json("check", second, "--gate", "open")["findings"] == []


def test_files_changed_and_gone_since(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    told = ClaudeSession(cwd=world.repo).prompt("go").read(world.repo / "notes.txt", "first\n")
    told.write(world.repo / "src" / "app.py", "print('hello')\n").read(
        world.repo / "README.md", "what it was\n"
    ).reply()
    session = imported(rehydrate, told, tmp_path)
    (world.repo / "notes.txt").unlink()
    drift = finding(rehydrate.json("resume", session), "drift")["facts"]
    assert drift["gone"] == [str(world.repo / "notes.txt")]
    assert drift["changed"] == [str(world.repo / "README.md")]
    assert drift["unchanged"] == 1


def test_no_command_leaves_a_trace_in_the_project(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B075: what reads, reads: every file, index and time of change in project and transcript folder is as before."""
    told = (
        ClaudeSession(cwd=world.repo)
        .prompt("go")
        .write(world.repo / "notes.txt", "v1\n")
        .write(world.repo / "notes.txt", "v2\n")
    )
    session = told.session_id
    folder = tmp_path / "transcripts"
    told.reply().save(folder)
    (world.repo / "notes.txt").write_text("by hand\n", "utf-8")
    before = (traces(world.folder), traces(folder))
    rehydrate.json("import", folder)
    for command in (
        ["resume"],
        ["check"],
        ["check", "--gate", "open"],
        ["show"],
        ["resume", "--messages", "anthropic"],
    ):
        rehydrate(*command[:1], session, *command[1:], "--json")
    rehydrate.json("sessions", "--all")
    assert (traces(world.folder), traces(folder)) == before


# -- the list ----------------------------------------------------------------------------------------------------------


def test_the_list_of_a_project_has_all_its_worktrees(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    """B140: three checkouts, one project; a worktree by its name or path alone when asked."""
    one, two = world.worktree(), world.worktree("main~1", ".wt/old")
    sessions = {place: plain(rehydrate, place, tmp_path, branch=None) for place in (world.repo, one, two)}
    elsewhere = plain(rehydrate, new_repository(world.folder / "other", "two\n"), tmp_path)
    for place in (world.repo, one, two, world.repo / "src"):
        rows = rehydrate.json("sessions", "--project", place)["sessions"]
        assert {row["session_id"] for row in rows} == set(sessions.values())
        assert {row["worktree"] for row in rows} == {None, str(one), str(two)}
    only = rehydrate.json("sessions", "--project", world.repo, "--worktree", "feat")["sessions"]
    assert [row["session_id"] for row in only] == [sessions[one]]
    assert elsewhere in {row["session_id"] for row in rehydrate.json("sessions", "--all")["sessions"]}


def test_three_directories_with_one_slug_are_three_projects(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """B119: Claude Code keeps a_b, a-b and a.b in one folder."""
    folder = tmp_path / "projects-of-claude" / "-p-a-b"
    for name in ("a_b", "a-b", "a.b"):
        place = tmp_path / "p" / name
        place.mkdir(parents=True)
        ClaudeSession(cwd=place, branch=None).prompt(name).reply().save(folder)
    rehydrate.json("import", folder)
    rows = rehydrate.json("sessions", "--project", tmp_path / "p" / "a_b")["sessions"]
    assert [row["title"] for row in rows] == ["a_b"]
    assert len(rehydrate.json("sessions", "--all")["sessions"]) == 3


def test_the_last_session_is_never_one_of_another_project(
    rehydrate: Rehydrate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B192: in the project and below it, and nothing where the project has none."""
    places = {name: tmp_path / "p" / name for name in ("a", "b", "c")}
    for place in places.values():
        (place / "x").mkdir(parents=True)
    older = plain(rehydrate, places["a"], tmp_path, branch=None)
    newer = ClaudeSession(cwd=places["b"], branch=None).prompt("a").reply().prompt("b").reply()
    imported(rehydrate, newer, tmp_path)
    for place in (places["a"], places["a"] / "x"):
        monkeypatch.chdir(place)
        assert rehydrate.json("resume", "--last")["session"]["id"] == older
    monkeypatch.chdir(places["c"])
    assert rehydrate.json("resume", "--last", code=3)["error"]["code"] == "session-not-found"


def test_a_session_whose_place_is_gone_is_marked(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    gone = world.folder / "gone"
    gone.mkdir()
    sessions = [plain(rehydrate, place, tmp_path, branch=None) for place in (world.repo, gone, "/Users/nobody-here/x")]
    shutil.rmtree(gone)
    rows = {row["session_id"]: row["marks"] for row in rehydrate.json("sessions", "--all")["sessions"]}
    assert [rows[session] for session in sessions] == [[], ["gone"], ["foreign"]]


# -- rebinding ---------------------------------------------------------------------------------------------------------


def test_order_of_events_decides_between_rebinding_and_source(
    rehydrate: Rehydrate, world: World, tmp_path: Path
) -> None:
    """B141: a later word of the person beats the record before it; a later turn of the source beats that again."""
    one, two, three = (new_repository(world.folder / name, name) for name in ("one", "two", "three"))
    told = ClaudeSession(cwd=one).prompt("go").reply()
    session = imported(rehydrate, told, tmp_path)
    rehydrate.json("rebind", session, two)
    assert rehydrate.json("resume", session)["workspace"]["cwd"] == str(two)
    rehydrate.json("rebuild", session)
    assert rehydrate.json("resume", session)["workspace"]["cwd"] == str(two)
    told.at(three).prompt("on").reply().save(tmp_path)
    rehydrate.json("import", tmp_path / f"{session}.jsonl")
    assert rehydrate.json("resume", session, "--force")["workspace"]["cwd"] == str(three)


def test_a_rebinding_is_an_event_and_makes_no_directory(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    missing = world.folder / "missing"
    assert rehydrate.json("rebind", session, missing, code=3)["error"]["code"] == "not-found"
    assert not missing.exists()
    before = rehydrate.json("resume", session)["transcript_pointer"]
    bound = rehydrate.json("rebind", session, world.repo / "src")
    assert bound["pointer"] != before
    assert rehydrate.json("resume", session)["transcript_pointer"] == bound["pointer"]
    assert rehydrate.json("resume", before)["workspace"]["cwd"] == str(world.repo)


def test_a_rebound_session_knows_its_new_project(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    other = new_repository(world.folder / "other", "two\n")
    assert finding(rehydrate.json("rebind", session, other), "other-project")["severity"] == "warning"
    assert rehydrate.json("check", session, "--gate", "open")["findings"] == []
    listed = rehydrate.json("sessions", "--project", other)["sessions"]
    assert [row["session_id"] for row in listed] == [session]


def test_an_unknown_session_creates_nothing(rehydrate: Rehydrate, world: World) -> None:
    for command in (["check", "nope"], ["rebind", "nope", str(world.repo)], ["resume", "nope", "--recreate-worktree"]):
        assert rehydrate.json(*command, code=3)["error"]["code"] == "session-not-found"
    assert rehydrate.json("sessions", "--all")["sessions"] == []


# -- places in the past ------------------------------------------------------------------------------------------------


def test_a_fork_and_an_earlier_place_belong_to_the_same_project(
    rehydrate: Rehydrate, world: World, tmp_path: Path
) -> None:
    """What an import saw of the project holds for the whole session: a fork of its first turn is found after `mv` too."""
    told = ClaudeSession(cwd=world.repo).prompt("one").reply().prompt("two").reply()
    session = imported(rehydrate, told, tmp_path)
    fork = rehydrate.json("fork", f"{session}@turn:1")["session_id"]
    new = world.folder / "renamed"
    world.repo.rename(new)
    for pointer in (fork, session, f"{session}@turn:1"):
        assert finding(rehydrate.json("check", pointer), "moved")["facts"]["found"] == str(new)
    listed = rehydrate.json("sessions", "--project", new)["sessions"]
    assert {row["session_id"] for row in listed} == {session, fork}


def test_a_moved_plain_directory_is_known_by_its_files(rehydrate: Rehydrate, tmp_path: Path) -> None:
    """Without git the content of the touched files proves the place; another directory stays another project."""
    plain_place = tmp_path / "plain"
    plain_place.mkdir()
    (plain_place / "a.txt").write_text("a\n", "utf-8")
    told = ClaudeSession(cwd=plain_place, branch=None).prompt("go").read(plain_place / "a.txt", "a\n").reply()
    session = imported(rehydrate, told, tmp_path)
    plain_place.rename(tmp_path / "renamed")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("b", "utf-8")
    named = rehydrate.json("resume", session, "--project", tmp_path / "renamed")
    assert (codes(named), named["workspace"]["cwd"]) == ({"moved"}, str(tmp_path / "renamed"))
    rehydrate.json("resume", session, "--project", tmp_path / "other", code=5)


def test_worktrees_inside_the_checkout_are_no_dirt(rehydrate: Rehydrate, world: World, tmp_path: Path) -> None:
    session = plain(rehydrate, world.repo, tmp_path)
    world.worktree()
    world.worktree("main~1", ".wt/deep/old")
    assert rehydrate.json("check", session)["findings"] == []
    (world.repo / ".wt" / "mine.txt").write_text("mine", "utf-8")
    assert codes(rehydrate.json("check", session)) == {"dirty"}


@pytest.mark.parametrize(
    "cwd", ["/" + "x" * 5000, "/a\u0000b", "", "~/demo", "/tmp/../tmp/nowhere-at-all", "//server/share/x"]
)
def test_any_text_for_a_directory_is_borne(rehydrate: Rehydrate, tmp_path: Path, cwd: str) -> None:
    session = plain(rehydrate, cwd, tmp_path)
    assert rehydrate.json("check", session)["outcome"] in ("ok", "degraded")
    assert rehydrate.json("check", session, "--gate", "open", code=5)["outcome"] == "refused"
    rehydrate.json("sessions", "--all")
