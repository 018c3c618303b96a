"""Sums over outputs on several axes that are only compared with a number: they are known as closely as that takes."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from dalenius.arrays import Array, IntArray
from dalenius.bisection import least_epsilon
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.laws.integrals import box_subdivision
from dalenius.laws.integrals.box_subdivision import over_boxes
from dalenius.laws.integrals.convex_functionals import Functional, HockeyStick, Information, Threshold
from dalenius.laws.integrals.functionals_over_outputs import over_axes
from dalenius.laws.integrals.laplace_cells import Pointwise
from dalenius.laws.laplace_smoothing import Along, smoothed
from dalenius.laws.law import Law
from dalenius.models import Independent
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Histogram

AXES = [Along(Fraction(7, 3), real=True), Along(Fraction(1, 2), real=True)]


def _two_sums() -> Law:
    """Two answers of 0 to 3 given each of two secrets, before noise."""
    chances = np.array([[8.0, 4, 2, 1], [1, 3, 3, 8]])
    both = np.log(chances[:, :, None] * chances[:, None, ::-1] / 225)
    return Law((0, 0), np.zeros((4, 4)), both, 0.0)


@pytest.mark.parametrize("epsilon", [0.7])
@pytest.mark.parametrize("share", [0.5, 0.999, 1.001, 2.0])
def test_a_compared_sum_is_on_the_same_side_of_its_bound(epsilon: float, share: float) -> None:
    law = smoothed(_two_sums(), [axis.decay for axis in AXES])
    close = over_axes(HockeyStick(0, 1, epsilon), law, AXES)
    bound = close.middle * share
    found = over_axes(HockeyStick(0, 1, epsilon, Threshold(bound=bound)), law, AXES)
    assert found.lower <= close.upper
    assert found.upper >= close.lower
    assert (found.upper <= bound) == (close.upper <= bound)
    assert (found.lower > bound) == (close.lower > bound)


def test_a_sum_that_is_certainly_smaller_than_another_is_not_refined() -> None:
    compared = Threshold(least=0.2)
    assert compared.settles(0.0, 0.2)
    assert not compared.settles(0.0, 0.2001)
    assert not compared.settles(0.3, 0.4)


def test_bounds_near_the_bound_are_refined() -> None:
    compared = Threshold(bound=0.5)
    assert compared.settles(0.2, 0.201)
    assert compared.settles(0.7, 0.701)
    assert not compared.settles(0.499, 0.4999)
    assert not compared.settles(0.4, 0.6)


def test_a_wide_cell_is_cut_until_a_rule_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of 3.3 scales by 0.5 are narrow enough for Gauss after two halvings of the wide side: 24 boxes that are not
    a tail, 36 parts of 0.83 scales and 36 tails. The other side is not cut, which would take four times as many."""
    decays = [Fraction(10, 3), Fraction(1, 2)]
    law = smoothed(_two_sums(), decays)
    narrow = []
    by_rule = box_subdivision._over_box

    def counted(
        at: Pointwise, ellipse: box_subdivision._Ellipse, corners: Array, widths: Array, nodes: IntArray
    ) -> tuple[Array, Array]:
        narrow.append(widths)
        return by_rule(at, ellipse, corners, widths, nodes)

    monkeypatch.setattr(box_subdivision, "_over_box", counted)
    found = over_boxes(Information(np.log([0.5, 0.5])), law, [float(each) for each in decays])
    assert found is not None
    lower, upper, error = found
    assert upper - lower <= 1e-8 * upper
    assert error < 1e-10
    widths = np.concatenate(narrow, axis=1)
    assert set(widths[0].round(6)) == {0.0, 0.833333}
    assert set(widths[1].round(6)) == {0.0, 0.5}
    assert widths.shape[1] < 120


def test_a_delta_that_is_compared_is_close_for_nobody_far_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people have two chances of illness: their deltas are far from the promised one, and are not looked into."""
    cells = []
    axes = over_boxes

    def counted(functional: Functional, law: Law, decays: Sequence[float | None]) -> tuple[float, float, float] | None:
        found = axes(functional, law, decays)
        assert found is not None
        cells.append(found[1] - found[0] <= 1e-7 * found[1] and found[1] > 0)
        return found

    monkeypatch.setattr("dalenius.laws.integrals.functionals_over_outputs.over_boxes", counted)
    model = Independent(values=(0, 1, 2), probabilities=[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    release = Release(model, Histogram(cells=((0,), (1,))), Laplace(scale=1.5))
    promise = InferentialPrivacy(epsilon=0.5, delta=0.01)
    close = promise.least_delta(release, 0.5)
    assert close is not None
    assert any(cells)
    cells.clear()
    compared = promise.least_delta(release, 0.5, compared=True)
    assert compared is not None
    assert compared.lower > promise.delta
    assert close.lower > promise.delta
    # One pair is above the promise for certain: nobody else is looked at.
    assert cells == [False]


@pytest.mark.parametrize("half", [1e-3, 1e-6, 1e-9])
def test_a_wide_curve_is_read_with_few_looks(half: float) -> None:
    """The ends are where each side of the curve meets delta, at most a third further from the middle."""
    looks = []

    def curve(epsilon: float) -> Enclosure:
        looks.append(epsilon)
        middle = np.exp(-epsilon)
        return Enclosure(float(middle * (1 - half)), float(middle * (1 + half)))

    found = least_epsilon(curve, 0.1, np.inf)
    middle = np.log(10)
    assert half <= middle - found.lower <= 1.4 * half
    assert half <= found.upper - middle + half**2 <= 1.4 * half
    assert len(looks) < 35


def test_a_wide_curve_is_looked_at_once_at_each_place() -> None:
    """A curve that is known to a thousandth: no place twice, and no step within its own doubt."""
    looks = []

    def curve(epsilon: float) -> Enclosure:
        looks.append(epsilon)
        middle = float(np.exp(-epsilon) / 2)
        return Enclosure(middle * 0.999, middle * 1.001)

    found = least_epsilon(curve, 0.1, np.inf)
    assert found.lower <= np.log(5) <= found.upper
    assert found.upper - found.lower <= 2.8e-3
    assert len(looks) == len(set(looks)) <= 20
