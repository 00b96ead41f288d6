"""Files go back to what they were at the pointer, and nothing else in the tree is touched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.errors import Refused
from rehydrate.events.pointer import Pointer
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import RewindResult, rewind_session

from ..support.edited_project import EditedProject, git, tree_digest


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "store.sqlite") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, store: EventStore) -> EditedProject:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "kept.txt").write_text("not of the session\n")
    (folder / "notes.txt").write_text("one\ntwo\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "start")
    (folder / "untracked.log").write_text("log\n")
    (folder / ".gitignore").write_text("*.tmp\n")
    (folder / "ignored.tmp").write_text("ignored\n")
    nested = folder / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "inner.txt").write_text("inner\n")
    return EditedProject(folder, store)


def back(edited: EditedProject, position: int, **options: object) -> RewindResult:
    return rewind_session(
        Pointer(edited.session_id, position),
        "files",
        store=edited.store,
        **options,  # type: ignore[arg-type]
    )


def changed_paths(before: dict[str, tuple[str, int]], after: dict[str, tuple[str, int]]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_files_are_as_they_were_just_before_the_edits_that_followed_the_prompt(project: EditedProject) -> None:
    project.prompt("first")
    project.write("notes.txt", "one\nTWO\n")
    prompt = project.prompt("second")
    project.write("notes.txt", "1\n2\n")
    project.write("new.txt", "new\n")

    result = back(project, prompt)

    assert (project.folder / "notes.txt").read_text() == "one\nTWO\n"
    assert not (project.folder / "new.txt").exists()
    assert {Path(path).name for path in result.restored} == {"notes.txt", "new.txt"}


def test_only_files_that_the_session_changed_are_touched(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    before = tree_digest(project.folder)

    back(project, prompt)

    assert changed_paths(before, tree_digest(project.folder)) == {"notes.txt"}


def test_a_file_changed_by_someone_else_is_refused_with_the_list_and_nothing_changes(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    project.write("other.txt", "other\n")
    (project.folder / "notes.txt").write_text("by hand\n")
    before, head = tree_digest(project.folder), project.store.session(project.session_id).head

    with pytest.raises(Refused) as refused:
        back(project, prompt)

    assert refused.value.facts["files"] == [str(project.folder / "notes.txt")]
    assert tree_digest(project.folder) == before
    assert project.store.session(project.session_id).head == head


def test_force_puts_a_drifted_file_back_and_keeps_its_content_in_the_store(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    (project.folder / "notes.txt").write_text("by hand\n")

    back(project, prompt, force=True)

    assert (project.folder / "notes.txt").read_text() == "one\ntwo\n"
    (saved,) = [e for e in project.store.read(project.session_id) if e.kind == "FileCheckpoint"]
    assert project.store.blob(saved.data["backups"][0]["backup"]) == b"by hand\n"


def test_rewinding_the_rewind_brings_the_files_back(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    project.write("new.txt", "new\n")
    end = project.store.session(project.session_id).head
    before = {name: digest for name, (digest, _) in tree_digest(project.folder).items()}

    back(project, prompt)
    back(project, end)

    assert {name: digest for name, (digest, _) in tree_digest(project.folder).items()} == before


def test_a_deleted_file_comes_back_and_a_renamed_one_gets_its_old_name(project: EditedProject) -> None:
    project.write("src/a.py", "a = 1\n")
    project.write("src/b.py", "b = 1\n")
    prompt = project.prompt("tidy up")
    project.delete("src/a.py")
    project.rename("src/b.py", "src/c.py")

    back(project, prompt)

    assert (project.folder / "src/a.py").read_text() == "a = 1\n"
    assert (project.folder / "src/b.py").read_text() == "b = 1\n"
    assert not (project.folder / "src/c.py").exists()


def test_binary_content_comes_back_byte_for_byte(project: EditedProject) -> None:
    project.write_bytes("logo.png", b"\x89PNG\x00\xff\r\n")
    prompt = project.prompt("another logo")
    project.write_bytes("logo.png", bytes(range(256)))

    back(project, prompt)

    assert (project.folder / "logo.png").read_bytes() == b"\x89PNG\x00\xff\r\n"


def test_a_symlink_that_leads_out_of_the_project_is_not_followed(project: EditedProject, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file.txt").write_text("outside\n")
    prompt = project.prompt("edit")
    project.write("sub/file.txt", "inside\n")
    (project.folder / "sub" / "file.txt").unlink()
    (project.folder / "sub").rmdir()
    (project.folder / "sub").symlink_to(outside, target_is_directory=True)

    result = back(project, prompt, force=True)

    assert (outside / "file.txt").read_text() == "outside\n"
    assert [(step.state, step.reason) for step in result.files] == [("not-restorable", "link-leads-out")]


def test_a_file_outside_the_project_is_named_and_not_touched(project: EditedProject, tmp_path: Path) -> None:
    prompt = project.prompt("edit")
    project.write("../elsewhere.txt", "elsewhere\n")

    result = back(project, prompt, force=True)

    assert (tmp_path / "elsewhere.txt").read_text() == "elsewhere\n"
    assert [step.reason for step in result.files] == ["outside-project"]


def test_a_change_told_only_by_a_patch_is_taken_back(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.patch("notes.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", "one\nTWO\n")

    back(project, prompt)

    assert (project.folder / "notes.txt").read_text() == "one\ntwo\n"


def test_a_patch_that_no_longer_fits_is_not_restorable(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.patch("notes.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", "one\nTWO\n")
    (project.folder / "notes.txt").write_text("something else\n")

    result = back(project, prompt)

    assert (project.folder / "notes.txt").read_text() == "something else\n"
    assert [(step.state, step.reason) for step in result.files] == [("not-restorable", "content-unknown")]


def test_windows_line_ends_survive(project: EditedProject) -> None:
    path = project.folder / "dos.txt"
    path.write_bytes(b"a\r\nb\r\n")
    prompt = project.prompt("edit")
    path.write_bytes(b"a\r\nB\r\n")
    project.record("dos.txt", b"a\nb\n", b"a\nB\n", texts=True)

    back(project, prompt)

    assert path.read_bytes() == b"a\r\nb\r\n"


def test_permissions_are_kept(project: EditedProject) -> None:
    project.write("run.sh", "#!/bin/sh\n")
    (project.folder / "run.sh").chmod(0o755)
    prompt = project.prompt("edit")
    project.write("run.sh", "#!/bin/bash\n")

    back(project, prompt)

    assert (project.folder / "run.sh").stat().st_mode & 0o777 == 0o755


def test_a_file_removed_by_a_shell_command_is_never_called_restored(project: EditedProject) -> None:
    project.write("x.txt", "x\n")
    before_shell = project.store.session(project.session_id).head
    project.shell("rm x.txt")
    (project.folder / "x.txt").unlink()

    result = back(project, before_shell)

    assert result.restored == ()
    assert {finding.code for finding in result.findings} == {"file-left-alone", "shell-effects-unknown"}
    assert not (project.folder / "x.txt").exists()

    forced = back(project, before_shell, force=True)
    assert (project.folder / "x.txt").read_text() == "x\n"
    assert len(forced.restored) == 1


def test_a_dry_run_changes_neither_files_nor_the_session(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    before, head = tree_digest(project.folder), project.store.session(project.session_id).head

    result = back(project, prompt, dry_run=True)

    assert [(step.action, step.state) for step in result.files] == [("write", "ready")]
    assert (tree_digest(project.folder), project.store.session(project.session_id).head) == (before, head)


def test_the_project_may_have_moved(project: EditedProject, tmp_path: Path) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    project.folder.rename(tmp_path / "moved")

    with pytest.raises(Refused):
        back(project, prompt)
    back(project, prompt, project=tmp_path / "moved")

    assert (tmp_path / "moved" / "notes.txt").read_text() == "one\ntwo\n"
    assert not project.folder.exists()


def test_both_takes_conversation_and_files_back_and_forth(project: EditedProject) -> None:
    session, store = project.session_id, project.store
    project.prompt("first")
    project.write("notes.txt", "changed\n")
    project.prompt("second")
    project.write("new.txt", "new\n")
    at_end = resume_session(session, store=store, check_workspace=False)

    result = rewind_session(f"{session}@turn:1", "both", store=store)
    at_first = resume_session(session, store=store, check_workspace=False)
    assert [message.content[0].text for message in at_first.messages] == ["first"]  # type: ignore[union-attr]
    assert not (project.folder / "new.txt").exists()
    state = at_first.app_state.files[str(project.folder / "notes.txt")]
    assert state.last_written_digest == hashlib.sha256(b"changed\n").hexdigest()

    rewind_session(result.former_end, "both", store=store)
    assert resume_session(session, store=store, check_workspace=False).messages == at_end.messages
    assert (project.folder / "new.txt").read_text() == "new\n"


def test_a_rewind_of_the_conversation_alone_touches_no_file(project: EditedProject) -> None:
    prompt = project.prompt("edit")
    project.write("notes.txt", "changed\n")
    before = tree_digest(project.folder)
    rewind_session(Pointer(project.session_id, prompt), store=project.store)
    assert tree_digest(project.folder) == before
