"""Sessions as files: transcripts that another client resumes, plain events, and bundles for another machine."""

from __future__ import annotations

from .exporting import ExportResult, export_session

__all__ = ["ExportResult", "export_session"]
