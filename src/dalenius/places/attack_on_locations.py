"""The attack of DDP §IV on one's own visits and friends: cluster, publish with noise, and infer everybody's place.

The attack releases nothing: the clusters and their noise are simulated, from a seed, to see what somebody would find
out.
"""

from dataclasses import dataclass
from math import isfinite, log
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.pairs.dropped_edges import Dropped
from dalenius.pairs.friend_distance import FriendDistance
from dalenius.places.beliefs import ByLaw, City, Known, Prior, Weight, Within, friends_of
from dalenius.places.grid import Grid
from dalenius.places.inference import Inferred, beliefs, inferred
from dalenius.places.noisy_centroids import NoisyCentroids
from dalenius.places.patterns import VisitColumns, read_friends, read_patterns
from dalenius.tables.opening import TableLike
from dalenius.tabular import Cell, Tabular

_NOISE: Final = 0x6E6F697365
"""Keeps the noise apart from other draws of the same seed."""
_STARTS: Final = 4
"""How often K-means is begun."""
BITS: Final = 1 / log(2)
"""In a nat."""


@final
@dataclass(frozen=True, eq=False)
class PosteriorMap:
    """Beliefs about one person's cell, for every cell of the grid: maps (rows, columns), from the south on.

    Attributes:
        name: The person.
        grid: The grid.
        home: The true position, latitude and longitude in degrees.
        friends: The positions of the friends whom the adversary knows (f, 2).
        before: By adversary, the probabilities before anything is published.
        after: By adversary, the probabilities given the centroids.
    """

    name: str
    grid: Grid
    home: tuple[float, float]
    friends: Array
    before: dict[str, Array]
    after: dict[str, Array]


@final
@dataclass(frozen=True, eq=False, repr=False)
class LocationAttack(Tabular):
    """Inferences of two adversaries about everybody's place from noisy centroids.

    Attributes:
        names: The people's names.
        city: Everybody's most visited places, on the grid.
        released: The centroids with their noise.
        friendships: Friendships of two of the people, by their numbers from 0 (m, 2).
        dropped: Rows of the table of friends that are none of these.
        short: How many people have fewer places than were asked for; their last one counts again.
        known: How many others each adversary knows.
        results: By adversary: `strangers` knows where others are (Eq 8), `friends` also who is a friend (Eq 9).
        priors: The prior of each adversary.
        whom: Whose places the adversaries know.

    Example:
        >>> import dalenius as dl
        >>> visits = {"user": ["ann", "bob", "cy", "di"], "lat": [0.01, 0.01, 0.1, 0.1], "lon": [0.0, 0.0, 0.1, 0.1]}
        >>> friends = {"user1": ["ann", "cy"], "user2": ["bob", "di"]}
        >>> import pandas as pd
        >>> found = dl.attack_locations(pd.DataFrame(visits), pd.DataFrame(friends), clusters=2, places=1)
        >>> found.known, found.results["friends"].prior_success, found.results["strangers"].prior_success
        (3, 1.0, 0.0)
    """

    names: tuple[str, ...]
    city: City
    released: NoisyCentroids
    friendships: IntArray
    dropped: Dropped
    short: int
    known: int
    results: dict[str, Inferred]
    priors: dict[str, Prior]
    whom: Known

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"Means over {len(self.names)} people, of adversaries who know {self.known} others"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each adversary and quantity, with the released centroids and without them.

        Success is a share of people, error_km and expected_km are in kilometres.
        """
        return [
            {"adversary": name, "quantity": each, **{key: float(found[each][key]) for key in ("with", "without")}}
            for name, found in self.summary().items()
            for each in ("success", "error_km", "expected_km")
        ]

    def summary(self) -> dict[str, Any]:
        """Returns the means over all people, ready for JSON: errors in kilometres, information in nats and bits."""
        return {name: _summary(found) for name, found in self.results.items()}

    def map_of(self, person: str) -> PosteriorMap:
        """Returns the beliefs about one person, of both adversaries.

        Args:
            person: The person's name.

        Raises:
            InputError: If there is nobody of that name.
        """
        if person not in self.names:
            raise InputError("person", person, "the name of somebody with visits")
        number = self.names.index(person)
        before: dict[str, Array] = {}
        after: dict[str, Array] = {}
        grid = self.city.grid
        for name, prior in self.priors.items():
            found = beliefs(self.city, self.released, prior, self.whom, np.array([number]))
            for laws, logs in ((before, found.before), (after, found.after)):
                law = np.zeros(len(grid))
                law[found.cells] = np.exp(logs[0])
                laws[name] = law.reshape(grid.rows, grid.columns)
        _, friends = friends_of(self.friendships, np.array([number]), self.city.people)
        known = friends[self.whom.of_each(np.full(len(friends), number), friends) > 0]
        latitude, longitude = self.city.places[number, 0].tolist()
        return PosteriorMap(person, grid, (latitude, longitude), self.city.places[known, 0], before, after)


def attack_locations(
    visits: TableLike,
    friends: TableLike | None = None,
    *,
    epsilon: float = 1.0,
    known: float = 1.0,
    places: int = 6,
    clusters: int = 8,
    cells: tuple[int, int] = (20, 20),
    box: tuple[float, float, float, float] | None = None,
    radius: float = 3.0,
    gain: float = 10.0,
    law: FriendDistance | None = None,
    smoothing: float = 0.0,
    seed: int = 0,
    columns: VisitColumns | None = None,
) -> LocationAttack:
    """Attack everybody's place by Bayes' rule, from noisy centroids of all people's places.

    Args:
        visits: The table of visits: a pandas, polars or pyarrow frame, a path or a URL.
        friends: The table of friendships; None, the default, for an adversary who knows none.
        epsilon: ε of the noise on the centroids in nats, as DDP §IV-B has it; that promises nothing (errata E9).
            0 where nothing is published.
        known: The share of the others whose places the adversary knows, from 0 to 1; all by default.
        places: How many of a person's most visited places count.
        clusters: How many centroids there are.
        cells: Rows and columns of the grid of candidates.
        box: South, west, north and east of the grid, in degrees; None for the least box around all places.
        radius: A cell counts more within so many kilometres of a known friend.
        gain: By so much more it counts, for each such friend.
        law: The friend-distance law that weighs cells instead of the circle; None, the default, for the circle.
        smoothing: Added to the number of people in each cell; with 0, the default, only cells with people are possible.
        seed: The seed of the noise, of K-means' starts, and of whom the adversary knows.
        columns: The names of the columns; None for user, lat, lon, and user1, user2.

    Returns:
        The inference of the adversary who knows no friends, and of the one who does.

    Raises:
        InputError: For a table or a number that is not what was wanted.
        TooLarge: For a grid of more cells than there is room for.

    Example:
        >>> import dalenius as dl
        >>> import pandas as pd
        >>> visits = pd.DataFrame({"user": [1, 2, 3, 4], "lat": [0.0, 0.0, 1.0, 1.0], "lon": [0.0, 0.0, 1.0, 1.0]})
        >>> found = dl.attack_locations(visits, clusters=2, places=1, epsilon=0)
        >>> round(found.summary()["strangers"]["expected_km"]["without"], 1)
        103.5

    Notes:
        DDP §IV; Eq 5 to 11.
    """
    named = columns or VisitColumns()
    for key, number in (("places", places), ("clusters", clusters)):
        if number < 1:
            raise InputError(key, number, "a whole number of at least 1")
    for key, value in (("epsilon", epsilon), ("radius", radius), ("gain", gain), ("smoothing", smoothing)):
        if not (isfinite(value) and value >= 0):
            raise InputError(key, value, "a finite number of at least 0")
    if not 0 <= known <= 1:
        raise InputError("known", known, "a share from 0 to 1")
    patterns = read_patterns(visits, named, places)
    people, flat = len(patterns.names), patterns.places.reshape(-1, 2)
    if people < max(2, clusters):
        raise InputError("clusters", clusters, f"at most the number of people, {people}, and two people or more")
    city = City(patterns.places, Grid.around(flat, *cells) if box is None else Grid(*box, *cells))
    city.grid.cells_of(flat)  # all places are in the box
    priors, friendships, dropped = {"strangers": Prior(smoothing=smoothing)}, np.zeros((0, 2), np.int64), Dropped()
    if friends is not None:
        friendships, dropped = read_friends(friends, named, patterns.names)
        weight: Weight = Within(radius, gain) if law is None else ByLaw(law)
        priors["friends"] = Prior(friendships, weight, smoothing)
    several = round(known * (people - 1))
    whom = Known.of(people, None if several == people - 1 else several, seed)
    released = _released(city, clusters, epsilon, seed)
    results = {name: inferred(city, released, prior, whom) for name, prior in priors.items()}
    return LocationAttack(
        patterns.names, city, released, friendships, dropped, patterns.short, several, results, priors, whom
    )


def _released(city: City, clusters: int, epsilon: float, seed: int) -> NoisyCentroids:
    """Returns K-means of everybody's pattern until nothing moves, and noise on it."""
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # The case of fewer different patterns than clusters: some clusters are of nobody.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(clusters, n_init=_STARTS, random_state=seed, tol=0.0).fit(city.points)
    noise = np.random.default_rng([_NOISE, seed]).laplace(size=found.cluster_centers_.shape)
    return NoisyCentroids.drawn(found.cluster_centers_, found.labels_.astype(np.int64), epsilon, noise)


def _summary(found: Inferred) -> dict[str, Any]:
    """Returns the means over all people; `without` is by the prior alone."""
    before = found.independent_entropy - found.prior_entropy
    return {
        "success": {"with": found.success, "without": found.prior_success},
        "error_km": {"with": float(found.error_km.mean()), "without": float(found.prior_error_km.mean())},
        "expected_km": {"with": float(found.expected_km.mean()), "without": float(found.prior_expected_km.mean())},
        "prior": _both_units(found.prior_entropy),
        "leaked": _both_units(found.leaked),
        "leaked_without": _both_units(before),
        "gained": _both_units(found.gained),
        "ruled_out": int(np.isnan(found.surprise).sum()),
    }


def _both_units(values: Array) -> dict[str, float]:
    mean = round(float(values.mean()), 12) + 0.0  # differences of equal entropies are roundings
    return {"nats": mean, "bits": mean * BITS}
