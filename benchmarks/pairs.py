"""A subject against a yardstick, in turn in one run, so that a busy machine slows both; the median of the pairs' ratios."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """subject_s and yardstick_s are medians; ratio is the median of the pairs' ratios."""

    subject_s: float
    yardstick_s: float
    ratio: float

    def __str__(self) -> str:
        return f"{self.subject_s * 1000:10.2f} ms / {self.yardstick_s * 1000:10.2f} ms = {self.ratio:8.3f}"


def compare(
    subject: Callable[[], object],
    yardstick: Callable[[], object],
    *,
    pairs: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> Ratio:
    """Run both `pairs` times in turn, after one run of each that does not count."""
    subject()
    yardstick()
    found = [(_timed(subject, clock), _timed(yardstick, clock)) for _ in range(pairs)]
    return Ratio(
        statistics.median(one for one, _ in found),
        statistics.median(other for _, other in found),
        statistics.median(one / other for one, other in found),
    )


def _timed(deed: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    start = clock()
    deed()
    return clock() - start


def report(name: str, found: Ratio, goal: float, *, at_least: bool = False) -> bool:
    """Print one line; whether the goal is met."""
    met = found.ratio >= goal if at_least else found.ratio <= goal
    sign = ">=" if at_least else "<="
    sys.stdout.write(f"{name:44} {found}   goal {sign} {goal:g}   {'met' if met else 'MISSED'}\n")
    return met
