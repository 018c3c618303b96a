"""Gaussian noise: by what cells of outputs are cut, what outputs at infinity say, what treating people alike costs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.likelihoods import with_class_error
from dalenius.laws.integrals.convex_functionals import Information
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.gaussian_noise_likelihoods import Normal
from dalenius.laws.integrals.gaussian_rule import _second_moments
from dalenius.laws.law import Law
from dalenius.models import Model
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.pace import draws

MASSES = st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.3, 1.0]), min_size=2, max_size=12).filter(any)


@example(masses=[1.0, *[0.0] * 5, 1.0], scale=1.0, width=0.2, start=3.0)
@example(masses=[1.0, 1e-9, 0.3], scale=0.5, width=3.0, start=-1.0)
@given(masses=MASSES, scale=st.floats(0.3, 5.0), width=st.floats(0.01, 4.0), start=st.floats(-3.0, 12.0))
@draws(100)
def test_second_moments_between_two_outputs(masses: list[float], scale: float, width: float, start: float) -> None:
    """At most the bound about the middle of the means, everywhere between; in a narrow cell hardly less."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array(masses) / sum(masses))
    normal = Normal(Law((0,), np.zeros(len(masses)), logs[None], error=0.0), scale)
    ends = normal.read(np.array([[start, start + width]]))
    bound = float(_second_moments(ends.mean, ends.variance, np.array([[width]]), scale)[0, 0, 0])
    places, middle = np.arange(len(masses)), float(np.mean(ends.mean))
    y = np.linspace(start, start + width, 40)[:, None]
    weights = np.exp(
        logs - (places - y) ** 2 / (2 * scale**2) + np.min((places - y) ** 2, axis=1, keepdims=True) / (2 * scale**2)
    )
    true = np.max(weights @ (places - middle) ** 2 / weights.sum(axis=1)) / scale**4
    assert true <= bound * (1 + 1e-9) + 1e-12
    if width * len(masses) <= 0.1 * scale**2:
        assert bound <= true * 1.1 + 1e-9


MODELS: dict[str, Model] = {
    "chain": dl.Chain(n=12, initial=[0.3, 0.7], transition=[[0.9, 0.1], [0.2, 0.8]]),
    "households": dl.Households(count=3, infected=(0.5, 0.2, 0.2, 0.1)),
    "rare in the middle": dl.Independent(n=3, values=[0, 1, 2], probabilities=[0.5, 0.1, 0.4]),
    "of equal sums": dl.Table(records=((0, 0), (1, 1), (0, 1), (1, 0)), probabilities=(0.4, 0.1, 0.3, 0.2)),
}


@in_turn({"model": MODELS, "scale": [0.4, 3.0]})
def test_outputs_at_infinity_say_what_a_search_finds(model: str, scale: float) -> None:
    for channel in dl.Release(MODELS[model], dl.Sum(), dl.Gaussian(scale=scale)).all_channels():
        assert isinstance(channel, FiniteChannel)
        searched = replace(channel, limits=lambda: None)
        for found, wanted in (
            (channel.ratio(), searched.ratio()),
            *zip(channel.movement(), searched.movement(), strict=True),
            *zip(channel.divergence(), searched.divergence(), strict=True),
        ):
            assert found.value.lower <= wanted.value.upper
            assert wanted.value.lower <= found.value.upper
            assert found.value.upper <= wanted.value.upper * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("noise", [dl.Gaussian(scale=2.0), dl.Laplace(scale=2.0)])
def test_what_treating_people_alike_costs_widens_averages(noise: Noise) -> None:
    (channel, *_) = dl.Release(MODELS["chain"], dl.Sum(), noise).all_channels()
    assert isinstance(channel, FiniteChannel)
    (answer, *_) = dl.Release(MODELS["chain"], dl.Sum(), dl.NoNoise()).all_channels()
    law = answer.finite("a test").likelihood

    def known_to(error: float) -> FiniteChannel:
        subject = replace(channel.subject, class_error=error)
        return replace(
            channel, subject=subject, made=lambda: with_class_error(channel.mechanism.likelihood(law), subject)
        )

    sharp, vague = (known_to(error).information().value for error in (0.0, 1e-4))
    assert sharp.upper - sharp.lower < 1e-9
    assert vague.lower < sharp.lower
    assert sharp.upper < vague.upper


@pytest.mark.parametrize("scale", [0.7, 3.0])
def test_averages_do_not_depend_on_where_the_answers_are(scale: float) -> None:
    """Behind 300,000 impossible answers nodes are rounded to 3e-11 steps, which is counted."""

    def information(before: int) -> Enclosure:
        rows = np.full((2, before + 3), -np.inf)
        rows[:, before:] = np.log([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
        law = Law((0,), np.zeros(before + 3), rows, error=0.0)
        return Information(np.log([0.5, 0.5])).over_line(GaussianLine(law, 1.0, scale))

    near, far = information(0), information(300_000)
    assert max(near.lower, far.lower) <= min(near.upper, far.upper)
    assert near.upper - near.lower < 1e-12 < far.upper - far.lower < 1e-9
