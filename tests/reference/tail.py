"""How likely outputs are that leak much.

A loss is a function of the likelihoods {secret: W(y|s)} and of the prior.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from tests.reference.channel import Channel, Likelihoods, Real, mp, real

Loss: TypeAlias = Callable[[Channel, Likelihoods], Real]


def gain(channel: Channel, likelihoods: Likelihoods) -> Real:
    """max_s log W(y|s)/W(y)."""
    return mp.log(max(likelihoods.values()) / channel.mixture(likelihoods))


def divergence(channel: Channel, likelihoods: Likelihoods) -> Real:
    """D(S|Y=y ‖ S)."""
    total = channel.mixture(likelihoods)
    terms = ((channel.weights[s], value / total) for s, value in likelihoods.items() if value > 0)
    return mp.fsum(weight * ratio * mp.log(ratio) for weight, ratio in terms)


def widest(channel: Channel, likelihoods: Likelihoods) -> Real:
    """max log W(y|s)/W(y|s')."""
    low = min(likelihoods.values())
    return mp.inf if low == 0 else mp.log(max(likelihoods.values()) / low)


def tail(channel: Channel, loss: Loss, level: float) -> Real:
    """Pr[loss > level]."""
    exact = real(Fraction(level))
    return channel.noise.probability(channel, lambda found: loss(channel, found) - exact)


def mean(channel: Channel, loss: Loss) -> Real:
    """E[loss], of noise on points."""
    masses = ((weight * channel.mixture(found), found) for weight, found in channel.cells)
    return mp.fsum(mass * loss(channel, found) for mass, found in masses if mass > 0)


def maximal_leakage(channel: Channel) -> Real:
    """log Σ_y max_s W(y|s), of noise on points."""
    return mp.log(mp.fsum(weight * max(found.values()) for weight, found in channel.cells))
