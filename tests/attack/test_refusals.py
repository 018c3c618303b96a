"""What is not attacked, and in which words that is said."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.attack import bayes_attacks, simulated
from dalenius.dependent.graphs import clean_edges
from dalenius.dependent.location_beliefs import ByLaw, Prior, Within
from dalenius.dependent.locations import attack_locations
from dalenius.dependent.places import City, of_city, patterns_of
from dalenius.errors import Meaningless
from tests.cases import Refusals, check_refused
from tests.conformance.table import PAIR
from tests.dependent.test_locations import ROWS
from tests.dependent.towns import GRID, town

HERE = town()
COUNTED = dl.Release(PAIR, dl.Count(), dl.Laplace(scale=1.0))
CITIES: dict[str, list[Any]] = {"city": ["x", "y"], "user1": [1, 2]}


def released(**changed: Any) -> Callable[[], object]:
    return lambda: attack_locations(HERE.city, replace(HERE.released, **changed), Prior())


def visits(places: int = 2, **changed: Any) -> Callable[[], object]:
    return partial(patterns_of, ROWS | changed, places)


REFUSED: Refusals = [
    (lambda: City(np.array([[[41.0, -73.9]]]), GRID), "places of person 1, place 1: 41, -73.9, wanted a position…"),
    (lambda: City(np.array([[[91.0, -73.9]]]), GRID), "lat row 1: 91.0, wanted degrees from -90 to 90"),
    (lambda: City(np.zeros((0, 2, 2)), GRID), "places: of shape (0, 2, 2), wanted (people, places, …"),
    (lambda: Prior(None, ByLaw()), "edges: missing, wanted friends with a weight…"),
    (lambda: Prior(HERE.edges), "edges: given, wanted friends with a weight…"),
    (lambda: Prior(smoothing=-1.0), "smoothing: -1.0, wanted a finite number of at least 0"),
    (lambda: Within(radius=0.0), "radius: 0.0, wanted a finite number above 0"),
    (released(centroids=np.zeros((18, 6)), labels=np.zeros(17, int)), "k: 18, wanted at most the number of people, 17"),
    (released(centroids=np.zeros((3, 5))), "centroids: of shape (3, 5), wanted rows of 6 coordinates"),
    (released(centroids=np.full((3, 6), np.nan)), "centroids: not all finite, wanted finite numbers"),
    (released(labels=np.full(17, 3)), "labels: of shape (17,), wanted a cluster from 0 to 2 for each of 17 people"),
    (released(scale=0.0), "scale: 0.0, wanted above 0"),
    (
        lambda: attack_locations(HERE.city, HERE.released, Prior(clean_edges(3, [(0, 1)])[0], ByLaw())),
        "edges: among 3 people, wanted those of the city, 17",
    ),
    (
        lambda: attack_locations(HERE.city, HERE.released, Prior(), known=17),
        "known: 17, wanted a number of the 16 others, from 0",
    ),
    (visits(lat=[1.0, 2.0, 1.0, 91.0, 4.0, 2.0]), "lat row 4: 91.0, wanted degrees from -90 to 90"),
    (visits(lon=[5.0, "x", 5.0, 7.0, 8.0, 6.0]), "lon row 2: x, wanted a number"),
    (visits(count=[2, 0, 1, 2, 1, 1]), "count row 2: 0.0, wanted a finite number above 0"),
    (visits(lat=[1.0, 2.0, 1.5, 3.0, 4.0, 2.0]), "poi row 3: a, wanted one position per place, it was at (1.0, 5.0)…"),
    (visits(0), "places: 0, wanted at least 1 per person"),
    (partial(of_city, CITIES, ("user1",), None), "city: missing, wanted one of x, y"),
    (partial(of_city, CITIES, ("user1",), "z"), "city: z, wanted one of x, y"),
    (partial(simulated, COUNTED, 0, 1), "runs: 0, wanted a number from 1 to 10,000,000"),
    (partial(simulated, COUNTED, 1, -1), "seed: -1, wanted a whole number of at least 0"),
]


def test_what_is_not_attacked() -> None:
    check_refused(REFUSED)


def test_what_has_no_meaning() -> None:
    pairs = dl.Pairwise(n=3, values=[0, 1], given=[[0.9, 0.1], [0.2, 0.8]], edges=[[1, 2], [2, 3]])
    with pytest.raises(Meaningless, match=r"^model.kind: pairwise, wanted a model with a joint law of all records"):
        bayes_attacks(dl.Release(pairs, dl.Sum(), dl.Laplace(scale=1.0)))
    normal = dl.GaussianRecords(mean=[1, 0], covariance=[[1, 0.5], [0.5, 1]])
    with pytest.raises(Meaningless, match=r"^model.kind: gaussian, wanted a joint law of records with finitely many"):
        simulated(dl.Release(normal, dl.Sum(), dl.Gaussian(scale=1.0)), 10, 1)
    clamped = dl.Release(PAIR, dl.Count(), dl.Clamped(scale=0.8, lower=0, upper=1))
    with pytest.raises(Meaningless, match=r"noise.kind: clamped, wanted laplace, geometric, gaussian, kernel or none"):
        simulated(clamped, 10, 1)
