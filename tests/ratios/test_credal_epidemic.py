"""An epidemic whose probabilities are intervals: households of all values inside keep the bounds."""

from random import Random

import numpy as np
import pytest

import dalenius as dl
from tests.ratios.laws_inside import contains

WIDE = dl.Epidemic(community=(0.05, 0.1), household=(0.1, 0.2))


def inside(random: Random) -> dl.Epidemic:
    return dl.Epidemic(community=random.uniform(0.05, 0.1), household=random.uniform(0.1, 0.2))


def households(epidemic: dl.Epidemic, sizes: dict[int, int]) -> dl.Households:
    homes: dict[tuple[tuple[str, int], ...], int] = {(("", size),): count for size, count in sizes.items()}
    return dl.Households(by="home", epidemic=epidemic).with_compositions(homes)


@pytest.mark.parametrize("size", [2, 9])
def test_every_law_inside_is_in_the_box(size: int) -> None:
    box, random = WIDE.box(size), Random(size)
    for _ in range(40):
        assert contains(box, inside(random).infected(size))


def test_chances_of_at_least_so_many_grow_with_both() -> None:
    """What the box rests on (Result 21.17); single chances do not."""
    tails = []
    for community in (0.05, 0.3, 0.6):
        law = np.array(dl.Epidemic(community=community, household=0.2).infected(4))
        tails.append(law[::-1].cumsum()[::-1])
    assert all((np.diff(np.array(tails), axis=0) >= -1e-15).ravel())
    single = [dl.Epidemic(community=c, household=0.2).infected(4)[2] for c in (0.05, 0.3, 0.9)]
    assert single[0] < single[1] > single[2]


@pytest.mark.slow
def test_no_values_inside_leak_more() -> None:
    release = dl.Release(households(WIDE, {2: 3, 4: 2}), dl.Count(), dl.Laplace(scale=2.0))
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy()):
        found = notion.leakage(release)
        random, most = Random(5), 0.0
        for _ in range(8):
            point = dl.Release(households(inside(random), {2: 3, 4: 2}), dl.Count(), dl.Laplace(scale=2.0))
            leaked = notion.leakage(point)
            assert leaked.lower <= found.upper
            most = max(most, leaked.upper)
        assert found.lower <= found.upper <= 1.15 * found.lower
        assert most <= found.upper
