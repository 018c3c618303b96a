"""The dimension of extremes against the reference: every model, noise and notion of it, by every engine."""

from functools import cache

import pytest

from dalenius import models, noise as noises, notions
from dalenius.absent.one_absent_model import Absent
from dalenius.gaussian.mixture_model import GaussianMixture
from dalenius.gaussian.model import GaussianRecords
from dalenius.models import Sampled
from dalenius.notions import DifferentialPrivacy
from dalenius.pairs.pairwise_model import Pairwise
from dalenius.theorems.moment_model import Moments
from tests.conformance import comparison
from tests.conformance.compare import check_all
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.extremes import EXTREMES, NOISE_EXTREMES, ON_INTEGERS, Extreme
from tests.conformance.table import CHECKS, NOTIONS, OFFICE_RULES, examples
from tests.conformance.truth import Truth
from tests.pace import slow
from tests.reference.channel import mp

EVERYTHING = examples(EXTREMES)
ELSEWHERE = {Absent, GaussianMixture, GaussianRecords, Moments, Pairwise, Sampled}
"""Who is absent and who is drawn have examples of their own in test_absent and test_sampled; real numbers and moments
have no probabilities; pairs have no joint law (test_pairwise)."""
OF_REALS = frozenset({"gaussian", "discrete gaussian"})
"""Noises that take the reference long."""
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
    assert {type(noise) for noise in NOISE_EXTREMES.values()} == set(noises.NOISES.own) - {noises.NoisyMax}
    assert {row.kind for row in NOTIONS} == set(notions.NOTIONS.own)


@cache
def _truth(name: str, noise: str) -> Truth:
    return EVERYTHING[name].truth(NOISE_EXTREMES[noise])


def _whole(name: str) -> bool:
    return all(step == 1 for each in _truth(name, "none").asked for step in each.steps)


def _combinations() -> list[tuple[str, str]]:
    fit = [(name, noise) for name in EVERYTHING for noise in NOISE_EXTREMES]
    fit = [(name, noise) for name, noise in fit if noise not in ON_INTEGERS or _whole(name)]
    return [(name, noise) for name, noise in fit if noise not in OF_REALS or name in SOME]


def _in_turn() -> list[object]:
    """Every third model with one noise, the noises in turn; the slow suite has the rest."""
    order = [noise for noise in NOISE_EXTREMES if noise not in OF_REALS]
    turns = {name: order[turn // 3 % len(order)] for turn, name in enumerate(EVERYTHING) if turn % 3 == 0}
    now = [each for each in COMBINATIONS if turns.get(each[0]) == each[1]]
    return [*now, *(slow(each) for each in COMBINATIONS if each not in now)]


COMBINATIONS = _combinations()


def _checks(truth: Truth, noise: str) -> list[str]:
    """The names of those that the reference is quick at."""
    if noise in OF_REALS:
        return [name for name in CHECKS if name in OF_NORMAL]
    out = {"differential"} if noise in ON_INTEGERS else set()
    if noise not in ("laplace", "none"):
        out |= BY_BRUTE_FORCE
    if noise == "little laplace" or not truth.quick:  # the reference's quadrature is of cells a few scales wide
        out |= {"mutual information", "gini", "renyi", "renyi of order 1.25"}
    if noise == "little laplace":
        out |= {"min-entropy", "g-leakage of one guess", "g-leakage of two"}
    return [name for name in CHECKS if name not in out]


def compare(extreme: Extreme, noise: str, truth: Truth) -> None:
    """AssertionError names the engine and the number that differs. The tilted transforms, which cannot tell what is
    rare and isolated from rounding, are held to the enclosure only; kernels have no row for what they leave open."""
    # Because reports that are noised do not say the records, nothing enumerates these.
    engines = ["convolution"] if NOISE_EXTREMES[noise].shape.on_records else ["enumeration", "convolution"]
    if truth.one_sum and (noise not in ON_INTEGERS or noise in OFFICE_RULES):
        engines.append("tilting")
    for engine in engines:
        release = extreme.release(NOISE_EXTREMES[noise], engine)
        check_all(release, truth, _checks(truth, noise), engine != "tilting")
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
