"""A credal set: all laws whose probabilities lie in given intervals (Theory §21)."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import comb, fsum
from typing import Final, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array
from dalenius.schema import Chance, ends_of

SAME: Final = 1e-12
"""Intervals no wider than this, once tightened, are one law: sums of probabilities are known to no more."""
LOOSE: Final = 1e-9
"""By how much the ends' sums may miss 1, as a law's own sum may."""
MOST_VERTICES: Final = 2_000_000


@final
class Box:
    """{p: lower <= p <= upper, sum p = 1}, never empty; lower and upper (m,) are tightened: each end is attained.

    InputError (probabilities) where no law is inside, to 1e-9.
    """

    def __init__(self, lower: Sequence[float] | Array, upper: Sequence[float] | Array) -> None:
        low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        least, most = fsum(low), fsum(high)
        inside = low.ndim == 1 and low.shape == high.shape and bool((low >= 0).all() and (low <= high).all())
        if not inside or not (least <= 1 + LOOSE and most >= 1 - LOOSE):
            wanted = f"intervals with a law inside (lower ends sum to {least:.12g}, upper ends to {most:.12g})"
            raise InputError("probabilities", [list(map(float, each)) for each in zip(low, high, strict=False)], wanted)
        if least > 1:
            low = low / least
            high = low.copy()
        elif most < 1:
            low = high = high / most
        else:
            room, slack = 1 - fsum(low), fsum(high) - 1
            low, high = np.maximum(low, high - slack), np.minimum(high, low + room)
        low.flags.writeable = high.flags.writeable = False
        self.lower, self.upper = low, high

    @classmethod
    def of(cls, row: Sequence[Chance]) -> "Box":
        """Of a row of numbers and intervals (`schema.Chances`)."""
        ends = [ends_of(each) for each in row]
        if all(low == high for low, high in ends):
            return cls.exactly([low for low, _ in ends])
        return cls([low for low, _ in ends], [high for _, high in ends])

    @classmethod
    def exactly(cls, law: Sequence[float] | Array) -> "Box":
        """Of one law, kept to the last digit."""
        box = cls.__new__(cls)
        box.lower = box.upper = np.array(law, dtype=np.float64)
        return box

    def __len__(self) -> int:
        return len(self.lower)

    @cached_property
    def is_point(self) -> bool:
        """Whether it holds one law only, to 1e-12 of each probability."""
        return bool((self.upper - self.lower).max() <= SAME)

    @cached_property
    def point(self) -> Array:
        """The law (m,) in the middle; the only one where `is_point`. Sums to 1 to the last digits."""
        room = 1 - fsum(self.lower)
        width = self.upper - self.lower
        total = fsum(width)
        found = self.lower + width * (room / total) if total > 0 else self.lower
        return np.asarray(np.clip(found, self.lower, self.upper))

    @cached_property
    def _room(self) -> tuple[Array, float]:
        """How far each probability can rise (m,), and all of them together."""
        return self.upper - self.lower, 1 - fsum(self.lower)

    def contains(self, law: Sequence[float] | Array, slack: float = 1e-12) -> bool:
        """Whether a law (m,) is inside, each probability and the sum to `slack`."""
        own = np.asarray(law, dtype=np.float64)
        if own.shape != self.lower.shape or abs(fsum(own) - 1) > slack:
            return False
        return bool((own >= self.lower - slack).all() and (own <= self.upper + slack).all())

    def best(self, gains: Array) -> Array:
        """The laws (.., m) that make gains (.., m)·law largest: mass goes to the largest gains first, of equal gains to
        the first."""
        order = np.argsort(-gains, axis=-1, kind="stable")
        width, free = self._room
        room = width[order]
        filled = np.cumsum(room, axis=-1)
        taken = np.clip(free - (filled - room), 0.0, room)
        law = np.empty(gains.shape)
        np.put_along_axis(law, order, taken, axis=-1)
        return np.asarray(self.lower + law)

    def largest(self, gains: Array) -> Array:
        """The largest gains (.., m)·law over the set (..,), rounded; attained by `best`."""
        return np.asarray((gains * self.best(gains)).sum(axis=-1))

    def smallest(self, costs: Array) -> Array:
        """The smallest costs (.., m)·law (..,)."""
        return np.asarray(-self.largest(-costs))

    def shares(self, part: Array, whole: Array) -> tuple[float, float]:
        """The smallest and the largest part·p / whole·p, to 1e-12 from outside; part and whole (m,), none negative, and
        part 0 where whole is."""
        there = (whole > 0) & (self.upper > 0)
        each = part[there] / whole[there]
        return self._least_share(part, whole, float(each.min())), 1 - self._least_share(
            whole - part, whole, 1 - float(each.max())
        )

    def _least_share(self, part: Array, whole: Array, below: float) -> float:
        """No more than the smallest quotient, which is no less than `below` (Dinkelbach 1967)."""
        share = below if (whole @ self.point) == 0 else float(part @ self.point / (whole @ self.point))
        for _ in range(40):
            law = self.best(share * whole - part)
            if not whole @ law > 0:
                return below
            found = float(part @ law / (whole @ law))
            if not found < share:
                break
            share = found
        share = share - 1e-12 * abs(share) - 1e-15
        return max(share, below) if float(self.smallest(part - share * whole)) >= 0 else below

    def exchanged(self, law: Array, shares: Array) -> Array:
        """The law (m,), and it with shares of what one probability can spare given to another (laws, m)."""
        up, down = np.flatnonzero(law < self.upper), np.flatnonzero(law > self.lower)
        more, less = (each.ravel() for each in np.meshgrid(up, down, indexing="ij"))
        more, less = more[more != less], less[more != less]
        room = np.minimum(self.upper[more] - law[more], law[less] - self.lower[less])
        shift = (room[:, None] * shares).ravel()
        tried = np.tile(law, (len(shift) + 1, 1))
        rows = np.arange(len(shift))
        tried[rows, np.repeat(more, len(shares))] += shift
        tried[rows, np.repeat(less, len(shares))] -= shift
        return np.clip(tried, self.lower, self.upper)

    @property
    def vertex_bound(self) -> int:
        """No more vertices than this."""
        free = int((self.upper > self.lower).sum())
        return max(1, free * comb(max(free - 1, 0), max(free - 1, 0) // 2))

    def vertices(self) -> Array:
        """All extreme laws (v, m), in lexicographic order: at most one probability is strictly within its interval.

        TooLarge where there may be more than two million of them.
        """
        return self._extreme

    @cached_property
    def _extreme(self) -> Array:
        if (self.upper > self.lower).sum() > 20 or self.vertex_bound > MOST_VERTICES:
            raise TooLarge("vertices", f"{len(self)} intervals", "linear maxima need none of them")
        found = {tuple(round(chance, 13) for chance in each): each for each in self._vertices()}
        laws = np.array([found[key] for key in sorted(found)])
        laws.flags.writeable = False
        return laws

    def _vertices(self) -> Iterator[list[float]]:
        free = np.flatnonzero(self.upper > self.lower)
        if not len(free):
            yield self.lower.tolist()
            return
        sides = np.array(list(product((False, True), repeat=len(free) - 1)), dtype=bool)
        for place in range(len(free)):
            others = np.delete(free, place)
            laws = np.broadcast_to(self.lower, (len(sides), len(self))).copy()
            laws[:, others] = np.where(sides, self.upper[others], self.lower[others])
            rest = 1 - (laws.sum(axis=1) - laws[:, free[place]])
            fits = (rest >= self.lower[free[place]] - 1e-15) & (rest <= self.upper[free[place]] + 1e-15)
            laws[:, free[place]] = np.clip(rest, self.lower[free[place]], self.upper[free[place]])
            yield from laws[fits].tolist()

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        """Laws (n, m) from all over the set, not uniform: half of them mixtures of extreme laws in random directions,
        half each probability in a random order uniform in what the earlier leave it."""
        half = n // 2
        corners = self.best(rng.standard_normal((half, 3, len(self))))
        mixed = np.einsum("nk,nkm->nm", rng.dirichlet(np.full(3, 0.7), half), corners)
        return np.concatenate([mixed, self._in_turn(rng, n - half)])

    def _in_turn(self, rng: np.random.Generator, n: int) -> Array:
        order = np.argsort(rng.random((n, len(self))), axis=1)
        low, high = self.lower[order], self.upper[order]
        below = low[:, ::-1].cumsum(axis=1)[:, ::-1] - low
        above = high[:, ::-1].cumsum(axis=1)[:, ::-1] - high
        left, drawn = np.ones(n), np.empty((n, len(self)))
        for place in range(len(self)):
            least = np.maximum(low[:, place], left - above[:, place])
            most = np.maximum(least, np.minimum(high[:, place], left - below[:, place]))
            drawn[:, place] = least + (most - least) * rng.random(n)
            left = left - drawn[:, place]
        laws = np.empty_like(drawn)
        np.put_along_axis(laws, order, drawn, axis=1)
        return np.clip(laws, self.lower, self.upper)
