"""What was left to do in every session of this machine: open todos, calls that were interrupted, questions nobody answered."""

from __future__ import annotations

from rehydrate.runtime import Refused, list_sessions, resume_session


def main() -> None:
    for row in list_sessions(all=True):
        try:
            runtime = resume_session(row.session_id)
        except Refused as refusal:
            print(f"{row.title}: {refusal.message}")
            continue
        state = runtime.app_state
        rest = [
            *(todo.content for todo in state.todos if todo.status != "completed"),
            *(f"{call.name} was interrupted" for call in state.pending_calls),
            *(question.text for question in state.open_questions),
        ]
        if rest:
            print(f"{row.title}  ({row.pointer})")
            for text in rest:
                print(f"  - {text}")


if __name__ == "__main__":
    main()
