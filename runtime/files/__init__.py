"""Project files as the session knows them: their history from events, and writing them back safely."""
