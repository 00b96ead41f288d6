"""All commands by name, so that the list can be shown and one command be run without importing the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command's function lies (`module:function` below this package) and its line in the list.

    help must be the first sentence of the function's docstring (a test compares them).
    """

    place: str
    help: str


SECTIONS: dict[str, dict[str, Entry]] = {
    "Bring sessions in and look at them": {
        "import": Entry("importing:import_", "Import transcripts of Claude Code, Codex and others, and bundles."),
        "sessions": Entry("sessions:sessions", "List sessions, newest activity first."),
        "show": Entry("show:show", "Show what a person could read: turns, compactions and forks, with their pointers."),
        "search": Entry("search:search", "Find sessions by what was said in them."),
        "tree": Entry("tree:tree", "Draw sessions with their forks, rewinds, compactions and sub-agents."),
        "diff": Entry("diff:diff", "Show what differs between two pointers."),
        "costs": Entry("costs:costs", "Add up tokens and money over sessions."),
        "scan": Entry("scan:scan", "Report transcripts that are on this machine but not yet imported."),
    },
    "Restore and go on": {
        "resume": Entry("resume:resume", "Restore the runtime of a session at its end or at a pointer."),
        "check": Entry("check:check", "Report what stands against going on with a session; restores nothing."),
        "fork": Entry("fork:fork", "Make a new session that shares the past up to a pointer."),
        "rewind": Entry("rewind:rewind", "Move a session back to a pointer; nothing is destroyed."),
        "rebind": Entry("rebind:rebind", "Bind a session to the place where its project lies now."),
        "export": Entry("export:export", "Write a session so that another tool resumes it."),
    },
    "Live sessions": {
        "run": Entry("run:run", "Run one turn against a model, in a session or in a new one."),
        "tail": Entry("tail:tail", "Follow a session that another process writes."),
        "compact": Entry("compact:compact", "Replace the context of a session by a summary."),
        "approve": Entry("approvals:approve", "Allow a call that waits for a person."),
        "refuse": Entry("approvals:refuse", "Refuse a call that waits for a person."),
        "answer": Entry("approvals:answer", "Answer a question that the agent asked."),
        "takeover": Entry("takeover:takeover", "Take the right to write to a session from another process."),
        "serve": Entry("serve:serve", "Serve the HTTP interface and the web page."),
    },
    "Keep order": {
        "rename": Entry("labels:rename", "Give a session a title."),
        "tag": Entry("labels:tag", "Give a session a tag, or take it away."),
        "archive": Entry("labels:archive", "Hide a session from the list."),
        "unarchive": Entry("labels:unarchive", "Show an archived or deleted session in the list again."),
        "delete": Entry("delete:delete", "Delete a session from the list; purge removes its content."),
        "purge": Entry("purge:purge", "Remove the content of deleted sessions from the database for good."),
        "rebuild": Entry("rebuild:rebuild", "Fold sessions again from their first event and report differences."),
        "verify": Entry("verify:verify", "Prove the store, the hash chain, the folds and the blobs."),
        "repair": Entry("repair:repair", "Mend what can be mended in a database without touching its events."),
        "backup": Entry("backup:backup", "Write a consistent copy of the database to a file."),
        "copy": Entry("copy:copy", "Copy all sessions into another database."),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
