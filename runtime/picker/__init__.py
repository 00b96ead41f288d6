"""The terminal picker (extra `tui`): a list of sessions with a preview, and what to do with the one chosen."""
