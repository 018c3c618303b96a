"""Normal records: every notion against quadrature and fine maximisation in mpmath."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Leakage, worst
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.gaussian.channel import GaussianChannel
from dalenius.gaussian.channel_of_one_record import GaussianRecord, gaussian_records
from dalenius.gaussian.model import GaussianRecords
from dalenius.noise import AnyNoise, Gaussian as GaussianNoise, Geometric, Laplace, NoNoise
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
)
from dalenius.notions.notion import nothing
from tests.conformance.table import NOISES, row_of
from tests.pace import one_in, slow
from tests.reference import normal as reference
from tests.reference.channel import Real, mp
from tests.reference.noises import laplace

PAIR = [[1.0, 0.6], [0.6, 2.0]]
TRIPLE = [[1.0, -0.5, 0.2], [-0.5, 2.0, 0.1], [0.2, 0.1, 0.75]]
SINGULAR = [[1.0, 1.0], [1.0, 1.0]]
NOTIONS: tuple[Notion, ...] = (
    DifferentialPrivacy(),
    InferentialPrivacy(),
    InferentialPrivacy(delta=1e-6),
    InformationPrivacy(),
    RelativeEntropyPrivacy(),
    MutualInformationPrivacy(),
)


def channels(
    covariance: Sequence[Sequence[float]], noise: AnyNoise, weights: Sequence[Sequence[Any]] | None = None, **more: Any
) -> list[GaussianRecord]:
    n = len(covariance)
    records = GaussianRecords(mean=[0.25] * n, covariance=covariance, bounds=more.pop("bounds", None)).joints()[0]
    rows = weights if weights is not None else [[1] * n]
    return list(gaussian_records(records, [[Fraction(w) for w in row] for row in rows], noise, **more))


def leakage_of(notion: Notion, record: GaussianRecord) -> Leakage:
    return notion.leakage_of(GaussianChannel([record]))


def delta_at(record: GaussianRecord, epsilon: float) -> Enclosure:
    return GaussianChannel([record]).least_delta("ratio", epsilon)


def setting(covariance: Sequence[Sequence[float]], person: int, noise: AnyNoise) -> reference.Setting:
    """The sum's channel, from the definition of conditional normal laws."""
    matrix = [[mp.mpf(x) for x in row] for row in covariance]
    cross, variance = mp.fsum(matrix[person]), matrix[person][person]
    residual = mp.fsum(x for row in matrix for x in row) - cross**2 / variance
    return reference.Setting(cross / variance, variance, residual, row_of(NOISES, noise).meaning(noise, Fraction(1)))


def holds(value: Leakage | Enclosure, truth: Real, width: float = 1e-8) -> None:
    assert value.lower <= truth <= value.upper, f"{value} does not hold {mp.nstr(truth, 20)}"
    assert value.upper - value.lower <= width * max(float(truth), 1e-300)


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mp.workdps(25):
        yield


CASES = [(PAIR, 0, 0.125), (PAIR, 1, 16.0), (TRIPLE, 0, 2.0), (TRIPLE, 2, 0.5), (SINGULAR, 0, 2.0)]


@pytest.mark.lengthy
@pytest.mark.parametrize(("covariance", "person", "scale"), one_in(5, CASES))
def test_laplace_noise_against_its_definition(covariance: list[list[float]], person: int, scale: float) -> None:
    low, high = -1.0, 2.0
    channel = channels(covariance, Laplace(scale=scale), bounds=(low, high))[person]
    truth = setting(covariance, person, Laplace(scale=scale))
    rate, secret = abs(truth.shift) / scale, high - 0.25

    inferential = leakage_of(InferentialPrivacy(), channel)
    holds(inferential, rate * 3)
    assert inferential.witness is not None
    assert inferential.witness.output is not None
    output = float(inferential.witness.output[0]) - float(channel.centre[0])
    sign = 1 if inferential.witness.secret == high else -1
    seen = [reference.given(truth, output, s - 0.25) for s in (high, low)]
    assert abs(sign * mp.log(seen[0] / seen[1]) - rate * 3) < 1e-12

    found = leakage_of(InformationPrivacy(), channel)
    holds(found, reference.raised(truth, secret))
    holds(found.companions["two_sided"], rate * secret + rate**2 * truth.variance / 2)
    lowered = [mp.log(reference.mixed(truth, y) / reference.given(truth, y, secret)) for y in (-900, -9, -1, 0, 900)]
    assert max(lowered) <= found.companions["two_sided"].upper
    assert found.witness is not None
    assert found.witness.output is not None
    output = float(found.witness.output[0]) - float(channel.centre[0])
    at_witness = mp.log(reference.given(truth, output, secret) / reference.mixed(truth, output))
    assert abs(at_witness - found.epsilon) < 1e-9

    mutual = leakage_of(MutualInformationPrivacy(), channel)
    assert mutual.lower <= reference.mutual_information(truth) <= mutual.upper <= mutual.lower + 1e-6
    with pytest.raises(AssertionError):
        holds(found, mp.mpf(found.epsilon) * (1 + mp.mpf("1e-7")))


EVERYWHERE = (0.0, 0.05, 0.2, 0.5)


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("case", "shares"), [(CASES[0], (0.05,)), slow((CASES[0], EVERYWHERE)), slow((CASES[2], EVERYWHERE))]
)
def test_relative_entropy_is_the_limit_far_out_and_nowhere_more(case: Any, shares: tuple[float, ...]) -> None:
    """shares: of the way out, where it is no more."""
    covariance, person, scale = case
    found = leakage_of(RelativeEntropyPrivacy(), channels(covariance, Laplace(scale=scale))[person])
    truth = setting(covariance, person, Laplace(scale=scale))
    limit = (truth.shift / scale) ** 2 * truth.variance / 2
    holds(found, limit)
    holds(found.companions["reverse"], limit)
    assert found.witness is not None
    assert found.witness.output is not None
    far = float(found.witness.output[0]) - (0.25 * len(covariance))
    mp.dps = 20
    for share in shares:
        assert max(reference.posterior_divergences(truth, share * far)) <= found.upper
    assert all(abs(d - limit) < 1e-6 * (1 + limit) for d in reference.posterior_divergences(truth, far))


@pytest.mark.lengthy
@pytest.mark.parametrize("noise", [slow(GaussianNoise(scale=0.5)), slow(GaussianNoise(scale=8.0)), NoNoise()])
@pytest.mark.parametrize("person", [0, slow(2)])
def test_normal_noise_against_its_definition(noise: AnyNoise, person: int) -> None:
    channel = channels(TRIPLE, noise, bounds=(-1, 2))[person]
    truth = setting(TRIPLE, person, noise)
    found = leakage_of(InformationPrivacy(), channel)
    apart = 1.75
    holds(found, reference.finest(
        lambda y: mp.log(reference.given(truth, y, apart) / reference.mixed(truth, y)), mp.mpf(-3000), mp.mpf(3000)
    ))  # fmt: skip
    holds(leakage_of(MutualInformationPrivacy(), channel), reference.mutual_information(truth))
    assert found.companions["two_sided"] == (inf, inf)
    for notion in (InferentialPrivacy(), RelativeEntropyPrivacy()):
        assert leakage_of(notion, channel).lower == inf
    for epsilon in (0.0, 0.3, 2.0):
        holds(delta_at(channel, epsilon), reference.hockey_stick(truth, 1.0, -2.0, epsilon))


@pytest.mark.lengthy
@pytest.mark.parametrize("covariance", [PAIR, slow(SINGULAR)])
@pytest.mark.parametrize(("scale", "epsilon"), one_in(3, [(0.5, 3.0), (4.0, 0.0), (50.0, 0.05)]))
def test_hockey_sticks_under_laplace_noise(covariance: list[list[float]], scale: float, epsilon: float) -> None:
    channel = channels(covariance, Laplace(scale=scale), bounds=(-1, 2))[0]
    truth = setting(covariance, 0, Laplace(scale=scale))
    found, wanted = delta_at(channel, epsilon), reference.hockey_stick(truth, 2.0, -1.0, epsilon)
    assert found.lower <= wanted <= found.upper
    assert found.upper <= 5 * wanted + 1e-3
    alone = GaussianChannel(channels([[4.0]], Laplace(scale=scale), bounds=(-1, 2)))
    holds(alone.least_delta("ratio", epsilon), 1 - mp.exp(min(epsilon - mp.mpf(3) / scale, 0) / 2))


def test_the_least_epsilon_of_a_delta_has_that_delta() -> None:
    noise, delta = GaussianNoise(scale=1.0), 1e-30
    channel = channels(PAIR, noise, bounds=(0, 1))[0]
    found = leakage_of(InferentialPrivacy(delta=delta), channel)
    assert found.upper - found.lower <= 1e-9 * found.upper
    truth = setting(PAIR, 0, noise)
    with mp.workdps(50):
        below, above = (
            reference.hockey_stick(truth, 0, 1, e) for e in (found.lower * (1 - 1e-9), found.upper * (1 + 1e-9))
        )
    assert above <= delta <= below
    assert above >= delta * (1 - 1e-4)


@pytest.mark.parametrize("correlation", [1 - 1e-12, -(1 - 1e-12), 1.0, -1.0])
def test_records_almost_alike(correlation: float) -> None:
    """What is left of the sum's variance is 2(1 - |ρ|) of nothing: exact, or 0 where the records are the same."""
    covariance = [[1.0, correlation], [correlation, 1.0]]
    for weights in ([1, 1], [1, -1]):
        for channel in channels(covariance, NoNoise(), [weights], bounds=(0, 1)):
            left = 1 - Fraction(str(correlation)) ** 2
            assert channel.residual == left
            shift = weights[0] + weights[1] * Fraction(str(correlation))
            assert abs(channel.shift[0]) == abs(shift)
            found = leakage_of(MutualInformationPrivacy(), channel)
            if left == 0:
                assert found.lower == (0 if shift == 0 else inf)
            else:
                ratio = mp.mpf(shift.numerator) ** 2 / mp.mpf(shift.denominator) ** 2 / mp.mpf(float(left))
                assert abs(found.epsilon / (mp.log1p(ratio) / 2) - 1) < 1e-9


def test_decimals_are_what_they_are_written_as() -> None:
    """0.1² is not 0.01 in doubles; as decimals this covariance is singular."""
    (one, _) = channels([[1.0, 0.1], [0.1, 0.01]], NoNoise(), [[0, 1]], bounds=(0, 1))
    assert one.residual == 0
    assert list(one.shift) == [Fraction(1, 10)]


def test_an_answer_that_knows_nothing_of_a_record_leaks_nothing_and_asks_no_bounds() -> None:
    covariance = [[1.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    idle = channels(covariance, Laplace(scale=1.0), [[1, 1, 0]])[0]
    for notion in NOTIONS[1:]:
        assert leakage_of(notion, idle).upper == 0
        assert set(leakage_of(notion, idle).companions) == set(notion.properties.also)
    assert leakage_of(DifferentialPrivacy(), idle).lower == inf
    assert delta_at(idle, 0.0) == (0, 0)


def test_without_bounds_any_two_numbers_are_secrets() -> None:
    channel = channels(PAIR, Laplace(scale=1.0))[0]
    for notion in (*NOTIONS[:4],):
        assert leakage_of(notion, channel).lower == inf
    assert delta_at(channel, 5.0) == (1, 1)
    assert leakage_of(RelativeEntropyPrivacy(), channel).upper < inf


def test_pairs_replace_the_bounds() -> None:
    channel = channels(PAIR, Laplace(scale=2.0), bounds=(-9, 9), pairs=[(0.0, 1.0), (3.0, 1.5)])[0]
    holds(leakage_of(InferentialPrivacy(), channel), mp.mpf(1.6) * 1.5 / 2, 1e-12)
    found = leakage_of(InformationPrivacy(), channel)
    assert found.witness is not None
    assert found.witness.secret == 3.0


def test_differential_privacy_needs_bounds_and_forgets_the_model() -> None:
    channel = channels(PAIR, Laplace(scale=0.5), [[1, 3], [-2, 0]], names=("a", "b"), bounds=(-1, 1))[0]
    holds(leakage_of(DifferentialPrivacy(), channel), mp.mpf((1 + 2) * 2 / 0.5), 1e-12)


def test_several_answers_under_laplace_noise() -> None:
    """X1 + X2 and 2 X3 - X1: given X1 they are independent, so the channel is a product."""
    covariance = [[1.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 2.0]]
    scale = 2.0
    channel = channels(
        covariance, Laplace(scale=scale), [[1, 1, 0], [-1, 0, 2]], names=("a", "b"), bounds=(-1.75, 1.25)
    )[0]
    parts = [reference.Setting(c, 1.5, v, laplace(scale)) for c, v in ((1.0, 0.5), (-1.0, 8.0))]
    holds(leakage_of(InferentialPrivacy(), channel), mp.mpf(2) * 3 / scale)
    holds(leakage_of(RelativeEntropyPrivacy(), channel), mp.mpf(1) * 1.5 / 2)

    def log_given(y: tuple[float, float], s: Any) -> Real:
        return mp.fsum(mp.log(reference.given(part, each, s)) for part, each in zip(parts, y, strict=True))

    def ratio(y: tuple[float, float], s: Any) -> Real:
        nodes = [mp.mpf(k) / 4 for k in range(-24, 25)]
        weights = [mp.exp(-(x**2) / 2) for x in nodes]
        mixed = mp.fsum(w * mp.exp(log_given(y, x * mp.sqrt(1.5))) for w, x in zip(weights, nodes, strict=True))
        return log_given(y, s) - mp.log(mixed / mp.fsum(weights))

    mp.dps = 15
    found = leakage_of(InformationPrivacy(), channel)
    grid = [ratio((a, b), -2) for a in (-40, -9, -4, -2, 0) for b in (0, 4, 9, 30, 120)]
    assert found.lower - 0.3 <= max(grid) <= found.upper
    assert found.upper - found.lower < 0.7
    lowering = [-ratio((a, b), -2) for a in (0, 9, 40) for b in (0, -30, -120)]
    assert max(lowering) <= found.companions["two_sided"].upper
    assert max(lowering) >= found.companions["two_sided"].lower - 0.01
    mutual = leakage_of(MutualInformationPrivacy(), channel)
    singly = (channels(covariance, Laplace(scale=scale), [row])[0] for row in ([1, 1, 0], [-1, 0, 2]))
    alone = [leakage_of(MutualInformationPrivacy(), each) for each in singly]
    assert max(one.lower for one in alone) <= mutual.lower * (1 + 1e-12)
    assert mutual.upper <= sum(one.upper for one in alone) * (1 + 1e-12)
    assert mutual.upper <= 1.5 * mutual.lower
    assert 0 < leakage_of(InferentialPrivacy(delta=0.1), channel).upper < 3


def test_several_answers_under_normal_noise_are_one() -> None:
    """An answer twice, each with noise σ², is once with σ²/2; a redundant answer without noise adds nothing."""
    twice = channels(PAIR, GaussianNoise(scale=2.0), [[1, 1], [1, 1]], names=("a", "b"), bounds=(0, 1))
    once = channels(PAIR, GaussianNoise(scale=2**0.5), bounds=(0, 1))
    for two, one in zip(twice, once, strict=True):
        assert abs(float(two.explained / one.explained) - 1) < 1e-15
        assert delta_at(two, 0.1).middle == pytest.approx(delta_at(one, 0.1).middle, rel=1e-12)
    bare = channels(TRIPLE, NoNoise(), [[1, 1, 1], [2, 2, 2], [0, 0, 1]], names=("a", "b", "c"), bounds=(0, 1))[0]
    inverted = np.linalg.inv(np.array([[1, 1, 1], [0, 0, 1]]) @ np.array(TRIPLE) @ np.array([[1, 1, 1], [0, 0, 1]]).T)
    cross = np.array([[1, 1, 1], [0, 0, 1]]) @ np.array(TRIPLE)[0]
    assert float(bare.explained) == pytest.approx(cross @ inverted @ cross)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Laplace(scale=3.0), GaussianNoise(scale=3.0)])
def test_the_worst_person_is_the_worst_of_all(noise: AnyNoise) -> None:
    draw = np.random.default_rng(7)
    root = draw.standard_normal((40, 5)) * np.exp(draw.standard_normal((40, 1)))
    covariance = root @ root.T + np.diag(draw.uniform(0.01, 1, 40))
    everybody = channels(((covariance + covariance.T) / 2).tolist(), noise, bounds=(-1, 3))
    for notion in NOTIONS:
        slow = worst([nothing(notion), *(leakage_of(notion, channel) for channel in everybody)])
        quick = notion.leakage_of(GaussianChannel(everybody))
        assert (quick.lower, quick.witness) == (slow.lower, slow.witness)
        assert quick.upper == pytest.approx(slow.upper, rel=1e-9)
        assert quick.companions == slow.companions


def test_what_is_not_known_is_refused_in_one_line() -> None:
    channel = channels(PAIR, Laplace(scale=1.0))[0]
    with pytest.raises(InputError, match=r"^notion\.kind: min_entropy, wanted one known for the gaussian model: "):
        leakage_of(MinEntropyPrivacy(), channel)
    with pytest.raises(InputError, match=r"^noise\.kind: geometric, wanted laplace, gaussian or none"):
        leakage_of(InferentialPrivacy(), channels(PAIR, Geometric(scale=1.0))[0])
    with pytest.raises(
        Meaningless, match=r"^notion\.kind: information with a delta, wanted inferential beside a delta"
    ):
        leakage_of(InformationPrivacy(delta=0.1), channel)
    with pytest.raises(TooLarge, match="17 answers at once is too large, ask at most 16"):
        channels(PAIR, Laplace(scale=1.0), [[1, 1]] * 17)
