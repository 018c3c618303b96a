"""Model absent: every notion that says something of it, under every noise, against the channel written out."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from dalenius.absent.model import Absent, PriorRange
from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.absent.world import absent_channels
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.models import Any, Table
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
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.hockey_stick import laplace_delta, laplace_raising
from tests.conformance.worlds import exactly
from tests.reference import absent, channel as reference, leakages
from tests.reference.channel import mp

MODELS = {
    "uniform": Absent(answers=(3, 1, 1, 2, 7)),
    "a list": Absent(answers=(3, 1, 1, 2, 7), prior=(0.125, 0.25, 0.5, 0.125, 0.0)),
    "halves": Absent(answers=(0.5, 2, 3.5, 3.5, 0.5), prior=(0.1, 0.2, 0.3, 0.15, 0.25)),
    "two people": Absent(answers=(0, 1)),
    "all alike": Absent(answers=(2, 2, 2)),
}
NOISES: dict[str, tuple[Noise, Callable[[Fraction], reference.Noise]]] = {
    "laplace": (Laplace(scale=1.7), lambda step: reference.laplace(1.7)),
    "narrow laplace": (Laplace(scale=0.05), lambda step: reference.laplace(0.05)),
    "wide laplace": (Laplace(scale=900.0), lambda step: reference.laplace(900.0)),
    "geometric": (Geometric(scale=1.3), lambda step: reference.geometric(1.3, step)),
    "none": (NoNoise(), lambda step: reference.NONE),
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
    measure = laplace_delta if noise == "laplace" else leakages.delta
    assert_agrees(delta_of(release, 0.4), measure(truth, epsilon=0.4).value)
    raising = laplace_raising if noise == "laplace" else leakages.raising
    found = InformationPrivacy().least_delta(release, 0.3)
    assert found is not None
    assert_agrees(found, raising(truth, epsilon=0.3).value)


@pytest.mark.parametrize("model", ["uniform", "a list"])
def test_other_noise_by_the_table(model: str) -> None:
    rows = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5], [0.3, 0.3, 0.4]]
    kernel = Kernel(answers=(1, 2, 3, 7), probabilities=rows)
    meant = reference.kernel({Fraction(a): exactly(row) for a, row in zip((1, 2, 3, 7), rows, strict=True)})
    release, truth = Release(MODELS[model], None, kernel), written_out(MODELS[model], lambda step: meant)
    for notion, measure in SUPREMA.values():
        assert_agrees(enclosure(notion.leakage(release)), measure(truth).value)
    normal = Release(MODELS[model], None, Gaussian(scale=1.5))
    truth = written_out(MODELS[model], lambda step: reference.gaussian(1.5))
    for name in ("information", "rho"):
        notion, measure = SUPREMA[name]
        assert_agrees(enclosure(notion.leakage(normal)), measure(truth).value)


def test_the_table_says_what_is_said_without_it() -> None:
    for model in MODELS.values():
        for noise, _ in NOISES.values():
            (channel,) = absent_channels(Release(model, None, noise))
            table = channel.finite("the test")
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
