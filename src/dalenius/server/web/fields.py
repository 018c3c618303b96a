"""The fields of a query's form, by the names that queries' classes have: how each is shown, and how it is read.

A query of whatever kind, an author's too, has a form where each of its fields is one of these or may be left out.
"""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

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
