"""One session forked at each of its turns, to try another way from there; what the forks share is stored once."""

from __future__ import annotations

from rehydrate.runtime import fork_session, resume_session, rewind_points


def main(session: str = "19d6f933") -> None:
    for point in rewind_points(session):
        fork = fork_session(point.pointer, title=f"turn {point.turn}, another way")
        runtime = resume_session(fork.session_id)
        done = sum(todo.status == "completed" for todo in runtime.app_state.todos)
        print(f"{fork.session_id}: {len(runtime.messages)} messages, {done} todos done, from {fork.forked_from}")


if __name__ == "__main__":
    main()
