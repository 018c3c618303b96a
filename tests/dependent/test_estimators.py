"""Linear classifiers and k-means as scikit-learn has them.

Minimisers of neighbours are near, whatever is computed of them is certified, and their noise has its law
(Result 17.2).
"""

from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain
from sklearn.utils.estimator_checks import check_estimator

from dalenius.dependent.arguments import LEAST_NATS, LEAST_NUMBER, MOST_NATS, MOST_NUMBER, clipped
from dalenius.dependent.estimators import KMeans, LinearSVC, LogisticRegression
from dalenius.dependent.learning import lloyd
from dalenius.dependent.solvers import (
    Loss,
    RegularisedLoss,
    Rounded,
    logistic,
    minimiser,
    output_perturbed,
    smooth_hinge,
)
from dalenius.errors import TooLarge
from dalenius.laws.law import Array

BOTH = [LogisticRegression, LinearSVC]


def people(count: int = 4000) -> tuple[Array, Any]:
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 1, (count, 3))
    return rows, np.where(rows @ [1.0, -1.0, 0.5] + 0.3 + rng.normal(0, 0.5, count) > 0, "yes", "no")


def model(kind: Any = LogisticRegression, **given: Any) -> Any:
    return kind(**{"epsilon": 1.0, "regularization": 0.01, "norm": 3.0, **given})


@pytest.mark.parametrize("kind", BOTH)
def test_accuracy_grows_with_epsilon(kind: Any) -> None:
    rows, labels = people()
    plain = Plain().fit(rows, labels).score(rows, labels)
    assert model(kind, epsilon=1000.0).fit(rows, labels).score(rows, labels) > plain - 0.01
    little = model(kind, epsilon=0.001)
    assert min(little.fit(rows, labels).score(rows, labels) for _ in range(9)) < plain - 0.05


def test_without_noise_it_is_scikit_learn_s() -> None:
    """The same objective: C = 1/(nΛ), with the intercept regularised as liblinear does."""
    rows, labels = people()
    ours = model(epsilon=1e5, norm=1e3, regularization=0.01).fit(rows, labels)
    theirs = Plain(C=1 / (len(rows) * 0.01), solver="liblinear", tol=1e-8).fit(rows, labels)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=0.01)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=0.01)
    assert ours.predict_proba(rows[:9]) == pytest.approx(theirs.predict_proba(rows[:9]), abs=0.01)


def test_the_guarantee_says_what_it_rests_on_and_the_noise_is_fresh() -> None:
    rows, labels = people(200)
    first, second = (model(LinearSVC).fit(rows, labels) for _ in range(2))
    assert first.guarantee_.sound
    assert "Result 17.2" in first.guarantee_.why
    assert [each.exact for each in first.guarantee_.noise] == [True]
    assert any("which two labels" in said for said in first.guarantee_.hypotheses)
    declared = model(LinearSVC, classes=["yes", "no"]).fit(rows, labels).guarantee_
    assert not any("which two labels" in said for said in declared.hypotheses)
    assert not np.array_equal(first.coef_, second.coef_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BOTH)
def test_scikit_learns_own_checks(kind: Any) -> None:
    twice = {"check_fit_idempotent": "the noise of two fits is never the same"}
    checked = model(kind, epsilon=1e5, norm=10.0)
    found = check_estimator(checked, on_fail=None, on_skip=None, expected_failed_checks=twice)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    assert sum(each["status"] == "passed" for each in found) > 45


def test_all_that_is_allowed_is_learned_or_too_flat_to_be() -> None:
    ends = (LEAST_NUMBER, MOST_NUMBER)
    for epsilon, *numbers, far in product((LEAST_NATS, MOST_NATS), ends, ends, ends, (1e-300, 1e300)):
        given = dict(zip(("norm", "regularization", "intercept_scaling"), numbers, strict=True))
        with suppress(TooLarge):
            found = model(LinearSVC, epsilon=epsilon, **given).fit(far * np.array([[0.1, 0.2], [0.3, 0.1]]), [0, 1])
            assert np.isfinite(found.coef_).all()


MIDDLES = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [-4.0, 2.0]])


def groups(people: int = 1200) -> Array:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(middle, 0.5, (people // 4, 2)) for middle in MIDDLES])


def test_clusters_are_found_as_epsilon_grows() -> None:
    rows = groups()
    best = lloyd(rows, 4, starts=5).inertia
    ratios = [
        -KMeans(4, epsilon=epsilon, lower=-6, upper=6).fit(rows).score(rows) / best for epsilon in (0.01, 10, 1000)
    ]
    assert ratios[0] > 1.5 > 1.2 > ratios[1] > 1.0
    assert 1.0 <= ratios[2] < 1.01


def test_the_guarantee_of_clusters_says_what_it_rests_on() -> None:
    found = KMeans(4, epsilon=0.5, lower=-6, upper=6, steps=3).fit(groups()).guarantee_
    assert (found.epsilon, found.neighbours, found.sound) == (0.5, "replace", True)
    assert [(each.kind, each.times, each.exact) for each in found.noise] == [("discrete laplace", 3, True)] * 2
    assert any("without looking at the data" in said for said in found.hypotheses)
    assert found.as_json()["noise"][0]["unit"] == "people"
    less = KMeans(4, epsilon=0.5, lower=-6, upper=6, steps=3, neighbours="add_remove").fit(groups()).guarantee_
    assert less.noise[0].scale == pytest.approx(found.noise[0].scale / 2)


LOSSES = [logistic(), smooth_hinge(0.5), smooth_hinge(0.05)]


def units(rng: np.random.Generator, people: int, size: int) -> Array:
    """Rows times labels, of length 1 at most, many of them just that."""
    rows = rng.normal(0, rng.choice([0.1, 1, 10]), (people, size))
    return clipped(rows, 1.0)


@pytest.mark.parametrize("loss", LOSSES[:2], ids=["logistic", "hinge"])
def test_a_slope_is_the_derivative_and_a_bend_the_most_it_changes(loss: Loss) -> None:
    margins, step = np.linspace(-6, 6, 1201), 1e-6
    slope = (loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    assert np.abs(slope - loss.slope(margins)).max() < 1e-4
    assert -1 <= loss.slope(margins).min() <= loss.slope(margins).max() <= 0
    bends = np.diff(loss.slope(margins)) / np.diff(margins)
    assert 0 <= bends.min() <= bends.max() <= loss.bend * (1 + 1e-9)
    assert bends.max() > 0.99 * loss.bend
    assert np.abs(bends - loss.curvature((margins[1:] + margins[:-1]) / 2)).mean() < 0.01


def test_minimisers_of_neighbours_are_within_the_bound() -> None:
    trials = 300
    rng, nearest = np.random.default_rng(trials), 0.0
    for trial in range(trials):
        people, size, weight = int(rng.integers(1, 12)), int(rng.integers(1, 5)), float(10 ** rng.uniform(-4, 1))
        one = units(rng, people, size)
        other = one.copy()
        other[0] = units(rng, 1, size)[0] if trial % 2 else -one[0]  # another label
        objectives = [RegularisedLoss(rows, LOSSES[trial % 3], weight) for rows in (one, other)]
        found = [objective.minimiser() for objective in objectives]
        apart = float(np.sqrt(((found[0] - found[1]) ** 2).sum()))
        assert apart <= objectives[0].distance
        nearest = max(nearest, apart / float(objectives[0].distance))
        lattice = Rounded.of(objectives[0])
        places = [np.rint(each / float(lattice.step)) for each in found]
        assert np.abs(places[0] - places[1]).sum() <= lattice.distance
    assert nearest > 0.9  # half of the bound would be false


def test_the_distance_is_attained() -> None:
    """Two records x with opposite labels, where every margin stays below 1 - h."""
    people = 7
    rows = np.zeros((people, 3))
    rows[:, 0] = 1.0
    weight = 4.0
    other = rows.copy()
    other[0] = -other[0]
    one, two = (RegularisedLoss(each, smooth_hinge(0.5), weight).minimiser() for each in (rows, other))
    exact = 2 / (people * weight)
    assert abs(one - two).sum() == pytest.approx(exact, rel=2e-3)
    assert float(RegularisedLoss(rows, smooth_hinge(0.5), weight).distance) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(("loss", "h"), [(LOSSES[0], None), (LOSSES[1], 0.5)], ids=["logistic", "hinge"])
def test_what_is_returned_is_certified(loss: Loss, h: float | None) -> None:
    """The gradient in fractions of many bits is no longer than was said."""
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(4)
    rows, weight, longest = units(rng, 30, 3), 1e-3, 1e-9
    objective = RegularisedLoss(rows, loss, weight)
    w = minimiser(objective, longest)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(weight)) * x for x in w]
        for row in rows:
            margin = mpmath.fsum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(row, w, strict=True))
            if h is not None:
                slope = -min(1, max(0, (1 + mpmath.mpf(h) - margin) / (2 * mpmath.mpf(h))))
            else:
                slope = -1 / (1 + mpmath.exp(margin))
            exact = [total + slope * float(a) / len(rows) for total, a in zip(exact, row, strict=True)]
        length = mpmath.sqrt(sum(x * x for x in exact))
        error = mpmath.sqrt(sum((x - float(g)) ** 2 for x, g in zip(exact, objective.gradient(w), strict=True)))
    assert length <= longest
    assert error <= objective.rounding(w) / 2


def test_what_cannot_be_certified_is_refused() -> None:
    with pytest.raises(TooLarge, match="regularize more"):
        minimiser(RegularisedLoss(np.ones((3, 1)), logistic(), 1e-3), 1e-15)


def accepts(lengths: Array, mean: float, deviation: float) -> bool:
    """Whether the mean of these is that, to five standard deviations of it."""
    return bool(abs(lengths.mean() - mean) < 5 * deviation / np.sqrt(lengths.size))


def test_released_noise_has_its_scale() -> None:
    rows, epsilon = units(np.random.default_rng(1), 5, 600), 0.7
    objective = RegularisedLoss(rows, logistic(), 0.3)
    exact, lattice = objective.minimiser(), Rounded.of(objective)
    released = [output_perturbed(objective, epsilon) for _ in range(20)]
    noise, scale = np.abs([weights - exact for weights, _ in released]), released[0][1].scale
    assert scale == pytest.approx(float(lattice.distance * lattice.step) / epsilon)
    assert accepts(noise, scale, scale)
    assert not accepts(noise, 1.1 * scale, scale)
    assert released[0][1].exact
    on_lattice = np.array([weights for weights, _ in released]) / float(lattice.step)
    assert np.array_equal(on_lattice, np.rint(on_lattice))
