"""Rényi Pufferfish privacy: closed forms, what implies what, the noise that keeps it, and what is refused."""

from collections.abc import Callable
from itertools import pairwise
from math import exp, inf, log, nan

import pytest

import dalenius as dl
from dalenius.arrays import IntArray
from dalenius.errors import DaleniusError
from dalenius.laws.integrals import box_subdivision
from dalenius.noise import Noise
from dalenius.notions import Leakage
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.reference.channel import Real, mp

BIT = dl.Independent(probabilities=[0.3])
HOMES = dl.Households(count=3, infected=[0.5, 0.2, 0.3])
ORDERS = (1 + 1e-12, 1.001, 1.5, 2.0, 7.25, 60.0, 1000.0)


def of_bit(noise: Noise, alpha: float) -> Leakage:
    return dl.Renyi(alpha=alpha).leakage(dl.Release(BIT, dl.Count(), noise))


def laplace(scale: float, alpha: float) -> Real:
    """Mironov 2017, Table II: of an answer that moves by 1."""
    order, width = mp.mpf(alpha), 1 / mp.mpf(scale)
    up = order / (2 * order - 1) * mp.exp(width * (order - 1))
    return mp.log(up + (order - 1) / (2 * order - 1) * mp.exp(-width * order)) / (order - 1)


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("scale", [1e-3, 0.5, 3.0, 1e5])
def test_one_bit_under_laplace_noise(scale: float, alpha: float) -> None:
    with mp.workdps(60):
        assert_agrees(enclosure(of_bit(dl.Laplace(scale=scale), alpha)), laplace(scale, alpha))


@pytest.mark.parametrize("alpha", ORDERS)
def test_randomised_response(alpha: float) -> None:
    kernel = dl.Kernel(answers=[0, 1], probabilities=[[0.75, 0.25], [0.25, 0.75]])
    with mp.workdps(60):
        order, ratio = mp.mpf(alpha), mp.mpf(3)
        wanted = mp.log((ratio**order + ratio ** (1 - order)) / 4) / (order - 1)
        assert_agrees(enclosure(of_bit(kernel, alpha)), wanted)


def test_the_worst_of_both_orders_is_named() -> None:
    """P = (1/2, 1/2) and Q = (9/10, 1/10): D_2(P ‖ Q) is log(.25/.9 + .25/.1), D_2(Q ‖ P) only log(1.62 + .02)."""
    kernel = dl.Kernel(answers=[0, 1], probabilities=[[0.5, 0.5], [0.9, 0.1]])
    found = of_bit(kernel, 2.0)
    assert found.epsilon == pytest.approx(log(0.25 / 0.9 + 0.25 / 0.1), rel=1e-12)
    assert found.witness is not None
    assert (found.witness.secret, found.witness.against, found.witness.output) == (0, 1, None)


def test_an_output_that_rules_a_value_out() -> None:
    kernel = dl.Kernel(answers=[0, 1], probabilities=[[1, 0], [0.5, 0.5]])
    found = of_bit(kernel, 1.5)
    assert (found.lower, found.upper) == (inf, inf)
    assert found.witness is not None
    assert (found.witness.secret, found.witness.against) == (1, 0)


def test_it_grows_with_its_order_up_to_the_largest_ratio() -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Laplace(scale=1.5))
    found = [dl.Renyi(alpha=alpha).leakage(release) for alpha in ORDERS]
    for lesser, larger in pairwise(found):
        assert lesser.upper < larger.lower
    most = dl.InferentialPrivacy().leakage(release)
    assert found[-1].upper < most.lower < found[-1].upper + 0.01


def test_only_the_pairs_of_the_secrets_count() -> None:
    chain = dl.Chain(n=1, initial=[0.2, 0.3, 0.5], transition=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    every = dl.Release(chain, dl.Sum(), dl.Laplace(scale=1.0))
    near = dl.Release(chain, dl.Sum(), dl.Laplace(scale=1.0), secrets=dl.Secrets(pairs=((0, 1), (1, 2))))
    notion = dl.Renyi(alpha=3)
    with mp.workdps(60):
        assert_agrees(enclosure(notion.leakage(every)), laplace(0.5, 3.0))
        assert_agrees(enclosure(notion.leakage(near)), laplace(1.0, 3.0))


@pytest.mark.parametrize("alpha", [1.25, 2.0, 12.0])
def test_a_promise_is_calibrated(alpha: float) -> None:
    promise = dl.Renyi(alpha=alpha, epsilon=0.5)
    release = dl.Release(HOMES, dl.Count(), dl.Laplace())
    found = dl.calibrate(release, promise)
    assert found.sound
    assert found.leakage.upper <= 0.5
    looser = dl.Laplace(scale=found.noise.known_scale() * 0.999)
    assert promise.leakage(release.with_noise(looser)).lower > 0.5


@pytest.mark.parametrize("noise", [dl.Laplace(scale=4.0), dl.Geometric(scale=2.0)])
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9])
def test_what_it_implies_with_a_delta_holds(noise: Noise, delta: float) -> None:
    release = dl.Release(HOMES, dl.Count(), noise)
    for alpha in (1.5, 4.0, 50.0):
        notion = dl.Renyi(alpha=alpha)
        implied = notion.implied_epsilon(notion.leakage(release).upper, delta)
        assert dl.delta_of(release, implied).upper <= delta


def test_words_name_the_delta() -> None:
    notion = dl.Renyi(alpha=11, epsilon=0.5)
    assert notion.implied_epsilon(0.5, exp(-5.0)) == pytest.approx(1.0, rel=1e-12)
    said = dl.in_words(notion)
    assert said is not None
    assert said.startswith("except with probability 1e-06, the odds between two values change at most 6.564-fold")


def test_a_town_has_the_largest_ratio_as_its_bound() -> None:
    """A law that is too long for its powers is no reason to claim one."""
    town = dl.Release(dl.Households(count=200_000, infected=[0.9, 0.04, 0.06]), dl.Count(), dl.Laplace(scale=2.0))
    found, most = dl.Renyi().leakage(town), dl.InferentialPrivacy().leakage(town)
    assert (found.lower, found.upper) == (0.0, most.upper)


def test_a_known_record_has_nothing_to_tell() -> None:
    sure = dl.Table(records=[[0, 0], [0, 1]], probabilities=[0.5, 0.5])
    found = dl.Renyi().leakage(dl.Release(sure, dl.Count(), dl.Laplace(scale=2.0)))
    assert found.witness is not None
    assert found.witness.person == 2


def test_an_answer_that_no_record_moves_tells_nothing() -> None:
    """There is one answer, and no cell between two of them."""
    release = dl.Release(BIT, dl.Histogram(cells=[[0, 1]]), dl.Laplace(scale=1.0))
    assert dl.Renyi(alpha=9).leakage(release).upper < 1e-12


@in_turn({"alpha": [1.5, 4.0, 10.0, 50.0], "scale": [0.5, 2.0]})
def test_orders_on_two_axes(alpha: float, scale: float) -> None:
    """Two equal answers of noise of their own: the divergences of independent outputs add up."""
    table = dl.Table(records=[[0], [1]], probabilities=[0.7, 0.3])
    release = dl.Release(table, dl.Histogram(cells=[[0], [1]]), dl.Laplace(scale=scale))
    found = dl.Renyi(alpha=alpha).leakage(release)
    assert found.lower <= 2 * laplace(scale, alpha) <= found.upper <= found.lower * (1 + 2e-8)


def test_a_high_order_on_two_axes_takes_few_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ellipses as low as the order asks for: with those of order 1 it took a hundred rounds of cuts."""
    rounds = []
    cut = box_subdivision._Boxes.cut

    def counted(boxes: box_subdivision._Boxes, which: IntArray) -> None:
        rounds.append(len(which))
        cut(boxes, which)

    monkeypatch.setattr(box_subdivision._Boxes, "cut", counted)
    days = dl.Chain(n=6, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
    found = dl.Renyi(alpha=10).leakage(dl.Release(days, dl.Histogram(cells=[[0], [1]]), dl.Laplace(scale=2.0)))
    assert found.upper - found.lower <= 1e-8 * found.upper
    # Three days are unlike each other, and of each there are two ordered pairs.
    assert len(rounds) <= 6 * 6


SAID: dict[str, Callable[[], object]] = {
    "Renyi.alpha: 1, wanted": lambda: dl.Renyi(alpha=1),
    "Renyi.alpha: 0.5, wanted": lambda: dl.Renyi(alpha=0.5),
    "Renyi.alpha: nan, wanted": lambda: dl.Renyi(alpha=nan),
    "Renyi.alpha: 1001, wanted a number of at most 1,000 (limit notions.order)": lambda: dl.Renyi(alpha=1001),
    "noise.kind: gaussian, wanted laplace, geometric, a kernel or none": lambda: of_bit(dl.Gaussian(scale=1.0), 2.0),
    "delta: 0, wanted a probability above 0 and below 1": lambda: dl.Renyi().implied_epsilon(1.0, 0),
    "epsilon: nan, wanted a number of at least 0": lambda: dl.Renyi().implied_epsilon(nan, 0.1),
    "notion.kind: renyi, wanted one known for the gaussian model": lambda: dl.Renyi().leakage(
        dl.Release(dl.GaussianRecords(mean=[0.0], covariance=[[1.0]]), dl.Sum(), dl.Laplace(scale=1.0))
    ),
}


@pytest.mark.parametrize("said", SAID)
def test_what_is_refused_is_refused_in_one_line(said: str) -> None:
    with pytest.raises(DaleniusError) as caught:
        SAID[said]()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
