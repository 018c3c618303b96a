"""δ from where nearly all of the mass is, against all of it."""

from dataclasses import replace

import numpy as np
import pytest

from dalenius import Count, Geometric, Households, Independent, Laplace, NoNoise, Release
from dalenius.channel import FiniteChannel
from dalenius.laws.law import Law
from dalenius.noise import Noise

EPSILONS = (0.0, 0.003, 0.02, 0.1, 0.4, 2.0)
NOISES = (Geometric(scale=40.0), Laplace(scale=3.0))


def crowd(noise: Noise) -> FiniteChannel:
    households = Households(count=1000, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    return next(Release(households, Count(), noise).channels())


def whole(channel: FiniteChannel) -> FiniteChannel:
    """Not read from a core."""
    return replace(channel, exact=None)


@pytest.mark.parametrize("noise", NOISES)
def test_the_core_says_the_same(noise: Noise) -> None:
    """To the width of the enclosures, at any ε; also where δ is far below what the core leaves out."""
    channel = crowd(noise)
    assert channel.exact is not None
    core = channel.exact.core(0)
    assert core is not None
    assert core.law.box[0] < channel.exact.law.box[0] / 2
    for epsilon in EPSILONS:
        for found, wanted in (
            (channel.raising(epsilon), whole(channel).raising(epsilon)),
            (channel.profile(epsilon), whole(channel).profile(epsilon)),
        ):
            assert found.lower <= wanted.upper
            assert wanted.lower <= found.upper
            assert found.upper - found.lower <= 1.01 * (wanted.upper - wanted.lower) + 1e-15 * wanted.upper
        rough, wanted = channel.raising(epsilon, worth=1e-6), whole(channel).raising(epsilon)
        assert rough.lower <= wanted.upper
        assert wanted.lower <= rough.upper
        assert rough.upper - rough.lower <= 1.01 * (wanted.upper - wanted.lower) + 1e-15 * wanted.upper + 1e-21


def test_what_lies_outside_is_bounded() -> None:
    """Of every secret and of the mixture, also where the law is narrow and the secrets are far apart."""
    channel = next(Release(Independent(probabilities=(0.001,) * 400), Count(), NoNoise()).channels())
    assert channel.exact is not None
    for row in range(3):
        core = channel.exact.core(row)
        assert core is not None
        inside = masses(core.law)
        outside = masses(channel.exact.law).sum(axis=1) - inside.sum(axis=1)
        assert np.all(outside <= np.array(core.lost[:2]) + 1e-13)
        assert core.lost[2] >= np.exp(channel.log_prior) @ np.array(core.lost[:2])
        assert core.lost[row] < 1e-30


def masses(law: Law) -> np.ndarray:
    return np.asarray(np.exp(law.log_mass()))
