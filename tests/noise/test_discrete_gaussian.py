"""Discrete Gaussian noise against its definition, and what is drawn and refused."""

from collections import Counter
from fractions import Fraction
from math import exp, inf, sqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

import dalenius as dl
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import DiscreteGaussian
from dalenius.noise.discrete_gaussian import concentrated_scale
from dalenius.noise.discrete_gaussian_law import log_total
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, QUERIES, examples, truth_of
from tests.pace import one_in

WHOLE = Lattice((Fraction(1),))


def _fitting() -> list[tuple[str, str]]:
    found = []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                truth = exact_truth(model, query)
            except Unfit:
                continue
            if truth.axes == 1 and truth.one_sum and len(truth.answers) <= 16:
                found.append((model, query))
    return found


@pytest.mark.lengthy
@pytest.mark.parametrize(("model", "query"), one_in(29, _fitting()))
def test_against_the_reference(model: str, query: str) -> None:
    given = examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)["discrete gaussian"]
    compare(*given, "enumeration", truth_of(*given))


def test_near_lies_are_rejected() -> None:
    given = examples(MODELS)["equal pair"], examples(QUERIES)["sum"]
    honest, lie = DiscreteGaussian(scale=0.9), DiscreteGaussian(scale=1.0)
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


def _chances(deviation: float, most: int) -> list[float]:
    heights = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(deviation) ** 2)) for k in range(-most, most + 1)}
    return [float(height / mpmath.fsum(heights.values())) for height in heights.values()]


@pytest.mark.parametrize("deviation", [0.05, 0.4, 2.9, 3.1, 25.0])
def test_error_is_that_of_the_definition(deviation: float) -> None:
    most = int(45 * deviation) + 3
    chances = np.array(_chances(deviation, most))
    k = np.abs(np.arange(-most, most + 1))
    error = DiscreteGaussian(scale=deviation).error(Fraction(1))
    assert exp(-log_total(deviation)) == pytest.approx(chances[most], rel=1e-12)
    assert error.expected == pytest.approx(float(chances @ k), rel=1e-10)
    for far in (1, 2, 5, int(3 * deviation) + 1):
        tail = error.beyond(Fraction(far), None)
        assert tail is not None
        assert exp(tail.lower) * (1 - 1e-9) <= chances[k >= far].sum() <= exp(tail.upper) * (1 + 1e-9)
        assert tail.upper - tail.lower < 1e-9 * (1 + abs(tail.upper))
    interval = error.interval(Fraction(0), 0.95)
    assert interval is not None
    reach = int(interval.upper)
    assert chances[k > reach].sum() <= 0.05
    assert reach == 0 or chances[k > reach - 1].sum() > 0.05


def test_wide_noise_is_close_to_that_of_the_reals() -> None:
    wide, real = DiscreteGaussian(scale=1e5).error(Fraction(1)), dl.Gaussian(scale=1e5).error(Fraction(1))
    assert wide.expected == pytest.approx(real.expected, rel=1e-9)
    one, other = wide.beyond(Fraction(250000), None), real.beyond(Fraction(250000), None)
    assert one is not None
    assert other is not None
    assert one.lower <= other.middle <= one.upper


@pytest.mark.parametrize(("step", "moved"), [(Fraction(1), 1), (Fraction(1), 3), (Fraction(1, 4), 8)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (2.0, 1e-6)])
def test_scale_keeps_the_promise_on_any_lattice(step: Fraction, moved: int, epsilon: float, delta: float) -> None:
    """δ(ε) = Σ max(p(y) - e^ε p(y - moved), 0); and half of the scale breaks the promise."""
    scale = concentrated_scale(moved * step, epsilon, delta)

    def leaked(deviation: float) -> float:
        chances = np.array(_chances(deviation, int(20 * deviation) + moved))
        return float(np.sum(np.maximum(chances[moved:] - exp(epsilon) * chances[:-moved], 0)))

    assert leaked(scale / float(step)) <= delta < leaked(scale / float(step) / 2)


@pytest.mark.lengthy
def test_draws_follow_the_definition() -> None:
    """A χ² test accepts the noise of the scale, and rejects that of another."""
    drawn = Counter(int(DiscreteGaussian(scale=1.2).draw([7], WHOLE)[0]) - 7 for _ in range(4000))

    def accepted(deviation: float) -> bool:
        chances = _chances(deviation, 40)
        cells = [sum(chances[:38]), *chances[38:43], sum(chances[43:])]
        seen = [sum(drawn[k] for k in range(-40, -2)), *(drawn[k] for k in range(-2, 3))]
        counts = np.array([*seen, 4000 - sum(seen)])
        wanted = 4000 * np.array(cells)
        return float(np.sum((counts - wanted) ** 2 / wanted)) < chi2.ppf(1 - 1e-6, len(cells) - 1)

    assert accepted(1.2)
    assert not accepted(1.5)


def test_a_household_leaks_what_it_does_under_gaussian_noise() -> None:
    """Noise of many steps is that of the reals to some digits; the pure leakage is infinite at any scale."""
    model = dl.Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    found = {kind.__name__: dl.Release(model, dl.Count(), kind(scale=12.0)) for kind in (dl.Gaussian, DiscreteGaussian)}
    deltas = {name: dl.delta_of(release, 0.3).upper for name, release in found.items()}
    assert deltas["DiscreteGaussian"] == pytest.approx(deltas["Gaussian"], rel=2e-3)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match=r"^noise.scale: 0.001, wanted at least 0.01 on this lattice"):
        DiscreteGaussian(scale=0.001).mechanism(WHOLE).serves(3, 2)
    with pytest.raises(InputError, match="pure differential privacy needs a delta"):
        DiscreteGaussian().scale_for(Fraction(1), 1.0)
    assert DiscreteGaussian(scale=2.0).privacy_loss([Fraction(1)]) == inf
    assert sqrt(2) < concentrated_scale(Fraction(1), 1.0, 0.01)


def test_averages_are_calibrated_and_suprema_have_no_scale() -> None:
    """Far more noise than is wanted, as a search may try it, has more outputs than are listed."""
    homes = dl.Households(count=1, infected=[0.4, 0.1, 0.5])
    release = dl.Release(homes, dl.Count(), DiscreteGaussian())
    notion = dl.MutualInformationPrivacy(epsilon=0.03)
    found = dl.calibrate(release, notion)
    reals = dl.calibrate(release.with_noise(dl.Gaussian()), notion)
    assert found.noise.scale == pytest.approx(reals.noise.scale, rel=1e-4)
    assert found.leakage.upper <= 0.03
    with pytest.raises(InputError, match=r"^noise\.kind: discrete_gaussian, wanted laplace or geometric"):
        dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0))
