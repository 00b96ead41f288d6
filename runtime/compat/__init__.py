"""What a source's own client would send to its model when it resumed the session, its defects included.

Each module offers `render(store, session_id, position, model)` and returns the provider-ready list.
"""
