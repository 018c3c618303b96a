"""Model absent: every notion that says something of it, under every noise, against the channel written out.

Normal noise against the reference's scans and quadratures of the line.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.absent.one_absent_model import Absent, PriorRange
from dalenius.absent.who_is_absent_channel import AbsentChannel, absences
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.models import AnyOf, Chain, Model, Table
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
from dalenius.queries import Count, Query, Sum
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, assert_contains, enclosure
from tests.conformance.extremes import ABSENT
from tests.conformance.notions import check_suprema
from tests.conformance.table import PAIR, XOR, channel_of_absent, truth_of
from tests.conformance.truth import Measure, Truth
from tests.pace import one_in, slow
from tests.reference import leakages
from tests.reference.channel import Real, mp
from tests.reference.leakages import Leakage

MODELS = {
    "uniform": Absent(answers=(3, 1, 1, 2, 7)),
    "a list": Absent(answers=(3, 1, 1, 2, 7), prior=(0.125, 0.25, 0.5, 0.125, 0.0)),
    "halves": Absent(answers=(0.5, 2, 3.5, 3.5, 0.5), prior=(0.1, 0.2, 0.3, 0.15, 0.25)),
    "two people": Absent(answers=(0, 1)),
    "all alike": Absent(answers=(2, 2, 2)),
}
NOISES: dict[str, Noise] = {
    "laplace": Laplace(scale=1.7),
    "narrow laplace": Laplace(scale=0.05),
    "wide laplace": Laplace(scale=900.0),
    "geometric": Geometric(scale=1.3),
    "none": NoNoise(),
}
Agrees = Callable[[Enclosure, Real], None]


def check_odds(model: Absent, noise: Noise, agrees: Agrees = assert_agrees) -> None:
    """How far beliefs rise and fall."""
    release, truth = Release(model, None, noise), channel_of_absent(model, noise)
    raised, lowered = leakages.information(truth).value, leakages.lowered(truth).value
    agrees(enclosure(InferentialPrivacy().leakage(release)), leakages.inferential(truth).value)
    information = InformationPrivacy().leakage(release)
    agrees(enclosure(information), raised)
    agrees(enclosure(information, "two_sided"), max(raised, lowered))
    agrees(enclosure(RhoIdentifiability().leakage(release)), leakages.posterior(truth).value)
    found = DifferentialIdentifiability(alpha=0.6, beta=0.3).leakage(release)
    agrees(enclosure(found, "raised"), raised)
    agrees(enclosure(found, "lowered"), lowered)
    factor = -mp.log1p(mp.mpf(0.3)) / mp.log1p(-mp.mpf(0.6))
    agrees(enclosure(found), max(raised, factor * lowered))


@in_turn({"noise": NOISES, "model": MODELS})
def test_every_supremum(model: str, noise: str) -> None:
    check_odds(MODELS[model], NOISES[noise])
    found = RelativeEntropyPrivacy().leakage(Release(MODELS[model], None, NOISES[noise]))
    assert_agrees(enclosure(found), leakages.relative_entropy(channel_of_absent(MODELS[model], NOISES[noise])).value)


def _close(found: Enclosure, truth: Real) -> None:
    """Contained; and to eight digits where no odds are past what a double holds."""
    assert_contains(found, truth)
    if truth < 600:
        assert found.upper - found.lower <= 1e-8 * found.upper + 1e-10


@in_turn({"noise": [NoNoise(), *(Laplace(scale=scale) for scale in (1e-3, 1.0, 1e6))], "name": ABSENT})
def test_rare_and_far_apart(name: str, noise: Noise) -> None:
    check_odds(ABSENT[name], noise, _close)


@in_turn({"noise": ["laplace", "geometric", "none"], "model": ["uniform", "a list", "halves"]})
def test_every_average(model: str, noise: str) -> None:
    release = Release(MODELS[model], None, NOISES[noise])
    truth = channel_of_absent(MODELS[model], NOISES[noise])
    assert_agrees(enclosure(MutualInformationPrivacy().leakage(release)), leakages.mutual_information(truth).value)
    assert_agrees(enclosure(MinEntropyPrivacy().leakage(release)), leakages.min_entropy(truth).value)
    assert_agrees(delta_of(release, 0.4), leakages.delta(truth, 0.4, closed=True).value)
    found = InformationPrivacy().least_delta(release, 0.3)
    assert found is not None
    assert_agrees(found, leakages.raising(truth, 0.3, closed=True).value)


@pytest.mark.parametrize("model", ["uniform", "a list"])
def test_other_noise_by_the_table(model: str) -> None:
    rows = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5], [0.3, 0.3, 0.4]]
    check_odds(MODELS[model], Kernel(answers=(1, 2, 3, 7), probabilities=rows))
    normal = Gaussian(scale=1.5)
    release, truth = Release(MODELS[model], None, normal), channel_of_absent(MODELS[model], normal)
    assert_agrees(enclosure(InformationPrivacy().leakage(release)), leakages.information(truth).value)
    assert_agrees(enclosure(RhoIdentifiability().leakage(release)), leakages.posterior(truth).value)


def test_the_table_says_what_is_said_without_it() -> None:
    for model in MODELS.values():
        for noise in NOISES.values():
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
        Release(AnyOf(models=(Absent(answers=(1, 2)), table)), None, Laplace(scale=1))


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
    "same ends": (SAME_ENDS, Sum(), 1.0),
    "same ends, little noise": (SAME_ENDS, Sum(), 0.25),
    "same ends, much noise": (SAME_ENDS, Sum(), 9.0),
    "equal pair": (PAIR, Sum(), 1.0),
    "exclusive or": (XOR, Count(), 0.4),
    "three values": (THREE, Sum(), 0.8),
    "chain": (CHAIN, Sum(), 0.7),
}
FIRST = one_in(len(CASES), CASES)


def truth(name: str) -> tuple[Release, Truth]:
    model, query, scale = CASES[name]
    noise = Gaussian(scale=scale)
    return Release(model, query, noise), truth_of(model, query, noise)


@pytest.mark.lengthy
@pytest.mark.parametrize("name", FIRST)
def test_suprema(name: str) -> None:
    release, known = truth(name)
    with mp.workdps(25):
        check_suprema(release, known.channels)


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize(
    ("notion", "measure", "epsilon"),
    [
        (InferentialPrivacy(), leakages.delta, 0.5),
        slow((InferentialPrivacy(), leakages.delta, 0.0)),
        (InformationPrivacy(), leakages.raising, 0.3),
        slow((InformationPrivacy(), leakages.raising, 0.0)),
    ],
)
def test_delta(name: str, notion: Notion, measure: Callable[..., Leakage], epsilon: float) -> None:
    """To 1e-10, and to a relative 1e-8."""
    release, known = truth(name)
    found = notion.least_delta(release, epsilon)
    with mp.workdps(30):
        wanted = known.worst(partial(measure, epsilon=epsilon), (measure, epsilon))
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


@pytest.mark.parametrize("name", FIRST)
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
    [InferentialPrivacy(), *map(slow, (InformationPrivacy(), RelativeEntropyPrivacy(), MutualInformationPrivacy()))],
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
