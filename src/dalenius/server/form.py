"""The form of a query: its fields, what was written in it, what of it is wrong and where, and the ask that it says."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.curator import Ask, read_ask
from dalenius.errors import InputError
from dalenius.queries import QUERIES, Query

NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
WHOLE: Final = re.compile(r"[+-]?\d{1,15}", re.ASCII)


class Misread(Exception):
    """What was written in a field is not what it takes; the message says what is wanted."""


@final
@dataclass(frozen=True)
class Entry:
    """One field of a form. read: from its text, which is not blank; labelled: whether it tells people apart by label;
    lines: of several lines; decimal: a number; ticked: a box."""

    name: str
    hint: str
    read: Callable[[str], Any]
    labelled: bool = False
    lines: bool = False
    decimal: bool = False
    ticked: str = ""


def number(text: str) -> float:
    """Misread for what is none, and for a decimal comma."""
    found = text.strip()
    if not NUMBER.fullmatch(found):
        raise Misread("a number, such as 0.25" + (" (with a point, not a comma)" if "," in found else ""))
    return float(found)


def _value(text: str) -> int | float | str:
    """A value of a record: a number where it reads as one, or a text; in quotes always a text."""
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def _listed(text: str) -> list[str]:
    try:
        rows = list(csv.reader([" ".join(text.split())], skipinitialspace=True, strict=True))
    except csv.Error:
        raise Misread("entries with commas between them, in quotes where they have commas themselves") from None
    found = [each.strip() for row in rows for each in row]
    if not all(found):
        raise Misread("entries with commas between them, none of them blank")
    return found


def _values(text: str) -> list[int | float | str]:
    return [_value(each) for each in _listed(text)]


def _cells(text: str) -> list[list[int | float | str]]:
    return [_values(line) for line in text.splitlines() if line.strip()]


def _weights(text: str) -> dict[str, float]:
    found = {}
    for line in filter(str.strip, text.splitlines()):
        label, equals, weight = line.rpartition("=")
        if not equals or not label.strip():
            raise Misread("on each line a label, an equals sign and a number, such as north = 2")
        found[label.strip()] = number(weight)
    return found


ENTRIES: Final[Mapping[str, Entry]] = {
    "values": Entry("Values that count", "With commas between them; 1 where it is left blank.", _values),
    "cells": Entry("Cells", "One answer per line: values that are counted together, with commas.", _cells, lines=True),
    "lower": Entry("Clip from below at", "Blank for no bound beyond the measure’s own.", number, decimal=True),
    "upper": Entry("Clip from above at", "Blank for no bound beyond the measure’s own.", number, decimal=True),
    "weights": Entry(
        "Weights", "A line for each label: north = 2. Blank for none.", _weights, labelled=True, lines=True
    ),
    "labels": Entry("Only people labelled", "With commas between them; blank for everybody.", _listed, labelled=True),
    "per_label": Entry("Labels", "", lambda _: True, labelled=True, ticked="One answer for each label"),
}


NOISES: Final = ("geometric", "laplace", "gaussian")
"""The noises that have a scale, and nothing else to be said of them."""
INNER: Final[Mapping[str, int]] = {"queries": 4}
"""The fields that are questions within a question, and how many at most a form says."""


def inner(kind: str) -> tuple[str, int]:
    """Of a kind of query the field that its questions are in, and how many it takes; ("", 0) where it is one itself."""
    found = query_class(kind)
    fields = () if found is None else found.model_fields
    return next(((name, most) for name, most in INNER.items() if name in fields), ("", 0))


def within(kinds: Sequence[str]) -> tuple[str, ...]:
    """Of these kinds the ones that a question within another may have: those that are one themselves."""
    return tuple(kind for kind in kinds if not inner(kind)[1])


def query_class(kind: str) -> type[Query] | None:
    """The class that has this kind; None where there is none."""
    return next((each for each in QUERIES.classes() if each.model_fields["kind"].default == kind), None)


def entries(kind: str, labelled: bool) -> Mapping[str, Entry] | None:
    """The fields of its form; None where a form cannot say it. labelled: whether people have labels to ask by."""
    found = query_class(kind)
    if found is None:
        return None
    names = [name for name in found.model_fields if name != "kind"]
    if any(found.model_fields[name].is_required() and name not in {*ENTRIES, *INNER} for name in names):
        return None
    there = {name: ENTRIES[name] for name in names if name in ENTRIES}
    return {name: entry for name, entry in there.items() if labelled or not entry.labelled}


def kinds_with_forms(kinds: Sequence[str] | None) -> tuple[str, ...]:
    """Of these kinds, or of all there are, the ones that a form can say."""
    known = [str(each.model_fields["kind"].default) for each in QUERIES.classes()] if kinds is None else kinds
    return tuple(kind for kind in known if entries(kind, True) is not None)


NAMES: Final = {
    "measure": "Measure",
    "kind": "Kind of query",
    "by": "How precise?",
    "epsilon": "Privacy",
    "within": "Wanted precision",
    "noise": "Kind of noise",
    "scale": "Scale of the noise",
    "confidence": "Confidence",
}
"""Of the fields that every form has."""
WANTED: Final = {
    "epsilon": ("epsilon", "how much privacy to spend: a number above 0, such as 0.25"),
    "within": ("within", "how precise the answer is to be: a number above 0, such as 0.25"),
    "noise": ("scale", "how much noise to add: a number above 0, such as 4"),
}
"""By which of the three it is said how precise an answer is to be: the field, and what is wanted in it."""
PER_CENT: Final = "a number of per cent above 0 and below 100, such as 95"
LONGEST: Final = 4000
SHOWN: Final = 60


@final
@dataclass(frozen=True)
class Fault:
    """field: its id, or "" where it is of the whole."""

    field: str
    said: str


@final
class Faulty(Exception):
    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.said for fault in faults))
        self.faults = faults


@final
@dataclass(frozen=True)
class Form:
    """What was written, by the fields' names."""

    given: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        return self.given.get(name, DEFAULTS.get(name, ""))

    @property
    def precise(self) -> str:
        """The field in which it is said how precise the answer is to be."""
        return WANTED.get(self.by, ("by", ""))[0]

    def ask(self, labelled: bool) -> Ask:
        """Faulty where it does not say one: every fault that can be seen at once."""
        faults: list[Fault] = []
        asked: dict[str, Any] = {"measure": self.measure, "query": self._query(self.kind, "", labelled, faults)}
        self._read("confidence", _share, asked, faults)
        if self.by not in WANTED:
            faults.append(Fault("by", "choose one of them"))
        elif not getattr(self, self.precise).strip():
            faults.append(Fault(self.precise, f"say {WANTED[self.by][1]}"))
        else:
            self._read(self.precise, number, asked, faults)
        if self.by == "noise" and not self.noise:
            faults.append(Fault("noise", "choose a kind: a scale is one of some noise"))
        if faults:
            raise Faulty(*faults)
        if self.noise:
            asked["noise"] = {"kind": self.noise} | ({"scale": asked.pop("scale")} if "scale" in asked else {})
        try:
            return read_ask(asked)
        except InputError as error:
            raise Faulty(fault_of(error, self.given)) from None

    def _query(self, kind: str, prefix: str, labelled: bool, faults: list[Fault]) -> dict[str, Any]:
        """The section that the fields with this prefix say, and the questions within it."""
        fields, (held, most) = entries(kind, labelled), inner(kind)
        if fields is None or (most and prefix):
            faults.append(Fault(f"{prefix}kind", f"{_quoted(kind)} is none of the kinds that this form can ask"))
            return {}
        query: dict[str, Any] = {"kind": kind}
        for name, entry in fields.items():
            if self.given.get(prefix + name, "").strip():
                self._read(prefix + name, entry.read, query, faults, name)
        parts = map(part_prefix, range(1, most + 1))
        chosen = [part for part in parts if self.given.get(f"{part}kind", "").strip()]
        found = [self._query(self.given[f"{part}kind"], part, labelled, faults) for part in chosen]
        if most and not found:
            faults.append(Fault(f"{part_prefix(1)}kind", "choose what is asked"))
        return {**query, held: found} if most else query

    def _read(self, name: str, read: Any, into: dict[str, Any], faults: list[Fault], key: str | None = None) -> None:
        text = getattr(self, name)
        try:
            if len(text) > LONGEST:
                raise Misread(f"at most {LONGEST} characters")
            into[key or name] = read(text)
        except Misread as error:
            faults.append(Fault(name, f"{_quoted(text)} is not {error}"))


def part_prefix(number: int) -> str:
    """How the names of the fields of a question within a question begin, from 1."""
    return f"q{number}-"


DEFAULTS: Final = {"by": "epsilon", "confidence": "95"}


def _share(text: str) -> float:
    found = number(text.strip().removesuffix("%"))
    if not 0 < found < 100:
        raise Misread(PER_CENT)
    return float(repr(round(found / 100, 12)))


def fault_of(error: InputError, given: Mapping[str, str]) -> Fault:
    """At the field that its key names, or else what was wanted does, with what was written there."""
    parts, wanted = error.key.replace(".", " ").split(), re.findall(r"\w+", error.wanted)
    known = [part for part in parts if part in NAMES or part in ENTRIES]
    known = known or [part for part in wanted if part in ENTRIES and (part in given or _in_parts(part, given))][:1]
    field = "noise" if known[-2:] == ["noise", "kind"] else known[-1] if known else ""
    if field in ENTRIES and field not in given and given.get(f"{part_prefix(1)}kind"):
        each = _in_parts(field, given)
        field = each[0] if len(each) == 1 else ""  # which of several it is, is not said
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return Fault(field, f"{_quoted(given.get(field) or shown)} was given; wanted: {error.wanted}")


def _in_parts(field: str, given: Mapping[str, str]) -> list[str]:
    """The fields of that name that are of a question within the question, and not blank."""
    return [name for name, text in given.items() if name.endswith(f"-{field}") and text.strip()]


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= SHOWN else flat[:SHOWN] + '…'}”"
