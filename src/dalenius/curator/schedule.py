"""A schedule: a table that is asked again and again, once a period, and how a person's value goes on between them.

A hospital asks the same people every month for three years: `every = "month"`, `times = 36`. The table's version is the
month, as 2026-01. A value is kept with probability 0.9 from month to month (`persistence = 0.9`), or goes on by a
matrix (`transition`), or nothing is known of it ("unknown"): then the losses of all months add.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, isclose
from typing import Annotated, Any, Final, Literal, TypeAlias, final

import numpy as np
from pydantic import Field, field_validator, model_validator

from dalenius.bounds import UNIT
from dalenius.composition.over_periods import changing_loss, kept_loss, law_kept
from dalenius.curator.amounts import Amount, as_nats, budget
from dalenius.curator.limits import MOST_PERIODS
from dalenius.errors import InputError, Refused
from dalenius.fields import Finite, Positive
from dalenius.frozen_section import Frozen
from dalenius.joints import finite_law
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.sentences.sentence import Phrase, said

Every: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

_WRITTEN: Final[Mapping[str, tuple[str, str]]] = {
    "day": (r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "2026-01-31"),
    "week": (r"\d{4}-W(0[1-9]|[1-4]\d|5[0-3])", "2026-W05"),
    "month": (r"\d{4}-(0[1-9]|1[0-2])", "2026-01"),
    "quarter": (r"\d{4}-Q[1-4]", "2026-Q1"),
    "year": (r"\d{4}", "2026"),
}
"""By period, how a version names it, and an example; in their order as texts they are in their order in time."""
_A_YEAR: Final[Mapping[str, int]] = {"day": 366, "week": 53, "month": 12, "quarter": 4, "year": 1}
_SAME_LAW: Final = 1e-9
"""How far a law that the matrix keeps may be from the model's, which people write with few digits."""


@final
class Schedule(Frozen):
    """A table that is asked once a period.

    Attributes:
        every: The period that a version of the table stands for.
        times: How many periods may be asked about.
        persistence: The probability with which the values of a person, and of all who depend on each other, stay from
            one period to the next, or else are drawn anew; "unknown" for the worst case.
        transition: Instead, for people who do not depend on others, the probabilities of the next value by rows of the
            value before, in the order of the model's values.
        renewing: A budget of each period, in nats, beside the one of all: what its answers may lose of a group.
    """

    every: Every
    times: Annotated[int, Field(ge=1, le=int(MOST_PERIODS), strict=True)]
    persistence: Annotated[Finite, Field(ge=0, le=1)] | Literal["unknown"] | None = None
    transition: tuple[tuple[float, ...], ...] | None = None
    renewing: Positive | None = None

    @field_validator("transition")
    @classmethod
    def _of_chances(cls, rows: tuple[tuple[float, ...], ...] | None) -> tuple[tuple[float, ...], ...] | None:
        for row in rows or ():
            if rows is not None and (len(row) != len(rows) or min(row) < 0 or not isclose(fsum(row), 1, rel_tol=1e-9)):
                raise ValueError("as many rows as columns, each of probabilities that sum to 1")
        if rows is not None:
            try:
                law_kept(rows)
            except InputError as error:
                raise ValueError(error.wanted) from None
        return rows

    @model_validator(mode="after")
    def _one_way(self) -> "Schedule":
        if (self.persistence is None) == (self.transition is None):
            raise ValueError('one of persistence (a number from 0 to 1, or "unknown") and transition')
        return self

    @property
    def a_year(self) -> int:
        """How many periods a year has, at most."""
        return _A_YEAR[self.every]

    @property
    def goes_on(self) -> dict[str, Any] | None:
        """How a value goes on, as a debit says it; None for the worst case, where losses add."""
        if self.transition is not None:
            return {"every": self.every, "transition": [list(row) for row in self.transition]}
        if self.persistence in ("unknown", None):
            return None
        return {"every": self.every, "persistence": self.persistence}

    @property
    def words(self) -> Phrase:
        """How a value goes on, in words."""
        if self.transition is not None:
            return said("changes_by_chances", every=said(self.every))
        if self.persistence == "unknown":
            return said("goes_on_unknown", every=said(self.every))
        assert self.persistence is not None
        return said("persists", every=said(self.every), chance=self.persistence)

    def hypotheses(self) -> list[str]:
        """Returns what counting the answers of all periods on one budget supposes."""
        one = said("promise_of_one_period", every=said(self.every))
        return [self.words] if self.goes_on is None else [self.words, one]

    def check(self, version: str, frozen: bool, notion: Notion, measures: int) -> None:
        """Raises ValueError where a data set does not fit its schedule.

        Args:
            version: The table's version.
            frozen: Whether the table of a version never changes.
            notion: The promise.
            measures: How many measures there are.
        """
        pattern, example = _WRITTEN[self.every]
        if not re.fullmatch(pattern, version):
            raise ValueError(f'a version that names the {self.every} of the table, as version = "{example}"')
        # Because a period has one value of each person, answers of one period must read one state of the table.
        if self.goes_on is not None and not frozen:
            raise ValueError(f'frozen = true, a table for each {self.every} that does not change, or "unknown"')
        if self.goes_on is not None and notion.properties.implied_by != "inferential":
            raise ValueError(
                f'persistence = "unknown" beside {notion.kind}: only promises about what somebody believes can use '
                "how values go on"
            )
        if self.transition is not None and measures > 1:
            raise ValueError("one measure beside a transition, or a persistence")

    def check_model(self, model: Model, key: str) -> None:
        """Raises InputError where a transition is of other people than the model's.

        Args:
            model: The model of a table's people.
            key: The policy's key of the model.
        """
        if self.transition is None:
            return
        law = law_kept(self.transition)
        wanted = f"people who do not depend on others, each with the law that the transition keeps: {law}"
        for belief in model.joints():
            joint = finite_law(belief)
            if joint is None:
                raise InputError(key, model.kind, wanted)
            for person in joint.subjects():
                own = np.exp(person.log_prior).tolist()
                if (
                    len(own) != len(law)
                    or max(abs(one - other) for one, other in zip(own, law, strict=True)) > _SAME_LAW
                ):
                    raise InputError(key, own, wanted)


def loss_of_periods(losses: Mapping[str, float], goes_on: str) -> float:
    """Returns what the answers of all periods lose of the values of the worst one, in nats, rounded up.

    Args:
        losses: By period, the loss of its answers about the values of that period, in nats.
        goes_on: How a value goes on, as JSON.
    """
    return _loss(tuple(losses[each] for each in sorted(losses)), goes_on)


@lru_cache(1024)
def _loss(losses: tuple[float, ...], goes_on: str) -> float:
    said = json.loads(goes_on)
    found = (
        changing_loss(losses, said["transition"]) if "transition" in said else kept_loss(losses, said["persistence"])
    )
    # Never above the sum, which holds whatever is supposed, nor below what the worst period loses by itself.
    return max(min(found.upper, fsum(losses) * (1 + UNIT)), max(losses, default=0.0))


def check_times(periods: Sequence[str], version: str, times: int | None) -> None:
    """Raises Refused where a period would be one more than the schedule has.

    Args:
        periods: The periods that were asked about.
        version: The one that is asked about now.
        times: How many there may be; None without a schedule.
    """
    if times is not None and version not in periods and len(set(periods)) >= times:
        raise Refused(
            f"this would be period {len(set(periods)) + 1} of {times} that the schedule has ({version}); answers of "
            "earlier periods stay free"
        )


def check_renewing(lost: Amount, version: str | None, renewing: float | None) -> None:
    """Raises Refused where the answers of one period would lose more than the budget of a period.

    Args:
        lost: What they would lose of a group, in nano-nats.
        version: The period.
        renewing: The budget of a period, in nats; None for none.
    """
    if renewing is not None and lost > budget(renewing):
        said = f"{as_nats(lost):.6g} nats of a group, of {renewing:.6g} for each period"
        raise Refused(f"answers of {version} would lose {said}; the next period has a budget of its own")
