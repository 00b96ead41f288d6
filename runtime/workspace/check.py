"""The one door through which resume, open and `check` ask whether this is the right place to go on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ...events.blocks import Frozen
from ...events.errors import Refused
from ...events.findings import Finding, Outcome, grade
from . import paths
from .compare import Located, Situation, compare
from .drift import Drift, TouchedFile, drift_finding, measure_drift, placing, present_name
from .effective import Effective, effective_directory, recorded_below
from .expected import ExpectedPlace
from .identify import is_git
from .locate import locate
from .observe import observe
from .observed import ObservedPlace
from .policy import Policy, forced, settled
from .verdict import Gate


class PlaceView(Frozen):
    """One side of the comparison, as `resume --json` shows it under `expected` and `found`. worktree: path of a linked one."""

    cwd: str | None = None
    branch: str | None = None
    head: str | None = None
    worktree: str | None = None
    main_repo: str | None = None
    dirty: tuple[str, ...] | None = None


class PlaceReport(Frozen):
    """All that was found about a session's place.

    cwd: the effective directory (it need not exist: see the findings). forced: codes of refusals that were overruled.
    found is None when there is no directory to describe. drift is None when no file was compared.
    """

    session_id: str
    gate: Gate
    cwd: str | None
    reason: str
    expected: PlaceView
    found: PlaceView | None
    observed: ObservedPlace | None
    findings: tuple[Finding, ...]
    drift: Drift | None = None
    forced: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        return grade(self.findings).outcome

    def settle(self) -> PlaceReport:
        """This report, when nothing in it refuses.

        Raises:
            Refused: a finding is an error; the findings are in `facts`.
        """
        if self.outcome == "refused":
            refuse(self.session_id, self.findings)
        return self

    def recorded_drift(self) -> dict[str, Any] | None:
        """The drift as the event for the model holds it."""
        return None if self.drift is None or not self.drift.differs else self.drift.fact()


def refuse(session_id: str, findings: Sequence[Finding]) -> NoReturn:
    """Raise the refusal that all faces print alike: the first error's words, all findings as facts."""
    errors = [finding for finding in findings if finding.severity == "error"]
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    raise Refused(
        f"Session {session_id} is refused: {first.message}{more}",
        remedy=first.remedy,
        session_id=session_id,
        codes=[finding.code for finding in errors],
        findings=[finding.model_dump(mode="json") for finding in findings],
    )


def check_workspace(
    expected: ExpectedPlace,
    project: str | os.PathLike[str] | None = None,
    files: Iterable[TouchedFile] = (),
    *,
    gate: Gate = "restore",
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    allow_cross_project: bool = False,
    maps: Sequence[paths.PathMap] = (),
    known: Iterable[str] = (),
    candidates: Iterable[str] = (),
    acts: bool = False,
) -> PlaceReport:
    """Compare the recorded place of a session with what is there now. Reads only.

    project: the project a person named; None keeps the recorded directory, whatever the caller's own is.
    files: what the session read or wrote, compared by digest.
    known, candidates: directories where a moved project may be; each is proven by its commits.
    acts: the session was started by this product, perhaps in a directory that was empty.
    """
    effective = effective_directory(expected, project, maps)
    if effective.path is None:
        situation = Situation(expected, ObservedPlace(path="", exists=False), gate)
        return _report(situation, effective, compare(situation), None, policy, accept, allow_cross_project)
    observed = observe(effective.path, _shifted(expected, effective))
    stands = expected.cwd is not None and paths.foreign(expected.cwd) is None and paths.is_directory(expected.cwd)
    touched = list(files)
    place = _placing(expected, observed, effective, maps)
    drift = measure_drift(touched, place) if observed.is_directory else None
    if effective.chosen and not stands and _known_by_files(expected, observed, drift):
        observed = observed.model_copy(update={"relation": "same"})
    located = _located(expected, observed, effective, known, candidates)
    situation = Situation(
        expected=expected,
        observed=observed,
        gate=gate,
        chosen=effective.chosen,
        located=located,
        touched_below=sum(
            1 for file in touched if not file.deleted and expected.cwd and paths.below(file.path, expected.cwd)
        ),
        own_dirty=_own_dirty(observed, touched, drift, place),
        acts=acts,
        recorded_stands=stands,
    )
    findings = compare(situation)
    changed = (
        drift_finding(drift, gate, expected.session_id)
        if drift is not None and observed.relation != "different"
        else None
    )
    if changed is not None:
        findings.append(changed)
    return _report(situation, effective, findings, drift, policy, accept, allow_cross_project)


def _known_by_files(expected: ExpectedPlace, observed: ObservedPlace, drift: Drift | None) -> bool:
    """A project without commits or addresses on record is known by its files: most that the session saw are there, unchanged.

    Only where the recorded directory is gone; beside it, a directory with the same files is a copy.
    """
    if drift is None or observed.relation == "same" or (expected.identity is not None and is_git(expected.identity)):
        return False
    return drift.unchanged > 0 and drift.unchanged > len(drift.changed) + len(drift.gone)


def _shifted(expected: ExpectedPlace, effective: Effective) -> ExpectedPlace:
    """What is expected at a chosen place: the recorded checkout's own path means nothing there."""
    return expected.model_copy(update={"worktree": None, "toplevel": None}) if effective.chosen else expected


def _located(
    expected: ExpectedPlace,
    observed: ObservedPlace,
    effective: Effective,
    known: Iterable[str],
    candidates: Iterable[str],
) -> Located | None:
    if not effective.chosen:
        return None if observed.exists else locate(expected, observed, known, candidates)
    recorded = expected.cwd
    if recorded is None or not observed.is_directory or observed.real_path == paths.shown(os.path.realpath(recorded)):
        return None
    place = observed.real_path or observed.path
    if paths.foreign(recorded) is not None:
        return Located(place, "foreign")
    if observed.relation != "same":
        return None
    return Located(place, "chosen" if Path(recorded).exists() else "moved")


def _placing(
    expected: ExpectedPlace, observed: ObservedPlace, effective: Effective, maps: Sequence[paths.PathMap]
) -> Callable[[str], str | None]:
    moves: list[tuple[str, str]] = []
    real = observed.real_path or observed.path
    if effective.chosen and expected.cwd is not None:
        below = recorded_below(expected)
        old = expected.cwd
        if below not in (None, ".") and expected.cwd.endswith("/" + str(below)) and real.endswith("/" + str(below)):
            old, real = old[: -len(str(below)) - 1], real[: -len(str(below)) - 1]
        moves.append((old, real))
    return placing(observed.real_path, moves, maps)


def _own_dirty(
    observed: ObservedPlace, files: Iterable[TouchedFile], drift: Drift | None, place: Callable[[str], str | None]
) -> frozenset[str]:
    """Files under the checkout that are as the session left them; dirty or not, they are no surprise to it."""
    view = observed.repository
    if view is None or view.top is None or drift is None or not view.dirty_count:
        return frozenset()
    differing = {*drift.changed, *drift.gone, *drift.returned}
    own: set[str] = set()
    for file in files:
        found = place(file.path)
        if found is None or present_name(file.path, found) in differing or (file.digest is None and not file.deleted):
            continue
        below = paths.below(found, view.top)
        if below is not None:
            own.add(below)
    return frozenset(own)


def _report(
    situation: Situation,
    effective: Effective,
    findings: list[Finding],
    drift: Drift | None,
    policy: Policy,
    accept: Iterable[str],
    allow_cross_project: bool,
) -> PlaceReport:
    expected, observed = situation.expected, situation.observed
    final = settled(findings, policy, accept, allow_cross_project=allow_cross_project)
    return PlaceReport(
        session_id=expected.session_id,
        gate=situation.gate,
        cwd=observed.real_path if observed.is_directory else effective.path,
        reason=effective.reason,
        expected=expected_view(expected),
        found=found_view(observed),
        observed=observed if effective.path is not None else None,
        findings=tuple(final),
        drift=drift,
        forced=forced(final),
    )


def expected_view(expected: ExpectedPlace) -> PlaceView:
    """The recorded side."""
    return PlaceView(
        cwd=expected.cwd,
        branch=expected.branch,
        head=expected.head,
        worktree=expected.worktree.path if expected.worktree is not None else None,
        main_repo=expected.project.path if expected.project is not None else None,
        dirty=expected.dirty,
    )


def found_view(observed: ObservedPlace) -> PlaceView | None:
    """The side that was seen; None when there is no directory."""
    if not observed.is_directory:
        return None
    view = observed.repository
    if view is None:
        return PlaceView(cwd=observed.real_path)
    return PlaceView(
        cwd=observed.real_path,
        branch=view.branch,
        head=view.head,
        worktree=view.top if view.is_worktree else None,
        main_repo=view.main_path,
        dirty=view.dirty,
    )
