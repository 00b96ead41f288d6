"""Folds: pure functions from events to a state."""
