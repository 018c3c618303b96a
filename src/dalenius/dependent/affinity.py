"""The affinity graph of profiles: who is like whom (DDP §VII-B), without ever holding a number for every pair.

An edge where |dᵢᵀdⱼ| / (‖dᵢ‖ ‖dⱼ‖) > threshold. DDP prints ‖·‖₁ at all three: around the numerator it is the absolute
value of a number; in the denominator, with norm=1, a person would be like nobody, not even themselves, unless one
attribute makes up nearly all of a profile: of k equal attributes the quotient is 1/k. So it is read as Euclidean, and
the quotient is the cosine."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Final, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.dependent.graphs import Edges
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray

BLOCK: Final = 2048
"""People a side of a block: 16 MiB of quotients in single precision."""
CHUNK: Final = 2**18
"""Pairs decided at once in double precision."""
MOST_EDGES: Final = 50_000_000
WHOLE: Final = 2.0**20
"""Whole numbers up to it have inner products that doubles hold, of up to 2^12 attributes."""

Pairs = tuple[IntArray, IntArray]


@final
@dataclass(frozen=True, eq=False)
class Affinity:
    """The graph of profiles (people, k): nothing is computed before it is asked for, and then block by block.

    without_profile: people whose row has a NaN or is 0 everywhere; they are like nobody. Quotients are computed in
    single precision, and those within its error of the threshold again in double precision: the inner product and the
    norms attribute by attribute, in the order given, so that every processor decides the same. Where profiles are whole
    numbers up to 2^20, those within rounding of the threshold are decided in whole numbers, exactly.

    Of the people with a profile, `whose` (m,): rows (m, k) scaled by powers of 2; norms (m,) of these; whole: rows as
    whole numbers where they are, else None.
    """

    profiles: Array
    threshold: Fraction
    norm: Literal[1, 2]
    has_profile: NDArray[np.bool_]

    @property
    def people(self) -> int:
        return len(self.profiles)

    @property
    def without_profile(self) -> int:
        return int(np.count_nonzero(~self.has_profile))

    @cached_property
    def whose(self) -> IntArray:
        return np.flatnonzero(self.has_profile)

    @cached_property
    def rows(self) -> Array:
        # A quotient is that of its rows times any powers of 2, and squares neither overflow nor vanish.
        given = self.profiles[self.whose]
        return np.asarray(np.ldexp(given, -np.frexp(np.abs(given).max(axis=1, initial=1e-300))[1][:, None]))

    @cached_property
    def norms(self) -> Array:
        rows = self.rows
        return np.sqrt(_summed(rows, rows)) if self.norm == 2 else _summed(np.abs(rows), np.ones_like(rows))

    @cached_property
    def whole(self) -> IntArray | None:
        given = self.profiles[self.whose]
        small = given.size and np.abs(given).max() <= WHOLE and given.shape[1] <= 2**12
        return given.astype(np.int64) if small and np.array_equal(given, np.rint(given)) else None

    def blocks(self, size: int = BLOCK) -> Iterator[Pairs]:
        """The edges, first < second, a block of size² pairs at a time; each once, in no order."""
        for top, left, like in self._blocks(size):
            first, second = np.nonzero(like)
            yield self.whose[first + top], self.whose[second + left]

    def degrees(self, size: int = BLOCK) -> IntArray:
        """How many people everybody is like (people,)."""
        found = np.zeros(len(self.whose), dtype=np.int64)
        for top, left, like in self._blocks(size):
            found[top : top + like.shape[0]] += np.count_nonzero(like, axis=1)
            found[left : left + like.shape[1]] += np.count_nonzero(like, axis=0)
        everybody = np.zeros(self.people, dtype=np.int64)
        everybody[self.whose] = found
        return everybody

    def edges(self, most: int = MOST_EDGES) -> Edges:
        """All edges at once. TooLarge where there are more than `most`: then `degrees` or `blocks` will do."""
        found, total = [np.zeros(0, dtype=np.int64)], 0
        for first, second in self.blocks():
            total += len(first)
            if total > most:
                raise TooLarge("an affinity graph", f"more than {most:,} edges", "use its degrees, or its blocks")
            found.append(first * self.people + second)
        pairs = np.sort(np.concatenate(found))
        return Edges(self.people, pairs // self.people, pairs % self.people)

    def _blocks(self, size: int) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
        """Its first row, its first column, and who of them are alike, each pair once: first < second."""
        threshold, unit = np.float32(float(self.threshold)), (self.rows / self.norms[:, None]).astype(np.float32)
        doubt = np.float32((self.rows.shape[1] + 8) * 2.0**-23)
        for top in range(0, len(unit), size):
            for left in range(top, len(unit), size):
                quotients = np.abs(unit[top : top + size] @ unit[left : left + size].T)
                like = quotients > threshold - doubt
                if left == top:
                    like = np.triu(like, 1)
                near = np.flatnonzero(like & (quotients <= threshold + doubt))
                for start in range(0, len(near), CHUNK):
                    first, second = np.unravel_index(near[start : start + CHUNK], like.shape)
                    like[first, second] = self._alike(first + top, second + left)
                yield top, left, like

    def _alike(self, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
        """By double precision."""
        inner = np.abs(_summed(self.rows[first], self.rows[second]))
        size = self.norms[first] * self.norms[second]
        bound = float(self.threshold) * size
        found = np.asarray(inner > bound)
        if self.whole is not None:
            close = np.flatnonzero(np.abs(inner - bound) <= (self.rows.shape[1] + 8) * 2.0**-51 * size)
            found[close] = self._exactly(self.whole, first[close], second[close])
        return found

    def _exactly(self, whole: IntArray, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
        """(q · inner)² > p² · N · N′ in Python's whole numbers, for the threshold p/q and squared norms N."""
        inner = (whole[first] * whole[second]).sum(axis=1).astype(object)
        squares = (whole**2).sum(axis=1) if self.norm == 2 else np.abs(whole).sum(axis=1).astype(object) ** 2
        squares = squares.astype(object)
        p, q = self.threshold.numerator, self.threshold.denominator
        return np.asarray((q * inner) ** 2 > p * p * squares[first] * squares[second], dtype=np.bool_)


def affinity(profiles: ArrayLike, threshold: float = 0.8, norm: Literal[1, 2] = 2) -> Affinity:
    """The graph of people whose profiles (people, k) have a quotient above the threshold, a decimal as it is written.

    InputError unless profiles are rows of numbers, none infinite, the threshold from 0 to 1 and the norm 1 or 2.
    """
    given = np.asarray(profiles, dtype=np.float64)
    if given.ndim != 2 or not given.size:
        raise InputError("profiles", f"of shape {given.shape}", "a row of attributes for each person")
    infinite = np.flatnonzero(np.isinf(given).any(axis=1))
    if len(infinite):
        raise InputError(
            f"profiles row {infinite[0] + 1}", "infinite", "finite numbers, or NaN for people without profile"
        )
    if not (isfinite(threshold) and 0 <= threshold < 1):
        raise InputError("threshold", threshold, "a number of at least 0 and below 1")
    if norm not in (1, 2):
        raise InputError("norm", norm, "1 or 2")
    has_profile = ~np.isnan(given).any(axis=1) & (given != 0).any(axis=1)
    return Affinity(given, Fraction(str(threshold)), norm, has_profile)


def _summed(rows: Array, others: Array) -> Array:
    """Inner products row by row, attribute after attribute: no matrix product, whose order is the processor's own."""
    total = np.zeros(len(rows))
    for column in range(rows.shape[1]):
        total += rows[:, column] * others[:, column]
    return total
