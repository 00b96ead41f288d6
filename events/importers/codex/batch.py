"""The drafts of one record, with ids made from the file and the place in it."""

from __future__ import annotations

from typing import Any

from ...damage import REMARK
from ...event import Draft, derived_id
from ...references import at, follow
from ...times import to_us
from .shapes import is_object


class Batch:
    """Collects the events of one record.

    file_id: the file's own id; place: where in it the record stands (its line; in a document the item's name).
    record: what references lead into; prefix: the path of the payload inside it. Ids depend on file and place only, so that other
    content at the same place is seen as a conflict.
    """

    def __init__(self, file_id: str, place: str, record: Any, prefix: tuple[str | int, ...], ts: int | None) -> None:
        self._id = ("codex", file_id, place)
        self._record = record
        self._prefix = prefix
        self._native_id: str | None = None
        self.place = place
        self.kind = record.get("type") if is_object(record) else None
        self.inner: tuple[str | int, ...] = ()
        self.ts = ts
        self.drafts: list[Draft] = []

    def named(self, native_id: Any) -> None:
        """The record's own id in its source, carried by its first event."""
        if isinstance(native_id, str) and native_id:
            self._native_id = native_id

    def add(self, kind: str, **data: Any) -> None:
        """One more event; None values are left out."""
        number = len(self.drafts)
        self.drafts.append(
            Draft(
                kind=kind,
                data={key: value for key, value in data.items() if value is not None},
                event_id=derived_id(*self._id, number),
                ts=self.ts,
                native_id=self._native_id if number == 0 else None,
            )
        )

    def remark(self, code: str, text: str, **facts: Any) -> None:
        """Something about the source that a report should show."""
        self.add("Notice", subtype=code, level=REMARK, text=text, value=facts)

    def at(self, *path: str | int) -> Any:
        """The value at a path of the payload if short, else a reference to it."""
        return at(self._record, *self._prefix, *path)

    def within(self, *path: str | int) -> Batch:
        """A batch for a part of this record; its references lead into the same record."""
        file_id, place = self._id[1], self._id[2]
        return Batch(file_id, f"{place}:{'/'.join(map(str, path))}", self._record, (*self._prefix, *path), self.ts)

    def value(self, *path: str | int) -> Any:
        """The value itself."""
        return follow(self._record, (*self._prefix, *path))


def text_or_none(value: Any) -> str | None:
    """A non-empty text, else None."""
    return value if isinstance(value, str) and value else None


def whole(value: Any) -> int | None:
    """A non-negative whole number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2**62:
        return None
    return int(value)


def time_of(value: Any) -> int | None:
    """Microseconds of a time stamp in any form the client used."""
    return to_us(value)
