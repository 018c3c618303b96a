"""What is known of a pipeline: its privacy profile between neighbours, and what that allows a test to do.

A test that flags one data set with probability b flags a neighbour with at most f(b) = min over ε of e^ε b + δ(ε), the
upper trade-off function. f is concave and rises, f(b) >= b, and f(1) = 1 (Result 13.1).
"""

import abc
from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, isfinite
from pathlib import Path
from typing import ClassVar, Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.laws.law_on_lattice import Array
from dalenius.separated_text import separated
from dalenius.spec.spec import text_of

Tangents: TypeAlias = tuple[Array, Array]
"""Slopes and intercepts, one line per entry."""


_STEEPEST: Final = 700.0
"""The log-slope of the steepest line."""
LARGEST_SIZE: Final = 1e6
"""The largest μ or ρ that is taken: above, everything may leak."""


class PrivacyProfile(abc.ABC):
    """E_{e^ε}(M(x)‖M(x′)) <= δ(ε) for every ε and all neighbours x, x′, in both orders.

    An instance stands for what is known of a pipeline, and not for the pipeline: all that has the profile is meant.
    """

    kind: ClassVar[str]
    within: "PrivacyProfile | None" = None
    """A profile that is nowhere larger, for what is attained at least; None where f itself is."""
    pure: float | None = None
    """The ε from which on δ is 0, from above; None where there is none."""

    def of_group(self, steps: int) -> "PrivacyProfile | None":
        """Between data sets so many neighbours apart, where it is one of the same kind; else None."""
        return None

    @abc.abstractmethod
    def delta(self, epsilon: float) -> float:
        """δ(ε), from above; epsilon in nats, of either sign."""

    def delta_at(self, epsilons: Array) -> Array:
        """The same at many."""
        return np.array([self.delta(epsilon) for epsilon in epsilons.tolist()])

    def delta_of(self, changes: int, epsilon: float) -> float:
        """δ(ε) between data sets so many neighbours apart, from above: that of a group, or of one change after another,
        δ(ε/k)(1 + e^{ε/k} + … + e^{(k−1)ε/k}), or at fewer nats each."""
        group = self.of_group(changes)
        if group is not None:
            return group.delta(epsilon)
        # Any number of them is sound.
        each = np.linspace(0.0, epsilon / changes * (1 - 32 * UNIT), 257)
        with np.errstate(over="ignore"):
            folds = np.where(each > 0, np.expm1(changes * each) / np.where(each > 0, np.expm1(each), 1.0), changes)
        return float(min(np.min(self.delta_at(each) * folds) * (1 + 1e-12), 1.0))

    @abc.abstractmethod
    def tangents(self, at: Array) -> Tangents:
        """For each probability a line that is nowhere below f, and nearly f there."""

    @abc.abstractmethod
    def attained(self, at: Array) -> Array:
        """f at these probabilities from below: some mechanism of this profile attains it."""


def lower_hull(across: Array, heights: Array) -> list[int]:
    """The places of the corners of the lower convex hull of points, from left to right."""
    x, y, found = across.tolist(), heights.tolist(), list[int]()
    for place in range(len(x)):
        while len(found) > 1:
            one, middle = found[-2:]
            # The middle point is below the line from the one before it to the new one: it stays a corner.
            if (y[middle] - y[one]) * (x[place] - x[one]) < (y[place] - y[one]) * (x[middle] - x[one]):
                break
            found.pop()
        found.append(place)
    return found


class GuaranteedProfile(PrivacyProfile):
    """A profile that is a list of (ε, δ), ε rising. f, of all that is (ε, δ)-differentially private for each of them,
    is the least of finitely many lines, exact but for rounding."""

    @property
    @abc.abstractmethod
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """The list."""

    def delta(self, epsilon: float) -> float:
        """The least δ that the pairs imply, from above, at ε in nats of either sign: δ is convex in e^ε, and so on or
        below every chord."""
        # Beyond the last row: a table that ends at δ = 1e-5 promises nothing better for larger ε.
        if epsilon >= self.guarantees[-1][0] or epsilon > _STEEPEST:
            return min([1.0, *(d for e, d in self.guarantees if e <= epsilon)])
        folds, heights = self._hull
        return min(1.0, float(np.interp(exp(epsilon), folds, heights)) * (1 + 64 * UNIT) + 8 * UNIT)

    @cached_property
    def _hull(self) -> tuple[Array, Array]:
        """The lower convex hull of the points (e^ε, δ), those at −ε too, from (0, 1) on."""
        pairs = [(e, d) for e, d in self.guarantees if e <= _STEEPEST]
        points = [
            (0.0, 1.0),
            *((exp(-e), mirrored(-e, d)) for e, d in reversed(pairs)),
            *((exp(e), d) for e, d in pairs),
        ]
        folds, heights = (np.array(each) for each in zip(*points, strict=True))
        kept = lower_hull(folds, heights)
        return folds[kept], heights[kept]

    def tangents(self, at: Array) -> Tangents:
        slopes, rises = self._above
        best = np.argmin(slopes * at[..., None] + rises, axis=-1)
        return slopes[best], rises[best]

    def attained(self, at: Array) -> Array:
        slopes, rises = self._below
        low = np.min(slopes * at[..., None] + rises, axis=-1) * (1 - 4 * UNIT)
        return np.asarray(np.where(at >= 1, 1.0, np.clip(low, at, 1.0)))

    @cached_property
    def _above(self) -> Tangents:
        return self._lines(1 + 4 * UNIT)

    @cached_property
    def _below(self) -> Tangents:
        return self._lines(1 - 4 * UNIT)

    def _lines(self, rounding: float) -> Tangents:
        """Both kinds of line of each pair, and the constant 1."""
        epsilons, deltas = np.array(self.guarantees).T
        steep, flat = np.exp(np.minimum(epsilons, _STEEPEST)), np.exp(-epsilons)
        complement = -np.expm1(-epsilons) + flat * deltas
        slopes = np.concatenate([steep * rounding, flat * rounding, [0.0]])
        rises = np.concatenate([deltas, np.minimum(complement * rounding, 1.0), [1.0]])
        kept = np.concatenate([epsilons <= _STEEPEST, np.ones(len(epsilons) + 1, dtype=bool)])
        return slopes[kept], rises[kept]


class _OneGuarantee(GuaranteedProfile):
    """(epsilon, loss)-differential privacy; loss is its δ, which `delta` gives at any other ε."""

    epsilon: float
    loss: float

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        return None if self.loss else self.epsilon

    def delta(self, epsilon: float) -> float:
        return _approximate_delta(epsilon, self.epsilon, self.loss)

    @property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        return ((self.epsilon, self.loss),)


@final
@dataclass(frozen=True)
class PureProfile(_OneGuarantee):
    """Pure ε-differential privacy, in nats. InputError for an epsilon that is not finite and at least 0.

    >>> round(PureProfile(1.0).delta(0.0), 6), PureProfile(1.0).delta(1.0)
    (0.462117, 0.0)
    """

    kind: ClassVar[str] = "pure"
    epsilon: float
    loss: ClassVar[float] = 0.0  # type: ignore[misc]

    def __post_init__(self) -> None:
        _check_number("epsilon", self.epsilon, zero=True)


@final
@dataclass(frozen=True)
class ApproximateProfile(_OneGuarantee):
    """(ε, δ)-differential privacy; loss is the δ. InputError for one outside [0, 1), or an epsilon as of `PureProfile`.

    >>> round(ApproximateProfile(1.0, 0.01).delta(0.0), 6)
    0.467496
    """

    kind: ClassVar[str] = "approximate"
    epsilon: float
    loss: float

    def __post_init__(self) -> None:
        _check_number("epsilon", self.epsilon, zero=True)
        if not 0 <= self.loss < 1:
            raise InputError("delta", self.loss, "a probability below 1")


def _approximate_delta(epsilon: float, given: float, loss: float) -> float:
    """δ + (1 − δ)(e^{ε₀} − e^ε)/(1 + e^{ε₀}) up to ε₀, δ after (Kairouz, Oh and Viswanath 2015), from above."""
    # Rows and networks look at ε below 0 too.
    if epsilon < 0:
        return mirrored(epsilon, _approximate_delta(-epsilon, given, loss))
    if epsilon >= given:
        return loss
    share = -expm1(epsilon - given) / (1 + exp(-given))
    return min(1.0, (loss + (1 - loss) * share) * (1 + 16 * UNIT))


def mirrored(epsilon: float, delta: float) -> float:
    """δ(ε) at a negative ε by that at −ε, from above: 1 − e^ε + e^ε δ(−ε)."""
    return min(1.0, (-expm1(epsilon) + exp(epsilon) * delta) * (1 + 8 * UNIT))


def _check_number(key: str, value: float, zero: bool = False) -> None:
    """InputError where it is not a finite number above 0, or of at least 0."""
    if not (isfinite(value) and (value > 0 or (zero and value == 0))):
        raise InputError(key, value, f"a finite number {'of at least' if zero else 'above'} 0")


def check_size(key: str, value: float) -> None:
    """InputError where it is no number above 0, or one so small or large that doubles do not hold what follows."""
    _check_number(key, value)
    # Below the least one next to nothing can leak.
    if not 1e-12 <= value <= LARGEST_SIZE:
        raise InputError(key, value, f"a number from 1e-12 to {LARGEST_SIZE:g}")


@final
@dataclass(frozen=True)
class TabulatedProfile(GuaranteedProfile):
    """(ε, δ)-differential privacy for every row: epsilons rise from 0 or more, deltas never do.

    Between two rows δ is on the chord in e^ε: every profile is convex there, being the largest of P(S) − e^ε Q(S)
    over events S. InputError names the first bad row.

    >>> f"{TabulatedProfile((0.0, 0.5), (0.2, 0.1)).delta(0.2):.4f}"
    '0.1659'
    """

    kind: ClassVar[str] = "table"
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.deltas):
            shown = f"{len(self.epsilons)} epsilons and {len(self.deltas)} deltas"
            raise InputError("profile", shown, "as many of the one as of the other")
        # A file with a header and no rows.
        if not self.epsilons:
            raise InputError("profile row", "none", "one (epsilon, delta) or more")
        before, last = -inf, 1.0
        for number, (epsilon, delta) in enumerate(self.guarantees, 1):
            key = f"profile row {number}"
            if not (isfinite(epsilon) and epsilon >= 0):
                raise InputError(f"{key}.epsilon", epsilon, "a finite number of at least 0")
            if epsilon <= before:
                raise InputError(f"{key}.epsilon", epsilon, f"more than that of the row before ({before:g})")
            if not 0 <= delta <= 1:
                raise InputError(f"{key}.delta", delta, "a probability from 0 to 1")
            if delta > last:
                raise InputError(f"{key}.delta", delta, f"no more than that of the row before ({last:g})")
            before, last = epsilon, delta

    @cached_property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        return tuple(zip(self.epsilons, self.deltas, strict=True))

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        return next((e for e, d in self.guarantees if d == 0), None)


def with_guarantee(profile: PrivacyProfile, epsilon: float, delta: float) -> TabulatedProfile:
    """Of a pipeline beside anything that is (epsilon, delta)-private: ε and δ add up (basic composition), whatever
    either chooses in the knowledge of the other's outcomes.

    The rows end where the pipeline's δ is next to nothing, 1e-12, or falls no more.

    >>> round(with_guarantee(PureProfile(1.0), 0.5, 0.0).pure, 6)
    1.5
    """
    last = profile.pure
    if last is None:
        # An ε with hardly any δ, or from which on δ falls no more, as at the end of a table.
        steps = np.geomspace(1e-3, 600.0, 600)
        faint = max(profile.delta(steps[-1]), 1e-12) * (1 + 1e-6)
        last = float(steps[np.argmax(profile.delta_at(steps) <= faint)])
    # Any number of rows is sound: between two of them δ is on the chord.
    own = np.unique(last * np.linspace(0.0, 1.0, 400) ** 1.5)
    deltas = np.minimum((np.minimum.accumulate(profile.delta_at(own)) + delta) * (1 + 4 * UNIT), 1.0)
    return TabulatedProfile(tuple(((own + epsilon) * (1 + 4 * UNIT)).tolist()), tuple(deltas.tolist()))


def read_profile(path: Path) -> TabulatedProfile:
    """The profile in a CSV of columns epsilon and delta. InputError, in one line, for what is not."""
    rows = list(separated(text_of(path, "profile"), "profile", str(path)).rows())
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    # The columns may be in either order; in a file without a header the first row of numbers is refused as one.
    if sorted(header) != ["delta", "epsilon"]:
        raise InputError(f"profile line {rows[0][0] if rows else 1}", ",".join(header), "the columns epsilon,delta")
    read = [_numbers(number, row) for number, row in rows[1:]]
    columns = dict(zip(header, zip(*read, strict=True), strict=True)) if read else {"epsilon": (), "delta": ()}
    return TabulatedProfile(columns["epsilon"], columns["delta"])


def _numbers(line: int, row: list[str]) -> tuple[float, float]:
    """The two of a row, in its order."""
    try:
        one, other = map(float, row)
        return one, other
    except ValueError:
        raise InputError(
            f"profile line {line}", ",".join(row), "two numbers, with a point before their decimals"
        ) from None
