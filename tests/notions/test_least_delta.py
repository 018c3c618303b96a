"""Which notions have a delta: the others say so, and have none to report."""

import pytest

from dalenius import Count, Independent, Laplace, Release
from dalenius.errors import Meaningless
from dalenius.notions import ALL_NOTIONS

RELEASE = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))


def test_without_a_delta() -> None:
    (channel,) = RELEASE.all_channels()
    for notion in ALL_NOTIONS:
        if not notion.has_delta:
            wanted = f"notion.kind: {notion.kind}, wanted a notion that has a delta, such as inferential"
            with pytest.raises(Meaningless, match=f"^{wanted}$"):
                notion.delta_at(channel, 0.5)
            assert notion.least_delta(RELEASE, 0.5) is None


def test_with_a_delta() -> None:
    (channel,) = RELEASE.all_channels()
    for notion in ALL_NOTIONS:
        if notion.has_delta:
            found = notion.least_delta(RELEASE, 0.01)
            assert found is not None
            assert 0 < found.lower <= found.upper < 1
            assert notion.delta_at(channel, 0.01) == found
