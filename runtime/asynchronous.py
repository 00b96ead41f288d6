"""The async twin of each public function: the same call in a thread, so that an event loop is never held up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .backup import backup_store
from .copying import copy_store
from .deletion import delete_session
from .fork import fork_session
from .importing import import_transcripts
from .labels import archive_session, rename_session, tag_session, unarchive_session
from .purge import purge_sessions
from .rewind import rewind_session
from .searching import search_sessions

P = ParamSpec("P")
R = TypeVar("R")


def _twin(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    @wraps(function)
    async def twin(*args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(function, *args, **kwargs)

    twin.__name__ = f"a{function.__name__}"
    return twin


aarchive_session = _twin(archive_session)
abackup_store = _twin(backup_store)
acopy_store = _twin(copy_store)
adelete_session = _twin(delete_session)
afork_session = _twin(fork_session)
aimport_transcripts = _twin(import_transcripts)
apurge_sessions = _twin(purge_sessions)
arename_session = _twin(rename_session)
arewind_session = _twin(rewind_session)
asearch_sessions = _twin(search_sessions)
atag_session = _twin(tag_session)
aunarchive_session = _twin(unarchive_session)
