"""From other tools' transcripts to events."""
