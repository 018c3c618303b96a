"""What any pipeline can leak of records with intervals that may alternate: not what noised sums can (Result 21.27)."""

import numpy as np

from dalenius.conversion import Conversion, PrivacyProfile, PureProfile
from dalenius.models import Chain
from tests.cases import in_turn
from tests.ratios.test_converted import delta_at, pure_at

Boxes = tuple[tuple[tuple[float, float], ...], ...]
FIRST = ((0.3, 0.6), (0.4, 0.7))
ALTERNATING: Boxes = (((0.1, 0.4), (0.6, 0.9)), ((0.5, 0.8), (0.2, 0.5)))
MIXED: Boxes = (((0.3, 0.8), (0.2, 0.7)), ((0.2, 0.7), (0.3, 0.8)))


def law_of(rows: Boxes, rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    """One law of the set: an end, or the middle, of the interval of each row's first value."""
    one = [low + (high - low) * int(rng.integers(0, 3)) / 2 for (low, high), _ in rows]
    return tuple((p, 1 - p) for p in one)


def largest_at(rows: Boxes, n: int, profile: PrivacyProfile) -> float:
    """Of some laws of the set, each step with one of its own."""
    rng, found = np.random.default_rng(3), 0.0
    for p in (0.3, 0.6):
        for _ in range(4):
            each = tuple(law_of(rows, rng) for _ in range(n - 1))
            (law,) = Chain(n=n, initial=(p, 1 - p), transition=each).finite_joints()
            pure = profile.pure
            found = max(found, delta_at(law, profile, 0.2, False) if pure is None else pure_at(law, pure, 1, False))
    return found


@in_turn({"rows": [ALTERNATING, MIXED], "n": [2, 3, 5]})
def test_a_chain_that_alternates_leaks_more_than_its_count_does(rows: Boxes, n: int) -> None:
    found = Conversion(Chain(n=n, initial=FIRST, transition=rows), PureProfile(0.5), "replace").epsilon(0.0).value
    worst = largest_at(rows, n, PureProfile(0.5))
    assert worst <= found.upper
    assert worst > 0.7, "one record's own is .5"
    assert found.upper <= 1.1 * found.lower
