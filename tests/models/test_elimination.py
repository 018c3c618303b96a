"""In which order nodes are summed out, and what is too large to sum out."""

from fractions import Fraction

import pytest

from dalenius import Count, Laplace, Release, audit
from dalenius.errors import TooLarge
from tests.models.networks import grid


def test_too_wide_is_refused_at_once() -> None:
    release = Release(grid(30), Count(), Laplace(scale=1.0))
    assert release.group_sensitivity == (Fraction(900), 900)  # the group method needs no law
    wanted = (
        r"^summing out the network: a width of \d\d \([\d.e+]+ states of cliques, [\d.e+]+ GiB or more\) is too large"
    )
    with pytest.raises(TooLarge, match=wanted):
        audit(release)
