"""Households from past ones: Pr[0..size infected] for each size, with a Dirichlet prior."""

from dataclasses import dataclass
from typing import Any, final

from dalenius.fitting.epidemic import (
    MOST_MEMBERS,
    EpidemicFit,
    InfectedCounts,
    by_size,
    fit_epidemic,
    log_likelihood,
    saturated_log_likelihood,
)
from dalenius.fitting.fit import WARNING, check_smoothing
from dalenius.fitting.rectangle import Rectangle, rectangle
from dalenius.fitting.regions import ClopperPearson, Simultaneous, simultaneous
from dalenius.fitting.values import smoothed
from dalenius.models import Households, HouseholdType


@final
@dataclass(frozen=True)
class HouseholdsFit:
    """model: one type for each size, with its count; observations: households; people: members of all of them.

    epidemic: the same households with two parameters only; None where one is too large (fitting.epidemic.MOST_MEMBERS).
    region: where these two lie, at the level of `intervals`; None where there are none, where they are credible, and
    where no epidemic fits (fitting.rectangle).
    intervals: how the model's were found; None where it is of points. Log-likelihoods are of the points in either case.
    """

    model: Households
    observations: int
    people: int
    smoothing: float
    log_likelihood: float
    saturated_log_likelihood: float
    epidemic: EpidemicFit | None
    intervals: Simultaneous | None = None
    region: Rectangle | None = None
    warning: str = WARNING

    def section(self) -> dict[str, Any]:
        return self.model.model_dump(mode="json", exclude_none=True)

    def goodness(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "epidemic": None if self.epidemic is None else self.epidemic.shown() | self._region(),
            **({} if self.intervals is None else self.intervals.shown()),
        }

    def _region(self) -> dict[str, Any]:
        if self.intervals is None or self.intervals.region.kind != ClopperPearson.kind:
            return {}
        found = self.region
        return {
            "community_interval": None if found is None else list(found.community),
            "household_interval": None if found is None else list(found.household),
        }


def fit_households(
    counts: InfectedCounts, smoothing: float = 1.0, confidence: float | None = None, credible: bool = False
) -> HouseholdsFit:
    """counts: households of each (size, infected), as `dalenius.tables.people.infected_by_size` finds them.

    smoothing: pseudo-counts of each size's law in all, shared evenly by 0..size. confidence: that all probabilities lie
    in the model's intervals, which then stand instead of points (Clopper and Pearson); credible: under a Dirichlet
    prior of those pseudo-counts (fitting.regions).
    """
    check_smoothing(smoothing)
    tallies = by_size(counts)
    intervals = simultaneous(confidence, smoothing if credible else None, [size + 1 for size in tallies])
    laws = {size: smoothed(own, smoothing) for size, own in tallies.items()}
    shown = {
        size: law.tolist() if intervals is None else intervals.rows(tallies[size])[0] for size, law in laws.items()
    }
    types = [HouseholdType(infected=tuple(shown[size]), count=int(own.sum())) for size, own in tallies.items()]
    small = max(tallies) <= MOST_MEMBERS
    region = rectangle(tallies, confidence) if confidence is not None and not credible and small else None
    return HouseholdsFit(
        Households(types=tuple(types), confidence=confidence),
        sum(int(own.sum()) for own in tallies.values()),
        sum(size * int(own.sum()) for size, own in tallies.items()),
        smoothing,
        log_likelihood(tallies, laws),
        saturated_log_likelihood(tallies),
        fit_epidemic(counts) if small else None,
        intervals,
        region,
    )
