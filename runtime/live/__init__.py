"""Sessions that run: append first, act second, go on after anything."""
