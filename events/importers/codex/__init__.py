"""Codex CLI transcripts of all eras: rollouts, bare lines of 2025, TypeScript documents."""

from .importer import CodexImporter

IMPORTER = CodexImporter()

__all__ = ["IMPORTER", "CodexImporter"]
