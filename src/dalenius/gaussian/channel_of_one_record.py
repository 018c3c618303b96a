"""The channel of one Gaussian record: the answers given x_i are N(a_i + c_i (x_i - μ_i), V_i), and then noise is added.

c_i = Cov(q, X_i)/Var(X_i) and V_i = Var(q) - c_i c_i' Var(X_i) come, for all people, from one product of the covariance
with the queries' weights: O(n²) and exact. A residual variance is a difference of two nearly equal numbers. So they are
rationals here, and become doubles last. Take two records of variance 1 and covariance ½, and their sum: c = 3/2 and V =
¾, and Gaussian noise of deviation 3 leaves ρ² = 3/16 of a record explained.

>>> from dalenius.noise import Gaussian
>>> law = GaussianLaw(np.zeros(2), np.array([[1.0, 0.5], [0.5, 1.0]]), ("", ""))
>>> record = next(gaussian_records(law, [[Fraction(1), Fraction(1)]], Gaussian(scale=3)))
>>> str(record.shift[0]), str(record.residual), str(record.explained)
('3/2', '3/4', '3/16')
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.gaussian.model import GaussianLaw
from dalenius.joints.joint import Subject
from dalenius.limits import Limit
from dalenius.noise import Noise, gaussian_deviation

RationalMatrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
_MOST_ANSWERS: Final = Limit(
    "gaussian.answers",
    16,
    "answers",
    "Answers at once. Their covariance is inverted in rational numbers, whose digits grow.",
)


def _as_written(matrix: Array) -> tuple[Array, Fraction, bool]:
    """Returns numbers and a unit whose exact products are the matrix, and whether they are decimals.

    They are the decimals that the matrix was written in, where 15 digits hold them all, else the doubles themselves.
    """
    largest = float(np.max(np.abs(matrix), initial=0.0))
    for places in range(16):
        scale = 10.0**places
        # A covariance that was estimated: its doubles have seventeen digits, and are taken as they are.
        # Decimals of at most fifteen digits come back from doubles as they were written.
        if largest * scale > (10.0**15):
            break
        if not np.array_equal(np.rint(matrix[0] * scale) / scale, matrix[0]):
            continue
        integers = np.rint(matrix * scale)
        if np.array_equal(integers / scale, matrix):
            return integers, Fraction(1, 10**places), True
    return matrix, Fraction(1), False


def exact_products(matrix: Array, columns: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Returns matrix (n, n) times each of the columns (n,), as (columns, n), in whole numbers without rounding."""
    unit = lcm(*(number.denominator for column in columns for number in column))
    weights = np.array([[int(number * unit) for number in column] for column in columns], dtype=object).T
    mantissas, exponents = np.frexp(matrix)
    least = int(np.min(exponents, where=mantissas != 0, initial=0))
    products = []
    for mantissa, exponent in zip(mantissas, exponents, strict=True):
        integers = np.ldexp(mantissa, 53).astype(np.int64).astype(object) << np.maximum(exponent - least, 0).astype(
            object
        )
        products.append(integers @ weights)
    scale = Fraction(2) ** (least - 53) / unit
    return [[int(number) * scale for number in column] for column in zip(*products, strict=True)]


def inverse(matrix: Sequence[Sequence[Fraction]]) -> tuple[RationalMatrix, Fraction]:
    """Inverts a symmetric positive semi-definite matrix exactly, on its range.

    Args:
        matrix: The matrix (k, k). Rows that depend on earlier ones are left out: their rows and columns become zero.

    Returns:
        The inverse (k, k), and the determinant of `matrix`.
    """
    size, determinant = len(matrix), Fraction(1)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    kept: list[int] = []
    for pivot in range(size):
        determinant *= rows[pivot][pivot]
        # If one sum is asked twice, the second row says nothing new.
        if rows[pivot][pivot] == 0:
            continue
        kept.append(pivot)
        lead = rows[pivot][pivot]
        rows[pivot] = [value / lead for value in rows[pivot]]
        for i in range(size):
            if i != pivot and rows[i][pivot] != 0:
                factor = rows[i][pivot]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[pivot], strict=True)]
    found = (
        tuple(rows[i][size + j] if i in kept and j in kept else Fraction(0) for j in range(size)) for i in range(size)
    )
    return tuple(found), determinant


@final
@dataclass(frozen=True)
class GaussianRecord:
    """The secret values of one record, all real numbers in principle, and the law of the answers given each.

    Attributes:
        subject: The person, and their secret.
        mean: The record's mean in the prior.
        variance: The record's variance in the prior, above 0.
        shift: c (k,), how far one unit of the record moves each answer.
        centre: The mean of each answer (k,).
        answers: The answers' unconditional covariance before noise (k, k).
        weights: The query's own weights of this record (k,).
        noise: The noise that is added to each answer.
        names: The answers' names (k,).
        pairs: Values that must not be distinguished; None where `bounds` says so.
        bounds: The range of such values, where `pairs` is None; None for all real numbers.
        doubt: A residual share of an answer's variance up to which it counts as 0, the side of more leakage.
    """

    subject: Subject
    mean: Fraction
    variance: Fraction
    shift: tuple[Fraction, ...]
    centre: tuple[Fraction, ...]
    answers: RationalMatrix
    weights: tuple[Fraction, ...]
    noise: Noise
    names: tuple[str, ...] = ("",)
    pairs: tuple[tuple[Fraction, Fraction], ...] | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    doubt: Fraction = Fraction(0)

    @property
    def is_laplace(self) -> bool:
        """Whether the noise is Laplace's; if not, it is Gaussian, or none."""
        return self.noise.shape.exponential and not self.noise.shape.needs_lattice

    @property
    def idle(self) -> bool:
        """Whether the answers do not depend on this record at all."""
        return not any(self.shift)

    @property
    def residual(self) -> Fraction:
        """v: a single answer's residual variance, given the record."""
        left = self.answers[0][0] - self.shift[0] ** 2 * self.variance
        return left if left > self.doubt * self.answers[0][0] else Fraction(0)

    @cached_property
    def widest(self) -> tuple[Fraction, Fraction] | None:
        """The two values of largest distance that must not be distinguished; None where all real numbers are."""
        if self.pairs is not None:
            return max(self.pairs, key=lambda pair: abs(pair[0] - pair[1]))
        return None if self.bounds is None else (self.bounds[1], self.bounds[0])

    @cached_property
    def farthest(self) -> Fraction | None:
        """The secret value furthest from the record's mean; None where there is none."""
        values = [v for pair in self.pairs for v in pair] if self.pairs is not None else list(self.bounds or ())
        return max(values, key=lambda value: abs(value - self.mean)) if values else None

    @cached_property
    def explained(self) -> Fraction:
        """ρ²: the share of the record's variance that the answers plus Gaussian noise explain, in [0, 1].

        The posterior of the record has variance (1 - ρ²) Var(X_i); by Sherman and Morrison ρ² = Var(X_i) c' M⁻¹ c, M
        the unconditional covariance of the noisy answers. Only for Gaussian noise or none.
        """
        scale = Fraction(gaussian_deviation(self.noise))
        solved, _ = inverse_of(self.answers, scale**2)
        rows = [dot(row, self.shift) for row in solved]
        form = dot(self.shift, rows)
        share = self.variance * form
        return share if 1 - share > (self.doubt if scale == 0 else 0) else Fraction(1)


def dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Returns the inner product of `one` and `other`, exactly."""
    return sum((a * b for a, b in zip(one, other, strict=True) if a), Fraction(0))


@lru_cache(maxsize=64)
def inverse_of(answers: RationalMatrix, added: Fraction) -> tuple[RationalMatrix, Fraction]:
    """Inverts the `answers`' covariance (k, k) with the variance `added` on its diagonal, as `inverse` does."""
    return inverse([[x + (added if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(answers)])


def gaussian_records(
    records: GaussianLaw,
    weights: Sequence[Sequence[Fraction]],
    noise: Noise,
    names: tuple[str, ...] = ("",),
    pairs: Iterable[tuple[float, float]] | None = None,
    people: Iterable[int] | None = None,
) -> Iterator[GaussianRecord]:
    """Yields the channel of every person whose record is a secret and varies.

    A residual variance within the covariance's own rounding of 0 counts as 0: the side of more leakage.

    Args:
        records: The law of all n records.
        weights: The weight of each record in each answer (k, n).
        noise: The noise that is added to each answer.
        names: The answers' names (k,); one nameless answer by default.
        pairs: Pairs of values that must not be distinguished; None for the law's bounds.
        people: Numbers of people, from 1; None for all whose records are secrets.

    Raises:
        TooLarge: If there are more than MOST_ANSWERS answers.
    """
    if len(weights) > _MOST_ANSWERS:
        raise TooLarge(
            "normal records", f"{len(weights)} answers at once", f"ask at most {_MOST_ANSWERS}", _MOST_ANSWERS
        )
    matrix, unit, decimal = _as_written(records.covariance)
    cross = exact_products(matrix, weights)
    answers = tuple(tuple(dot(one, other) * unit for other in cross) for one in weights)
    means = [_decimal(value) for value in records.mean]
    centre = tuple(dot(row, means) for row in weights)
    exact_pairs = None if pairs is None else tuple((_decimal(a), _decimal(b)) for a, b in pairs)
    bounds = None if records.bounds is None else (_decimal(records.bounds[0]), _decimal(records.bounds[1]))
    doubt = Fraction(0) if decimal or records.firm else 64 * len(means) * Fraction(UNIT)
    for person in records.people if people is None else people:
        place = person - 1
        subject = records.subject_of(person)
        variance = Fraction(float(matrix[place, place])) * unit
        if variance == 0:  # known to the adversary, or determined by what is
            continue
        shift = tuple(column[place] * unit / variance for column in cross)
        own = tuple(row[place] for row in weights)
        yield GaussianRecord(
            subject, means[place], variance, shift, centre, answers, own, noise, names, exact_pairs, bounds, doubt
        )  # fmt: skip


def _decimal(value: float) -> Fraction:
    """Returns the shortest decimal that the double is read from."""
    return Fraction(str(float(value)))
