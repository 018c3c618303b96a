"""The five learning queries of Figure 9, from the data: what is learned, and whom a person's record depends on.

Our readings: in the affinity graphs of profiles the law of a friend's profile is Eq 26 of the L1 distance of two
profiles, in the unit of the profiles, over profiles of the data taken at even steps; Eq 22 takes the same ρ for every
query, whether or not it moves in proportion to that distance.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.random import Generator

from papers.adult import Profiles, profiles
from papers.dependent.figure_8 import known_dependence
from papers.dependent.figure_9 import REPEATS, Panel, draw, numbers, rows, scored
from papers.dependent.gowalla import KEPT, City, cities, scaled, together
from papers.dependent.mechanisms import BASELINE, COMONOTONE, DPM, EXACT_PAIR, GROUP, LPM, ZHU, Dependence, alike
from papers.dependent.networks import Network, alike_degrees, facebook, github
from papers.dependent.pair_law import PairLaw
from papers.dependent.simulated import Classifying, Clustering, Counting
from papers.numbers import Array, IntArray, Number, data_folder, main, write_csv

PARTS: Final = {
    "Manhattan": (40.78, -73.97),
    "Brooklyn": (40.65, -73.95),
    "Queens": (40.73, -73.79),
    "San Jose": (37.34, -121.89),
    "Oakland": (37.80, -122.27),
    "Pasadena": (34.15, -118.14),
    "Beverly Hills": (34.07, -118.40),
    "Long Beach": (33.77, -118.19),
}
"""Of Table I: eight clusters, and where Lloyd's steps begin. San Jose and Long Beach are more than 25 km from the
centres of the paper's cities, though Table I counts 1,228 and 825 users there."""
SPLITS: Final = 4
"""Of training and test people; every repetition draws one of them."""
TRAINED: Final = 0.8
THRESHOLD: Final = 0.8
"""Of the affinity graph."""
SLOW: Final = 8
"""Draws at each ε of what takes a good part of a second: the classifier, and degrees; steps of K-means are drawn twice
as often."""
VALUES: Final = 200
"""Profiles that the law of a friend's profile is over."""
EVERY: Final = 300
"""Σ_j |δ_ij| is computed for every so many people i."""
MOST: Final = {"ego-Facebook": 2000, "GitHub": 10_000}
"""A public bound of a person's number of friends."""
Made = TypeVar("Made")


def learning(quick: bool = False) -> Iterator[Number]:
    data = data_folder()
    shown = (
        *clustering(cities(data), known_dependence(data)),
        classifying(profiles(data)),
        counting(facebook(data)),
        counting(github(data)),
    )
    found = [scored(panel, 4 if quick else REPEATS) for panel in shown]
    draw(found)
    write_csv("dependent_figure_9", rows(found), rounded=True)
    yield from numbers(found)


def clustering(towns: Sequence[City], known: Dependence) -> tuple[Panel, Panel]:
    """The paper's centroids with noise straight on them, and Lloyd's steps that are noisy themselves."""
    points = together(towns)
    begin = scaled(towns, np.repeat(np.array(list(PARTS.values()))[:, None], KEPT, axis=1))
    made = _splits(points, lambda train, test, seed: Clustering(points[train], points[test], begin, seed))
    one_shot = Panel(
        *("one_shot", "K-means, noise on centroids", "Fig 9a"),
        simulate=lambda epsilon, draws: _one(made, draws).one_shot(epsilon, draws),
        exact=1.0,
        dependence=known,
        mechanisms=(LPM, DPM, EXACT_PAIR, ZHU, COMONOTONE, GROUP, BASELINE),
        printed=(0.8, 2.0),
        note="by definition",
        unsound="not sound (E9)",
    )
    steps = Panel(
        *("noisy_steps", "K-means, noisy Lloyd steps", "Fig 9a"),
        simulate=lambda epsilon, draws: _one(made, draws).noisy_steps(epsilon, draws),
        exact=1.0,
        dependence=known,
        mechanisms=(LPM, DPM, EXACT_PAIR, GROUP, BASELINE),
        printed=(0.8, 2.0),
        repeats=2 * SLOW,
        note="by definition: five steps from the parts of Table I",
    )
    return one_shot, steps


def classifying(adult: Profiles) -> Panel:
    points, labels = adult.points, adult.labels

    def made(train: IntArray, test: IntArray, seed: int) -> Classifying:
        return Classifying((points[train], labels[train]), (points[test], labels[test]))

    found = _splits(points, made)
    return Panel(
        *("svm", "SVM, Adult", "Fig 9b"),
        simulate=lambda epsilon, draws: _one(found, draws).accuracy(epsilon),
        exact=float(np.mean([each.exact for each in found])),
        dependence=by_affinity(points),
        mechanisms=(LPM, DPM, EXACT_PAIR, ZHU, GROUP, BASELINE),
        printed=(0.85, 2.0),
        repeats=SLOW,
        note=f"who says that nobody earns above 50,000 is right for {float(np.mean(labels < 0)):.1%}",
    )


def counting(network: Network) -> Panel:
    """Of a network with profiles by its affinity graph; of one without, for independent people and for everybody."""
    people = network.people
    query = Counting(network.pairs, people, MOST[network.name])
    if network.profiles is None:
        dependence = Dependence(people, people - 1, PairLaw.of_points(np.eye(2)), 0.0, float(people))
    else:
        dependence = by_affinity(network.profiles.astype(np.float64))
    profiled = network.profiles is not None
    return Panel(
        *(f"degrees_{network.name.lower()}", f"degrees, {network.name}", "Fig 9c"),
        simulate=lambda epsilon, draws: query.accuracy(epsilon),
        exact=1.0,
        dependence=dependence,
        mechanisms=(LPM, DPM, EXACT_PAIR, ZHU, GROUP, BASELINE) if profiled else (LPM, BASELINE),
        printed=(None, 10.0),
        repeats=SLOW,
        note=f"by definition; {people:,} people, the paper's Google+ has 28,942,911",
    )


def by_affinity(profiles: Array) -> Dependence:
    """Who is alike depends on each other: cosine above 0.8 (DDP §VII-B)."""
    some = profiles[profiles.any(axis=1)]
    chosen = some[np.unique(np.linspace(0, len(some) - 1, min(VALUES, len(some))).astype(np.int64))]
    friends = int(alike_degrees(profiles, THRESHOLD).max())
    return Dependence(len(profiles), friends, PairLaw.of_points(chosen), 0.0, alike(profiles, EVERY))


def _splits(points: Array, make: Callable[[IntArray, IntArray, int], Made]) -> list[Made]:
    found = []
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(points))
        cut = round(TRAINED * len(points))
        found.append(make(order[:cut], order[cut:], seed))
    return found


def _one(made: Sequence[Made], draws: Generator) -> Made:
    return made[int(draws.integers(len(made)))]


if __name__ == "__main__":
    main(learning)
