"""Households from past ones: Pr[0..size infected] of each size with a Dirichlet prior; the Longini-Koopman epidemic by
maximum likelihood (Biometrics 38, 1982), and a rectangle that holds its two probabilities.

Of the households of each size, how many have at least k infected is binomial, for every k, and its chance grows with
either probability (Result 21.17). Clopper and Pearson's intervals of all these chances, which share 1 - confidence
evenly, hold together; the rectangle is around all values whose chances lie in them: the highest `household` is where
some chance reaches its upper end at the lowest `community`, and so on. Neither how many households there are of a size
nor which k are looked at may depend on who was infected.

Of 100 people who live by themselves 10 were infected; of 100 households of two 80 had nobody, 14 one and 6 two
infected. The likeliest epidemic has community 0.1036 and household 0.2595; it fits, as G is 0.022 with one degree of
freedom. With confidence 0.9 community is between 0.0627 and 0.1633, and of household nothing is known: so few
households of two do not tell whether the second was infected by the first or, like the first, from outside.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, xlogy

from dalenius.bisection import bisected
from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import (
    ClopperPearson,
    Fit,
    Statistic,
    check_confidence,
    check_smoothing,
    section_rows,
    simultaneous,
    smoothed_law,
)
from dalenius.laws.law import Array, IntArray
from dalenius.models import Epidemic, Households, HouseholdType

InfectedCounts: TypeAlias = Mapping[tuple[int, int], int]
"""How many households there are of each (size, infected)."""

# Members of a household for which an epidemic is fitted: its law takes longer with each of them.
MOST_MEMBERS: Final = 30
_FAR: Final = 20.0  # where a logit may go: a probability of 2e-9


@final
@dataclass(frozen=True)
class EpidemicFit:
    """The likeliest epidemic; log-likelihoods in nats; g, chi_squared: of it against a free law for each size."""

    epidemic: Epidemic
    log_likelihood: float
    saturated_log_likelihood: float
    g: Statistic
    chi_squared: Statistic

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "community": self.epidemic.community,
            "household": self.epidemic.household,
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "g": self.g.shown(),
            "chi_squared": self.chi_squared.shown(),
        }


def fit_epidemic(counts: InfectedCounts) -> EpidemicFit:
    """The likeliest (community, household). Where the data do not determine `household`, it is 0.

    The hypothesis: households are independent of each other, and in all of them a member is infected from outside, and
    by each infected housemate, with the same two probabilities. TooLarge for a household of more than `MOST_MEMBERS`.
    """
    tallies = by_size(counts)
    if max(tallies) > MOST_MEMBERS:
        raise TooLarge("an epidemic", f"a household of {max(tallies)}", f"fit households of at most {MOST_MEMBERS}")
    community, household = _likeliest(tallies)
    laws = final_size_laws(tallies, community, household)
    found = log_likelihood(tallies, laws)
    saturated = saturated_log_likelihood(tallies)
    expected = {size: own.sum() * laws[size] for size, own in tallies.items()}
    # A cell expected 0 times that did not occur adds nothing.
    squares = sum(
        float(((own - e)[e > 0] ** 2 / e[e > 0]).sum())
        for own, e in zip(tallies.values(), expected.values(), strict=True)
    )
    freedom = sum(tallies) - (2 if max(tallies) > 1 else 1)  # household sizes, each with `size` free probabilities
    least = min(float(e.min()) for e in expected.values())
    return EpidemicFit(
        Epidemic(community=community, household=household),
        found,
        saturated,
        Statistic(max(2 * (saturated - found), 0.0), freedom, least),
        Statistic(squares, freedom, least),
    )


def by_size(counts: InfectedCounts) -> dict[int, IntArray]:
    """Households of each size by how many are infected, 0 to size; sizes ascending."""
    tallies: dict[int, IntArray] = {}
    for (size, infected), count in sorted(counts.items()):
        if not (size >= 1 and 0 <= infected <= size and count >= 0):
            wanted = "0 to size infected, and a count of at least 0"
            raise InputError(f"households ({size}, {infected})", count, wanted)
        tallies.setdefault(size, np.zeros(size + 1, dtype=np.int64))[infected] += count
    occurring = {size: own for size, own in tallies.items() if own.sum() > 0}
    total = sum(int(own.sum()) for own in occurring.values())
    # A table of one household, as of a file that was cut off.
    if total < 2:
        raise InputError("households", total, "at least 2 households")
    return occurring


def log_likelihood(tallies: Mapping[int, IntArray], laws: Mapping[int, Array]) -> float:
    """Σ count · log Pr, in nats, without the multinomial coefficients."""
    return sum(float(xlogy(own, laws[size]).sum()) for size, own in tallies.items())


def saturated_log_likelihood(tallies: Mapping[int, IntArray]) -> float:
    """The most that any laws, one for each size, can reach."""
    return log_likelihood(tallies, {size: own / own.sum() for size, own in tallies.items()})


def final_size_laws(sizes: Collection[int], community: float, household: float) -> dict[int, Array]:
    """Pr[0..size infected] for each size."""
    epidemic = Epidemic(community=float(community), household=float(household))
    return {size: np.array(epidemic.infected(size)) for size in sizes}


def _likeliest(tallies: Mapping[int, IntArray]) -> tuple[float, float]:
    """The best of the interior and of the borders, where a search over logits would never arrive."""

    def loss(community: float, household: float) -> float:
        return -log_likelihood(tallies, final_size_laws(tallies, community, household))

    def along(logits: Any) -> float:
        return loss(float(expit(logits[0])), float(expit(logits[1])))

    people = sum(size * int(own.sum()) for size, own in tallies.items())
    infected = sum(int((np.arange(size + 1) * own).sum()) for size, own in tallies.items())
    found = [(infected / people, 0.0)]  # household = 0: people are independent
    # Where nobody or everybody is ill, or all live alone, the data say nothing of who infects whom.
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
    # Of equal ones the first, in which housemates infect nobody.
    losses = [loss(*each) for each in found]
    tolerance = 1e-9 * max(1.0, abs(min(losses)))
    return next(each for each, own in zip(found, losses, strict=True) if own <= min(losses) + tolerance)


_Side: TypeAlias = tuple[float, float]
# Rounds in which the two sides narrow each other: any number of them leaves a rectangle that holds.
_ROUNDS: Final = 12
_LOOSE: Final = 1e-9
"""Computed chances are known to less than this; ends move outwards by as much."""
# Sides that move by less in a round are left as they are.
_SETTLED: Final = 1e-6


@final
@dataclass(frozen=True)
class Rectangle:
    """Where `community` and `household` lie, each from and to; claims: how many statements share 1 - confidence."""

    community: _Side
    household: _Side
    claims: int


def rectangle(tallies: Mapping[int, IntArray], confidence: float) -> Rectangle | None:
    """tallies: households by how many are infected, 0 to size, by size (`fitting.epidemic.by_size`). None where no
    epidemic has all chances in their intervals. InputError for a confidence outside (0, 1)."""
    check_confidence(confidence)
    claims = sum(tallies)
    ends = {size: _chances(own, (1 - confidence) / claims) for size, own in tallies.items()}
    community, household = (0.0, 1.0), (0.0, 1.0)
    for _ in range(_ROUNDS):
        before = community, household
        community = _narrowed(ends, lambda c, h: (c, h), household)
        household = _narrowed(ends, lambda h, c: (c, h), community)
        # Homes of two in each of which exactly one was ill: no such epidemic explains a hundred of them.
        if community[0] > community[1] or household[0] > household[1]:
            return None
        moved = np.abs(np.subtract(before, (community, household)))
        if float(moved.max()) < _SETTLED:
            break
    return Rectangle(community, household, claims)


def _chances(tally: IntArray, alpha: float) -> tuple[Array, Array]:
    """Intervals of the chances that at least 1, 2, .., size are infected: lower ends and upper ends, each (size,)."""
    homes, size = int(tally.sum()), len(tally) - 1
    most = tally[::-1].cumsum()[::-1]
    found = [ClopperPearson().ends(int(most[k]), homes, 2, alpha) for k in range(1, size + 1)]
    low, high = np.array(found).T
    return low - _LOOSE, high + _LOOSE


def _narrowed(
    ends: Mapping[int, tuple[Array, Array]], placed: Callable[[float, float], tuple[float, float]], other: _Side
) -> _Side:
    """One side, given the other: from where no chance is too low at the other's highest value, to where none is too
    high at its lowest."""

    def enough(value: float) -> bool:
        """Whether no chance is below its interval, with the other side at its highest."""
        return all((chances >= ends[size][0]).all() for size, chances in _at(ends, *placed(value, other[1])))

    def kept(value: float) -> bool:
        """Whether no chance is above its interval, with the other side at its lowest."""
        return all((chances <= ends[size][1]).all() for size, chances in _at(ends, *placed(value, other[0])))

    return _least(enough), 1 - _least(lambda rest: kept(1 - rest))


def _at(sizes: Mapping[int, object], community: float, household: float) -> list[tuple[int, Array]]:
    """By size the chances that at least 1, 2, .., size are infected in that epidemic."""
    laws = final_size_laws(sizes.keys(), community, household)
    return [(size, law[::-1].cumsum()[::-1][1:]) for size, law in laws.items()]


def _least(holds: Callable[[float], bool]) -> float:
    """A number from 0 to 1 just below which the condition fails, or 0; from below; above 1 where it fails at 1."""
    if holds(0.0):
        return 0.0
    if not holds(1.0):
        return 1.0 + _LOOSE
    return bisected(holds, 1.0, 0.0, absolute=2.0**-30)[1]


@final
@dataclass(frozen=True)
class HouseholdsFit(Fit):
    """model: one type for each size, with its count; observations: households; people: members of all of them.

    epidemic: the same households with two parameters only; None where one is too large (MOST_MEMBERS).
    region: where these two lie, at the level of `intervals`; None where there are none, and where no
    epidemic fits.
    """

    model: Households
    people: int
    log_likelihood: float
    saturated_log_likelihood: float
    epidemic: EpidemicFit | None
    region: Rectangle | None = None

    def measures(self) -> dict[str, Any]:
        """How well it fits, ready for JSON; of the epidemic with its rectangle, where a confidence was wanted."""
        return {
            "people": self.people,
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "epidemic": None if self.epidemic is None else self.epidemic.shown() | self._region(),
        }

    def _region(self) -> dict[str, Any]:
        # Points have no rectangle; intervals may have an empty one, which is null.
        if self.intervals is None:
            return {}
        sides = ("community", "household")
        return {f"{side}_interval": self.region and list(getattr(self.region, side)) for side in sides}


def fit_households(counts: InfectedCounts, smoothing: float = 1.0, confidence: float | None = None) -> HouseholdsFit:
    """counts: households of each (size, infected), as `dalenius.tables.people.infected_by_size` finds them.

    smoothing: pseudo-counts of each size's law in all, shared evenly by 0..size. confidence: that all probabilities lie
    in the model's intervals, which then stand instead of points (Clopper and Pearson).

    The hypothesis: households are independent of each other, and those of one size have one law. InputError for counts
    that are none, and for fewer than two households.
    """
    check_smoothing(smoothing)
    tallies = by_size(counts)
    intervals = simultaneous(confidence, [size + 1 for size in tallies])
    laws = {size: smoothed_law(own, smoothing) for size, own in tallies.items()}
    types = [
        HouseholdType(infected=section_rows(own[None], smoothing, intervals)[0], count=int(own.sum()))
        for own in tallies.values()
    ]
    # A barrack or a ship: its law is fitted, but no epidemic, which would take minutes.
    small = max(tallies) <= MOST_MEMBERS
    region = rectangle(tallies, confidence) if confidence is not None and small else None
    homes = {size: int(own.sum()) for size, own in tallies.items()}
    return HouseholdsFit(
        Households(types=tuple(types), confidence=confidence),
        sum(homes.values()),
        smoothing,
        sum(size * count for size, count in homes.items()),
        log_likelihood(tallies, laws),
        saturated_log_likelihood(tallies),
        fit_epidemic(counts) if small else None,
        region,
        intervals=intervals,
    )
