"""Profiles that are lists of pairs (ε, δ): pure and approximate guarantees, and tables.

Two answers that are each (1, 0)-private are (2, 0)-private together, and at ε = 0 a test tells them apart with
δ = 0.462117 at most for one, and 0.632121 for both.
"""

import abc
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import ClassVar, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.profile import DeltaEnds, PrivacyProfile, Tangents, check_number, mirrored
from dalenius.errors import InputError
from dalenius.tabular import Cell, Tabular

_STEEPEST: Final = 700.0
"""The log-slope of the steepest line: beyond it doubles end."""
_ROWS: Final = 800
"""Rows of the table of a pipeline beside a guarantee: between two of them δ is on the chord."""
_FAINTEST: Final = 1e-300
"""The δ at which that table ends."""


class GuaranteedProfile(PrivacyProfile):
    """A profile that is a list of pairs (ε, δ), ε rising.

    It stands for every pipeline that is (ε, δ)-differentially private for each pair. Their trade-off function f is the
    least of finitely many lines, exact but for rounding.
    """

    @property
    @abc.abstractmethod
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """The pairs (ε in nats, δ), ε rising."""

    @property
    def corners(self) -> tuple[float, ...]:  # type: ignore[override]
        """Every ε of the list, in nats."""
        return tuple(epsilon for epsilon, _ in self.guarantees)

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """The least δ(ε) that the pairs imply: δ is convex in e^ε, and so on or below every chord.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends, those of `within` where there is such a profile, and upper ends.
        """
        high = self._implied(epsilons)
        low = high * (1 - 128 * UNIT) if self.within is None else self.within.ends_at(epsilons)[0]
        return low, high

    def ends_of(self, changes: int, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below and from above between data sets that are several neighbours apart.

        Args:
            changes: How many neighbours apart the data sets are, at least 1.
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends, 0 where nothing is known, and upper ends. For 2 changes and no
            `within` they differ by rounding alone.
        """
        # Because δ is made of chords, the best share of ε for the first of two changes is at a row, of either change.
        if changes != 2 or self.within is not None:
            return super().ends_of(changes, epsilons)
        low, high = (np.array([self._of_two(each, side) for each in epsilons.tolist()]) for side in (1, -1))
        return low * (1 - 256 * UNIT), np.minimum(high * (1 + 256 * UNIT), 1.0)

    def _of_two(self, epsilon: float, side: int) -> float:
        """Returns min over a of δ(a) + e^a δ(ε − a), but for roundings; side: 1 from below, -1 from above."""
        knots = self._hull[0]
        first = np.concatenate([knots, epsilon - knots])
        first = first[np.isfinite(first) & (first <= _STEEPEST)]
        rest = self.delta_at(epsilon - first + side * 4 * UNIT * (abs(epsilon) + np.abs(first)))
        with np.errstate(divide="ignore", over="ignore"):
            return float(np.min(self.delta_at(first) + np.exp(first + np.log(rest))))

    def _implied(self, epsilons: Array) -> Array:
        knots, heights = self._hull
        place = np.clip(np.searchsorted(knots, epsilons, side="right") - 1, 0, len(knots) - 1)
        after = np.minimum(place + 1, len(knots) - 1)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            width = np.expm1(knots[place] - knots[after])
            share = np.expm1(epsilons - knots[after]) / width
            rest = np.exp(epsilons - knots[after]) * np.expm1(knots[place] - epsilons) / width
            chord = np.minimum((share * heights[place] + rest * heights[after]) * (1 + 64 * UNIT), 1.0)
        # Because a δ that is asked for may be that of a row: it is compared with the row's own.
        exact = (epsilons == knots[place]) | (after == place)
        return np.asarray(np.where(exact, heights[place], chord))

    @cached_property
    def _hull(self) -> tuple[Array, Array]:
        """The lower convex hull of the points (e^ε, δ), those at −ε too, from (0, 1) on: ε and δ."""
        epsilons, deltas = (np.array(each) for each in zip(*self.guarantees, strict=True))
        other = epsilons > 0
        knots = np.concatenate([[-inf], -epsilons[other][::-1], epsilons])
        heights = np.concatenate([[1.0], mirrored(-epsilons[other], deltas[other])[::-1], deltas])
        kept = lower_hull(knots, heights)
        return knots[kept], heights[kept]

    def tangents(self, at: Array) -> Tangents:
        """The lowest line of the profile at each probability: it is nowhere below f.

        Args:
            at: Probabilities b, of any shape.

        Returns:
            The slopes and the intercepts of the lines, each of that shape.
        """
        slopes, rises = self._above
        best = np.argmin(slopes * at[..., None] + rises, axis=-1)
        return slopes[best], rises[best]

    def attained(self, at: Array) -> Array:
        """The trade-off function f, rounded down: some mechanism that keeps all pairs attains it.

        Args:
            at: Probabilities b, of any shape.

        Returns:
            Lower bounds on f(b), of that shape.
        """
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
        """Returns both kinds of line of each pair, and the constant 1."""
        epsilons, deltas = np.array(self.guarantees).T
        steep, flat = np.exp(np.minimum(epsilons, _STEEPEST)), np.exp(-epsilons)
        complement = -np.expm1(-epsilons) + flat * deltas
        slopes = np.concatenate([steep * rounding, flat * rounding, [0.0]])
        rises = np.concatenate([deltas, np.minimum(complement * rounding, 1.0), [1.0]])
        kept = np.concatenate([epsilons <= _STEEPEST, np.ones(len(epsilons) + 1, dtype=bool)])
        return slopes[kept], rises[kept]


def lower_hull(logs: Array, heights: Array) -> list[int]:
    """Find the corners of the lower convex hull of points (e^logs, heights).

    Args:
        logs: Logs of the first coordinates, rising, shape (n,).
        heights: The second coordinates, shape (n,).

    Returns:
        The places of the corners, from 0, from left to right.

    Example:
        >>> lower_hull(np.array([-np.inf, 0.0, 1.0]), np.array([1.0, 0.9, 0.0]))
        [0, 2]
    """
    x, y, found = logs, heights.tolist(), list[int]()
    for place in range(len(x)):
        while len(found) > 1:
            one, middle = found[-2:]
            # Because no double may hold the new point's e^ε, all are shares of it.
            far = -np.expm1(x[one] - x[place])
            near = np.exp(x[middle] - x[place]) * -np.expm1(x[one] - x[middle])
            # If the middle point is below the line from the one before it to the new one, it stays a corner.
            if (y[middle] - y[one]) * far < (y[place] - y[one]) * near:
                break
            found.pop()
        found.append(place)
    return found


class _OneGuarantee(GuaranteedProfile):
    """(epsilon, loss)-differential privacy: `loss` is the δ at that epsilon; `delta` gives δ at any other ε."""

    epsilon: float
    loss: float

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        """The ε in nats from which on δ is 0; None where δ is never 0."""
        return None if self.loss else self.epsilon

    def _implied(self, epsilons: Array) -> Array:
        """Returns δ + (1 − δ)(e^{ε₀} − e^ε)/(1 + e^{ε₀}) up to ε₀, then δ, from above (Kairouz et al. 2015)."""
        share = -np.expm1(np.minimum(np.abs(epsilons) - self.epsilon, 0.0)) / (1 + np.exp(-self.epsilon))
        found = np.minimum(1.0, (self.loss + (1 - self.loss) * share) * (1 + 16 * UNIT))
        found = np.where(np.abs(epsilons) >= self.epsilon, self.loss, found)
        # Because rows and networks look at ε below 0 too.
        return np.where(epsilons < 0, mirrored(np.minimum(epsilons, 0.0), found), found)

    @property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """The one pair (ε in nats, δ)."""
        return ((self.epsilon, self.loss),)


@final
@dataclass(frozen=True)
class PureProfile(_OneGuarantee):
    """The privacy profile of pure ε-differential privacy.

    Args:
        epsilon: ε in nats, finite and at least 0.

    Raises:
        InputError: For an `epsilon` that is not finite and at least 0.

    Example:
        >>> round(PureProfile(1.0).delta(0.0), 6), PureProfile(1.0).delta(1.0)
        (0.462117, 0.0)

    Notes:
        δ(ε) is that of randomised response, which attains it (Kairouz, Oh and Viswanath 2015).
    """

    kind: ClassVar[str] = "pure"
    epsilon: float
    loss: ClassVar[float] = 0.0  # type: ignore[misc]

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, zero=True)


@final
@dataclass(frozen=True)
class ApproximateProfile(_OneGuarantee):
    """The privacy profile of (ε, δ)-differential privacy.

    Args:
        epsilon: ε in nats, finite and at least 0.
        loss: δ, a probability of at least 0 and below 1.

    Raises:
        InputError: For an `epsilon` that is not finite and at least 0, and a `loss` outside [0, 1).

    Example:
        >>> round(ApproximateProfile(1.0, 0.01).delta(0.0), 6)
        0.467496

    Notes:
        δ(ε′) is δ + (1 − δ)(e^ε − e^{ε′})/(1 + e^ε) up to ε, and δ after (Kairouz, Oh and Viswanath 2015).
    """

    kind: ClassVar[str] = "approximate"
    epsilon: float
    loss: float

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, zero=True)
        if not 0 <= self.loss < 1:
            raise InputError("delta", self.loss, "a probability below 1")


@final
@dataclass(frozen=True, repr=False)
class TabulatedProfile(GuaranteedProfile, Tabular):
    """The privacy profile of a table: (ε, δ)-differential privacy for every row.

    Args:
        epsilons: ε of each row in nats, at least 0, each above the one before.
        deltas: δ of each row, probabilities, none above the one before.
        least: A profile that is nowhere larger than the pipeline's, where the rows are upper bounds. Lower ends are
            then those of `least`. None, the default, means every pipeline that keeps all rows.

    Raises:
        InputError: For rows that are not so, or none; it names the first bad row.

    Example:
        >>> f"{TabulatedProfile((0.0, 0.5), (0.2, 0.1)).delta(0.2):.4f}"
        '0.1659'

    Notes:
        Between two rows δ is on the chord in e^ε. Every profile is convex in e^ε, because it is the largest of
        P(S) − e^ε Q(S) over events S.
    """

    kind: ClassVar[str] = "table"
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]
    least: PrivacyProfile | None = None

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.deltas):
            shown = f"{len(self.epsilons)} epsilons and {len(self.deltas)} deltas"
            raise InputError("profile", shown, "as many epsilons as deltas")
        # A file may have a header and no rows.
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

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "A privacy profile: the δ of each ε in nats"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each guarantee: epsilon, in nats, and delta."""
        return [{"epsilon": float(epsilon), "delta": float(delta)} for epsilon, delta in self.guarantees]

    @property
    def within(self) -> PrivacyProfile | None:  # type: ignore[override]
        """The profile `least`, by which lower ends are taken; None where there is none."""
        return self.least

    @cached_property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """The rows (ε in nats, δ), ε rising."""
        return tuple(zip(self.epsilons, self.deltas, strict=True))

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        """The first ε in nats whose δ is 0; None where no row has one."""
        return next((e for e, d in self.guarantees if d == 0), None)


def with_guarantee(profile: PrivacyProfile, epsilon: float, delta: float) -> TabulatedProfile:
    """Bound the profile of a pipeline together with anything that is (epsilon, delta)-private.

    ε and δ add up (basic composition), whatever either chooses in the knowledge of the other's outcomes.

    Args:
        profile: The pipeline's profile.
        epsilon: What is added, in nats.
        delta: The δ that is added.

    Returns:
        A table from above. Its rows end where the pipeline's δ is next to nothing, 1e-300, or falls no more. Its lower
        ends are of the pipeline alone.

    Example:
        >>> round(with_guarantee(PureProfile(1.0), 0.5, 0.0).pure, 6)
        1.5
    """
    last = profile.pure
    if last is None:
        # The table ends at an ε with hardly any δ, or from which on δ falls no more.
        steps = np.geomspace(1e-3, 1e6, 2000)
        deltas = profile.delta_at(steps)
        last = float(steps[np.argmax(deltas <= max(deltas[-1], _FAINTEST) * (1 + 1e-6))])
    # Because any number of rows is sound: between two of them δ is on the chord.
    own = np.unique(last * np.linspace(0.0, 1.0, _ROWS) ** 1.5)
    deltas = np.minimum((np.minimum.accumulate(profile.delta_at(own)) + delta) * (1 + 4 * UNIT), 1.0)
    return TabulatedProfile(tuple(((own + epsilon) * (1 + 4 * UNIT)).tolist()), tuple(deltas.tolist()), profile)
