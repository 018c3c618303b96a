"""Composition through differential privacy: add there, convert once by groups (THEORY §9).

Inferential, information and entropy guarantees do not add (IP Prop 6, and the ⊕ example of THEORY §9). Pure losses
between whole data sets do: if replacing one independent group changes the law of answer i by at most e^{l_i}, it
changes the law of all answers by at most e^{Σ l_i}, and the record of a group's member, being independent of all
outside the group, is inferred no better than that.
"""

from collections.abc import Iterable
from math import fsum, inf, nextafter

from dalenius.channel import Release
from dalenius.noise import Kernel


def group_loss(release: Release) -> float:
    """The most that replacing one independent group of records can move the log-likelihood of any output, in nats."""
    distance, _ = release.group_sensitivity
    # A kernel's loss is not of the L1 distance: the group may move every coordinate that far, as far as we know here.
    axes = release.lattice.axes if isinstance(release.noise, Kernel) else 1
    return release.noise.privacy_loss([distance] * axes)


def together(losses: Iterable[float]) -> float:
    """A bound on the inferential leakage of all the releases jointly, and so on every notion below it."""
    return nextafter(fsum(losses), inf)
