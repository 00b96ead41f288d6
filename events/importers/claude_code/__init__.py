"""Claude Code's session files (CLI 0.2 to 2.1): JSON lines, one session per file, sub-agents in files beside it."""

from .importer import ClaudeCodeImporter

IMPORTER = ClaudeCodeImporter()
