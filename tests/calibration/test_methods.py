"""The methods on random small households: exact is least and keeps the promise, group is enough, independent honest.

A method is held to its word.

Beside every promise: what is lost to an adversary who knows any of the other records, exactly or by a bound.
"""

import tracemalloc
from dataclasses import dataclass, field
from math import inf, log

import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.calibration.method_base import Method, calibrated
from dalenius.knowledge.bayesian import bayesian_loss
from dalenius.noise import Noise, mean_error
from dalenius.notions import Notion
from dalenius.spec.results_in_words import is_bound
from tests.pace import draws

HOMES = dl.Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))


def laws(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    weights = st.lists(st.integers(0, 9), min_size=size + 1, max_size=size + 1).filter(lambda row: sum(row) > 0)
    return weights.map(lambda row: tuple(weight / sum(row) for weight in row))


TYPES = (
    st.integers(1, 4)
    .flatmap(laws)
    .flatmap(lambda law: st.integers(1, 3).map(lambda count: dl.HouseholdType(count=count, infected=law)))
)
HOUSEHOLDS = st.lists(TYPES, min_size=1, max_size=2).map(lambda types: dl.Households(types=tuple(types)))
NOTIONS: st.SearchStrategy[Notion] = st.builds(
    lambda kind, epsilon: kind(epsilon=epsilon),
    st.sampled_from(
        [
            dl.DifferentialPrivacy,
            dl.InferentialPrivacy,
            dl.InformationPrivacy,
            dl.RelativeEntropyPrivacy,
            dl.MutualInformationPrivacy,
        ]
    ),
    st.sampled_from([0.05, 0.3, 1.0, 2.5]),
)
NOISES: st.SearchStrategy[Noise] = st.sampled_from([dl.Geometric(), dl.Laplace()])


def at(release: dl.Release, notion: Notion, noise: Noise, factor: float) -> float:
    return notion.leakage(release.with_noise(noise.with_scale(noise.known_scale() * factor))).upper


@draws(60)
@given(HOUSEHOLDS, NOTIONS, NOISES)
def test_exact_is_least(model: dl.Households, notion: Notion, noise: Noise) -> None:
    release, epsilon = dl.Release(model, dl.Count(), noise), notion.epsilon
    assert epsilon is not None
    exact, group = dl.calibrate(release, notion), dl.calibrate(release, notion, "group")
    assert exact.sound
    assert group.sound
    assert exact.leakage.upper <= epsilon
    assert group.leakage.upper <= epsilon + 1e-9  # the enclosure has a width
    assume(exact.noise.kind != "none")
    assert at(release, notion, exact.noise, 1 - 1e-6) > epsilon
    assert exact.noise.known_scale() <= group.noise.known_scale() * (1 + 1e-9)
    assert exact.leakage == notion.leakage(release.with_noise(exact.noise))
    assert exact.expected_error == mean_error(exact.noise, release.lattice)


@draws(30)
@given(HOUSEHOLDS, NOTIONS)
def test_independent_says_when_it_is_sound(model: dl.Households, notion: Notion) -> None:
    release = dl.Release(model, dl.Count(), dl.Geometric())
    found = dl.calibrate(release, notion, "independent")
    alone = max(len(each.infected) for each in model.types or ()) == 2
    assert found.sound == (alone or notion.kind == "differential")
    assert notion.epsilon is not None
    if found.sound:
        assert found.leakage.upper <= notion.epsilon + 1e-9
    assert found.noise == dl.Geometric(scale=found.noise.scale)
    assert found.noise.known_scale() == pytest.approx(1 / notion.epsilon)


@pytest.mark.parametrize(
    ("release", "notion"),
    [
        (
            dl.Release(dl.Independent(n=9, probabilities=(0.5,)), dl.Count(), dl.Laplace()),
            dl.InformationPrivacy(epsilon=log(2) + 1e-9),
        ),
        (
            dl.Release(dl.Independent(probabilities=(0.0, 1.0)), dl.Count(), dl.Laplace()),
            dl.InferentialPrivacy(epsilon=0.01),
        ),
    ],
)
def test_no_noise_where_the_exact_answer_keeps_the_promise(release: dl.Release, notion: Notion) -> None:
    found = dl.calibrate(release, notion)
    assert found.noise == dl.NoNoise()
    assert found.sound
    assert found.expected_error == 0
    assert found.why == "the exact answer already keeps the promise under this model"


def test_compare_is_every_method() -> None:
    release, notion = dl.Release(HOMES, dl.Count(), dl.Geometric()), dl.InformationPrivacy(epsilon=1)
    found = dl.compare(release, notion)
    assert [each.method for each in found] == [method.name for method in dl.METHODS]
    for each in found:
        assert each.seconds >= 0
        if each.calibration is not None:
            again = dl.calibrate(release, notion, each.method)
            assert each.calibration.noise.model_dump() == again.noise.model_dump()
            assert (each.calibration.leakage, each.why) == (again.leakage, again.why)
            continue
        # No noise at all is refused where it is not enough, which is no mistake of the spec.
        wanted = dl.Refused if each.method == "noiseless" else dl.InputError
        with pytest.raises(wanted, match=f"^{each.why}$"):
            dl.calibrate(release, notion, each.method)


PROMISE = dl.InferentialPrivacy(epsilon=1.0)
RELEASE = dl.Release(dl.Independent(probabilities=(0.3,)), dl.Count(), dl.Laplace())


def made(sound: bool, lower: float, upper: float) -> dl.Calibration:
    return dl.Calibration("boast", sound, "so it says", dl.Laplace(scale=1.0), 1.0, dl.Leakage(lower, upper, None))


@dataclass(frozen=True)
class Boast(Method):
    name = "boast"
    given: dl.Calibration = field(default_factory=lambda: made(True, 0.0, 0.0))

    def calibrate(self, release: dl.Release, notion: Notion) -> dl.Calibration:
        return self.given


def test_a_sound_method_that_leaks_more_is_refused() -> None:
    with pytest.raises(dl.DaleniusError, match=r"^method boast claims to be sound, but it leaks 1\.001 .*, promised 1"):
        calibrated(Boast(made(True, 1.001, 1.002)), RELEASE, [PROMISE])


def test_others_pass() -> None:
    for noise in (made(False, 2.0, 2.0), made(True, 0.9, 1.0), made(False, 0.0, inf)):
        found = calibrated(Boast(noise), RELEASE, [PROMISE])
        assert (found.noise, found.leakage) == (noise.noise, noise.leakage)
        assert [(each.notion, each.leakage) for each in found.promises] == [(PROMISE, noise.leakage)]


@pytest.mark.parametrize("upper", [1.1, inf])
def test_the_promise_of_a_sound_method_is_an_upper_end(upper: float) -> None:
    found = calibrated(Boast(made(True, 0.5, upper)), RELEASE, [PROMISE])
    assert (found.leakage.lower, found.leakage.upper) == (0.5, 1.0)
    assert [each.leakage for each in found.promises] == [found.leakage]


def test_the_second_promise_is_held_to_as_well() -> None:
    promises = [PROMISE, dl.InferentialPrivacy(epsilon=0.5)]
    with pytest.raises(dl.DaleniusError, match=r"it leaks 0\.9 nats, promised 0\.5"):
        calibrated(Boast(made(True, 0.9, 0.9)), RELEASE, promises)


HOMES_OF_BESIDE = dl.Households(count=5, infected=(0.7, 0.1, 0.1, 0.1))
FOURS = (0.9, 0.04, 0.0, 0.0, 0.06)
LARGE = dl.Households(count=2, infected=(0.5,) + (0.05,) * 10)
SHORT = dl.Chain(n=30, initial=(0.7, 0.3), transition=((0.9, 0.1), (0.2, 0.8)))


def test_small_groups_and_short_chains_are_exact() -> None:
    for model in (HOMES_OF_BESIDE, SHORT):
        release = dl.Release(model, dl.Count(), dl.Geometric(scale=2.0))
        found, exact = bayesian_loss(release), dl.BayesianPrivacy().leakage(release)
        assert found == (exact.lower, exact.upper)
        assert not is_bound(found)


def test_a_million_people_are_not_listed() -> None:
    """Of a greatest value the others do more than move the output: the part is everybody."""
    release = dl.Release(dl.Households(count=250_000, infected=FOURS), dl.Max(), dl.Geometric(scale=1.0))
    bayesian_loss(release)  # what is imported and computed once
    tracemalloc.start()
    found = bayesian_loss(release.with_noise(dl.Geometric(scale=2.0)))
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()
    assert found == pytest.approx((0, 0.5))


def test_no_noise_has_no_bound() -> None:
    found = bayesian_loss(dl.Release(HOMES_OF_BESIDE, dl.Count(), dl.NoNoise()))
    assert found == (inf, inf)
    large = bayesian_loss(dl.Release(LARGE, dl.Count(), dl.NoNoise()))
    assert large == (0, inf)


def test_where_it_has_no_meaning() -> None:
    records = dl.GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.5), (0.5, 1.0)))
    assert bayesian_loss(dl.Release(records, dl.Sum(), dl.Laplace(scale=1.0))) is None
    assert bayesian_loss(dl.Release(dl.Absent(answers=(1.0, 2.0)), None, dl.Laplace(scale=1.0))) is None


def test_a_bayesian_promise_shows_its_own() -> None:
    release, promise = dl.Release(HOMES_OF_BESIDE, dl.Count(), dl.Geometric()), dl.BayesianPrivacy(epsilon=1.0)
    made = dl.calibrate(release, promise)
    assert made.bayesian == (made.leakage.lower, made.leakage.upper)
    assert made.leakage.upper <= 1
