"""Normal noise against the reference's scans and quadratures of the line."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import Chain, Model, Table
from dalenius.noise import Gaussian
from dalenius.notions import (
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
    delta_of,
)
from dalenius.queries import Count, Max, Query, Several, Sum
from tests.conformance.comparison import assert_agrees, assert_contains, enclosure
from tests.conformance.table import PAIR, XOR, truth_of
from tests.conformance.truth import Measure, Truth
from tests.pace import one_in, slow
from tests.reference import leakages
from tests.reference.channel import mp

# The same answers at either end whatever the first record is, so that the suprema are finite and inside.
SAME_ENDS = Table(
    records=[[0, 0, 0], [0, 1, 1], [0, 2, 2], [1, -1, 0], [1, 0, 1], [1, 1, 2]],
    probabilities=[0.2, 0.1, 0.2, 0.1, 0.15, 0.25],
)
THREE = Table(
    records=[[0, 0], [0, 2], [0, 4], [1, -1], [1, 1], [1, 3], [2, -2], [2, 2]],
    probabilities=[0.1, 0.1, 0.1, 0.2, 0.1, 0.15, 0.2, 0.05],
)
STEPS = [[0.5, 0.5, 0], [0.1, 0, 0.9], [1e-9, 0.3, 0.7]]
CHAIN = Chain(n=3, values=[0, 0.5, 2], transition=STEPS, initial=[0.2, 0, 0.8])
CASES: dict[str, tuple[Model, Query, float]] = {
    "equal pair": (PAIR, Sum(), 1.0),
    "exclusive or": (XOR, Count(), 0.4),
    "same ends, little noise": (SAME_ENDS, Sum(), 0.25),
    "same ends": (SAME_ENDS, Sum(), 1.0),
    "same ends, much noise": (SAME_ENDS, Sum(), 9.0),
    "three values": (THREE, Sum(), 0.8),
    "chain": (CHAIN, Sum(), 0.7),
}
SUPREMA = [
    (InferentialPrivacy(), leakages.inferential, None),
    (InformationPrivacy(), leakages.information, None),
    (InformationPrivacy(), leakages.information_two_sided, "two_sided"),
    (RelativeEntropyPrivacy(), leakages.relative_entropy, None),
    (RelativeEntropyPrivacy(), leakages.relative_entropy_reverse, "reverse"),
]


def truth(name: str) -> tuple[Release, Truth]:
    model, query, scale = CASES[name]
    noise = Gaussian(scale=scale)
    return Release(model, query, noise), truth_of(model, query, noise)


@pytest.mark.parametrize("name", one_in(5, CASES))
def test_suprema(name: str) -> None:
    release, known = truth(name)
    with mp.workdps(25):
        for notion, measure, companion in SUPREMA:
            found = enclosure(notion.leakage(release), companion)
            assert_agrees(found, known.worst(measure))


@pytest.mark.parametrize("name", one_in(5, CASES))
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_delta(name: str, epsilon: float) -> None:
    """To 1e-10, and to a relative 1e-8."""
    release, known = truth(name)
    found = delta_of(release, epsilon)
    with mp.workdps(30):
        wanted = known.worst(partial(leakages.delta, epsilon=epsilon), epsilon)
    assert_contains(found, wanted)
    assert found.upper - found.lower <= max(1e-8 * found.upper, 1e-18)


@pytest.mark.parametrize("name", one_in(5, CASES))
@pytest.mark.parametrize("epsilon", [slow(0.0), 0.3])
def test_delta_of_information(name: str, epsilon: float) -> None:
    release, known = truth(name)
    found = InformationPrivacy().least_delta(release, epsilon)
    with mp.workdps(30):
        wanted = known.worst(partial(leakages.raising, epsilon=epsilon), ("raising", epsilon))
    assert found is not None
    assert_contains(found, wanted)
    assert found.upper - found.lower <= max(1e-8 * found.upper, 1e-18)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_both_sides_of_information_with_a_delta(name: str) -> None:
    """The least ε of a δ: the reference's δ is above it before the enclosure, and not after it."""
    release, known = truth(name)
    delta = 0.02
    leakage = InformationPrivacy(delta=delta).leakage(release)
    raised, both = enclosure(leakage), enclosure(leakage, "two_sided")
    with mp.workdps(30):
        cases = [(raised, [leakages.raising]), (both, [leakages.raising, leakages.lowering])]
        for found, measures in cases:
            assert found.upper - found.lower <= max(1e-8 * found.upper, 1e-12)
            for end, sign in ((found.lower * (1 - 1e-9), 1), (found.upper * (1 + 1e-9), -1)):
                true = max(known.worst(partial(each, epsilon=end), (each, end)) for each in measures)
                assert sign * (true - delta) >= -1e-12


@pytest.mark.parametrize("name", one_in(5, CASES))
@pytest.mark.parametrize(
    ("notion", "measure"),
    [(MutualInformationPrivacy(), leakages.mutual_information), (MinEntropyPrivacy(), leakages.min_entropy)],
)
def test_averages(name: str, notion: Notion, measure: Measure) -> None:
    release, known = truth(name)
    found = enclosure(notion.leakage(release))
    with mp.workdps(30):
        wanted = known.worst(measure)
    assert_contains(found, wanted)
    assert found.upper - found.lower <= 1e-9


@pytest.mark.slow
def test_a_near_lie_is_rejected() -> None:
    """The same release with a scale a millionth off."""
    release, known = truth("same ends")
    lie = release.with_noise(Gaussian(scale=1.000001))
    found = enclosure(MutualInformationPrivacy().leakage(lie))
    with pytest.raises(AssertionError):
        assert_contains(found, known.worst(leakages.mutual_information))
    with pytest.raises(AssertionError):
        assert_contains(delta_of(lie, 0.5), known.worst(partial(leakages.delta, epsilon=0.5), 0.5))


@pytest.mark.parametrize(
    "notion",
    [InferentialPrivacy(), InformationPrivacy(), *map(slow, (RelativeEntropyPrivacy(), MutualInformationPrivacy()))],
)
def test_random_laws_leak_less_with_more_noise(notion: Notion) -> None:
    generator = np.random.default_rng(5)
    for _ in range(3):
        records = [[s, v] for s in (0, 1, 2) for v in (0, 3, 4, 7)]
        weights = generator.dirichlet(np.full(12, 0.4)) + 1e-6
        model = Table(records=records, probabilities=list(weights / weights.sum()))
        found: list[float] = []
        for scale in (0.3, 0.8, 2.0, 6.0):
            leakage = notion.leakage(Release(model, Sum(), Gaussian(scale=scale)))
            assert leakage.upper - leakage.lower <= 1e-8 * leakage.upper + 1e-10 or leakage.lower == np.inf
            found.append(leakage.epsilon)
        assert all(later <= before * (1 + 1e-8) for before, later in pairwise(found))


def test_several_answers_are_refused() -> None:
    with pytest.raises(InputError, match=r"^noise.kind: gaussian, wanted a single answer"):
        list(Release(PAIR, Several(queries=[Count(), Max()]), Gaussian(scale=1.0)).channels())
