"""In which order nodes are summed out, and what is too large to sum out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import Count, Laplace, Release, audit
from dalenius.errors import TooLarge
from dalenius.joints.network.elimination import connected, eliminated
from tests.models.networks import grid


def test_too_wide_is_refused_at_once() -> None:
    release = Release(grid(30), Count(), Laplace(scale=1.0))
    assert release.group_sensitivity == (Fraction(900), 900)  # the group method needs no law
    wanted = (
        r"^summing out the network: a width of \d\d \([\d.e+]+ states of cliques, [\d.e+]+ GiB or more\) is too large"
    )
    with pytest.raises(TooLarge, match=wanted):
        audit(release)


@given(seed=st.integers(0, 10**6), count=st.integers(1, 25), parents=st.integers(0, 3))
def test_elimination_orders(seed: int, count: int, parents: int) -> None:
    """Every node once; a boundary is eliminated later, and all of it stays together in the next bucket of the tree."""
    draw = np.random.default_rng(seed)
    families = [[*{int(p) for p in draw.integers(0, i, min(i, parents))}, i] for i in range(count)]
    components = connected(families)
    assert sorted(node for nodes in components for node in nodes) == list(range(count))
    for nodes in components:
        own = [family for family in families if family[-1] in nodes]
        buckets = eliminated(own, dict.fromkeys(nodes, 2))
        place = {bucket.node: i for i, bucket in enumerate(buckets)}
        scope = {bucket.node: {bucket.node, *bucket.boundary} for bucket in buckets}
        assert set(place) == set(nodes)
        assert [bucket.node for bucket in buckets if not bucket.boundary] == [buckets[-1].node]
        for bucket in buckets[:-1]:
            later = [place[node] for node in bucket.boundary]
            assert later == sorted(later, reverse=True)
            assert later[-1] > place[bucket.node]
            assert set(bucket.boundary) <= scope[bucket.boundary[-1]]
        for family in own:
            assert any(set(family) <= each for each in scope.values())
