"""The async twin of each public function: the same call in a thread, so that an event loop is never held up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .backup import backup_store
from .compare import compare_pointers
from .copying import copy_store
from .deletion import delete_session
from .derive import derive_sessions
from .export import export_session
from .fork import fork_session
from .history import rewind_points, show_session
from .importing import import_transcripts
from .labels import archive_session, rename_session, tag_session, unarchive_session
from .listing import list_sessions
from .live.approvals import answer_question, approve_call, refuse_call
from .live.takeover import takeover_session
from .purge import purge_sessions
from .rebuild import rebuild_projections
from .resume import resume_session
from .rewind import rewind_session
from .scanning import scan_places
from .searching import search_sessions
from .spending import add_up_costs
from .store_repair import repair_store
from .tree_view import tree_view
from .verify import verify_store
from .workspace.rebind import rebind_session
from .workspace.session_check import check_session

P = ParamSpec("P")
R = TypeVar("R")


def _twin(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    @wraps(function)
    async def twin(*args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(function, *args, **kwargs)

    twin.__name__ = f"a{function.__name__}"
    return twin


aadd_up_costs = _twin(add_up_costs)
aanswer_question = _twin(answer_question)
aapprove_call = _twin(approve_call)
aarchive_session = _twin(archive_session)
abackup_store = _twin(backup_store)
acheck_session = _twin(check_session)
acompare_pointers = _twin(compare_pointers)
acopy_store = _twin(copy_store)
adelete_session = _twin(delete_session)
aderive_sessions = _twin(derive_sessions)
aexport_session = _twin(export_session)
afork_session = _twin(fork_session)
aimport_transcripts = _twin(import_transcripts)
alist_sessions = _twin(list_sessions)
apurge_sessions = _twin(purge_sessions)
arebind_session = _twin(rebind_session)
arebuild_projections = _twin(rebuild_projections)
arefuse_call = _twin(refuse_call)
arename_session = _twin(rename_session)
arepair_store = _twin(repair_store)
aresume_session = _twin(resume_session)
arewind_points = _twin(rewind_points)
arewind_session = _twin(rewind_session)
ascan_places = _twin(scan_places)
asearch_sessions = _twin(search_sessions)
ashow_session = _twin(show_session)
atag_session = _twin(tag_session)
atakeover_session = _twin(takeover_session)
atree_view = _twin(tree_view)
aunarchive_session = _twin(unarchive_session)
averify_store = _twin(verify_store)
