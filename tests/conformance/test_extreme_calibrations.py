"""Every method on the extremes: what it calls sound keeps its promise, by the reference's leakage of its noise."""

from functools import cache
from pathlib import Path

import pytest

from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.calibration import METHODS, calibrate
from dalenius.channel import Release
from dalenius.errors import DaleniusError, TooLarge
from dalenius.knowledge.noiseless import NoiselessPrivacy
from dalenius.models import MODELS, Chain
from dalenius.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion
from dalenius.queries import Count
from tests.cases import in_turn
from tests.conformance.extremes import ABSENT, EXTREMES
from tests.conformance.table import channel_of_absent, examples
from tests.conformance.test_extremes import ELSEWHERE
from tests.conformance.truth import Truth, exact
from tests.conformance.worlds import exactly
from tests.pace import slow
from tests.reference import leakages
from tests.reference.channel import Real, mp
from tests.reference.extremes import one_way, one_way_ends

EVERYTHING = examples(EXTREMES)
NAMES = [method.name for method in METHODS]
OF_ABSENCE = frozenset({"prior_free", "prior_dependent", "lee_clifton"})
DELTA = 0.05
PROMISES: dict[str, Notion] = {
    "inferential": InferentialPrivacy(epsilon=1.0),
    "information": InformationPrivacy(epsilon=0.5),
    "inferential with delta": InferentialPrivacy(epsilon=0.7, delta=DELTA),
    "noiseless": NoiselessPrivacy(epsilon=2.0, delta=DELTA),
}
NOISES: dict[str, Noise] = {"laplace": Laplace(), "geometric": Geometric(), "gaussian": Gaussian()}
PAIRS = [("laplace", name) for name in PROMISES] + [
    ("geometric", "inferential"),
    ("gaussian", "inferential with delta"),
]
SLACK = mp.mpf("1e-9")


def leaks(truth: Truth, notion: Notion) -> Real:
    """What the promise is about; of a promise with a delta, that at its epsilon over the delta."""
    assert notion.epsilon is not None
    if isinstance(notion, InformationPrivacy):
        return truth.worst(leakages.information) / exact(notion.epsilon)
    if isinstance(notion, NoiselessPrivacy):
        return truth.noiseless(notion.epsilon, notion.known_fraction) / exact(notion.delta)
    assert isinstance(notion, InferentialPrivacy)
    if notion.delta:
        return truth.delta(notion.epsilon) / exact(notion.delta)
    return truth.worst(leakages.inferential) / exact(notion.epsilon)


@cache
def outcomes(name: str, kind: str, promise: str) -> dict[str, bool]:
    """Of every method that serves the release whether it says it is sound. AssertionError names one that breaks its
    word; any other error is the package's."""
    extreme, notion = EVERYTHING[name], PROMISES[promise]
    release = extreme.release(NOISES[kind])
    found = {}
    for method in NAMES:
        try:
            made = calibrate(release, notion, method)
        except DaleniusError:
            continue
        found[method] = made.sound
        if made.sound:
            with mp.workdps(40):
                share = leaks(extreme.truth(made.noise), notion)
            assert share <= 1 + SLACK, f"{method}: {made.noise} leaks {mp.nstr(share, 12)} of the promise"
    return found


def _fits(name: str, kind: str, promise: str) -> bool:
    """The reference goes through all that may be known, and scans the line, of small laws in a second or so only."""
    return kind != "gaussian" or name in {"rare bits alike", "rare rows", "one way", "between at the least double"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "promise"), [(name, *pair) for name in EVERYTHING for pair in PAIRS if _fits(name, *pair)]
)
def test_what_is_called_sound_is(name: str, kind: str, promise: str) -> None:
    outcomes(name, kind, promise)


SOUND = {
    "rare bits": ("laplace", "inferential"),
    "one way": ("laplace", "inferential"),
    "rare bits alike": ("gaussian", "inferential with delta"),
    "always three": ("laplace", "noiseless"),
    "sticky": ("laplace", "inferential"),
}
NEVER_SOUND = {"dependence_coefficient"}
TESTS = Path(__file__).parents[1]
HELD_ELSEWHERE = {
    "amplification": "models/test_sampled.py",
    "bdp_gaussian": "theorems/test_differential_noise.py",
    "bdp_markov": "theorems/test_differential_noise.py",
    "chain_flips": "theorems/test_chain_flips.py",
    "general_wasserstein": "theorems/test_general_wasserstein.py",
    "least_flip": "noise/test_noised_records.py",
    "shuffling": "noise/test_noised_records.py",
}
"""Methods for samples, normal records, noise on records or other promises, with the tests that hold them."""


@pytest.mark.slow
def test_every_method_is_sound_somewhere() -> None:
    """Else nothing is shown of it here."""
    found = {method for name, pair in SOUND.items() for method, sound in outcomes(name, *pair).items() if sound}
    assert found | OF_ABSENCE | NEVER_SOUND | set(HELD_ELSEWHERE) == set(NAMES)
    assert not found & set(HELD_ELSEWHERE)
    for method, tests in HELD_ELSEWHERE.items():
        assert f'"{method}"' in (TESTS / tests).read_text(encoding="utf-8")
    assert {type(each.model) for each in EVERYTHING.values()} == set(MODELS.own) - ELSEWHERE


@in_turn({"kind": ["laplace", "geometric"], "name": ABSENT})
def test_who_is_absent(name: str, kind: str) -> None:
    model = ABSENT[name]
    assert isinstance(model.prior, tuple)
    greatest = float(max(exactly(model.prior)))
    promises: list[Notion] = [RhoIdentifiability(rho=(1 + greatest) / 2)] if greatest < 1 - 1e-9 else []
    promises += (
        [DifferentialIdentifiability(alpha=0.6, beta=min(0.3, (1 / greatest - 1) / 2))] if greatest < 0.9 else []
    )
    for notion in promises:
        for method in NAMES:
            try:
                made = calibrate(Release(model, None, NOISES[kind]), notion, method)
            except DaleniusError:
                continue
            if made.sound:
                channel = channel_of_absent(model, made.noise)
                if isinstance(notion, RhoIdentifiability):
                    assert leakages.posterior(channel).value <= -mp.log1p(-exact(notion.rho or 0)) * (1 + SLACK), method
                elif isinstance(notion, DifferentialIdentifiability):
                    assert leakages.information(channel).value <= mp.log1p(exact(notion.beta)) * (1 + SLACK), method
                    assert leakages.lowered(channel).value <= -mp.log1p(-exact(notion.alpha)) * (1 + SLACK), method


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "method",
    ["group", *map(slow, ("exact", "markov_quilt", "wasserstein"))],
)
def test_a_long_infection(method: str) -> None:
    """400 records, the last one 0 with probability 1e-399."""
    model = Chain(n=400, transition=[[0.1, 0.9], [0.0, 1.0]], initial=[1.0, 0.0])
    notion = InferentialPrivacy(epsilon=1.0)
    made = calibrate(Release(model, Count(), Laplace()), notion, method)
    assert made.sound
    leak = max(leakages.inferential(each).value for each in one_way_ends(one_way(400, 0.1), made.noise.known_scale()))
    assert leak <= 1 + SLACK
    assert method != "exact" or leak >= 1 - mp.mpf("1e-6")


def test_the_influence_curve_refuses_chances_below_doubles() -> None:
    model = Chain(n=400, transition=[[0.1, 0.9], [0.0, 1.0]], initial=[1.0, 0.0])
    with pytest.raises(TooLarge, match="400 records"):
        calibrate(Release(model, Count(), Laplace()), InferentialPrivacy(epsilon=1.0), "influence_curve")
