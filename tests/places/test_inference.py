"""The attack on noisy centroids against the same person by person, and what it reads.

Positions: distances against mpmath, cells, the friend–distance law, and what is refused.
"""

from math import log, nan

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.pairs.friend_distance import PAPER, FriendDistance
from dalenius.places.beliefs import ByLaw, Known, Prior, Weight, Within
from dalenius.places.great_circles import distances_km
from dalenius.places.grid import Grid
from dalenius.places.inference import Inferred
from tests.cases import Refusals, check_refused
from tests.places.towns import Town, attacked, town
from tests.reference import locations as brute
from tests.reference.graphs import arc_km, friend_law


def by_hand(town: Town, person: int, known: set[int], weight: Weight | None) -> dict[str, float]:
    city, released = town.city, town.released
    lat, lon = city.grid.centres.T.tolist()
    counts = []
    for cell in range(len(lat)):
        own = 0.0
        for other in known:
            cells = city.grid.cells_of(city.places[other]).tolist()
            own += float(cells[0] == cell)
        counts.append(own)
    pairs = set(map(tuple, town.friends.tolist()))
    friends = [j for j in known if (j, person) in pairs or (person, j) in pairs]
    factors = [1.0] * len(lat)
    for j in friends:
        away = [
            brute.kilometres((city.places[j, 0, 0], city.places[j, 0, 1]), (lat[c], lon[c])) for c in range(len(lat))
        ]
        if isinstance(weight, Within):
            factors = [f + weight.gain * (d <= weight.radius) for f, d in zip(factors, away, strict=True)]
        elif isinstance(weight, ByLaw):
            law = [(d / 1.609344 + PAPER.b) ** -PAPER.c for d in away]
            factors = [f + len(lat) * p / sum(law) for f, p in zip(factors, law, strict=True)]
    weighed = [c * f for c, f in zip(counts, factors, strict=True)]
    prior = [w / sum(weighed) for w in weighed]
    alone = [c / sum(counts) for c in counts]
    points, labels, noisy = city.points.tolist(), released.labels.tolist(), released.centroids.tolist()
    apart = [
        brute.distance(noisy, brute.estimated(points, labels, known, candidate, noisy))
        for candidate in np.tile(city.candidates, (1, city.places.shape[1])).tolist()
    ]
    after = brute.posterior(prior, apart, float(released.scale))
    guess = after.index(max(after))
    errors = [
        sum(brute.kilometres((place[0], place[1]), (lat[c], lon[c])) for place in city.places[person].tolist())
        / city.places.shape[1]
        for c in range(len(lat))
    ]
    home = int(city.home[person])
    return {
        "guess": guess,
        "error_km": errors[guess],
        "expected_km": sum(p * e for p, e in zip(after, errors, strict=True)),
        "leaked": brute.entropy(alone) - brute.entropy(after),
        "gained": brute.entropy(prior) - brute.entropy(after),
        "surprise": log(after[home] / prior[home]) if prior[home] > 0 else float("nan"),
    }


def agrees(found: Inferred, person: int, expected: dict[str, float]) -> bool:
    return all(
        float(getattr(found, key)[person]) == pytest.approx(value, rel=1e-6, abs=1e-7, nan_ok=True)
        for key, value in expected.items()
    )


CASES: dict[str, Weight | None] = {"independent": None, "within": Within(radius=12.0, gain=2.0), "law": ByLaw()}


@pytest.mark.parametrize("weight", CASES.values(), ids=CASES)
def test_everybody_is_as_by_hand(weight: Weight | None) -> None:
    here = town()
    prior = Prior(None if weight is None else here.friends, weight)
    found = attacked(here, prior)
    for person in range(here.city.people):
        expected = by_hand(here, person, set(range(here.city.people)) - {person}, weight)
        assert agrees(found, person, expected)
        assert not agrees(found, person, expected | {"leaked": expected["leaked"] + 1e-4})


@pytest.mark.parametrize("count", [0, 6])
def test_known_others_alone_count(count: int) -> None:
    here = town()
    order = Known.of(17, count, seed=3).order.tolist()
    found = attacked(here, Prior(here.friends, ByLaw()), known=count, seed=3)
    if count == 0:
        assert np.allclose(found.prior_entropy, log(20))
        assert np.allclose(found.independent_entropy, log(20))
        return
    for person in range(17):
        known = set([each for each in order if each != person][:count])
        assert agrees(found, person, by_hand(here, person, known, ByLaw()))


def test_clusters_of_nobody_known() -> None:
    here = town(people=6, k=3)
    found = attacked(here, Prior(smoothing=0.5), known=1)
    assert np.isfinite(found.leaked).all()


AUSTIN = Grid(south=30.0, west=-98.0, north=30.5, east=-97.5, rows=5, columns=4)


def test_distances_are_great_circles() -> None:
    """Between continents, poles, and antipodes, which lose half the digits to the arcsine's slope."""
    for one, other in (
        ((30.2672, -97.7431), (-33.9, 151.2)),
        ((90.0, 0.0), (-90.0, 12.0)),
        ((0.0, 0.0), (0.0, -180.0)),
    ):
        truth = arc_km(*one, *other)
        assert float(distances_km(np.array([one]), np.array([other]))[0, 0]) == pytest.approx(
            truth, rel=1e-11, abs=2e-4
        )


def test_cells_hold_their_south_western_sides_and_the_last_ones_all() -> None:
    lat = [30.0, 30.05, 30.5, 30.5, 30.0]
    lon = [-98.0, -97.8, -98.0, -97.5, -97.5]
    assert AUSTIN.cells_of(np.column_stack([lat, lon])).tolist() == [0, 1, 16, 19, 3]
    assert AUSTIN.cells_of(AUSTIN.centres).tolist() == list(range(len(AUSTIN))) == list(range(20))


def test_distances_are_between_the_centres_of_cells() -> None:
    up, along = AUSTIN.centres.T
    apart = AUSTIN.distances_miles()
    assert apart.shape == (20, 20)
    assert float(apart[2, 19]) * 1.609344 == pytest.approx(arc_km(up[2], along[2], up[19], along[19]), rel=1e-12)
    np.testing.assert_array_equal(apart, apart.T)
    flat = AUSTIN.points_miles()
    np.testing.assert_allclose(np.hypot(*(flat[:, None] - flat).T), apart, rtol=4e-3)
    with pytest.raises(InputError, match="1 outside"):
        AUSTIN.cells_of(np.array([[30.1, -97.9], [31.0, -97.9]]))


def test_the_law_of_a_friends_place_is_the_powers_normalised() -> None:
    assert (PAPER.a, PAPER.b, PAPER.c) == (0.0019, 0.196, 1.05)
    distances = np.array([[0.0, 0.01, 3.0, 12_000.0], [5.0, 5.0, 5.0, 5.0]])
    for law in (PAPER, FriendDistance(1.0, 1e-9, 40.0), FriendDistance(1.0, 2.0, 0.0)):
        found = law.law(distances)
        for row, given in zip(found, distances, strict=True):
            np.testing.assert_allclose(row, friend_law(given.tolist(), law.b, law.c), rtol=1e-12)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-15)
    steep = FriendDistance(1.0, 1e-300, 3.0)  # (distance + b)^-c overflows at 0
    np.testing.assert_allclose(steep.law(distances)[0], [1.0, 0.0, 0.0, 0.0])


def test_what_is_no_law_is_refused() -> None:
    refused: Refusals = (
        (lambda: FriendDistance(0.0, 1.0, 1.0), "a: 0.0, wanted a finite number above 0"),
        (lambda: FriendDistance(1.0, 1.0, nan), "c: nan, wanted a finite number of at least 0"),
    )
    check_refused(refused)
