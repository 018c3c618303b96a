"""The state of the page that composes a query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from dalenius.curator import Measure, Session
from dalenius.pages.numbers import down
from dalenius.server.web import seen
from dalenius.server.web.fields import NOISES, entries, inner, within
from dalenius.server.web.form import Form, part_prefix


@final
@dataclass(frozen=True)
class Box:
    name: str
    value: str
    checked: bool


@final
@dataclass(frozen=True)
class FieldSeen:
    """One field as the template shows it; boxes: where it is ticked."""

    id: str
    name: str
    hint: str
    value: str
    lines: bool
    decimal: bool
    boxes: tuple[Box, ...]


@final
@dataclass(frozen=True)
class PartSeen:
    """A question within the question. id: of the field that chooses its kind, which is "" where there is none yet."""

    id: str
    name: str
    kind: str
    fields: tuple[FieldSeen, ...]


def labelled_by(session: Session, name: str) -> bool:
    """Whether what is asked about that measure can tell people apart by label."""
    return seen.labelled(session.data, _named(session, name))


def _named(session: Session, name: str) -> Measure | None:
    return next((each for each in session.measures if each.name == name), None)


@final
@dataclass(frozen=True)
class Asking:
    """form: as it was sent; quoted: its price, None until it was asked for."""

    session: Session
    form: Form
    quoted: seen.Quoted | None = None

    def with_(self, quoted: seen.Quoted) -> "Asking":
        return replace(self, quoted=quoted)

    @property
    def measure(self) -> str:
        """The measure that is asked about: the first, unless another is named."""
        return self._measure.name if self._measure is not None else self.form.measure

    @property
    def names(self) -> Mapping[str, str]:
        """Of the fields of this kind of query."""
        found = {field.id: field.name for field in self._fields or ()}
        for part in self._parts:
            found |= {part.id: part.name} | {field.id: f"{part.name}, {field.name}" for field in part.fields}
        return found

    @property
    def context(self) -> dict[str, Any]:
        shown = self._measure
        kind = self._kind
        given = {**self.form.given, "kind": kind, "measure": self.measure}
        return {
            "form": Form(given),
            "measure": shown,
            "measures": self._measures,
            "kinds": [] if shown is None else [each.name for each in shown.kinds],
            "fields": self._fields,
            "parts": self._parts,
            "within": within([] if shown is None else [each.name for each in shown.kinds]),
            "noises": NOISES,
            "quoted": self.quoted,
            "left_hint": self._left,
        }

    @property
    def _measures(self) -> tuple[seen.MeasureSeen, ...]:
        return seen.measures_of(self.session)

    @property
    def _measure(self) -> seen.MeasureSeen | None:
        found = self._measures
        first = found[0] if found else None
        return next((each for each in found if each.name == self.form.measure), first)

    @property
    def _kind(self) -> str:
        """The first that the measure allows, unless another of them is named."""
        kinds = [] if self._measure is None else [each.name for each in self._measure.kinds]
        return self.form.kind if self.form.kind in kinds else kinds[0] if kinds else ""

    @property
    def _fields(self) -> tuple[FieldSeen, ...] | None:
        return self._fields_of(self._kind, "") if self._kind else None

    @property
    def _parts(self) -> tuple[PartSeen, ...]:
        shown, (_, most) = self._measure, inner(self._kind)
        kinds = within([] if shown is None else [each.name for each in shown.kinds])
        found = []
        for number in range(1, most + 1):
            prefix = part_prefix(number)
            kind = self.form.given.get(f"{prefix}kind", "")
            kind = kind if kind in kinds else ""
            fields = (self._fields_of(kind, prefix) or ()) if kind else ()
            found.append(PartSeen(f"{prefix}kind", f"Question {number}", kind, fields))
        return tuple(found)

    def _fields_of(self, kind: str, prefix: str) -> tuple[FieldSeen, ...] | None:
        found = entries(kind, labelled_by(self.session, self.measure))
        if found is None:
            return None
        given = self.form.given
        shown = []
        for name, entry in found.items():
            key = prefix + name
            boxes = (Box(entry.ticked, "yes", bool(given.get(key))),) if entry.ticked else ()
            text = given.get(key, "")
            shown.append(FieldSeen(key, entry.name, entry.hint, text, entry.lines, entry.decimal, boxes))
        return tuple(shown)

    @property
    def _left(self) -> str:
        budgets = self.session.budget()
        least = min(each.remaining for each in (budgets.own, budgets.data) if each is not None)
        return f"{down(least)} nats are left to you."
