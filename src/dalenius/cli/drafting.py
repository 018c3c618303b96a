"""The text of a spec that is begun: its sections, each with what has to be decided."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Final, final

from dalenius.errors import InputError

FACTOR: Final = 2.0
CAP: Final = 4.0
"""By default nobody's chance more than doubles, and whoever knows everybody else learns 4 nats at most."""


@final
@dataclass(frozen=True)
class Draft:
    """rows: people or days; data: the table; value, household, label: its columns; count: of rows, where no
    table says it; factor: by which a chance may grow; cap: nats for whoever knows everybody else. InputError for what
    makes no spec."""

    rows: str
    data: str | None = None
    value: str | None = None
    household: str | None = None
    label: str | None = None
    count: int | None = None
    factor: float | None = None
    cap: float | None = None

    def __post_init__(self) -> None:
        for key, least in (("factor", 1.0), ("cap", 0.0)):
            given = getattr(self, key)
            if given is not None and not (isfinite(given) and given > least):
                raise InputError(f"--{key}", given, f"a finite number above {least:g}")
        if self.count is not None and self.count < 2:
            raise InputError("--count", self.count, "a whole number of at least 2")
        if self.rows != "people" and (self.household or self.label):
            key, name = ("household", self.household) if self.household else ("label", self.label)
            raise InputError(f"--{key}", name, "none with these rows: only people have such columns")
        if self.data is None and self.household is not None:
            raise InputError("--household", self.household, "a table (--data) to read the households from")
        if self.data is None and self.count is None:
            raise InputError("--count", "missing", "how many rows there are, or a table (--data)")
        if self.rows == "days" and self.count is None:
            raise InputError("--count", "missing", "how many days there are")


def drafted(draft: Draft) -> str:
    """The whole spec."""
    return "\n".join([*_head(draft), "", *_model(draft), "", *_query(draft), "", *_promises(draft), *_data(draft), ""])


def _head(draft: Draft) -> Iterator[str]:
    yield "# What may be published of these records, and with how much noise."
    yield "# dalenius calibrate finds the least noise, dalenius compare what every method would add,"
    yield "# dalenius explain writes a page for whoever signs it. Lines marked CHANGE are guesses of this draft."


def _model(draft: Draft) -> Iterator[str]:
    yield "[model]                # what the adversary believes of the records: who depends on whom, and how"
    if draft.rows == "days":
        yield 'kind = "chain"         # one person\'s days, each like the day before it'
        yield f"n = {draft.count}"
        yield "# CHANGE: the chances of 0 and 1 after a 0, and after a 1; dalenius fit learns them from past days"
        yield "transition = [[0.9, 0.1], [0.2, 0.8]]"
        yield 'initial = "stationary"'
    elif draft.household is not None:
        yield 'kind = "households"    # dependent within, independent of each other'
        yield f"by = {_text(draft.household)}"
        yield "# CHANGE: the chance of an infection from outside, and by each infected housemate; or a law per size:"
        yield "# dalenius fit learns it from past data, with intervals where it is not known exactly"
        yield "epidemic = { community = 0.05, household = 0.3 }"
    else:
        yield 'kind = "independent"   # CHANGE: nobody depends on anybody? households, chain, network say how they do'
        yield from _independent(draft)


def _independent(draft: Draft) -> Iterator[str]:
    yield f"n = {draft.count if draft.count is not None else 1000}"
    yield "probabilities = [0.1]  # CHANGE: the chance that a record is 1"


def _query(draft: Draft) -> Iterator[str]:
    yield "[query]"
    yield 'kind = "count"         # of the records that are 1; values = ["yes"] counts others'
    if draft.label is not None:
        yield "per_label = true       # one answer for each label"


def _promises(draft: Draft) -> Iterator[str]:
    factor = draft.factor if draft.factor is not None else FACTOR
    cap = draft.cap if draft.cap is not None else CAP
    yield "[[promises]]           # whoever believes the model: no chance grows by more than this factor"
    yield 'kind = "information"'
    yield f"factor = {factor:g}"
    yield ""
    yield "[[promises]]           # whoever knows everybody else's record: nats of evidence about the last one, at most"
    yield 'kind = "differential"'
    yield f"epsilon = {cap:g}"
    if draft.data is not None:
        yield f"# dalenius release: by default a budget of ln {factor:g} nats, one such release; --budget gives another"


def _data(draft: Draft) -> Iterator[str]:
    if draft.data is None:
        return
    yield ""
    yield "[data]"
    yield f"file = {_text(draft.data)}" if "://" not in draft.data else f"url = {_text(draft.data)}"
    yield f"value = {_text(draft.value or 'value')}"
    if draft.label is not None:
        yield f"label = {_text(draft.label)}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
