"""The privacy profile of a pipeline that is known by its map: what it loses at each distance (Result 13.8).

Its ε at distance 1 says that a group of k loses at most k·ε. Its map may say that the group loses less. In the example
a record loses 0.5 nats, and any number of records together at most 1, as where a household has one report.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, nextafter, sqrt
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.concentrated_profile import ZeroConcentrated
from dalenius.conversion.gaussian_profile import GaussianProfile
from dalenius.conversion.guarantee_profiles import ApproximateProfile, PureProfile
from dalenius.conversion.limits import MOST_MAP_DISTANCES
from dalenius.conversion.profile import DeltaEnds, PrivacyProfile, Tangents
from dalenius.errors import InputError


@final
@dataclass(frozen=True)
class MapProfile(PrivacyProfile):
    """The privacy profile of a pipeline whose loss is known at every distance, and not only between neighbours.

    Args:
        profiles: What the pipeline loses between data sets that differ in the values of at most 1, 2, …, k records, in
            this order. A loss at a larger distance than k is bounded by that of several smaller steps.

    Raises:
        InputError: For no profile, more than 60, or one that is itself a map.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> known = MapProfile(tuple(dl.PureProfile(min(0.5 * d, 1.0)) for d in range(1, 5)))
        >>> for profile in (dl.PureProfile(0.5), known):
        ...     print(f"{dl.Conversion(homes, profile, 'replace').epsilon(0.0).value.upper:.6f}")
        1.861652
        0.942149

    Notes:
        Result 13.8. Upper ends hold for every pipeline with this map. Lower ends are attained by some pipeline where
        each profile is pure or (ε, δ), and none at a larger distance has a smaller ε or δ. For other profiles they
        are those of Gaussian noise with that map, or 0.
    """

    kind: ClassVar[str] = "map"
    chained: ClassVar[bool] = False
    profiles: tuple[PrivacyProfile, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.profiles) <= MOST_MAP_DISTANCES:
            wanted = f"1 to {MOST_MAP_DISTANCES:g} of them (limit {MOST_MAP_DISTANCES.name})"
            raise InputError("profiles", f"{len(self.profiles)} distances", wanted)
        for distance, each in enumerate(self.profiles, 1):
            if not isinstance(each, PrivacyProfile) or not each.chained:
                raise InputError(f"profiles[{distance}]", type(each).__name__, "a profile between two data sets")

    @property
    def corners(self) -> tuple[float, ...]:  # type: ignore[override]
        """Every ε in nats at which δ was given between neighbours."""
        return self.profiles[0].corners

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        """The ε in nats from which on δ is 0 between neighbours; None where there is none."""
        return self.pure_of(1)

    @cached_property
    def within(self) -> PrivacyProfile | None:  # type: ignore[override]
        """A profile between neighbours that no pipeline needs to exceed to have this map; None where f is attained."""
        if all(isinstance(each, PureProfile | ApproximateProfile) for each in self.profiles):
            pairs = [each.guarantees[0] for each in self.profiles]  # type: ignore[attr-defined]
            if all(a <= c and b <= d for (a, b), (c, d) in pairwise(pairs)):
                return None
        # Because Gaussian noise on a sum has a μ in proportion to the distance: the least share is within the map.
        shares = [mu / distance for distance, mu in enumerate(map(_normal, self.profiles), 1)]
        least = nextafter(min(shares) * (1 - 4 * UNIT), 0.0)
        return GaussianProfile(least) if least >= 1e-12 else PureProfile(0.0)

    def pure_of(self, changes: int) -> float | None:
        """The ε from which on δ is 0 between data sets that are several neighbours apart.

        Args:
            changes: How many neighbours apart the data sets are, at least 0.

        Returns:
            ε in nats, from above; the least sum over ways to get there in smaller steps. None where none is pure.
        """
        known = [each.pure for each in self.profiles]
        # Because a pair that differs in at most 3 records is covered by what holds for at most 4, if it is less.
        given = [min((nats for nats in known[place:] if nats is not None), default=inf) for place in range(len(known))]
        sums = [0.0]
        for distance in range(1, changes + 1):
            ways = (given[step - 1] + sums[distance - step] for step in range(1, min(distance, len(given)) + 1))
            sums.append(min(ways) * (1 + UNIT))
        return sums[-1] if sums[-1] < inf else None

    def of_group(self, steps: int) -> PrivacyProfile | None:
        """The profile between data sets that are several neighbours apart.

        Args:
            steps: How many neighbours apart the data sets are, at least 1.

        Returns:
            The profile that was given at that distance; None beyond the last one.
        """
        return self.profiles[steps - 1] if steps <= len(self.profiles) else None

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """δ(ε) between neighbours, from below and from above.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends, those of `within` where there is such a profile, and upper ends.
        """
        low, high = self.profiles[0].ends_at(epsilons)
        return (low if self.within is None else np.minimum(self.within.ends_at(epsilons)[0], high)), high

    def ends_of(self, changes: int, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below and from above between data sets that are several neighbours apart.

        Args:
            changes: How many neighbours apart the data sets are, at least 1.
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends, 0 beyond neighbours, and upper ends.
        """
        if changes == 1:
            return self.ends_at(epsilons)
        # Because what is told in steps of one record each bounds every distance, and a pure loss of few nats too.
        high = self.profiles[0].ends_of(changes, epsilons)[1]
        own, nats = self.of_group(changes), self.pure_of(changes)
        for other in (own, None if nats is None else PureProfile(nats)):
            if other is not None:
                high = np.minimum(high, other.ends_at(epsilons)[1])
        return np.zeros(epsilons.shape), high

    def tangents(self, at: Array) -> Tangents:
        """Lines that are nowhere below f between neighbours, each close to f at one probability.

        Args:
            at: Probabilities b at which the lines are close to f(b), of any shape.

        Returns:
            The slopes and the intercepts of the lines, each of that shape.
        """
        return self.profiles[0].tangents(at)

    def attained(self, at: Array) -> Array:
        """The trade-off function f between neighbours, from below.

        Args:
            at: Probabilities b, of any shape.

        Returns:
            Lower bounds on f(b), of that shape.
        """
        return self.profiles[0].attained(at)

    def lines_to(self, at: Array, most: int) -> Tangents:
        """Lines that are nowhere below f at any distance: f given there, or f of f at smaller distances, if it is less.

        Args:
            at: Probabilities b at which the lines are close to f(b), shape (n,).
            most: The largest distance.

        Returns:
            The slopes and the intercepts of the lines, each of shape (most + 1, n), by distance from 0.
        """
        slopes, rises, values = [np.ones(at.shape)], [np.zeros(at.shape)], [at]
        for distance in range(1, most + 1):
            best = np.zeros(at.shape), np.ones(at.shape), np.ones(at.shape)
            for step in range(1, min(distance, len(self.profiles)) + 1):
                rest = distance - step
                a, c = self.profiles[step - 1].tangents(values[rest])
                with np.errstate(over="ignore", invalid="ignore"):
                    rise = (a * rises[rest] + c) * (1 + 4 * UNIT)
                    slope = a * slopes[rest] * (1 + 2 * UNIT)
                    value = a * values[rest] + c
                less = np.isfinite(slope) & (value < best[2]) & (rise < 1)
                best = tuple(np.where(less, new, old) for new, old in zip((slope, rise, value), best, strict=True))  # type: ignore[assignment]
            for row, found in zip((slopes, rises, values), best, strict=True):
                row.append(found)
            values[-1] = np.clip(values[-1], at, 1.0)
        return np.array(slopes), np.array(rises)

    def flags_to(self, at: Array, most: int) -> Array:
        """The trade-off function f at every distance, from below.

        Args:
            at: Probabilities b, shape (n,).
            most: The largest distance.

        Returns:
            Lower bounds on f(b), shape (most + 1, n), by distance from 0.
        """
        values = [at]
        for distance in range(1, most + 1):
            steps = range(1, min(distance, len(self.profiles)) + 1)
            values.append(np.min([self.profiles[a - 1].attained(values[distance - a]) for a in steps], axis=0))
        return np.array(values)


def _normal(profile: PrivacyProfile) -> float:
    """Returns a μ of Gaussian noise that is within the profile; 0 where none is known."""
    match profile:
        case GaussianProfile(mu=mu):
            return mu
        case ZeroConcentrated(rho=rho):
            return sqrt(2 * rho)
        case _:
            return 0.0
