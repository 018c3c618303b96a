"""The general Wasserstein mechanism: its divergences by summation, where it is tight, and that it keeps the promise."""

import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.theorems.general_wasserstein import shifted_geometric, shifted_laplace
from tests.cases import in_turn
from tests.conformance.strategies import chains, household_models
from tests.pace import draws
from tests.reference.channel import Real, mp

METHOD = "general_wasserstein"
TWINS = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.4, 0.6])


@in_turn({"steps": [1, 2, 5], "rate": [0.01, 0.7, 3.0], "alpha": [1.1, 2.0, 20.0]})
def test_divergence_of_geometric_noises(steps: int, rate: float, alpha: float) -> None:
    with mp.workdps(30):
        q, order = mp.exp(-mp.mpf(rate)), mp.mpf(alpha)
        rows = range(-int(60 / rate) - 40, int(60 / rate) + 60)
        terms = (q ** (order * abs(y - steps) + (1 - order) * abs(y)) for y in rows)
        truth = mp.log(sum(terms) * (1 - q) / (1 + q)) / (order - 1)
    found = shifted_geometric(steps, rate, alpha)
    assert truth * (1 - 1e-12) <= found <= truth + 1e-11


@in_turn({"width": [0.05, 1.0, 8.0], "alpha": [1.5, 3.0, 40.0]})
def test_divergence_of_laplace_noises(width: float, alpha: float) -> None:
    with mp.workdps(30):

        def ratio(x: Real) -> Real:
            return mp.exp(-alpha * abs(x - width) + (alpha - 1) * abs(x)) / 2

        truth = mp.log(mp.quad(ratio, [-60, 0, width, width + 60])) / (alpha - 1)
    assert truth - 1e-12 <= shifted_laplace(width, alpha) <= truth + 1e-11


@in_turn({"noise": [dl.Laplace(), dl.Geometric()], "alpha": [1.5, 2.0, 30.0]})
def test_it_is_tight_for_twins(noise: Noise, alpha: float) -> None:
    """Both answers are known given the secret: the noises themselves are compared."""
    release, notion = dl.Release(TWINS, "count", noise), dl.Renyi(alpha=alpha, epsilon=0.7)
    found, least = (dl.calibrate(release, notion, method) for method in (METHOD, "exact"))
    assert found.sound
    assert found.noise.scale == pytest.approx(least.noise.scale, rel=1e-9)


@draws(60)
@given(st.one_of(chains(5), household_models(4)), st.sampled_from([1.25, 2.0, 12.0]), st.sampled_from([0.1, 1.0]))
def test_it_keeps_the_promise_with_less_noise_than_wasserstein(model: Model, alpha: float, epsilon: float) -> None:
    release, notion = dl.Release(model, "count", "geometric"), dl.Renyi(alpha=alpha, epsilon=epsilon)
    found, more = (dl.calibrate(release, notion, method) for method in (METHOD, "wasserstein"))
    assert found.sound
    assert notion.leakage(release.with_noise(found.noise)).lower <= epsilon
    assert (found.noise.scale or 0.0) <= (more.noise.scale or 0.0) * (1 + 1e-9)


def test_other_promises_are_refused() -> None:
    with pytest.raises(dl.errors.InputError, match="wanted renyi, for method general_wasserstein"):
        dl.calibrate(dl.Release(TWINS, "count", "laplace"), dl.InferentialPrivacy(epsilon=1.0), METHOD)
