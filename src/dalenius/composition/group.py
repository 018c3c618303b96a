"""Composition through differential privacy: add there, convert once by groups (Result 9.1).

Inferential, information and entropy guarantees do not add (IP Prop 6, and the ⊕ example of Result 9.1). Pure losses
between whole data sets do: if replacing one independent group changes the law of answer i by at most e^{l_i}, it
changes the law of all answers by at most e^{Σ l_i}, and the record of a group's member, being independent of all
outside the group, is inferred no better than that.
"""

from collections.abc import Iterable
from math import fsum, inf, nextafter

from dalenius.channel import Release
from dalenius.composition.losses import group_losses
from dalenius.composition.releases import Releases


def group_loss(release: Release) -> float:
    """The most that replacing one independent group of records can move the log-likelihood of any output, in nats;
    infinite where answers are known: given a total no group is independent of others."""
    return inf if release.adversary.answers else groups_together(Releases((release,)))


def groups_together(releases: Releases) -> float:
    """The same of all outputs together: the sum of the losses of the group that loses most."""
    if not all(release.is_finite for release in releases.each):
        return together(_of_distance(release) for release in releases.each)
    return max((loss.total for loss in group_losses(releases)), default=0.0)


def _of_distance(release: Release) -> float:
    return release.noise.group_loss(release.group_sensitivity[0], release.lattice.axes)


def together(losses: Iterable[float]) -> float:
    """A bound on the inferential leakage of all the releases jointly, and so on every notion it bounds."""
    return nextafter(fsum(losses), inf)
