"""Sessions as files that other tools resume."""
