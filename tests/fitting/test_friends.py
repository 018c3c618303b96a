"""The friend–distance law from simulated friends with a known truth."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dalenius as dl
from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fitting.friends import STEEPEST, FriendDistances, fit_friends
from dalenius.pairs.friend_distance import FriendDistance
from dalenius.places.grid import Grid
from dalenius.places.patterns import VisitColumns, read_friends, read_patterns
from dalenius.spec import read_spec
from tests.cli.command import Run, complaint
from tests.reference.graphs import friends_score

GRID = Grid(south=30.0, west=-98.0, north=30.3, east=-97.6, rows=8, columns=9)
MILES = GRID.distances_miles()
TRUTH = FriendDistance(a=1.0, b=1.5, c=1.8)
CROWDED = np.random.default_rng(7).integers(1, 30, len(GRID)).astype(float)
DENSITIES = pytest.mark.parametrize("weights", [None, CROWDED], ids=["everywhere alike", "where people are"])


def simulated(several: int, seed: int, weights: Array | None = None) -> tuple[FriendDistances, list[tuple[int, int]]]:
    """Pairs of friends that know nobody else, both ends with the law: the joint law of their places is symmetric."""
    heavy = np.ones(len(GRID)) if weights is None else weights
    joint = heavy[:, None] * heavy * (MILES + TRUTH.b) ** -TRUTH.c
    drawn = np.random.default_rng(seed).choice(joint.size, several, p=(joint / joint.sum()).ravel())
    values = np.stack([drawn // len(GRID), drawn % len(GRID)], axis=1)
    return FriendDistances.of(values, MILES, weights), [(one, other) for one, other in values.tolist()]


@DENSITIES
def test_log_likelihoods_are_those_of_mpmath(weights: Array | None) -> None:
    friends, ends = simulated(12, 1, weights)
    heavy = np.ones(len(GRID)) if weights is None else weights
    for b, c in ((1.5, 1.8), (1e-3, 20.0), (400.0, 0.0)):
        expected = friends_score(ends, MILES.tolist(), b, c, heavy.tolist())
        assert friends.log_likelihood(b, c) == pytest.approx(expected, rel=1e-12)


@DENSITIES
def test_truth_is_accepted_and_a_near_lie_is_not(weights: Array | None) -> None:
    """By the likelihood ratio, at the level .001, against lies of a fifth."""
    friends, _ = simulated(20_000, 3, weights)
    best = friends.log_likelihood(*friends.likeliest())
    limit = stats.chi2.ppf(0.999, 2)
    for b, c in ((1.0, 1.0), (1.2, 1.0), (1.0, 1.1), (1 / 1.2, 1.0), (1.0, 1 / 1.1)):
        ratio = 2 * (best - friends.log_likelihood(TRUTH.b * b, TRUTH.c * c))
        assert ratio >= 0
        assert (ratio < limit) == ((b, c) == (1.0, 1.0))


def test_nothing_nearby_is_likelier_and_the_errors_are_those_of_the_curvature() -> None:
    friends, _ = simulated(2_000, 4)
    (b, c), score, step = friends.likeliest(), friends.log_likelihood, 1e-3
    for up, along in ((step, 0), (-step, 0), (0, step), (0, -step), (step, step), (step, -step)):
        assert score(b + up, c + along) < score(b, c)
    bb = -(score(b + step, c) - 2 * score(b, c) + score(b - step, c)) / step**2
    cc = -(score(b, c + step) - 2 * score(b, c) + score(b, c - step)) / step**2
    mixed = (
        score(b + step, c + step) + score(b - step, c - step) - score(b + step, c - step) - score(b - step, c + step)
    )
    inverse = np.linalg.inv([[bb, -mixed / 4 / step**2], [-mixed / 4 / step**2, cc]])
    errors = friends.errors(b, c)
    assert errors is not None
    np.testing.assert_allclose(errors, np.sqrt(np.diag(inverse)), rtol=1e-3)


def test_friends_who_live_together_or_anywhere_are_at_the_border() -> None:
    together = FriendDistances.of(np.array([(0, 0), (5, 5), (9, 9)]), MILES)
    b, c = together.likeliest()
    assert c == STEEPEST
    assert together.log_likelihood(b, c) == pytest.approx(0.0, abs=1e-6)
    everywhere = np.stack(np.meshgrid(range(len(GRID)), range(len(GRID))), axis=-1).reshape(-1, 2)
    anywhere = FriendDistances.of(everywhere[MILES[everywhere[:, 0], everywhere[:, 1]] > 1], MILES)
    assert anywhere.likeliest()[1] == 0.0


def test_a_grid_says_what_its_distances_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where distances fall into classes, to what their width allows."""
    friends, ends = simulated(500, 8, CROWDED)
    values = np.array(ends)
    exact = FriendDistances.of_grid(values, GRID, CROWDED)
    monkeypatch.setattr("dalenius.fitting.friends._EXACT", 0)
    classes = FriendDistances.of_grid(values, GRID, CROWDED)
    assert classes.near.ndim == 1
    for b, c in ((1.5, 1.8), (0.01, 4.0), (40.0, 0.0)):
        expected = friends.log_likelihood(b, c)
        assert exact.log_likelihood(b, c) == pytest.approx(expected, rel=1e-10)
        assert classes.log_likelihood(b, c) == pytest.approx(expected, rel=1e-6, abs=500 * c * 2.0**-12)
    np.testing.assert_allclose(classes.likeliest(), friends.likeliest(), rtol=1e-3)
    np.testing.assert_allclose(classes.errors(1.5, 1.8) or (), friends.errors(1.5, 1.8) or (0.0,), rtol=1e-3)


PLACES = Path(__file__).parents[2] / "examples" / "places"
COLUMNS = VisitColumns(count="visits")


def test_a_fit_is_of_everybodys_most_visited_place(tmp_path: Path) -> None:
    found = fit_friends(PLACES / "friends.csv", PLACES / "visits.csv", (9, 8), COLUMNS)
    patterns = read_patterns(PLACES / "visits.csv", COLUMNS, 1)
    grid = Grid.around(patterns.places[:, 0], 9, 8)
    pairs, _ = read_friends(PLACES / "friends.csv", COLUMNS, patterns.names)
    friends = FriendDistances.of(grid.cells_of(patterns.places[:, 0])[pairs], grid.distances_miles())
    np.testing.assert_allclose((found.b, found.c), friends.likeliest(), rtol=1e-6)
    assert found.nats["law"] == pytest.approx(friends.log_likelihood(found.b, found.c) / 60)
    assert found.nats["none"] == pytest.approx(-np.log(72))
    assert found.by_people["nats"] > found.nats["law"]
    model = read_spec({"model": found.section(), "query": {"kind": "count", "values": [3]}}).model
    assert isinstance(model, dl.Pairwise)
    assert model.count == 40
    law = model.distance
    assert law is not None
    assert (law.b, law.c) == (found.b, found.c)
    rows = law.rows(model.universe, "model.distance")
    np.testing.assert_allclose(rows, FriendDistance(1.0, found.b, found.c).law(grid.distances_miles()), rtol=2e-2)


def test_the_command_writes_the_section(run: Run) -> None:
    asked = ("--data", str(PLACES / "friends.csv"), "--positions", str(PLACES / "visits.csv"))
    done = run("fit", *asked, "--model", "friends", "--count", "visits", "--cells", "9x8", "--json")
    found = fit_friends(PLACES / "friends.csv", PLACES / "visits.csv", (9, 8), COLUMNS)
    assert done.json["model"] == found.section()
    assert done.json["fit"]["by_people"] == found.by_people
    assert "--positions: missing" in complaint(run("fit", *asked[:2], "--model", "friends"))
    assert "--cells: 3x3" in complaint(run("fit", *asked[:2], "--model", "chain", "--cells", "3x3"))


def test_nobodys_friends_are_refused() -> None:
    strangers = pd.DataFrame({"user1": ["x"], "user2": ["y"]})
    with pytest.raises(InputError, match="friends: none, wanted friendships among the 40 people"):
        fit_friends(strangers, PLACES / "visits.csv", (9, 8), COLUMNS)
    with pytest.raises(InputError, match="cells: 1x1"):
        fit_friends(PLACES / "friends.csv", PLACES / "visits.csv", (1, 1), COLUMNS)
