"""Model absent: every notion that says something of it, under every noise, against the channel written out.

Normal noise against the reference's scans and quadratures of the line.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from dalenius.absent.absent_person_channel import AbsentChannel, absences
from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.absent.one_absent_model import Absent, PriorRange
from dalenius.channel import Release
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.models import Any, Chain, Model, Table
from dalenius.noise import Gaussian, Geometric, Kernel, Laplace, Noise, NoNoise
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
    audit,
    delta_of,
)
from dalenius.queries import Count, Max, Query, Several, Sum
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, assert_contains, enclosure
from tests.conformance.table import PAIR, XOR, truth_of
from tests.conformance.truth import Measure, Truth
from tests.conformance.worlds import exactly
from tests.pace import one_in, slow
from tests.reference import absent, channel as reference, leakages, noises
from tests.reference.channel import mp

MODELS = {
    "uniform": Absent(answers=(3, 1, 1, 2, 7)),
    "a list": Absent(answers=(3, 1, 1, 2, 7), prior=(0.125, 0.25, 0.5, 0.125, 0.0)),
    "halves": Absent(answers=(0.5, 2, 3.5, 3.5, 0.5), prior=(0.1, 0.2, 0.3, 0.15, 0.25)),
    "two people": Absent(answers=(0, 1)),
    "all alike": Absent(answers=(2, 2, 2)),
}
NOISES: dict[str, tuple[Noise, Callable[[Fraction], reference.Noise]]] = {
    "laplace": (Laplace(scale=1.7), lambda step: noises.laplace(1.7)),
    "narrow laplace": (Laplace(scale=0.05), lambda step: noises.laplace(0.05)),
    "wide laplace": (Laplace(scale=900.0), lambda step: noises.laplace(900.0)),
    "geometric": (Geometric(scale=1.3), lambda step: noises.geometric(1.3, step)),
    "none": (NoNoise(), lambda step: noises.NONE),
}
SUPREMA: dict[str, tuple[Notion, Callable[[reference.Channel], leakages.Leakage]]] = {
    "inferential": (InferentialPrivacy(), leakages.inferential),
    "information": (InformationPrivacy(), leakages.information),
    "relative_entropy": (RelativeEntropyPrivacy(), leakages.relative_entropy),
    "rho": (RhoIdentifiability(), leakages.posterior),
}


def written_out(model: Absent, noise: Callable[[Fraction], reference.Noise]) -> reference.Channel:
    answers = [Fraction(str(each)) for each in model.answers or ()]
    prior = model.prior if isinstance(model.prior, tuple) else (1.0,) * len(answers)
    step = Fraction(1) if all(answer.denominator == 1 for answer in answers) else Fraction(1, 2)
    return absent.channel(answers, exactly(prior), noise(step))


@in_turn({"noise": NOISES, "model": MODELS})
def test_every_supremum(model: str, noise: str) -> None:
    release = Release(MODELS[model], None, NOISES[noise][0])
    truth = written_out(MODELS[model], NOISES[noise][1])
    for notion, measure in SUPREMA.values():
        assert_agrees(enclosure(notion.leakage(release)), measure(truth).value)
    both = InformationPrivacy().leakage(release)
    assert_agrees(enclosure(both, "two_sided"), leakages.information_two_sided(truth).value)
    promise = DifferentialIdentifiability(alpha=0.6, beta=0.3)
    found = promise.leakage(release)
    raised, lowered = leakages.information(truth).value, leakages.lowered(truth).value
    assert_agrees(enclosure(found, "raised"), raised)
    assert_agrees(enclosure(found, "lowered"), lowered)
    factor = -mp.log1p(mp.mpf(0.3)) / mp.log1p(-mp.mpf(0.6))
    assert_agrees(enclosure(found), max(raised, factor * lowered))


@in_turn({"noise": ["laplace", "geometric", "none"], "model": ["uniform", "a list", "halves"]})
def test_every_average(model: str, noise: str) -> None:
    release = Release(MODELS[model], None, NOISES[noise][0])
    truth = written_out(MODELS[model], NOISES[noise][1])
    assert_agrees(enclosure(MutualInformationPrivacy().leakage(release)), leakages.mutual_information(truth).value)
    assert_agrees(enclosure(MinEntropyPrivacy().leakage(release)), leakages.min_entropy(truth).value)
    assert_agrees(delta_of(release, 0.4), leakages.delta(truth, 0.4, closed=True).value)
    found = InformationPrivacy().least_delta(release, 0.3)
    assert found is not None
    assert_agrees(found, leakages.raising(truth, 0.3, closed=True).value)


@pytest.mark.parametrize("model", ["uniform", "a list"])
def test_other_noise_by_the_table(model: str) -> None:
    rows = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5], [0.3, 0.3, 0.4]]
    kernel = Kernel(answers=(1, 2, 3, 7), probabilities=rows)
    meant = noises.kernel({Fraction(a): exactly(row) for a, row in zip((1, 2, 3, 7), rows, strict=True)})
    release, truth = Release(MODELS[model], None, kernel), written_out(MODELS[model], lambda step: meant)
    for notion, measure in SUPREMA.values():
        assert_agrees(enclosure(notion.leakage(release)), measure(truth).value)
    normal = Release(MODELS[model], None, Gaussian(scale=1.5))
    truth = written_out(MODELS[model], lambda step: noises.gaussian(1.5))
    for name in ("information", "rho"):
        notion, measure = SUPREMA[name]
        assert_agrees(enclosure(notion.leakage(normal)), measure(truth).value)


def test_the_table_says_what_is_said_without_it() -> None:
    for model in MODELS.values():
        for noise, _ in NOISES.values():
            (missing,) = absences(Release(model, None, noise))
            channel = AbsentChannel(missing, noise)
            (table,) = channel.singly("the test")
            assert isinstance(table, FiniteChannel)
            for notion in (
                InformationPrivacy(),
                RhoIdentifiability(),
                DifferentialIdentifiability(alpha=0.5, beta=0.9),
            ):
                quick, slow = notion.leakage(Release(model, None, noise)), notion.leakage_of(table)
                if len(table.secrets) > 1:
                    assert quick.lower <= slow.upper
                    assert slow.lower <= quick.upper


def test_an_audit_reads_what_can_be_read() -> None:
    small = {"inferential", "information", "relative_entropy", "mutual_information", "min_entropy", "rho"}
    assert set(audit(Release(MODELS["uniform"], None, Laplace(scale=1)))) == small
    far = Absent(answers=tuple(range(0, 10**9, 10**6)))
    assert set(audit(Release(far, None, Laplace(scale=1e8)))) == {"inferential", "information", "rho"}
    within = Absent(answers=(1, 2, 3), prior=PriorRange(min=0.1, max=0.6))
    assert set(audit(Release(within, None, Laplace(scale=1)))) == {"inferential", "information", "rho"}


def test_what_cannot_be_read_is_refused_in_one_line() -> None:
    within = Release(Absent(answers=(1, 2, 3), prior=PriorRange(min=0.1, max=0.6)), None, Laplace(scale=1))
    with pytest.raises(InputError, match=r"^model\.prior: min 0\.1, max 0\.6, wanted uniform or a list here"):
        MutualInformationPrivacy().leakage(within)
    far = Release(Absent(answers=tuple(range(0, 10**9, 10**6))), None, Laplace(scale=1e8))
    with pytest.raises(TooLarge, match="1,000 different answers on 999,000,001 lattice points is too large"):
        RelativeEntropyPrivacy().leakage(far)
    for notion in (DifferentialPrivacy(), BayesianPrivacy()):
        with pytest.raises(InputError, match=r"^(notion|model)\.kind"):
            notion.leakage(within)


def test_the_witness_names_somebody() -> None:
    release = Release(Absent(answers=(3, 1, 1, 2, 7)), None, Laplace(scale=1.7))
    found = RhoIdentifiability().leakage(release).witness
    assert found is not None
    assert (found.person, found.output, found.what) == (5, (7.0,), "absent person")
    ends = InferentialPrivacy().leakage(release).witness
    assert ends is not None
    assert (ends.secret, ends.against) == (5, 2)


def test_absent_does_not_mix_with_records() -> None:
    table = Table(records=[[0], [1]], probabilities=[0.5, 0.5])
    with pytest.raises(InputError, match=r"^(model\.models|query)"):
        Release(Any(models=(Absent(answers=(1, 2)), table)), None, Laplace(scale=1))


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
SUPREMA_OF_GAUSSIAN = [
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
        for notion, measure, companion in SUPREMA_OF_GAUSSIAN:
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
