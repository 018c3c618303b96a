"""The dimension of extremes against the reference: every model, noise and notion of it, by every engine."""

from fractions import Fraction
from functools import cache

import pytest

from dalenius import models, noise as noises, notions
from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.absent.one_absent_model import Absent
from dalenius.bounds import Enclosure
from dalenius.gaussian.model import GaussianRecords
from dalenius.noise import Laplace, NoNoise
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, InformationPrivacy
from dalenius.ratios.pairs.pairwise_model import Pairwise
from dalenius.theorems.moment_model import Moments
from tests.cases import in_turn
from tests.conformance import comparison
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.extremes import ABSENT, EXTREMES, NOISE_EXTREMES, ON_INTEGERS, Extreme
from tests.conformance.notions import Check
from tests.conformance.table import CHECKS, NOTIONS, examples
from tests.conformance.truth import Truth
from tests.conformance.worlds import exactly
from tests.reference import absent, leakages
from tests.reference.channel import Channel, Real, mp
from tests.reference.noises import NONE as WITHOUT, laplace

EVERYTHING = examples(EXTREMES)
ELSEWHERE = {Absent, GaussianRecords, Moments, Pairwise}
"""Who is absent has examples of its own below; real numbers and moments have no probabilities; pairs have no joint law
(test_pairwise)."""
OF_NORMAL = frozenset({"inferential", "information", "relative entropy", "delta"})
"""What the reference reads of normal noise in a second or so."""
BY_BRUTE_FORCE = frozenset({"bayesian", "noiseless", "noiseless, half known"})
"""What every set of known records is gone through for: with noise, and without."""
SOME = frozenset({"one way", "rare rows", "between at the least double"})


@pytest.fixture(autouse=True)
def near_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs of 1e-323 resolve 1e-13 each, and some of them are added: what is 0 is known to be below 1e-10."""
    monkeypatch.setattr(comparison, "NEAR_ZERO", mp.mpf("1e-10"))


def test_every_kind_of_model_noise_and_notion_has_extremes() -> None:
    assert {row.kind for row in EXTREMES} == set(models.MODELS.own) - ELSEWHERE
    assert {type(extreme.model) for extreme in EVERYTHING.values()} == {row.kind for row in EXTREMES}
    assert {type(noise) for noise in NOISE_EXTREMES.values()} == set(noises.NOISES.own)
    assert {row.kind for row in NOTIONS} == set(notions.NOTIONS.own)


@cache
def _truth(name: str, noise: str) -> Truth:
    return EVERYTHING[name].truth(NOISE_EXTREMES[noise])


def _whole(name: str) -> bool:
    return all(step == 1 for each in _truth(name, "none").asked for step in each.steps)


def _combinations() -> list[tuple[str, str]]:
    fit = [(name, noise) for name in EVERYTHING for noise in NOISE_EXTREMES]
    fit = [(name, noise) for name, noise in fit if noise not in ON_INTEGERS or _whole(name)]
    return [(name, noise) for name, noise in fit if noise != "gaussian" or name in SOME]


def _in_turn() -> list[object]:
    """Every second model with one noise, the noises in turn; the slow suite has the rest."""
    order = [noise for noise in NOISE_EXTREMES if noise != "gaussian"]
    turns = {name: order[turn // 2 % len(order)] for turn, name in enumerate(EVERYTHING) if turn % 2 == 0}
    now = [each for each in COMBINATIONS if turns.get(each[0]) == each[1]]
    return [*now, *(pytest.param(*each, marks=pytest.mark.slow) for each in COMBINATIONS if each not in now)]


COMBINATIONS = _combinations()


def _checks(truth: Truth, noise: str) -> dict[str, Check]:
    if noise == "gaussian":
        return {name: check for name, check in CHECKS.items() if name in OF_NORMAL}
    out = {"differential"} if noise in ON_INTEGERS else set()
    if noise not in ("laplace", "none"):
        out |= BY_BRUTE_FORCE
    if noise == "little laplace" or not truth.quick:  # the reference's quadrature is of cells a few scales wide
        out |= {"mutual information", "gini"}
    if noise == "little laplace":
        out |= {"min-entropy", "g-leakage of one guess", "g-leakage of two"}
    return {name: check for name, check in CHECKS.items() if name not in out}


def compare(extreme: Extreme, noise: str, truth: Truth) -> None:
    """AssertionError names the engine and the number that differs. The tilted transforms, which cannot tell what is
    rare and isolated from rounding, are held to the enclosure only; kernels have no row for what they leave open."""
    engines = ["enumeration", "convolution"]
    if truth.one_sum and noise not in ON_INTEGERS:
        engines.append("tilting")
    for engine in engines:
        release = extreme.release(NOISE_EXTREMES[noise], engine)
        for name, check in _checks(truth, noise).items():
            try:
                check(release, truth, engine != "tilting")
            except AssertionError as error:
                raise AssertionError(f"{engine}, {name}: {error}") from None
    if noise in ON_INTEGERS and truth.axes == 1:  # of every data set, whose loss may only be bounded
        assert_contains(enclosure(DifferentialPrivacy().leakage(release)), truth.differential())


@pytest.mark.parametrize(("name", "noise"), _in_turn())
def test_against_the_reference(name: str, noise: str) -> None:
    with mp.workdps(40):
        compare(EVERYTHING[name], noise, _truth(name, noise))


def test_a_near_lie_is_rejected() -> None:
    """Other rare rows than those of the truth."""
    lie, honest = EVERYTHING["one answer but for 1e-16"], EVERYTHING["one answer but for 1e-310"]
    with pytest.raises(AssertionError, match=r"is not|below|above"):
        compare(lie, "none", honest.truth(NOISE_EXTREMES["none"]))


def _written_out(model: Absent, scale: float | None) -> Channel:
    assert isinstance(model.prior, tuple)
    answers = [Fraction(str(each)) for each in model.answers or ()]
    return absent.channel(answers, exactly(model.prior), WITHOUT if scale is None else laplace(scale))


def _close(found: Enclosure, truth: Real) -> None:
    """Contained; and to eight digits where no odds are past what a double holds."""
    assert_contains(found, truth)
    if truth < 600:
        assert found.upper - found.lower <= 1e-8 * found.upper + 1e-10


@in_turn({"scale": [None, 1e-3, 1.0, 1e6], "name": ABSENT})
def test_who_is_absent(name: str, scale: float | None) -> None:
    release = Extreme(ABSENT[name], None).release(NoNoise() if scale is None else Laplace(scale=scale))
    truth = _written_out(ABSENT[name], scale)
    raised, lowered = leakages.information(truth).value, leakages.lowered(truth).value
    _close(enclosure(InferentialPrivacy().leakage(release)), leakages.inferential(truth).value)
    information = InformationPrivacy().leakage(release)
    _close(enclosure(information), raised)
    _close(enclosure(information, "two_sided"), max(raised, lowered))
    _close(enclosure(RhoIdentifiability().leakage(release)), leakages.posterior(truth).value)
    found = DifferentialIdentifiability(alpha=0.6, beta=0.3).leakage(release)
    _close(enclosure(found, "raised"), raised)
    _close(enclosure(found, "lowered"), lowered)
