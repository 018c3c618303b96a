"""The attack on noisy centroids of Gowalla's cities, at one strength of noise and for one adversary (DDP §IV).

Our readings of what DDP leaves open: a city has as many clusters as Table I names parts of it, eight in all; the noise
of a centroid is Laplace with scale times · 2q/(size of its cluster · ε), 2q/size being the most by which one pattern
of the cluster moves it with everybody's cluster held (no guarantee: erratum E9); friends weigh as circles of 3 km.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, log
from pathlib import Path
from typing import Final, Literal, Self, TypeAlias, final

import numpy as np

from dalenius.places.beliefs import City as Town, Known, Prior, Within
from dalenius.places.inference import inferred
from dalenius.places.noisy_centroids import NoisyCentroids
from papers.dependent.clusters import lloyd
from papers.dependent.gowalla import City, cities
from papers.numbers import Array, IntArray

Adversary: TypeAlias = Literal["independent", "dependent"]
"""Who does not know of friends (DDP Eq 8), and who does (Eq 9)."""
CLUSTERS: Final = {"new_york": 3, "san_francisco": 2, "los_angeles": 3}
STARTS: Final = 20
SEED: Final = 16
BITS: Final = 1 / log(2)
DECIMALS: Final = 12
EPSILONS: Final = (0.1, 1.0, 10.0, 100.0)
NOTHING: Final = inf
"""The multiple of noise at which nothing is published."""


@final
@dataclass(frozen=True)
class Setting:
    """times: the noise as a multiple of that for independent records; share: of all others, whom the adversary knows.

    With times = NOTHING the output says nothing, and epsilon does not matter.
    """

    times: float
    epsilon: float
    adversary: Adversary = "dependent"
    share: float = 1.0


@final
@dataclass(frozen=True)
class Found:
    """Means over all people of all cities; informations in nats. leaked: Eq 11, the entropy of the independent prior
    less that of the posterior; gained: that of the adversary's own prior less that of the posterior."""

    people: int
    leaked: float
    gained: float
    independent_entropy: float
    error_km: float
    prior_error_km: float
    expected_km: float
    success: float
    prior_success: float


@final
@dataclass(frozen=True, eq=False)
class Target:
    """A city ready to be attacked: its friendships, K-means of everybody's pattern, and noise of scale 1 for it."""

    town: Town
    friends: IntArray
    centres: Array
    labels: IntArray
    noise: Array

    @classmethod
    def of(cls, city: City, clusters: int | None = None) -> Self:
        town = Town(city.places, city.grid)
        found = lloyd(town.points, clusters or CLUSTERS[city.name], starts=STARTS, seed=SEED)
        noise = np.random.default_rng(SEED).laplace(size=found.centres.shape)
        return cls(town, city.friends, found.centres, found.labels, noise)

    def released(self, times: float, epsilon: float) -> NoisyCentroids:
        return NoisyCentroids.drawn(self.centres, self.labels, epsilon / times, self.noise)


@final
class Runs:
    """Each setting is run once, whichever figures ask for it."""

    def __init__(self, cities: Sequence[City], clusters: int | None = None) -> None:
        self._targets = tuple(Target.of(city, clusters) for city in cities)
        self._found: dict[Setting, Found] = {}

    def at(self, setting: Setting) -> Found:
        if setting not in self._found:
            self._found[setting] = _run(self._targets, setting)
        return self._found[setting]

    def nothing(self, share: float = 1.0, adversary: Adversary = "dependent") -> Found:
        """What the adversary believes without any output."""
        return self.at(Setting(NOTHING, 1.0, adversary, share))


@cache
def runs_of(data: Path) -> Runs:
    return Runs(cities(data))


def _run(targets: Sequence[Target], setting: Setting) -> Found:
    found = []
    for target in targets:
        known = None if setting.share == 1 else round(setting.share * (target.town.people - 1))
        prior = Prior() if setting.adversary == "independent" else Prior(target.friends, Within())
        released = target.released(setting.times, setting.epsilon)
        found.append(inferred(target.town, released, prior, Known.of(target.town.people, known, SEED)))

    def mean(of: Callable[[int], Array]) -> float:
        # What is beyond hangs on the processor, and differences of equal entropies are nothing else.
        return round(float(np.mean(np.concatenate([of(place) for place in range(len(found))]))), DECIMALS) + 0.0

    return Found(
        people=sum(map(len, found)),
        leaked=mean(lambda at: found[at].leaked),
        gained=mean(lambda at: found[at].gained),
        independent_entropy=mean(lambda at: found[at].independent_entropy),
        error_km=mean(lambda at: found[at].error_km),
        prior_error_km=mean(lambda at: found[at].prior_error_km),
        expected_km=mean(lambda at: found[at].expected_km),
        success=mean(lambda at: np.asarray(found[at].guess == found[at].cell, dtype=np.float64)),
        prior_success=mean(lambda at: np.asarray(found[at].prior_guess == found[at].cell, dtype=np.float64)),
    )
