"""The coins that stretches of a chain contain, and bounds of δ over every set of known records (Result 7.16).

Known records cut a chain into stretches (`chain_fractions.py`). The least total of so many stretches of so many records
lies on the lower hull of numbers over lengths. Several families of coins are kept: stretches themselves, as coins, vary
most, and small coins are in short stretches too, so that hardly any choice is without them.

Take two hundred days, each as the day before with probability .9 or .8. Twenty may be known:

>>> chain = ChainFractions(200, np.array([2 / 3, 1 / 3]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]), 20)
>>> [len(bound.coins.bases) for bound in coin_bounds(chain)]
[3, 2, 2, 1]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.knowledge.chain_fractions import ChainFractions
from dalenius.knowledge.coins import Coins, Contained, WorstTerms, rates_for

# The longest stretch of which coins are sought by a linear programme.
_LONGEST: Final = 14
# Families that are kept, by how many bases they have: few bases make numbers of coins that are known more closely.
_KEPT: Final = {1: 1, 2: 2, 3: 1}


def coin_bounds(chain: ChainFractions) -> list[WorstTerms]:
    """Bounds δ over every set of known records.

    Args:
        chain: The chain, and how many records may be known.

    Returns:
        Bounds by several families of coins, of which each holds.
    """
    outside = [chain.terms(*chain.windows[place]) for place in chain.views[1]]
    numbers = {key: place for place, key in enumerate(dict.fromkeys(outside))}
    kinds = np.array([numbers[key] for key in outside], dtype=np.int64)
    typical = (max(records for records, _ in numbers), max(terms for _, terms in numbers))
    found = list[WorstTerms]()
    for family in _kept(chain, typical):
        worth = float(family.least(None, list(numbers)).max())
        least = family.least(rates_for(worth), list(numbers))
        found.append(WorstTerms(family.coins, chain.views[0], kinds, least * (1 - 1e-9), worth))
    return found


@final
@dataclass(frozen=True, eq=False)
class _Family:
    """Coins of a family of bases, and those that stretches contain, by length and by the values at the ends."""

    chain: ChainFractions
    coins: Coins
    contained: Sequence[Sequence[Contained]]

    @classmethod
    def of(cls, chain: ChainFractions, bases: tuple[Array, ...]) -> "_Family":
        """Finds the coins, of these `bases`, of each stretch of `chain` that is short enough for a linear programme."""
        coins = Coins.of(bases)
        return cls(chain, coins, [_contained(chain, coins, length) for length in range(_longest(chain) + 1)])

    def least(self, rates: Array | None, outside: Sequence[tuple[int, int]]) -> Array:
        """Returns the least total of exponents at each rate, or of worth, over all stretches (cases, rates).

        Args:
            rates: The rates λ (rates,); None for the worth on average.
            outside: By case, how many records at most so many stretches take.
        """
        return _least(_table(self.chain, self.contained, rates), outside)


def _kept(chain: ChainFractions, typical: tuple[int, int]) -> list[_Family]:
    """The families of most worth by how many bases they have, the best two of two bases."""
    tried = list[tuple[float, _Family]]()
    for bases in _families(chain, typical[0] / typical[1]):
        family = _Family.of(chain, bases)
        tried.append((float(family.least(None, [typical])[0, 0]), family))
    tried.sort(key=lambda each: -each[0])
    ranked = [family for worth, family in tried if worth > 0] or [tried[0][1]]
    return [
        family
        for place, family in enumerate(ranked)
        if sum(len(other.coins.bases) == len(family.coins.bases) for other in ranked[:place])
        < _KEPT[len(family.coins.bases)]
    ]


def _longest(chain: ChainFractions) -> int:
    taken = chain.n / (chain.known + 1)
    return max(1, min(_LONGEST, chain.n - 2, ceil(1.7 * taken) + 1))


def _contained(chain: ChainFractions, coins: Coins, length: int) -> list[Contained]:
    """The coins of a stretch of that length, for each two values at its ends."""
    least = dict[bytes, Array]()
    laws = chain.stretch(length).reshape(chain.states**2, -1)
    # Turned around a stretch of a reversible chain has the same law, but for the last digits.
    keys = [law.round(13).tobytes() for law in laws]
    for key, law in zip(keys, laws, strict=True):
        least[key] = np.minimum(least.get(key, law), law)
    found = {key: coins.contained(law) for key, law in least.items()}
    return [found[key] for key in keys]


def _table(chain: ChainFractions, contained: Sequence[Sequence[Contained]], rates: Array | None) -> Array:
    """By length the least exponent at each rate (lengths, rates), or worth on average, over the values at the ends.

    A longer stretch has a record within told: each of its two parts has coins, whatever the value there.
    """
    k = chain.states
    first = [[np.array([each.mean]) if rates is None else each.exponents(rates) for each in row] for row in contained]
    table = [np.array(row).reshape(k, k, -1) for row in first]
    for length in range(1, chain.n):
        best = table[length] if length < len(table) else np.zeros_like(table[0])
        for part in range(min(length, len(contained))):
            told = np.min(table[part][:, :, None] + table[length - 1 - part][None], axis=1)
            best = np.maximum(best, told)
        if length < len(table):
            table[length] = best
        else:
            table.append(best)
    return np.array([each.reshape(k * k, -1).min(axis=0) for each in table])


def _least(table: Array, outside: Sequence[tuple[int, int]]) -> Array:
    """The least total (cases, rates) of at most so many stretches that take so many records."""
    records, terms = (np.array(each, dtype=np.float64) for each in zip(*outside, strict=True))
    found = np.zeros((len(outside), table.shape[1]))
    lengths = np.arange(len(table) + 1)
    for rate in range(table.shape[1]):
        # A stretch of length L takes L + 1 records; one that is not there, none.
        values = np.append(0.0, table[:, rate])
        corners = _lower_hull(lengths, values)
        found[:, rate] = terms * np.interp(records / terms, lengths[corners], values[corners])
    return found


def _families(chain: ChainFractions, taken: float) -> Iterator[tuple[Array, ...]]:
    """Families of bases, for stretches that take so many records each."""
    half = np.array([0.5, 0.5])
    dice = [np.full(size, 1 / size) for size in (3, 4, 6)]
    yield (half,)
    for each in dice[: 1 if taken < 4 else 3]:
        yield (each,)
        yield half, each
    for length in dict.fromkeys((1, max(1, round(taken * 0.55)), max(1, round(taken) - 1))):
        laws = list[Array]()
        for law in chain.stretch(min(length, _longest(chain))).reshape(chain.states**2, -1):
            if not any(np.allclose(law, other) for other in laws):
                laws.append(law)
        if len(laws) <= 3:
            yield tuple(laws)


def _lower_hull(places: IntArray, values: Array) -> IntArray:
    """The corners of the lower convex hull."""
    corners = list[int]()
    for at in range(len(places)):
        while len(corners) > 1:
            one, two = corners[-2], corners[-1]
            slope = (values[at] - values[one]) * (places[two] - places[one])
            if slope > (values[two] - values[one]) * (places[at] - places[one]):
                break
            corners.pop()
        corners.append(at)
    return np.array(corners, dtype=np.int64)
