"""The attack on noisy centroids against the same person by person, what it reads, and how it goes on when stopped."""

from dataclasses import replace
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.dependent.graphs import PAPER, Dropped, Grid
from dalenius.dependent.locations.attack import attack_locations
from dalenius.dependent.locations.centroids import NoisyCentroids
from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.known import Known
from dalenius.dependent.locations.priors import ByLaw, Prior, Weight, Within
from dalenius.dependent.locations.results import LocationAttack
from dalenius.dependent.locations.saved import Saved, digest_of
from dalenius.dependent.locations.visits import friends_among, of_city, patterns_of
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from tests.cases import in_turn
from tests.dependent.towns import Town, town
from tests.reference import locations as brute


def by_hand(town: Town, person: int, known: set[int], weight: Weight | None, counted: str = "home") -> dict[str, float]:
    city, released = town.city, town.released
    lat, lon = city.grid.centres()
    counts = []
    for cell in range(len(lat)):
        own = 0.0
        for other in known:
            cells = city.grid.cell_of(city.places[other, :, 0], city.places[other, :, 1]).tolist()
            own += cells.count(cell) / len(cells) if counted == "places" else float(cells[0] == cell)
        counts.append(own)
    pairs = set(zip(town.edges.first.tolist(), town.edges.second.tolist(), strict=True))
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
            factors = [f + weight.strength * len(lat) * p / sum(law) for f, p in zip(factors, law, strict=True)]
    weighed = [c * f for c, f in zip(counts, factors, strict=True)]
    prior = [w / sum(weighed) for w in weighed]
    alone = [c / sum(counts) for c in counts]
    points, labels, noisy = city.points.tolist(), released.labels.tolist(), released.centroids.tolist()
    apart = [
        brute.distance(noisy, brute.estimated(points, labels, known, candidate, noisy))
        for candidate in city.candidates.tolist()
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


def agrees(found: LocationAttack, person: int, expected: dict[str, float]) -> bool:
    return all(
        float(getattr(found, key)[person]) == pytest.approx(value, rel=1e-6, abs=1e-7, nan_ok=True)
        for key, value in expected.items()
    )


CASES: dict[str, Weight | None] = {"independent": None, "within": Within(radius=12.0, gain=2.0), "law": ByLaw()}


@in_turn({"weight": CASES.values(), "counted": ["home", "places"]})
def test_everybody_is_as_by_hand(weight: Weight | None, counted: str) -> None:
    here = town()
    prior = Prior(None if weight is None else here.edges, weight, counted=counted)  # type: ignore[arg-type]
    found = attack_locations(here.city, here.released, prior)
    for person in range(here.city.people):
        expected = by_hand(here, person, set(range(here.city.people)) - {person}, weight, counted)
        assert agrees(found, person, expected)
        assert not agrees(found, person, expected | {"leaked": expected["leaked"] + 1e-4})


@pytest.mark.parametrize("count", [0, 6])
def test_known_others_alone_count(count: int) -> None:
    here = town()
    order = Known.of(17, count, seed=3).order.tolist()
    found = attack_locations(here.city, here.released, Prior(here.edges, ByLaw()), known=count, seed=3)
    if count == 0:
        assert np.allclose(found.prior_entropy, log(20))
        assert np.allclose(found.independent_entropy, log(20))
        return
    for person in range(17):
        known = set([each for each in order if each != person][:count])
        assert agrees(found, person, by_hand(here, person, known, ByLaw()))


def test_nothing_is_gained_where_noise_says_nothing() -> None:
    here = town()
    silent = replace(here.released, scale=inf)
    found = attack_locations(here.city, silent, Prior(here.edges, ByLaw()))
    assert np.abs(found.gained).max() < 1e-12
    assert np.abs(np.nan_to_num(found.surprise)).max() < 1e-12
    assert found.leaked.mean() > 0.05  # errata E8: entropies of two priors are subtracted
    assert np.abs(attack_locations(here.city, silent, Prior()).leaked).max() < 1e-12


def test_a_full_run_for_every_candidate() -> None:
    """Where clusters are far apart nobody changes them, and one step is a full run."""
    city, labels = two_ends()
    centroids = np.stack([city.points[labels == each].mean(axis=0) for each in (0, 1)]) + 0.01

    def recluster(points: Array) -> Array:
        west = points[:, 1] < 0.5
        return np.stack([points[west].mean(axis=0), points[~west].mean(axis=0)])

    step = attack_locations(city, NoisyCentroids(centroids, labels, 0.05), Prior())
    full = attack_locations(city, NoisyCentroids(centroids, labels, 0.05, recluster), Prior())
    assert np.allclose(step.leaked, full.leaked, rtol=0, atol=1e-12)
    assert np.abs(step.leaked).max() > 1e-3


def two_ends() -> tuple[City, IntArray]:
    grid = Grid(0.0, 0.0, 1.0, 1.0, 2, 2)
    rng = np.random.default_rng(1)
    labels = np.arange(12) % 2
    lat, lon = rng.uniform(0.1, 0.9, size=(12, 2)), rng.uniform(0.0, 0.2, size=(12, 2)) + 0.8 * labels[:, None]
    return City(np.stack([lat, lon], axis=-1), grid), labels


def test_clusters_of_nobody_known() -> None:
    here = town(people=6, k=3)
    found = attack_locations(here.city, here.released, Prior(smoothing=0.5), known=1)
    assert np.isfinite(found.leaked).all()


ROWS: dict[str, list[Any]] = {
    "user": [7, 7, 3, 7, 3, 7],
    "poi": ["a", "b", "a", "c", "d", "b"],
    "lat": [1.0, 2.0, 1.0, 3.0, 4.0, 2.0],
    "lon": [5.0, 6.0, 5.0, 7.0, 8.0, 6.0],
    "count": [2, 1, 1, 2, 1, 1.5],
}


def test_most_visited_first_and_the_last_repeated() -> None:
    found = patterns_of(ROWS, 3)
    assert found.names == (7, 3)
    assert found.places.tolist() == [[[2, 6], [1, 5], [3, 7]], [[1, 5], [4, 8], [4, 8]]]
    assert found.short == 1
    assert patterns_of(ROWS, 1).places.tolist() == [[[2, 6]], [[1, 5]]]


def test_friends_are_cleaned_and_counted() -> None:
    pairs = {"user1": [7, 3, 7, 3, 9], "user2": [3, 7, 7, 3, 7]}
    edges, dropped = friends_among(pairs, (7, 3))
    assert (edges.first.tolist(), edges.second.tolist()) == ([0], [1])
    assert dropped == Dropped(self_loops=2, duplicates=1, unknown=1)
    assert len(friends_among({"user1": [], "user2": []}, (7, 3))[0]) == 0


def test_one_city() -> None:
    table: dict[str, list[Any]] = {"city": ["x", "y", "x"], "user1": [1, 2, 3], "user2": [3, 4, 1]}
    assert of_city(table, ("user1", "user2"), "x") == {"user1": [1, 3], "user2": [3, 1]}
    assert of_city({"user1": [1], "user2": [3]}, ("user1", "user2"), None) == {"user1": [1], "user2": [3]}


HERE = town(people=150, k=4)
PRIOR = Prior(HERE.edges, ByLaw())


class Stopped(Exception):
    pass


def run(path: Path | None, stop: int | None = None, known: int | None = 80) -> LocationAttack:
    def progress(done: int) -> None:
        if stop is not None and done >= stop:
            raise Stopped

    saved = None if path is None else Saved(path, digest_of(HERE.city, HERE.released, PRIOR, known, 1))
    return attack_locations(HERE.city, HERE.released, PRIOR, known, 1, saved, progress)


@pytest.mark.parametrize(("stop", "cut"), [(1, 0), (100, 1), (100, 500)])
def test_the_same_bit_for_bit(tmp_path: Path, stop: int, cut: int) -> None:
    path = tmp_path / "attack.jsonl"
    with pytest.raises(Stopped):
        run(path, stop)
    left = path.read_bytes()
    path.write_bytes(left[: len(left) - cut])  # as if the machine had gone down in the middle of a line
    assert run(path).columns() == run(None).columns()
    assert run(path).columns() == run(None).columns()  # all of it from the file
    assert len(path.read_bytes().splitlines()) == 1 + 3


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "attack.jsonl"
    run(path)
    with pytest.raises(InputError) as caught:
        run(path, known=79)
    wanted = "a file of the same places, friends, centroids, noise, prior, known and seed, or a new one"
    assert (caught.value.key, caught.value.wanted) == ("resume", wanted)


def test_other_files_and_files_with_blocks_taken_out_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "attack.jsonl"
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(InputError, match="wanted a file that an attack on locations has written, or a new one"):
        run(path)


def test_digest_is_of_everything() -> None:
    other = town(people=150, k=4, seed=6)
    found = {
        digest_of(HERE.city, HERE.released, PRIOR, None, 1),
        digest_of(other.city, HERE.released, PRIOR, None, 1),
        digest_of(HERE.city, other.released, PRIOR, None, 1),
        digest_of(HERE.city, HERE.released, Prior(other.edges, ByLaw()), None, 1),
        digest_of(HERE.city, HERE.released, Prior(HERE.edges, ByLaw(strength=2.0)), None, 1),
        digest_of(HERE.city, HERE.released, Prior(), None, 1),
        digest_of(HERE.city, HERE.released, Prior(counted="places"), None, 1),
        digest_of(HERE.city, HERE.released, PRIOR, None, 2),
        digest_of(HERE.city, HERE.released, PRIOR, 149, 1),
    }
    assert len(found) == 9
    assert digest_of(HERE.city, HERE.released, PRIOR, None, 1) in found


def test_what_is_no_file_of_an_attack_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for content in ("hello", "{}\n", '{"format": "another"}\n'):
        path.write_text(content)
        with pytest.raises(InputError, match="wanted a file that an attack on locations has written, or a new one"):
            run(path)
        assert path.read_text() == content
    with pytest.raises(InputError, match=r"resume: .*, wanted a file to keep what is done"):
        run(tmp_path)
