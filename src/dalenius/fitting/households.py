"""Fits households to past ones.

It finds Pr[0..size infected] of each size with a Dirichlet prior, and the Longini-Koopman epidemic by maximum
likelihood (Biometrics 38, 1982).

Say 10 of 100 people who live by themselves were infected, and of 100 households of two 80 had nobody, 14 one and 6 two
infected. The likeliest epidemic has community 0.1036 and household 0.2595; it fits, as G is 0.022 with one degree of
freedom.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, xlogy

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import Fit, Statistic, check_smoothing, judged, section_rows, smoothed_law
from dalenius.fitting.simultaneous_intervals import simultaneous
from dalenius.limits import Limit
from dalenius.models import Epidemic, Households, HouseholdType

InfectedCounts: TypeAlias = Mapping[tuple[int, int], int]
"""The number of households of each (size, infected)."""

MOST_MEMBERS: Final = Limit(
    "fitting.members",
    30,
    "people",
    "Members of a household for which an epidemic is fitted. Each further member makes its law slower.",
)
_FAR: Final = 20.0  # where a logit may go: a probability of 2e-9


@final
@dataclass(frozen=True)
class EpidemicFit:
    """The likeliest epidemic; log-likelihoods in nats; g: the test of it against a free law for each size."""

    epidemic: Epidemic
    log_likelihood: float
    saturated_log_likelihood: float
    g: Statistic

    def shown(self) -> dict[str, Any]:
        """Returns the fit, ready for JSON."""
        return {
            "community": self.epidemic.community,
            "household": self.epidemic.household,
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "g": self.g.shown(),
        }


def fit_epidemic(counts: InfectedCounts) -> EpidemicFit:
    """Returns the likeliest (community, household); where the data do not determine `household`, it is 0.

    The hypothesis is that households are independent of each other, and that in all of them a member is infected from
    outside, and by each infected housemate, with the same two probabilities.

    Args:
        counts: The number of households of each (size, infected).

    Raises:
        TooLarge: If a household has more than `MOST_MEMBERS`.
    """
    tallies = by_size(counts)
    if max(tallies) > MOST_MEMBERS:
        instead = f"fit households of at most {MOST_MEMBERS}"
        raise TooLarge("an epidemic", f"a household of {max(tallies)}", instead, MOST_MEMBERS)
    community, household = _likeliest(tallies)
    laws = final_size_laws(tallies, community, household)
    found = log_likelihood(tallies, laws)
    saturated = saturated_log_likelihood(tallies)
    expected = {size: own.sum() * laws[size] for size, own in tallies.items()}
    freedom = sum(tallies) - (2 if max(tallies) > 1 else 1)  # household sizes, each with `size` free probabilities
    least = min(float(e.min()) for e in expected.values())
    return EpidemicFit(
        Epidemic(community=community, household=household),
        found,
        saturated,
        Statistic(max(2 * (saturated - found), 0.0), freedom, least),
    )


def by_size(counts: InfectedCounts) -> dict[int, IntArray]:
    """Returns the households of each size by how many are infected, 0 to size; sizes ascending.

    counts: the number of households of each (size, infected).
    """
    tallies: dict[int, IntArray] = {}
    for (size, infected), count in sorted(counts.items()):
        if not (size >= 1 and 0 <= infected <= size and count >= 0):
            wanted = "0 to size infected, and a count of at least 0"
            raise InputError(f"households ({size}, {infected})", count, wanted)
        tallies.setdefault(size, np.zeros(size + 1, dtype=np.int64))[infected] += count
    occurring = {size: own for size, own in tallies.items() if own.sum() > 0}
    total = sum(int(own.sum()) for own in occurring.values())
    # A file that was cut off may have one household.
    if total < 2:
        raise InputError("households", total, "at least 2 households")
    return occurring


def log_likelihood(tallies: Mapping[int, IntArray], laws: Mapping[int, Array]) -> float:
    """Returns Σ count · log Pr, in nats, without the multinomial coefficients.

    Args:
        tallies: The households of each size by how many are infected (size + 1,).
        laws: The law of how many are infected, for each size (size + 1,).
    """
    return sum(float(xlogy(own, laws[size]).sum()) for size, own in tallies.items())


def saturated_log_likelihood(tallies: Mapping[int, IntArray]) -> float:
    """Returns the most nats that any laws, one for each size, can reach for these `tallies`."""
    return log_likelihood(tallies, {size: own / own.sum() for size, own in tallies.items()})


def final_size_laws(sizes: Collection[int], community: float, household: float) -> dict[int, Array]:
    """Returns Pr[0..size infected] for each of the `sizes`.

    Args:
        sizes: The household sizes.
        community: The probability that a member is infected from outside.
        household: The probability that an infected housemate infects a member.
    """
    epidemic = Epidemic(community=float(community), household=float(household))
    return {size: np.array(epidemic.infected(size)) for size in sizes}


def _likeliest(tallies: Mapping[int, IntArray]) -> tuple[float, float]:
    """Returns the best of the interior and of the borders, where a search over logits would never arrive."""

    def loss(community: float, household: float) -> float:
        return -log_likelihood(tallies, final_size_laws(tallies, community, household))

    def along(logits: Any) -> float:
        return loss(float(expit(logits[0])), float(expit(logits[1])))

    people = sum(size * int(own.sum()) for size, own in tallies.items())
    infected = sum(int((np.arange(size + 1) * own).sum()) for size, own in tallies.items())
    found = [(infected / people, 0.0)]  # household = 0: people are independent
    # If nobody or everybody is ill, or all live alone, the data say nothing about who infects whom.
    if 0 < infected < people and max(tallies) > 1:
        all_at_once = minimize_scalar(
            lambda logit: loss(float(expit(logit)), 1.0), bounds=(-_FAR, _FAR), method="bounded"
        )
        found.append((float(expit(all_at_once.x)), 1.0))
        starts = [np.array([c, h]) for c in np.linspace(-7, 3, 9) for h in np.linspace(-6, 4, 9)]
        start = min(starts, key=along)
        limits = [(-_FAR, _FAR)] * 2
        inside = minimize(along, start, method="Nelder-Mead", bounds=limits, options={"xatol": 1e-9, "fatol": 1e-11}).x
        found.append((float(expit(inside[0])), float(expit(inside[1]))))
    # Among equal ones the first is taken, in which housemates infect nobody.
    losses = [loss(*each) for each in found]
    tolerance = 1e-9 * max(1.0, abs(min(losses)))
    return next(each for each, own in zip(found, losses, strict=True) if own <= min(losses) + tolerance)


@final
@dataclass(frozen=True)
class HouseholdsFit(Fit):
    """Fitted households: one type for each size, with its count; observations are households.

    Attributes:
        people: How many members all of them have.
        log_likelihood: That of the points, in nats.
        saturated_log_likelihood: The most that any laws can reach, in nats.
        epidemic: The same households with two parameters only; None where one is too large (`MOST_MEMBERS`).
    """

    model: Households
    people: int
    log_likelihood: float
    saturated_log_likelihood: float
    epidemic: EpidemicFit | None

    @property
    def in_words(self) -> str:
        own = "each size of household has its own law, which fits its past counts as well as any"
        if self.epidemic is None:
            return own
        return "; ".join(
            [
                judged(
                    self.epidemic.g,
                    "the epidemic with two chances fits as well as a law for each size: either may be used",
                    "the epidemic with two chances hardly fits: a law for each size is safer",
                    "the epidemic with two chances does not fit: do not use it",
                ),
                own,
            ]
        )


def fit_households(counts: InfectedCounts, smoothing: float = 1.0, confidence: float | None = None) -> HouseholdsFit:
    """Fits a law of how many are infected to the households of each size.

    The hypothesis is that households are independent of each other, and those of one size have one law.

    Args:
        counts: The households of each (size, infected), as `infected_by_size` of the tables finds them.
        smoothing: Pseudo-counts of each size's law in all, shared evenly by 0..size.
        confidence: The confidence that all probabilities lie in the model's intervals, which then stand instead of
            points (Clopper and Pearson). None for points.

    Raises:
        InputError: For counts that are none, and for fewer than two households.
    """
    check_smoothing(smoothing)
    tallies = by_size(counts)
    intervals = simultaneous(confidence, [size + 1 for size in tallies])
    laws = {size: smoothed_law(own, smoothing) for size, own in tallies.items()}
    types = [
        HouseholdType(infected=section_rows(own[None], smoothing, intervals)[0], count=int(own.sum()))
        for own in tallies.values()
    ]
    homes = {size: int(own.sum()) for size, own in tallies.items()}
    return HouseholdsFit(
        Households(types=tuple(types), confidence=confidence),
        sum(homes.values()),
        smoothing,
        sum(size * count for size, count in homes.items()),
        log_likelihood(tallies, laws),
        saturated_log_likelihood(tallies),
        # Because an epidemic in a barrack or a ship would take minutes, only its law is fitted.
        fit_epidemic(counts) if max(tallies) <= MOST_MEMBERS else None,
        intervals=intervals,
    )
