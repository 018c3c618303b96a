"""The privacy profile of a pipeline between neighbouring data sets, and what it allows a test to do.

A test that flags one data set with probability b flags a neighbour with at most f(b) = min over ε of e^ε b + δ(ε), the
upper trade-off function. f is concave and rises, f(b) >= b, and f(1) = 1 (Result 13.1).
"""

import abc
from math import exp, inf, isfinite
from typing import ClassVar, Final, TypeAlias

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.limits import LARGEST_SIZE
from dalenius.errors import InputError

Tangents: TypeAlias = tuple[Array, Array]
"""The slopes and the intercepts of lines, one line per entry."""
DeltaEnds: TypeAlias = tuple[Array, Array]
"""The ends of δ from below and from above, one pair per entry."""

_SPLITS: Final = 257
"""The ways to share ε among the changes of a group that are tried: any of them is sound."""


class PrivacyProfile(abc.ABC):
    """A bound δ(ε) on what a pipeline M tells apart: E_{e^ε}(M(x)‖M(x′)) <= δ(ε) for all neighbours x, x′.

    The bound holds for every ε and in both orders. An instance stands for everything that has the profile, not for one
    pipeline. `GaussianProfile`, `ZeroConcentrated`, `PureProfile`, `ApproximateProfile` and `TabulatedProfile` are the
    kinds there are.

    Example:
        >>> from dalenius import PureProfile
        >>> profile = PureProfile(1.0)  # one kind of PrivacyProfile
        >>> round(profile.delta(0.5), 6), profile.pure
        (0.287649, 1.0)

    Notes:
        Result 13.1: a test that flags one data set with probability b flags a neighbour with at most f(b) = min over ε
        of e^ε b + δ(ε).
    """

    kind: ClassVar[str]
    chained: ClassVar[bool] = True
    """Whether f at any distance is f between neighbours, applied once for each step."""
    within: "PrivacyProfile | None" = None
    """A profile that is nowhere larger, for what is attained at least; None where f itself is."""
    pure: float | None = None
    """The ε from which on δ is 0, from above; None where there is none."""
    normal: float | None = None
    """The μ of the Gaussian noise whose profile it is; None where it is none."""
    corners: tuple[float, ...] = ()
    """Every ε at which δ was given, and is exactly that."""

    def of_group(self, steps: int) -> "PrivacyProfile | None":
        """The profile between data sets that are several neighbours apart, if it is of the same kind.

        Args:
            steps: How many neighbours apart the data sets are, at least 1.

        Returns:
            The profile of the group; None where the same kind has none, or its parameter would be too large.
        """
        return None

    @abc.abstractmethod
    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below and from above: what is attained at least, and what is never exceeded.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends and upper ends, probabilities.
        """

    def ends_of(self, changes: int, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below and from above between data sets that are several neighbours apart.

        Args:
            changes: How many neighbours apart the data sets are, at least 1.
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends, 0 where nothing is known, and upper ends.
        """
        if changes == 1:
            return self.ends_at(epsilons)
        group, inner = self.of_group(changes), self.within
        low = np.zeros(epsilons.shape) if inner is None else inner.ends_of(changes, epsilons)[0]
        if group is not None:
            found = group.ends_at(epsilons)
            return np.maximum(low, found[0] if inner is None else 0.0), found[1]
        return low, np.array([self._one_after_another(changes, each) for each in epsilons.tolist()])

    def _one_after_another(self, changes: int, epsilon: float) -> float:
        """Returns δ(ε/k)(1 + e^{ε/k} + … + e^{(k−1)ε/k}), or at fewer nats each, from above."""
        each = np.linspace(0.0, epsilon / changes * (1 - 32 * UNIT), _SPLITS)[1:] if epsilon > 0 else np.zeros(1)
        # Because e^ε may be beyond doubles where the δ that it multiplies is next to nothing: by logs.
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.log(-np.expm1(-changes * each)) - np.log(-np.expm1(-each))
            folds = np.where(each > 0, (changes - 1) * each + rest, np.log(changes))
            logs = np.log(self.delta_at(each))
        best = np.min(logs + folds + 32 * UNIT * (1 + np.abs(np.maximum(logs, -800.0)) + folds))
        # Because a δ of 0 has no log: the least of sums with one that is 0 is 0 too.
        return 0.0 if best == -inf else float(min(exp(min(best, 0.0)) * (1 + 8 * UNIT) + 5e-324, 1.0))

    def delta(self, epsilon: float) -> float:
        """δ(ε) between neighbours, from above.

        Args:
            epsilon: ε in nats, of either sign.

        Returns:
            A probability that δ(ε) never exceeds.
        """
        return float(self.delta_at(np.array([epsilon]))[0])

    def delta_at(self, epsilons: Array) -> Array:
        """δ(ε) between neighbours at many ε, from above.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Probabilities, shape (n,).
        """
        return self.ends_at(epsilons)[1]

    def delta_of(self, changes: int, epsilon: float) -> float:
        """δ(ε) between data sets that are several neighbours apart, from above.

        Args:
            changes: How many neighbours apart the data sets are, at least 1.
            epsilon: ε in nats, of either sign.

        Returns:
            A probability that δ(ε) never exceeds.
        """
        return float(self.ends_of(changes, np.array([epsilon]))[1][0])

    def pure_of(self, changes: int) -> float | None:
        """The ε from which on δ is 0 between data sets that are several neighbours apart.

        Args:
            changes: How many neighbours apart the data sets are, at least 0.

        Returns:
            ε in nats, from above; None where there is none.
        """
        return None if self.pure is None else self.pure * changes

    def lines_to(self, at: Array, most: int) -> Tangents:
        """Lines that are nowhere below f at any distance, each close to f at one probability.

        Args:
            at: Probabilities b at which the lines are close to f(b), shape (n,).
            most: The largest distance, in neighbours.

        Returns:
            The slopes and the intercepts of the lines, each of shape (most + 1, n), by distance from 0.
        """
        slopes, rises, here = [np.ones(at.shape)], [np.zeros(at.shape)], at
        for _ in range(most):
            a, c = self.tangents(here)
            with np.errstate(over="ignore", invalid="ignore"):
                rises.append((a * rises[-1] + c) * (1 + 4 * UNIT))
                slopes.append(a * slopes[-1] * (1 + 2 * UNIT))
            here = np.clip(a * here + c, here, 1.0)
        found, above = np.array(slopes), np.array(rises)
        usable = np.isfinite(found) & (above < 1) & ~np.isnan(above)
        return np.where(usable, found, 0.0), np.where(usable, above, 1.0)

    def flags_to(self, at: Array, most: int) -> Array:
        """The trade-off function f at every distance, from below: some mechanism attains it so many steps away.

        Args:
            at: Probabilities b, shape (n,).
            most: The largest distance, in neighbours.

        Returns:
            Lower bounds on f(b), shape (most + 1, n), by distance from 0.

        Example:
            >>> from dalenius import PureProfile
            >>> PureProfile(1.0).flags_to(np.array([0.1]), 2).round(6).tolist()
            [[0.1], [0.271828], [0.732121]]
        """
        found = [at]
        for _ in range(most):
            found.append(self.attained(found[-1]))
        return np.array(found)

    @abc.abstractmethod
    def tangents(self, at: Array) -> Tangents:
        """Lines that are nowhere below the trade-off function f, each close to f at one probability.

        Args:
            at: Probabilities b at which the lines are close to f(b), shape (n,).

        Returns:
            The slopes and the intercepts of the lines, each of shape (n,).
        """

    @abc.abstractmethod
    def attained(self, at: Array) -> Array:
        """The trade-off function f from below: some mechanism of this profile attains these values.

        Args:
            at: Probabilities b, shape (n,).

        Returns:
            Lower bounds on f(b), shape (n,).
        """


def mirrored(epsilons: Array, deltas: Array) -> Array:
    """Returns δ(ε) at `epsilons` < 0 (nats) from the `deltas` at −ε, from above: 1 − e^ε + e^ε δ(−ε)."""
    return np.asarray(np.minimum(1.0, (-np.expm1(epsilons) + np.exp(epsilons) * deltas) * (1 + 8 * UNIT)))


def check_number(key: str, value: float, zero: bool = False) -> None:
    """Raises InputError, under the `key`, where `value` is not a finite number above 0, or with `zero` at least 0."""
    if not (isfinite(value) and (value > 0 or (zero and value == 0))):
        raise InputError(key, value, f"a finite number {'of at least' if zero else 'above'} 0")


def check_size(key: str, value: float) -> None:
    """Raises InputError, under the `key`, where `value` is no number above 0 for which doubles hold what follows."""
    check_number(key, value)
    # Because next to nothing can leak below the least one.
    if not 1e-12 <= value <= LARGEST_SIZE:
        raise InputError(key, value, f"a number from 1e-12 to {LARGEST_SIZE:g} (limit {LARGEST_SIZE.name})")
