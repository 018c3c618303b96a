"""Composition through differential privacy: add there, convert once by groups (Result 9.1).

Inferential, information and entropy guarantees do not add (IP Prop 6, and the ⊕ example of Result 9.1). Pure losses
between whole data sets do: if replacing one independent group changes the law of answer i by at most e^{l_i}, it
changes the law of all answers by at most e^{Σ l_i}, and the record of a group's member, being independent of all
outside the group, is inferred no better than that.
"""

from collections.abc import Iterable
from math import fsum, inf, nextafter

from dalenius.channel import Release


def group_loss(release: Release) -> float:
    """The most that replacing one independent group of records can move the log-likelihood of any output, in nats;
    infinite where answers are known: given a total no group is independent of others."""
    if not release.of_plain_records:
        return inf
    distance, _ = release.group_sensitivity
    return release.noise.group_loss(distance, release.lattice.axes)


def together(losses: Iterable[float]) -> float:
    """A bound on the inferential leakage of all the releases jointly, and so on every notion it bounds."""
    return nextafter(fsum(losses), inf)
