"""Answers that the model makes next to impossible: the bound is above the truth, and nothing likely is called so."""

from fractions import Fraction
from math import comb, exp

from dalenius import Count, Geometric, Households, Independent, Release
from dalenius.calibration import improbable
from dalenius.calibration.improbability import LEAST

N, P, SCALE = 60, 0.1, 1.5


def at_least(answer: int) -> float:
    """Pr[A + R >= answer], of a binomial count and geometric noise, term by term."""
    base = exp(-1 / SCALE)

    def tail(m: int) -> float:
        return base**m / (1 + base) if m > 0 else 1 - base ** (1 - m) / (1 + base)

    return sum(comb(N, k) * P**k * (1 - P) ** (N - k) * tail(answer - k) for k in range(N + 1))


def test_the_bound_is_above_the_truth_and_not_far() -> None:
    release = Release(Independent(n=N, probabilities=[P]), Count(), Geometric(scale=SCALE))
    for answer in range(0, 60, 3):
        found, truth = improbable(release, [Fraction(answer)]), at_least(answer)
        if truth > LEAST / 2:
            assert found is None
        elif truth < LEAST / 20:
            assert found is not None
        if found is not None:
            assert found.chance >= min(truth, 1.0)
            assert found.words.startswith("the model makes this answer next to impossible (chance ")


def test_intervals_say_nothing_here() -> None:
    homes = Households(count=20, infected=([0.8, 0.9], 0.1, [0.0, 0.1]))
    assert improbable(Release(homes, Count(), Geometric(scale=1.0)), [Fraction(40)]) is None


def test_the_least_likely_of_several_is_named() -> None:
    release = Release(
        Independent(n=40, probabilities=[0.05], labels=["a"] * 20 + ["b"] * 20),
        Count(per_label=True),
        Geometric(scale=1.0),
    )
    found = improbable(release, [Fraction(18), Fraction(60)])
    assert found is not None
    assert (found.name, found.more) == ("b", 1)
    assert found.words.startswith("b: the model makes this answer (and 1 more) next to impossible")
