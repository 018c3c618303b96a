"""Intervals of answers under a model, and advice where they say less than the model does."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

import dalenius as dl
from dalenius.calibration import advice, precision

CHANCES = (0.8, 0.05, 0.05, 0.0, 0.1)
HOMES = dl.Households(count=5, infected=CHANCES)
CALM = dl.Households(count=5, infected=(0.96, 0.04, 0, 0, 0))


def central(count: int, rest: Fraction) -> tuple[int, int, int]:
    """Of the number of ones in that many households: two quantiles and the median, added up household by household."""
    law: dict[int, Fraction] = defaultdict(Fraction)
    for homes in product(range(5), repeat=count):
        chance = Fraction(1)
        for infected in homes:
            chance *= Fraction(str(CHANCES[infected]))
        law[sum(homes)] += chance

    def quantile(share: Fraction) -> int:
        return next(v for v in range(4 * count + 1) if sum(law[u] for u in range(v + 1)) >= share)

    return quantile(rest / 2), quantile(Fraction(1, 2)), quantile(1 - rest / 2)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_range_that_the_model_expects(confidence: float) -> None:
    low, middle, high = central(5, 1 - Fraction(str(confidence)))
    said = advice(dl.Release(HOMES, dl.Count(), dl.Geometric(scale=6.0)), confidence)
    half = {0.5: 4, 0.95: 18}[confidence]
    assert said == (
        f"an answer near {middle} would be known to ± {half} only; the model alone says {low} to {high}, which is "
        "narrower"
    )


def test_nothing_is_said_where_the_interval_is_no_wider() -> None:
    low, _, high = central(5, Fraction(1, 20))
    assert high - low == 9
    release = dl.Release(HOMES, dl.Count(), dl.NoNoise())
    for scale, half in ((1.5, 4), (1.7, 5)):
        noise = dl.Geometric(scale=scale)
        interval = noise.interval(Fraction(0), 0.95, Fraction(1))
        assert interval == (-half, half)
        assert (advice(release.with_noise(noise)) is None) == (2 * half <= 9)
    assert advice(release) is None


def test_ends_that_clamping_hides_are_those_of_the_possible_answers() -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Clamped(scale=2.0, lower=1, upper=6))
    found = precision(release, [Fraction(6)]).intervals[0]
    assert found == (0, 20)
    assert precision(release, [Fraction(3)]).intervals[0] == (-3, 9)
    assert precision(release, [Fraction(1)], 0.5).intervals[0] == (0, 2)
    said = advice(release.with_noise(dl.Clamped(scale=2.0, lower=2, upper=2)))
    assert (
        said == "an answer near 2 would be known between 0 and 20 only; the model alone says 0 to 9, which is narrower"
    )


def test_words_have_intervals_and_no_advice() -> None:
    rows = [[1 - a / 20, a / 20] for a in range(21)]
    noise = dl.Kernel(answers=range(21), outputs=("few", "many"), probabilities=rows)
    release = dl.Release(HOMES, dl.Count(), noise)
    assert precision(release, ["few"], 0.89).intervals == ((0, 18),)
    assert precision(release, ["many"], 0.89).intervals == ((2, 20),)
    assert advice(release) is None


def test_who_is_absent_has_no_range() -> None:
    assert advice(dl.Release(dl.Absent(answers=(1.0, 2.0, 5.0)), None, dl.Laplace(scale=50.0))) is None


def test_a_law_from_one_transform_expects_the_same() -> None:
    confidence = 0.9999
    for model in (dl.Independent(n=2000, probabilities=(0.03,)), HOMES, dl.Any(models=(CALM, HOMES))):
        release = dl.Release(model, dl.Count(), dl.Geometric(scale=4000.0))
        quick = advice(release, confidence)
        list(release.channels())  # from now on the exact laws are there
        assert all(world._kept for world in release.record_worlds)
        assert quick == advice(release, confidence) is not None
