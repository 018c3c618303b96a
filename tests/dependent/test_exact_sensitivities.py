"""No two neighbours are further apart than the noise is for: all of them on small lattices, and all small graphs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.dependent.degree_distribution import cumulative, projected
from dalenius.dependent.noisy_lloyd_steps import HALF, Split, sums_and_counts
from dalenius.dependent.regularised_minimiser import Loss, Task, hinge, logistic
from tests.reference import degrees as graphs, lloyd


@pytest.mark.parametrize("axes", [1, 2])
def test_no_neighbours_move_a_step_further_than_its_share_and_some_as_far(axes: int) -> None:
    split, rows = Split.of(Fraction(1), 4, axes), list(product((-HALF, 1, HALF), repeat=axes))
    assert split.steps * (split.count + axes * split.value) == 1
    assert sum(each.loss for each in split.drawn(axes)) == 1
    centres = tuple(list(product((-HALF // 2, HALF // 3), repeat=axes))[:3])
    worst = Fraction(0)
    for one, other in product(rows, repeat=2):
        sums, counts = sums_and_counts(np.array([one, rows[0]], dtype=float), np.array(centres, dtype=float))
        exact = lloyd.step((one, rows[0]), centres)
        assert (tuple(counts.tolist()), tuple(map(tuple, sums.tolist()))) == exact
        another = lloyd.step((other, rows[0]), centres)
        moved = sum(abs(a - b) for a, b in zip(exact[0], another[0], strict=True)) / split.count_scale
        for total, changed in zip(exact[1], another[1], strict=True):
            moved += sum(abs(a - b) for a, b in zip(total, changed, strict=True)) / split.value_scale
        worst = max(worst, Fraction(moved))
    assert worst == Fraction(1, 4)


def test_all_small_graphs_move_as_far_as_the_noise_is_for_and_no_further() -> None:
    people, order = 4, graphs.pairs(4)
    for most in (1, 2, 3):
        found = {}
        for graph in graphs.graphs(people):
            edges = np.array(sorted(graph), dtype=np.int64).reshape(-1, 2)
            kept = projected(edges, people, most)
            assert kept.tolist() == graphs.degrees(graphs.projected(graph, order, most), people)
            plain = np.bincount(edges.ravel(), minlength=people)
            found[graph] = cumulative(kept, most).tolist(), cumulative(plain, most).tolist()
        persons = [(one, other) for each in graphs.but_one_person(people) for one, other in product(each, repeat=2)]
        by_person = max(graphs.distance(found[one][0], found[other][0]) for one, other in persons)
        near = ((graph, other) for graph in found for other in graphs.by_edge(graph, people))
        by_edge = max(graphs.distance(found[one][1], found[other][1]) for one, other in near)
        asked = {
            hidden: dl.DegreeDistribution(people, max_degree=most, neighbours=hidden)._drawn(Fraction(1)).sensitivity
            for hidden in ("person", "edge")
        }
        assert by_edge == asked["edge"] == 2
        assert by_person <= asked["person"] == 2 * most
        # Of three people besides, somebody with edges to all and nobody differ by no more than n - 1 + most.
        assert by_person == min(2 * most, people - 1 + most) or most == 3


def test_the_crop_of_degrees_alone_would_not_bound_a_person() -> None:
    """Theory §18: of somebody joined to all, without a projection, everybody's degree moves."""
    star = np.array([[0, other] for other in range(1, 6)])
    plain = cumulative(np.bincount(star.ravel(), minlength=6), 1)
    assert abs(int(plain[0]) - 6) == 6 > 2 * 1


@pytest.mark.parametrize("seed", range(5))
def test_certified_gradients_are_short_in_fractions(seed: int) -> None:
    """Of the hinge, which is piecewise linear, at the minimiser found."""
    draws = np.random.default_rng(seed)
    people, size, weight = int(draws.integers(2, 30)), int(draws.integers(1, 6)), float(10 ** draws.uniform(-3, 0.5))
    rows = draws.normal(size=(people, size))
    rows /= np.maximum(np.linalg.norm(rows, axis=1), 1)[:, None]
    task = Task(rows, hinge, weight)
    assert _length_of_gradient(rows, weight, task.minimiser()) <= task.longest**2
    tilted = Task(rows, hinge, weight, draws.normal(size=size), Fraction(10))
    assert _length_of_gradient(rows, weight, tilted.minimiser(), tilted.tilt) <= tilted.longest**2


def _length_of_gradient(rows: Array, weight: float, at: Array, tilt: Array | None = None) -> Fraction:
    """The square of the length of the gradient of the huberised hinge, in fractions."""
    w = [Fraction(float(each)) for each in at]
    total = [Fraction(0)] * len(w)
    for row in rows:
        x = [Fraction(float(each)) for each in row]
        margin = sum(a * b for a, b in zip(x, w, strict=True))
        slope = -min(max(Fraction(3, 2) - margin, Fraction(0)), Fraction(1))
        total = [sofar + slope * each for sofar, each in zip(total, x, strict=True)]
    pull = np.zeros(len(w)) if tilt is None else tilt
    gradient = (
        each / len(rows) + Fraction(weight) * a + Fraction(float(b)) for each, a, b in zip(total, w, pull, strict=True)
    )
    return sum((each**2 for each in gradient), Fraction(0))


def test_losses_are_what_their_slopes_add_up_to() -> None:
    for loss in (logistic, hinge):
        for margin in np.linspace(-3, 3, 25) + 1e-3:
            ends = np.array([margin - 1e-5, margin + 1e-5])
            value, slope, _ = loss(ends)
            _, middle, bend = loss(np.array([margin]))
            assert (value[1] - value[0]) / 2e-5 == pytest.approx(middle[0], abs=1e-6)
            assert (slope[1] - slope[0]) / 2e-5 == pytest.approx(bend[0], abs=1e-6)
            assert -1 <= middle[0] <= 0


@pytest.mark.parametrize("loss", [logistic, hinge])
@pytest.mark.parametrize("seed", range(30))
def test_a_minimiser_is_found_whatever_the_rows(loss: Loss, seed: int) -> None:
    """Rows that are far or all alike, labels that can be told apart or not, and next to no weight."""
    draws = np.random.default_rng(seed)
    people, size, weight = int(draws.integers(1, 500)), int(draws.integers(1, 30)), float(10 ** draws.uniform(-6, 1))
    rows = draws.normal(size=(people, size)) * draws.exponential(size=(1, size))
    rows /= np.maximum(np.linalg.norm(rows, axis=1), 1)[:, None]
    if seed % 3 == 0:
        rows = np.sign(rows @ draws.normal(size=size))[:, None] * rows
    if seed % 5 == 0:
        rows = rows[draws.integers(0, min(people, 3), people)]
    task = Task(rows, loss, weight)
    at = task.minimiser()
    gradient = loss(rows @ at)[1] @ rows / people + weight * at
    assert np.linalg.norm(gradient) <= task.longest
