"""The Longini–Koopman epidemic by maximum likelihood, and how well it fits (Biometrics 38, 1982)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import comb, expit, xlogy

from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import Statistic
from dalenius.laws.law import Array, IntArray
from dalenius.models import Epidemic

InfectedCounts: TypeAlias = Mapping[tuple[int, int], int]
"""How many households there are of each (size, infected)."""

MOST_MEMBERS: Final = 100
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
        return {
            "community": self.epidemic.community,
            "household": self.epidemic.household,
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "g": self.g.shown(),
            "chi_squared": self.chi_squared.shown(),
        }


def fit_epidemic(counts: InfectedCounts) -> EpidemicFit:
    """The likeliest (community, household). Where the data do not determine `household`, it is 0."""
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
    """Pr[0..size infected] for each size, by generations as Reed and Frost count them: who infects whom when does not
    change the final size. Sums of positive terms only, so that rare sizes keep their relative accuracy."""
    largest = max(sizes)
    with np.errstate(divide="ignore"):
        log_spared = np.log1p(-household)
    infectious = np.arange(1, largest + 1)
    # later[s][i - 1, m]: m more of s susceptibles fall ill in the end, once i are infectious.
    later: list[Array] = []
    for susceptible in range(largest + 1):
        caught = np.arange(susceptible + 1)
        chance = -np.expm1(infectious * log_spared)
        escaped = np.power(1 - household, infectious[:, None] * (susceptible - caught))
        generation = comb(susceptible, caught) * chance[:, None] ** caught * escaped
        later.append(generation @ _rest(later, susceptible))
    laws = {}
    for size in sizes:
        caught = np.arange(size + 1)
        first = comb(size, caught) * np.power(community, caught) * np.power(1 - community, size - caught)
        laws[size] = np.asarray(first @ _rest(later, size))
    return laws


def _rest(later: list[Array], susceptible: int) -> Array:
    """Row j: the law of how many fall ill in all, once j of them have just been infected (j = 0: nobody else)."""
    rest = np.zeros((susceptible + 1, susceptible + 1))
    rest[0, 0] = 1.0
    for caught in range(1, susceptible + 1):
        rest[caught, caught:] = later[susceptible - caught][caught - 1]
    return rest


def _likeliest(tallies: Mapping[int, IntArray]) -> tuple[float, float]:
    """The best of the interior and of the borders, where a search over logits would never arrive."""

    def loss(community: float, household: float) -> float:
        return -log_likelihood(tallies, final_size_laws(tallies, community, household))

    def along(logits: Any) -> float:
        return loss(float(expit(logits[0])), float(expit(logits[1])))

    people = sum(size * int(own.sum()) for size, own in tallies.items())
    infected = sum(int((np.arange(size + 1) * own).sum()) for size, own in tallies.items())
    found = [(infected / people, 0.0)]  # household = 0: people are independent
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
    losses = [loss(*each) for each in found]
    tolerance = 1e-9 * max(1.0, abs(min(losses)))
    return next(each for each, own in zip(found, losses, strict=True) if own <= min(losses) + tolerance)
