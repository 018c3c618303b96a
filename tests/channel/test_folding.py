"""Answers that determine each other are one axis: what several noised copies of one answer leak (Result 9.5)."""

from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel import copies as implied_answers
from dalenius.noise import Noise, separate
from dalenius.notions import ALL_NOTIONS, Notion
from dalenius.queries import Query
from tests.conformance.table import worlds_of
from tests.reference import noises, questions
from tests.reference.channel import mp

ROWS = [(r, Fraction(1 + 3 * sum(r) + 5 * r[0] * r[2], 1)) for r in product((0, 1), repeat=3)]
MODEL = dl.Table(records=[r for r, _ in ROWS], probabilities=[float(p / sum(w for _, w in ROWS)) for _, p in ROWS])
ROWS_OF = list(worlds_of(MODEL)[0].joint.items())

ILL, WELL, MOST = dl.Count(), dl.Count(values=(0,)), dl.Max()
GEO, LAP = dl.Geometric(scale=1.3), dl.Laplace(scale=2.1)
CASES: dict[str, list[tuple[Query, Noise, str]]] = {
    "equal": [(ILL, GEO, "ill"), (ILL, GEO, "ill"), (ILL, dl.Geometric(scale=4.0), "ill")],
    "complement": [(ILL, GEO, "ill"), (WELL, dl.Geometric(scale=0.9), "well")],
    "beside another": [
        (ILL, GEO, "ill"),
        (MOST, dl.Geometric(scale=2.0), "most"),
        (WELL, GEO, "well"),
        (MOST, GEO, "most"),
    ],
    "an exact one": [(ILL, GEO, "ill"), (WELL, dl.NoNoise(), "well")],
}
ASKED = {"ill": sum, "well": lambda r: 3 - sum(r), "most": max}


def released(case: str) -> dl.Release:
    asked = CASES[case]
    return dl.Release(
        MODEL, dl.Several(queries=tuple(q for q, _, _ in asked)), separate([noise for _, noise, _ in asked])
    )


def truths(case: str) -> list[questions.Together]:
    asked = [
        (ASKED[how], noises.NONE if noise.shape.adds_nothing else noises.geometric(noise.scale or 1))
        for _, noise, how in CASES[case]
    ]
    return [questions.Together(ROWS_OF, asked, person) for person in range(3)]  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES)
def test_sums_are_exact_in_small_boxes_and_enclosed_in_large_ones(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with mp.workdps(20):
        truth = max(each.mutual_information() for each in truths(case))
    notion = dl.MutualInformationPrivacy()
    small = notion.leakage(released(case))
    assert small.lower <= truth <= small.upper
    assert small.upper - small.lower < 1e-9
    monkeypatch.setattr(implied_answers, "FEW_ROWS", 0)
    large = notion.leakage(released(case))
    assert large.lower <= truth <= large.upper
    assert large.upper < 2 * truth
    assert large.lower > truth / 2


def test_likelihoods_of_copies_are_mixtures_of_one() -> None:
    """The theorem itself: (1 + α²) w(a) >= α (w(a-1) + w(a+1)) inside, w(end) >= α w(next) at the ends, for products of
    any noises whose log is concave and κ-Lipschitz; equality where all outputs are equal."""
    generator = np.random.default_rng(1)
    for _ in range(300):
        scales = generator.uniform(0.2, 5, generator.integers(1, 6))
        outputs, places = generator.uniform(-3, 12, len(scales)), np.arange(10)
        kappa = float(np.sum(1 / scales))
        w = np.exp(-np.sum(np.abs(places[:, None] - outputs) / scales, axis=1) + np.sum(np.abs(outputs - 4) / scales))
        alpha = exp(-kappa)
        assert np.all((1 + alpha**2) * w[1:-1] >= alpha * (w[:-2] + w[2:]) * (1 - 1e-12))
        assert w[0] >= alpha * w[1] * (1 - 1e-12)
        assert w[-1] >= alpha * w[-2] * (1 - 1e-12)


def test_twelve_equal_counts_are_one_with_a_twelfth_of_the_scale() -> None:
    homes = dl.Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    several = dl.Release(homes, dl.Several(queries=(dl.Count(),) * 12), dl.Geometric(scale=12.0))
    found, one = dl.audit(several), dl.audit(dl.Release(homes, dl.Count(), dl.Geometric(scale=1.0)))
    for kind in ("differential", "inferential", "information", "relative_entropy"):
        assert found[kind].epsilon == pytest.approx(one[kind].epsilon, rel=1e-11)
    single = dl.audit(dl.Release(homes, dl.Count(), dl.Geometric(scale=12.0)))
    for kind in ("mutual_information",):
        assert single[kind].lower <= found[kind].upper
        assert found[kind].lower >= single[kind].lower * (1 - 1e-9)
        assert found[kind].upper <= one[kind].upper * (1 + 1e-9)


def test_gaussian_copies_add_their_precisions() -> None:
    homes = dl.Households(count=30, infected=(0.8, 0.1, 0.1))
    notions: list[Notion] = [dl.InferentialPrivacy(delta=1e-3), *ALL_NOTIONS[3:5]]
    parts = [dl.Gaussian(scale=4.0), dl.Gaussian(scale=3.0), dl.Gaussian(scale=6.0)]
    several = dl.Release(homes, dl.Several(queries=(dl.Count(), dl.Count(values=(0,)), dl.Count())), separate(parts))
    precision = 1 / 16 + 1 / 9 + 1 / 36
    found = dl.audit(several, notions)
    one = dl.audit(dl.Release(homes, dl.Count(), dl.Gaussian(scale=1 / sqrt(precision))), notions)
    for kind in one:
        assert found[kind].epsilon == pytest.approx(one[kind].epsilon, rel=1e-7)
    outputs = (20.5, 38.0, 21.25)
    mean = (20.5 / 16 + 22 / 9 + 21.25 / 36) / precision
    alone = dl.posterior(dl.Release(homes, dl.Count(), dl.Gaussian(scale=1 / sqrt(precision))), (mean,))
    together = dl.posterior(several, outputs)
    for left, right in zip(together.laws[0].people, alone.laws[0].people, strict=True):
        assert left.odds.middle == pytest.approx(right.odds.middle, rel=1e-9)
