"""What attackers find: closed forms of one bit, records that are real numbers, who is absent; shapes; bad rates."""

from itertools import pairwise, product
from math import inf

import pytest
from scipy.stats import norm

import dalenius
from dalenius import (
    Absent,
    Any,
    Count,
    Gaussian,
    GaussianRecords,
    Geometric,
    Households,
    Independent,
    InputError,
    Kernel,
    Laplace,
    NoNoise,
    Release,
    Secrets,
    Several,
    Sum,
    delta_of,
    tradeoff,
)
from dalenius.bounds import Enclosure
from dalenius.noise import Noise
from dalenius.notions import Tradeoff
from tests.pace import one_in
from tests.reference import tradeoff as reference
from tests.reference.channel import Real, mp

RATES = (1e-6, 0.001, 0.01, 0.2, 0.5, 0.93)
TOWN = Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))


def assert_known(found: Enclosure, truth: Real) -> None:
    truth = mp.mpf(truth)
    assert found.lower <= truth * (1 + mp.mpf("1e-15"))
    assert found.upper >= truth * (1 - mp.mpf("1e-15"))
    assert found.upper - found.lower < 1e-11


def bit(noise: Noise, chance: float = 0.3) -> Tradeoff:
    return tradeoff(Release(Independent(probabilities=[chance]), Count(), noise))


@pytest.mark.parametrize(
    ("scale", "chance"), one_in(2, [(0.2, 0.5), (0.6, 0.01), (1.0, 0.3), (3.0, 0.999), (40.0, 0.3)])
)
def test_the_gaussian_mechanism(scale: float, chance: float) -> None:
    found, distance = bit(Gaussian(scale=scale), chance), 1 / mp.mpf(scale)
    assert_known(found.advantage.value, 2 * mp.ncdf(distance / 2) - 1)
    for rate in (1e-6, 0.01, 0.4):
        assert_known(found.true_positives(rate).value, reference.of_gaussian(distance, rate))


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 2.5, 60.0])
def test_the_laplace_mechanism(scale: float) -> None:
    found, distance = bit(Laplace(scale=scale)), 1 / mp.mpf(scale)
    assert_known(found.advantage.value, 1 - mp.exp(-distance / 2))
    for rate in RATES:
        assert_known(found.true_positives(rate).value, reference.of_laplace(distance, rate))


@pytest.mark.parametrize("kept", [0.5, 0.6, 0.9, 1 - 1e-9])
def test_randomised_response(kept: float) -> None:
    found = bit(Kernel(answers=[0, 1], probabilities=[[kept, 1 - kept], [1 - kept, kept]]))
    assert_known(found.advantage.value, 2 * mp.mpf(kept) - 1)
    for rate in RATES:
        own, other = mp.mpf(kept), mp.mpf(1 - kept)
        truth = own / other * rate if rate <= other else own + other * (rate - other) / own
        assert_known(found.true_positives(rate).value, truth)


def test_gaussian_noise_on_households() -> None:
    """The likelihood ratio of a count of exchangeable bits rises: the best test is a threshold."""
    well, one, ill = (mp.mpf(p) for p in (0.9, 0.04, 0.06))
    none, some, all_ill = {0: well, 1: one * 3 / 4}, {1: one / 4}, {4: ill}
    having = {**some, **all_ill}
    with_it, without = ({k: p / sum(law.values()) for k, p in law.items()} for law in (having, none))
    others = {0: mp.one}
    for _ in range(3):
        mixed: dict[int, Real] = {}
        for (k, p), (more, q) in product(others.items(), {0: well, 1: one, 4: ill}.items()):
            mixed[k + more] = mixed.get(k + more, mp.zero) + p * q
        others = mixed
    laws = [
        {n: mp.fsum(p * others.get(n - k, mp.zero) for k, p in law.items()) for n in range(17)}
        for law in (with_it, without)
    ]
    mirrored = ({-n: p for n, p in laws[1].items()}, {-n: p for n, p in laws[0].items()})
    few = TOWN.model_copy(update={"count": 4})
    found = tradeoff(Release(few, Count(), Gaussian(scale=1.5)))
    either = [
        reference.of_mixtures(laws[0], laws[1], 1.5, 0.01),
        reference.of_mixtures(*mirrored, 1.5, 0.01),
    ]
    assert_known(found.true_positives(0.01).value, max(either))


def test_records_that_are_real_numbers() -> None:
    model = GaussianRecords(mean=[0, 0], covariance=[[1, 0.5], [0.5, 2]], bounds=(-1, 3))
    # The answer given X_i moves by 1 + cov/var = 1.5, or 1.25, over 4, and its residual variance is 1.75, or 0.875.
    distance = max(4 * 1.5 / mp.sqrt(1.75 + 4), 4 * 1.25 / mp.sqrt(0.875 + 4))
    found = tradeoff(Release(model, Sum(), Gaussian(scale=2)))
    assert_known(found.advantage.value, 2 * mp.ncdf(distance / 2) - 1)
    assert_known(found.true_positives(0.01).value, reference.of_gaussian(distance, 0.01))
    assert found.advantage.witness is not None
    assert (found.advantage.witness.person, found.advantage.witness.secret, found.advantage.witness.against) == (
        1,
        3,
        -1,
    )


@pytest.mark.slow
def test_laplace_noise_on_real_numbers_is_between_neighbouring_profiles() -> None:
    model = GaussianRecords(mean=[0, 0], covariance=[[1, 0.5], [0.5, 2]], bounds=(-1, 3))
    release = Release(model, Sum(), Laplace(scale=2))
    found = tradeoff(release)
    assert found.advantage.value == delta_of(release, 0.0)
    value = found.true_positives(0.01).value
    tried = [delta_of(release, k / 100).upper + float(mp.exp(mp.mpf(k) / 100)) * 0.01 for k in range(450)]
    assert value.lower <= min(tried) <= value.lower + 1e-5
    assert value.upper - value.lower < 1e-11


def test_real_numbers_without_bounds_are_found_surely() -> None:
    found = tradeoff(Release(GaussianRecords(mean=[0], covariance=[[1]]), Sum(), Gaussian(scale=1)))
    assert found.advantage.value == (1, 1)
    assert found.true_positives(0.01).value.lower > 1 - 1e-9
    assert found.in_words(0.01) == (
        "An attacker who wrongly flags 1 % of those with one value "
        "finds at most 100 % of those with another, far enough away."
    )


def test_several_answers_of_real_numbers_under_laplace_noise() -> None:
    model = GaussianRecords(mean=[0, 0], covariance=[[1, 0.5], [0.5, 2]], bounds=(-1, 3), labels=["a", "b"])
    with pytest.raises(InputError, match=r"^query: 2 answers, wanted one answer, or gaussian noise"):
        tradeoff(Release(model, Sum(per_label=True), Laplace(scale=1)))
    assert tradeoff(Release(model, Sum(per_label=True), Gaussian(scale=1))).advantage.value.lower > 0.9


@pytest.mark.parametrize("noise", [Laplace(scale=2), Geometric(scale=2), NoNoise()])
def test_who_is_absent(noise: Noise) -> None:
    """The outermost answers are those of 0 and 5; under log-concave noise no pair is easier."""
    model = Absent(answers=[10, 5, 7, 10])
    found = tradeoff(Release(model, None, noise), [0.01])
    truth = {"laplace": reference.of_laplace(2.5, 0.01), "none": mp.one}.get(noise.kind)
    if truth is not None:
        assert_known(found.true_positives(0.01).value, truth)
    assert found.in_words(0.01).startswith("An attacker who wrongly flags 1 % where the absent person is ")


def test_gaussian_noise_and_who_is_absent() -> None:
    found = tradeoff(Release(Absent(answers=[10, 5, 7, 10]), None, Gaussian(scale=2)), [0.01])
    assert_known(found.true_positives(0.01).value, reference.of_gaussian(2.5, 0.01))


@pytest.mark.parametrize(
    "noise",
    [Laplace(scale=1.3), Geometric(scale=1.3), NoNoise(), pytest.param(Gaussian(scale=1.3), marks=pytest.mark.slow)],
)
def test_the_curve_is_convex_and_above_chance(noise: Noise) -> None:
    points = tradeoff(Release(TOWN, Count(), noise)).curve()
    for point in points:
        assert point.misses.lower <= 1 - point.false_alarms
        assert point.true_positives.lower >= point.false_alarms
        assert point.misses.lower <= 1 - point.true_positives.middle <= point.misses.upper
    slopes = [
        (after.misses.middle - before.misses.middle) / (after.false_alarms - before.false_alarms)
        for before, after in pairwise(points)
    ]
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(slopes))
    assert slopes[-1] <= 0


def test_both_orders_are_asked() -> None:
    """T of the pair reversed is the inverse: what is missed at T(α) false alarms is α."""
    release = Release(TOWN, Count(), Laplace(scale=1.3))
    (channel,) = release.all_channels()
    one, other = channel.tradeoffs()
    assert (one.witness.secret, one.witness.against) == (other.witness.against, other.witness.secret)
    for rate in (0.01, 0.3, 0.8):
        missed = 1 - one.true_positives(rate).middle
        assert 1 - other.true_positives(missed).middle == pytest.approx(rate, abs=1e-9)
    most = max(each.true_positives(0.01).upper for each in (one, other))
    assert tradeoff(release).true_positives(0.01).value.upper == pytest.approx(most, abs=1e-11)


@pytest.mark.slow
def test_the_worst_person_is_found_whatever_the_order() -> None:
    """The rarest value adds least to the noise; that the worst comes last costs no accuracy."""
    chances, noise = [0.02 + 0.02 * k for k in range(10)], Gaussian(scale=1)
    found = [
        tradeoff(Release(Independent(probabilities=given), Count(), noise), [0.01])
        for given in (chances, chances[::-1], chances[5:] + chances[:5])
    ]
    alone = tradeoff(Release(Independent(probabilities=chances), Count(), noise, Secrets(people=(10,))), [0.01])
    for each, person in zip(found, (10, 1, 5), strict=True):
        for read, own in ((each.advantage, alone.advantage), (each.true_positives(0.01), alone.true_positives(0.01))):
            assert read.witness is not None
            assert read.witness.person == person
            assert read.value.middle == pytest.approx(own.value.middle, abs=1e-11)


def test_the_first_of_equals_is_named() -> None:
    """Both orders of randomised response, and both models, leak alike."""
    noise = Kernel(answers=[0, 1], probabilities=[[0.8, 0.2], [0.2, 0.8]])
    model = Any(models=[Independent(probabilities=[0.5]), Independent(probabilities=[0.2])])
    found = tradeoff(Release(model, Count(), noise))
    for each in (found.advantage, found.true_positives(0.01)):
        assert each.witness is not None
        assert (each.witness.person, each.witness.secret, each.witness.against) == (1, 0, 1)


def test_only_the_pairs_that_are_secret() -> None:
    model = Independent(values=[0, 1, 5], probabilities=[[0.2, 0.5, 0.3]])
    release = Release(model, Sum(), Laplace(scale=2), Secrets(pairs=((0, 1),)))
    assert_known(tradeoff(release).true_positives(0.01).value, reference.of_laplace(0.5, 0.01))
    assert_known(tradeoff(Release(model, Sum(), Laplace(scale=2))).advantage.value, 1 - mp.exp(mp.mpf("-1.25")))


@pytest.mark.slow
def test_several_answers_under_laplace_noise_are_enclosed() -> None:
    """One bit counted twice is one answer twice as far, in L1, but for where the two noises fall."""
    one = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))
    two = Release(Independent(probabilities=[0.3]), Several(queries=(Count(), Count())), Laplace(scale=1))
    value = tradeoff(two).true_positives(0.1).value
    assert tradeoff(one).true_positives(0.1).value.upper < value.lower <= value.upper < float(mp.exp(2)) * 0.1


def test_nothing_leaks() -> None:
    found = tradeoff(Release(Independent(probabilities=[1.0, 0.0]), Count(), Laplace(scale=1)))
    assert found.advantage == (Enclosure(0.0, 0.0), None)
    assert found.true_positives(0.3).value == (0.3, 0.3)
    assert [point.true_positives.middle for point in found.curve([0.1, 0.2])] == [0.1, 0.2]
    assert found.in_words(0.3) == "An attacker who wrongly flags 30 % finds no more than that: nothing leaks."


@pytest.mark.parametrize("rate", [1e-12, 1e-100, 1e-300, 5e-324, 1 - 2**-53])
def test_rates_at_the_ends(rate: float) -> None:
    value = bit(Laplace(scale=1)).true_positives(rate).value
    truth = reference.of_laplace(1.0, rate)
    assert value.lower <= truth * (1 + mp.mpf("1e-15")) <= value.upper * (1 + mp.mpf("1e-14"))
    assert value.upper - value.lower < 1e-13


@pytest.mark.parametrize("rate", [0, 1, -0.1, 1.5, inf, float("nan")])
def test_a_rate_is_between_0_and_1(rate: float) -> None:
    release = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))
    message = r"^rate: .*, wanted a rate of false alarms above 0 and below 1$"
    with pytest.raises(InputError, match=message):
        tradeoff(release, [rate])
    with pytest.raises(InputError, match=message):
        tradeoff(release).true_positives(rate)
    with pytest.raises(InputError, match=message):
        tradeoff(release).curve([rate])
    (channel,) = release.all_channels()
    with pytest.raises(InputError, match=message):
        next(channel.tradeoffs()).true_positives(rate)


def test_in_words() -> None:
    assert bit(Gaussian(scale=1)).in_words(0.01) == (
        "An attacker who wrongly flags 1 % of those with value 1 finds at most 9.237 % of those with value 0."
    )
    assert norm.cdf(norm.ppf(0.01) + 1) == pytest.approx(0.09236, abs=5e-6)
    assert dalenius.tradeoff is tradeoff
