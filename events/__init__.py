"""Facts: their kinds, the store that keeps them, the importers that read them from other tools' transcripts."""
