"""Functionals of a cell and of a line, and the largest of several likelihoods, against quadrature in mpmath.

The mean of what an output of Gaussian noise leaks, against quadrature.
"""

from fractions import Fraction
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import Count, Gaussian, Release, Sum, Table
from dalenius.bounds import Enclosure
from dalenius.laws.integrals.convex_functionals import HockeyStick, Information, between, mean_excess
from dalenius.laws.integrals.functionals_over_outputs import over_axes, over_points, over_reals
from dalenius.laws.integrals.laplace_cells import largest_over_cell
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.law import Law
from dalenius.laws.leakage_of_one_output import Gain, PosteriorDivergence
from dalenius.models import Model
from dalenius.queries import Query
from tests.cases import in_turn
from tests.conformance.table import truth_of
from tests.pace import draws
from tests.reference import leakages
from tests.reference.channel import Real, differences, mp
from tests.reference.tail import gain


def inside(left: float, right: float, decay: float, u: Real) -> Real:
    """The combination of e^{±u} through e^left at 0 and e^right at decay."""
    width = mp.mpf(decay)
    return (mp.exp(mp.mpf(left)) * mp.sinh(width - u) + mp.exp(mp.mpf(right)) * mp.sinh(u)) / mp.sinh(width)


@st.composite
def cells(draw: st.DrawFn, least: int = 2, most: int = 2) -> tuple[float, list[tuple[float, float]]]:
    """A cell's width over b, and secrets' logs at its ends, at most that far apart; some alike."""
    decay = draw(st.one_of(st.sampled_from([1e-3, 1.0, 20.0]), st.floats(0.01, 30.0)))
    ends = st.tuples(st.one_of(st.sampled_from([0.0, -1.0]), st.floats(-6, 0)), st.floats(-1, 1))
    rows = draw(st.lists(ends, min_size=least, max_size=most))
    return decay, [(start, start + slope * decay) for start, slope in rows]


@given(cell=cells(), epsilon=st.sampled_from([0.0, 0.3, 2.0]))
@draws(60)
def test_hockey_stick_of_a_cell(cell: tuple[float, list[tuple[float, float]]], epsilon: float) -> None:
    decay, ends = cell
    left, right = (np.array([[end[side]] for end in ends]) for side in (0, 1))
    area, bound = HockeyStick(0, 1, epsilon).over_cell(left, right, decay)

    def height(u: Real) -> Real:
        return inside(*ends[0], decay, u) - mp.exp(mp.mpf(epsilon)) * inside(*ends[1], decay, u)

    with mp.workdps(30):
        edges = [mp.zero, mp.mpf(decay)]
        if height(edges[0]) * height(edges[1]) < 0:
            edges.insert(1, mp.findroot(height, edges, solver="anderson", tol=1e-50, verify=False))
        wanted = mp.quad(lambda u: max(height(u), mp.zero), edges, method="gauss-legendre") / 2
    scale = max(float(np.exp(max(max(end) for end in ends))), 1e-300)
    assert abs(mp.mpf(float(area[0])) - wanted) <= 1e-14 * float(wanted) + 1e-15 * scale * decay + float(bound[0])


@given(cell=cells())
@draws(40)
def test_information_of_a_cell(cell: tuple[float, list[tuple[float, float]]]) -> None:
    decay, ends = cell
    prior = [0.3, 0.7]
    left, right = (np.array([[end[side]] for end in ends]) for side in (0, 1))
    mass, bound = Information(np.log(prior)).over_cell(left, right, decay)

    def density(u: Real) -> Real:
        weights = [inside(*end, decay, u) for end in ends]
        mixture = prior[0] * weights[0] + prior[1] * weights[1]
        return mp.fsum(p * w * mp.log(w / mixture) for p, w in zip(prior, weights, strict=True))

    with mp.workdps(25):
        wanted = mp.quad(density, mp.linspace(0, decay, int(decay) + 2), method="gauss-legendre") / 2
    assert abs(mp.mpf(float(mass[0])) - wanted) <= float(bound[0]) + 1e-15


@given(cell=cells(), fraction=st.floats(0.0, 1.0))
@draws(60)
def test_between(cell: tuple[float, list[tuple[float, float]]], fraction: float) -> None:
    decay, ends = cell
    found = between(np.array([ends[0][0]]), np.array([ends[0][1]]), decay, fraction)
    wanted = mp.log(inside(*ends[0], decay, mp.mpf(fraction) * mp.mpf(decay)))
    assert abs(mp.mpf(float(found[0])) - wanted) <= 1e-13


@given(cell=cells(1, 5))
@draws(60)
def test_largest_over_a_cell(cell: tuple[float, list[tuple[float, float]]]) -> None:
    decay, ends = cell
    left, right = (np.array([[end[side]] for end in ends]) for side in (0, 1))
    found = float(largest_over_cell(left, right, decay)[0])
    with mp.workdps(25):
        # Between these many cuts the winner changes once at most, or by nothing that counts.
        cuts = {mp.zero, mp.mpf(decay)}
        for one in ends:
            for other in ends:
                high = [mp.exp(a) - mp.exp(b) for a, b in zip(map(mp.mpf, one), map(mp.mpf, other), strict=True)]
                if high[0] * high[1] < 0:
                    odds = -high[0] / high[1]
                    width = mp.mpf(decay)
                    cuts.add(mp.log((1 + odds * mp.exp(width)) / (1 + odds * mp.exp(-width))) / 2)
        pieces = sorted(cuts)
        wanted = mp.quad(lambda u: max(inside(*end, decay, u) for end in ends), pieces, method="gauss-legendre") / 2
    assert abs(mp.mpf(found) - wanted) <= 3e-14 * wanted


def excess(log_ratio: float) -> float:
    return float(mean_excess(np.zeros(1), np.array([[log_ratio]]))[0][0])


def test_excess() -> None:
    """r log r - r + 1; past 1e-2 the direct form loses at most 1e-16 of 1."""
    for size in (1e-300, 1e-8, 9.99e-3, 1.01e-2, 1.0, 700.0):
        for own in (-size, size):
            x = mp.mpf(own)
            wanted, found = mp.exp(x) * (x - 1) + 1, excess(own)
            slack = 4e-16 if size >= 1e-2 else 0.0
            assert abs(mp.mpf(found) - wanted) <= 2e-15 * wanted + slack + 1e-320
    assert [excess(-np.inf), excess(0.0)] == [1.0, 0.0]


BIT = Law((0,), np.zeros(2), np.array([[0.0, -1.0], [-1.0, 0.0]]), 0.0)
"""A fair bit's likelihoods under noise of scale 1, not normalised."""


@pytest.mark.parametrize("epsilon", [0.25, 2.0])
def test_integrals_of_a_bit(epsilon: float) -> None:
    """Laplace(1): 1 - e^((ε-1)/2); geometric: the mass of {y <= 0} less e^ε times that one step away."""
    stick = HockeyStick(0, 1, epsilon)
    laplace = over_reals(stick, BIT, [1.0])
    assert laplace.lower <= max(1 - mp.exp((mp.mpf(epsilon) - 1) / 2), mp.zero) <= laplace.upper
    geometric = over_axes(stick, BIT, [Along(Fraction(1))])
    at_most_0 = 1 / (1 + mp.exp(-1))
    wanted = max(at_most_0 - mp.exp(mp.mpf(epsilon)) * (1 - at_most_0), mp.zero)
    assert geometric.lower <= wanted <= geometric.upper + 1e-50
    exact = Law((0,), np.zeros(2), np.array([[0.0, -np.inf], [-np.inf, 0.0]]), 0.0)
    assert over_points(stick, exact).middle == pytest.approx(1.0, abs=1e-15)


@in_turn({"rarest": [1e-300, 1e-12, 0.3], "others": [1, 2, 7]})
def test_nothing_leaks_more_than_the_entropy(rarest: float, others: int) -> None:
    """Also where one secret is all but certain: the logarithm of its probability, as a double, has few digits."""
    with mp.workdps(340):
        shares = [mp.mpf(rarest) / others] * others
        exact = [*shares, 1 - mp.fsum(shares)]
        entropy = -mp.fsum(each * mp.log(each) for each in exact)
        prior = np.array([float(mp.log(each)) for each in exact])
        for moved in (prior, np.append(prior[:-1], np.nextafter(prior[-1], 0)), np.log(np.exp(prior))):
            most = Information(moved).most
            assert entropy <= most <= float(entropy) * (1 + 1e-11)


THREE = [[0, 0], [0, 1], [2, 0], [2, 1], [1, 0], [3, 1]]
CASES: dict[str, tuple[Model, Query]] = {
    "four values": (Table(records=THREE, probabilities=[0.1, 0.2, 0.1, 0.2, 0.3, 0.1]), Sum()),
    "two that tie": (Table(records=THREE[:5], probabilities=[0.1, 0.2, 0.1, 0.2, 0.4]), Count()),
}
NARROW = 1e-8


def assert_holds(found: Enclosure, exact: Real) -> None:
    assert found.lower <= exact * (1 + 1e-10)
    assert exact * (1 - 1e-10) <= found.upper
    assert found.upper - found.lower <= NARROW * found.upper


@in_turn({"case": ["four values", "two that tie"], "scale": [0.3, 2.0]})
def test_means_hold_the_truth(case: str, scale: float) -> None:
    """Of what another secret gets ahead of, the pieces are integrated one by one."""
    noise = Gaussian(scale=scale)
    channel = next(Release(*CASES[case], noise).channels())
    truth = truth_of(*CASES[case], noise).people[0][channel.subject.person - 1]
    ahead = differences([itemgetter(secret) for secret in truth.laws])
    gained = truth.noise.total(truth, lambda found: truth.mixture(found) * gain(truth, found), ahead)
    assert_holds(channel.tail_of(Gain(channel.log_prior)).mean(), gained)
    assert_holds(
        channel.tail_of(PosteriorDivergence(channel.log_prior)).mean(), leakages.mutual_information(truth).value
    )
