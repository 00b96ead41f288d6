"""The newest session of a project, for `--last`."""

from __future__ import annotations

from .listing import last_session

__all__ = ["last_session"]
