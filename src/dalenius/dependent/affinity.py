"""The affinity graph of profiles: who is like whom (DDP §VII-B), without ever holding a number for every pair.

An edge where |dᵢᵀdⱼ| / (‖dᵢ‖ ‖dⱼ‖) > threshold. DDP prints ‖·‖₁ at all three: around the numerator it is the absolute
value of a number; in the denominator, with norm=1, a person would be like nobody, not even themselves, unless one
attribute makes up nearly all of a profile: of k equal attributes the quotient is 1/k. So it is read as Euclidean, and
the quotient is the cosine."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.dependent.graphs import Edges
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray

BLOCK: Final = 2048
"""People a side of a block: 32 MiB of quotients."""
CHUNK: Final = 2**12
"""Pairs decided at once in whole numbers."""
MOST_EDGES: Final = 50_000_000


@final
@dataclass(frozen=True, eq=False)
class Affinity:
    """The graph of profiles (people, k): nothing is computed before it is asked for, and then block by block.

    without_profile: people whose row has a NaN or is 0 everywhere; they are like nobody. Quotients within rounding of
    the threshold are decided in whole numbers, exactly, so that every processor decides the same.
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

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[IntArray, IntArray]]:
        """The edges, first < second, a block of size² pairs at a time; each once, in no order."""
        whose = np.flatnonzero(self.has_profile)
        given = self.profiles[whose]
        # A quotient is that of its rows times any powers of 2, and squares neither overflow nor vanish.
        rows = np.ldexp(given, -np.frexp(np.abs(given).max(axis=1, initial=1e-300))[1][:, None])
        unit = rows / np.linalg.norm(rows, ord=self.norm, axis=1, keepdims=True)
        threshold, doubt = float(self.threshold), (rows.shape[1] + 8) * 2.0**-50
        for top in range(0, len(unit), size):
            for left in range(top, len(unit), size):
                quotients = np.abs(unit[top : top + size] @ unit[left : left + size].T)
                like = quotients > threshold - doubt
                if left == top:
                    like = np.triu(like, 1)
                near = np.flatnonzero(like & (quotients <= threshold + doubt))
                for start in range(0, len(near), CHUNK):
                    first, second = np.unravel_index(near[start : start + CHUNK], like.shape)
                    like[first, second] = self._alike(given[first + top], given[second + left])
                first, second = np.nonzero(like)
                yield whose[first + top], whose[second + left]

    def degrees(self, size: int = BLOCK) -> IntArray:
        """How many people everybody is like (people,)."""
        found = np.zeros(self.people, dtype=np.int64)
        for ends in self.blocks(size):
            for end in ends:
                found += np.bincount(end, minlength=self.people)
        return found

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

    def _alike(self, first: Array, second: Array) -> NDArray[np.bool_]:
        """(q · inner)² > p² · N · N′ row by row, in Python's whole numbers: threshold p/q, squared norms N."""
        one, other = _whole(first), _whole(second)
        p, q = self.threshold.numerator, self.threshold.denominator
        squares = [(each**2).sum(axis=1) if self.norm == 2 else abs(each).sum(axis=1) ** 2 for each in (one, other)]
        return np.asarray((q * (one * other).sum(axis=1)) ** 2 > p * p * squares[0] * squares[1], dtype=np.bool_)


def _whole(rows: Array) -> NDArray[Any]:
    """Each row times a power of 2 that makes all of it whole, as Python's own numbers."""
    mantissas, exponents = np.frexp(rows)
    least = np.min(exponents, axis=1, keepdims=True, where=rows != 0, initial=2**11)
    shifts = np.where(rows != 0, exponents - least, 0)
    return np.asarray(np.ldexp(mantissas, 53).astype(np.int64).astype(object) << shifts.astype(object))


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
