"""Sessions as files: transcripts that another client resumes, plain events, and bundles for another machine."""

from __future__ import annotations

from .exporting import export_session
from .original_file import export_original
from .result import ExportResult

__all__ = ["ExportResult", "export_original", "export_session"]
