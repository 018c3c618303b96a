"""The worst that may be known of independent groups, where the answer is a sum: enclosed (Results 7.13 and 7.15).

The known records of a group are a *pattern*. It costs as many records as it gives, and leaves a term of the answer. An
adversary chooses one for each group. A bound holds for all their choices (`coins.py`): the least total of a number of
each pattern is a fractional knapsack, on the lower hull of numbers over costs. The same knapsack on variances and on
the chances of the outermost answers names choices that are really bad ones, and are lower ends.

There are two kinds of group, and one record of each may be known. Knowing it leaves 1 of 3 of a group of the first
kind, and 3 of 4 of the second; three records are worth most on the first:

>>> kinds = [Priced(2, np.array([0, 1]), np.array([3.0, 1.0])), Priced(5, np.array([0, 1]), np.array([4.0, 3.0]))]
>>> least_total(kinds, 3)
21.0
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.knowledge.coins import Coins, Contained, Views, WorstTerms, rates_for, variance

# Answers of one group, so that the linear programmes of its patterns take milliseconds.
_MOST_ANSWERS: Final = 30
# Patterns of all kinds together, for the same reason.
MOST_PRICED: Final = 60
# Bases that one bound uses at once: numbers of coins of three are a plane.
_MOST_BASES: Final = 3
# Laws of patterns, of one kind, that are tried as bases.
_MOST_LAWS: Final = 8
_PROBABILITIES: Final = (0.05, 0.1, 0.2, 0.35, 0.5)
# Coins of one more base must be worth so many times as much to be taken.
_WORTH_A_BASE: Final = 1.1


@final
@dataclass(frozen=True)
class Priced:
    """So many groups of a kind: of each pattern how many records it gives (patterns,), and a value (patterns,)."""

    count: int
    costs: IntArray
    values: Array


@final
@dataclass(frozen=True)
class Term:
    """Part of a group that a pattern leaves unknown: the law of its answer, and the pattern's cost.

    cost: how many records the pattern gives; law (answers,): from the least answer on, in lattice steps.
    """

    cost: int
    law: Array


@final
@dataclass(frozen=True)
class Seat:
    """A view of the own group: answers given two values, and what may be spent on other groups.

    counts (kinds,): how many other groups there are of each kind; spare: how many of their records may be known.
    """

    first: Array
    second: Array
    counts: tuple[int, ...]
    spare: int


def hull(costs: IntArray, values: Array) -> list[int]:
    """The patterns on the lower hull of values over costs, from the cheapest until values grow."""
    order = sorted(range(len(costs)), key=lambda at: (int(costs[at]), float(values[at])))
    found = list[int]()
    for at in order:
        # One cost, a value no less: never on the hull.
        if found and (costs[at] == costs[found[-1]] or values[at] >= values[found[-1]]):
            continue
        while len(found) > 1 and _slope(costs, values, found[-2], at) <= _slope(costs, values, found[-2], found[-1]):
            found.pop()
        found.append(at)
    return found


def _slope(costs: IntArray, values: Array, one: int, other: int) -> float:
    return float((values[other] - values[one]) / (costs[other] - costs[one]))


def least_total(kinds: Sequence[Priced], budget: float) -> float:
    """Returns the least total value of a pattern for each group; a group may have fractions of patterns.

    Args:
        kinds: The groups of each kind, with the cost and the value of each pattern.
        budget: How many records the patterns may give in all.
    """
    total, steps = 0.0, list[tuple[float, float]]()
    for kind in kinds:
        corners = hull(kind.costs, kind.values)
        total += kind.count * float(kind.values[corners[0]])
        for one, other in itertools.pairwise(corners):
            cost = float(kind.costs[other] - kind.costs[one])
            steps.append((_slope(kind.costs, kind.values, one, other), cost * kind.count))
    for slope, size in sorted(steps):
        taken = min(size, budget)
        total, budget = total + slope * taken, budget - taken
    return total


def chosen(kinds: Sequence[Priced], budget: int) -> list[dict[int, int]]:
    """Chooses a whole pattern for each group, in the order in which a record is worth most.

    Args:
        kinds: The groups of each kind, with the cost and the value of each pattern.
        budget: How many records the patterns may give in all.

    Returns:
        By kind, how many groups have each pattern, by place from 0.
    """
    numbers, steps = [], list[tuple[float, int, int, int]]()
    for place, kind in enumerate(kinds):
        corners = hull(kind.costs, kind.values)
        numbers.append({corners[0]: kind.count})
        for one, other in itertools.pairwise(corners):
            steps.append((_slope(kind.costs, kind.values, one, other), place, one, other))
    for _, place, one, other in sorted(steps):
        kind = kinds[place]
        cost = int(kind.costs[other] - kind.costs[one])
        taken = min(numbers[place].get(one, 0), budget // cost)
        if taken:
            budget -= taken * cost
            numbers[place][one] -= taken
            numbers[place][other] = numbers[place].get(other, 0) + taken
    return [{at: number for at, number in each.items() if number} for each in numbers]


def chosen_patterns(terms: Sequence[Sequence[Term]], counts: Sequence[int], spare: int) -> list[list[dict[int, int]]]:
    """Makes choices that leave little: the least variance, and the likeliest least, and greatest, answers.

    Args:
        terms: By kind, the term of each pattern.
        counts: How many groups there are of each kind.
        spare: How many of their records may be known.

    Returns:
        Each choice as `chosen` returns it.
    """
    measures = (variance, lambda law: -float(np.log(law[0])), lambda law: -float(np.log(law[-1])))
    found = list[list[dict[int, int]]]()
    for measure in measures:
        values = [[np.array([measure(term.law)]) for term in kind] for kind in terms]
        patterns = chosen(_priced(terms, counts, values, 0), spare)
        if patterns not in found:
            found.append(patterns)
    return found


def bounds(terms: Sequence[Sequence[Term]], seats: Sequence[Seat]) -> list[WorstTerms]:
    """Bounds δ over all choices of patterns.

    Args:
        terms: By kind, the term of each pattern.
        seats: The views of the own group.

    Returns:
        The bounds, of which each holds; none where groups have too many answers or patterns.
    """
    laws = [term.law for kind in terms for term in kind]
    if not seats or len(laws) > MOST_PRICED or max(map(len, laws), default=0) > _MOST_ANSWERS:
        return []
    tightest = min(seats, key=lambda seat: (sum(seat.counts), -seat.spare))
    found = [_grown(terms, tightest, start) for start in ((), _worst_patterns(terms, tightest))]
    return [_bound(coins, contained, terms, seats) for coins, contained in found if coins is not None]


def _worst_patterns(terms: Sequence[Sequence[Term]], seat: Seat) -> tuple[Array, ...]:
    """The laws that the choice of least variance leaves: as bases they are contained in themselves for certain."""
    made = chosen_patterns(terms, seat.counts, seat.spare)[0]
    laws = [(number, terms[place][at].law) for place, kind in enumerate(made) for at, number in kind.items()]
    used = sorted((each for each in laws if len(each[1]) > 1), key=lambda each: -each[0])
    return tuple(law for _, law in used[: _MOST_BASES - 1])


def _bound(
    coins: Coins,
    contained: Sequence[Sequence[Contained]],
    terms: Sequence[Sequence[Term]],
    seats: Sequence[Seat],
) -> WorstTerms:
    """The bound by these coins."""
    numbers = {(seat.counts, seat.spare): 0 for seat in seats}
    for place, key in enumerate(numbers):
        numbers[key] = place
    worth = max(_least_worth(contained, terms, *key) for key in numbers)
    rates = rates_for(worth)
    exponents = [[each.exponents(rates) for each in kind] for kind in contained]
    least = [
        [least_total(_priced(terms, counts, exponents, at), spare) for at in range(len(rates))]
        for counts, spare in numbers
    ]
    width = max(len(seat.first) for seat in seats)
    first, second = (
        np.stack([np.pad(getattr(seat, name), (0, width - len(seat.first))) for seat in seats])
        for name in ("first", "second")
    )
    kinds = np.array([numbers[seat.counts, seat.spare] for seat in seats])
    return WorstTerms(coins, Views(first, second), kinds, np.array(least) * (1 - 1e-9), worth)


def _priced(
    terms: Sequence[Sequence[Term]], counts: Sequence[int], values: Sequence[Sequence[Array]], at: int
) -> list[Priced]:
    return [
        Priced(count, np.array([term.cost for term in kind]), np.array([float(each[at]) for each in own]))
        for kind, count, own in zip(terms, counts, values, strict=True)
    ]


def _least_worth(
    contained: Sequence[Sequence[Contained]], terms: Sequence[Sequence[Term]], counts: Sequence[int], spare: int
) -> float:
    means = [[np.array([each.mean]) for each in kind] for kind in contained]
    return least_total(_priced(terms, counts, means, 0), spare)


def _grown(
    terms: Sequence[Sequence[Term]], seat: Seat, start: tuple[Array, ...]
) -> tuple[Coins | None, list[list[Contained]]]:
    """Bases are added one at a time: the one with which the worst choice still has most coins."""
    found: tuple[Coins | None, list[list[Contained]]] = (None, [])
    bases, most = start, 0.0
    if start:
        most, coins, contained = _made(terms, seat, start)
        found = coins, contained
    menu = _menu(terms)
    while len(bases) < _MOST_BASES:
        best = max((_made(terms, seat, (*bases, base)) for base in menu), key=lambda each: each[0])
        if best[0] <= most * _WORTH_A_BASE:
            break
        most, found, bases = best[0], (best[1], best[2]), best[1].bases
    return found[0], found[1]


def _made(
    terms: Sequence[Sequence[Term]], seat: Seat, bases: tuple[Array, ...]
) -> tuple[float, Coins, list[list[Contained]]]:
    """Makes coins of these bases.

    Returns:
        The least total worth over all choices; the coins; and how many of them each term contains.
    """
    coins = Coins.of(bases)
    contained = [[coins.contained(term.law) for term in kind] for kind in terms]
    return _least_worth(contained, terms, seat.counts, seat.spare), coins, contained


def _menu(terms: Sequence[Sequence[Term]]) -> list[Array]:
    """Coins of several chances, dice, and what patterns leave."""
    menu = [np.array([1 - chance, chance]) for chance in _PROBABILITIES]
    menu += [np.array([chance, 1 - chance]) for chance in _PROBABILITIES[:3]]
    widest = max((len(term.law) for kind in terms for term in kind), default=1)
    menu += [np.full(size, 1 / size) for size in (3, 4) if size <= widest]
    for kind in terms:
        spread = sorted((term for term in kind if variance(term.law) > 0), key=lambda each: variance(each.law))
        for term in spread[:_MOST_LAWS]:
            if not any(len(term.law) == len(law) and np.allclose(term.law, law) for law in menu):
                menu.append(term.law)
    return menu
