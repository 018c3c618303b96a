"""Known totals: what they leave to be leaked, what they rule out, and what must not be asked beside them."""

from collections.abc import Callable
from math import comb, exp, log
from typing import Any

import numpy as np
import pytest

from dalenius.calibration import METHODS, calibrate, compare
from dalenius.calibration.method import Calibration, Method
from dalenius.channel import Adversary, KnownAnswer, Release, posterior
from dalenius.composition import Releases, compose
from dalenius.curator.noised import cost_of
from dalenius.curator.spending import spent_by
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints import Joint
from dalenius.models import (
    Any as AnyOf,
    Chain,
    GaussianRecords,
    Households,
    HouseholdType,
    Independent,
    Model,
    Product,
)
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialPrivacy,
    InferentialPrivacy,
    MutualInformationPrivacy,
    NoiselessPrivacy,
    Notion,
    audit,
    bayesian_loss,
)
from dalenius.queries import Count, Histogram, Max, Query, Sum
from tests.cases import in_turn
from tests.curator.asking import costing

BITS = Independent(n=8, probabilities=[0.3])
SEXES = Households(
    types=[
        HouseholdType(count=5, infected=[0.7, 0.1, 0.2], members={"women": 2}),
        HouseholdType(count=4, infected=[0.6, 0.4], members={"men": 1}),
    ]
)
LAPLACE = Laplace(scale=2.0)


def knowing(*answers: tuple[Query, Any], known: dict[str, Any] | None = None) -> Adversary:
    return Adversary(
        answers=tuple(KnownAnswer(query=query, value=value) for query, value in answers), known=known or {}
    )


def release(model: Model, query: Query, adversary: Adversary, noise: Noise = LAPLACE, **more: Any) -> Release:
    return Release(model, query, noise, adversary=adversary, **more)


def leaks(of: Release) -> float:
    return InferentialPrivacy().leakage(of).epsilon


@in_turn(
    {
        "noise": [LAPLACE, Geometric(scale=0.3), NoNoise()],
        "model": [BITS, SEXES, Chain(n=9, transition=[[0.9, 0.1], [0.3, 0.7]], initial="stationary")],
    }
)
def test_the_very_answer_is_known_already(model: Model, noise: Noise) -> None:
    for name, leakage in audit(release(model, Count(), knowing((Count(), 3)), noise)).items():
        if name != "differential":
            assert leakage.lower == 0 <= leakage.upper < 1e-11, name


@pytest.mark.parametrize("value", [0, 8])
def test_a_total_that_determines_records_leaves_no_secret(value: int) -> None:
    asked = release(BITS, Max(), knowing((Count(), value)))
    (channel,) = asked.channels()
    assert channel.secrets == (int(value > 0),)
    assert channel.log_prior.tolist() == [0.0]
    assert leaks(asked) == 0


def test_the_prior_becomes_the_posterior() -> None:
    """Of independent bits with a total of v each is 1 with probability v/n, whatever they were."""
    asked = release(BITS, Count(), knowing((Count(), 3)))
    (channel,) = asked.channels()
    assert np.exp(channel.log_prior) == pytest.approx([5 / 8, 3 / 8], rel=1e-13)
    (update,) = posterior(asked, [5.0]).worst.people
    assert [each.prior for each in update.values] == pytest.approx([5 / 8, 3 / 8])
    for each in update.values:
        assert each.posterior.lower <= each.prior * (1 + 1e-12)
        assert each.posterior.upper >= each.prior * (1 - 1e-12)


def test_differencing() -> None:
    """All but one person are asked, and the total is published: the answer leaks of that one what noise on their own
    record would."""
    target, others = HouseholdType(count=1, infected=[0.8, 0.2], members={"target": 1}), 200
    rest = HouseholdType(count=others, infected=[0.8, 0.2], members={"rest": 1})
    model = Households(types=[target, rest])
    asked = Count(labels=["rest"])
    blind = release(model, asked, Adversary(), secrets=None)
    informed = release(model, asked, knowing((Count(), 45)))
    assert leaks(blind) == pytest.approx(0.5)
    found = {channel.subject.person: channel for channel in informed.channels()}
    assert found[1].ratio().value.middle == pytest.approx(0.5, rel=1e-9)
    assert 1 not in {channel.subject.person for channel in blind.channels()}
    exact = release(model, asked, knowing((Count(), 45)), NoNoise())
    assert leaks(exact) == np.inf


def test_hypergeometric() -> None:
    """Independent bits given their total: the law of a part is hypergeometric, whatever the probability."""
    half = HouseholdType(count=30, infected=[0.9, 0.1], members={"women": 1})
    other = HouseholdType(count=50, infected=[0.9, 0.1], members={"men": 1})
    asked = release(Households(types=[half, other]), Count(labels=["women"]), knowing((Count(), 20)), NoNoise())
    (world,) = asked.finite_worlds
    (law,) = world.marginals()
    masses = [comb(30, k) * comb(50, 20 - k) / comb(80, 20) for k in range(21)]
    assert law.start == 0
    assert law.masses == pytest.approx(masses, rel=1e-11)


@in_turn({"value": [400, 50, 1990, 2000 - 3], "engine": ["tilting", "convolution"]})
def test_improbable_totals_keep_their_digits(value: int, engine: str) -> None:
    """A thousand women and a thousand men: hypergeometric, far from where the model expects the total too."""
    types = [HouseholdType(count=1000, infected=[0.8, 0.2], members={label: 1}) for label in ("men", "women")]
    asked = release(
        Households(types=types), Count(labels=["women"]), knowing((Count(), value)), NoNoise(), engine=engine
    )
    low, high = max(0, value - 1000), min(value, 1000)
    seen = set()
    for channel in asked.channels():
        assert channel.exact is not None
        law, woman = channel.exact.law, channel.subject.person > 1000
        seen.add(woman)
        assert law.start == (low,)
        assert law.error < 1e-7
        for secret, own in enumerate(map(int, channel.secrets)):
            for k in {low, value // 2, value // 2 + 1, high}:
                left, other = (k - own, value - k) if woman else (k, value - k - own)
                ways = _ways(1000 - woman, left) * _ways(999 + woman, other)
                true = log(ways) - log(comb(1999, value - own)) if ways else -np.inf
                assert float(law.log_mass()[secret, k - low]) == pytest.approx(true, abs=law.error + 1e-9)
    assert seen == {True, False}


def _ways(people: int, ill: int) -> int:
    return comb(people, ill) if ill >= 0 else 0


def test_known_records_and_answers_together() -> None:
    """Bits of which two are known: the rest of the total is the others'."""
    asked = release(BITS, Count(), knowing((Count(), 4), known={"1": 1, "2": 0}))
    found = {channel.subject.person: channel for channel in asked.channels()}
    assert found[1].secrets == (1,)
    assert np.exp(found[3].log_prior) == pytest.approx([1 / 2, 1 / 2], rel=1e-12)


def test_answers_that_several_others_imply() -> None:
    """A histogram and the sum; two shares of everybody."""
    cells = Histogram(cells=[[0], [1], [2]])
    model = Independent(n=12, values=[0, 1, 2], probabilities=[[0.5, 0.3, 0.2]])
    asked = release(model, Sum(), knowing((cells, [4, 6, 2])))
    assert leaks(asked) < 1e-11
    asked = release(model, Sum(), knowing((Histogram(cells=[[0]]), 4), (Count(values=[1, 2]), 8)))
    assert leaks(asked) > 0.3


def test_two_counts_of_a_known_total_are_one() -> None:
    small = release(SEXES, Count(per_label=True), knowing((Count(), 4)), NoNoise())
    (channel, *_) = small.channels()
    assert channel.likelihood.box == (5, 5)
    assert all(sum(map(float, channel.output(int(place)))) == 4 for place in np.flatnonzero(channel.possible))


def test_of_all_less_the_part_that_is_known_the_rest_is_left() -> None:
    small = release(SEXES, Count(values=[0]), knowing((Count(labels=["women"]), 4)), NoNoise())
    (law,) = small.finite_worlds[0].marginals()
    assert (law.start, len(law.masses)) == (6, 5)  # six women are well, and up to four men


def test_totals_that_only_several_imply_are_refused_of_many_people() -> None:
    """Each has an axis of its own: the rest itself is to be asked, of any number of people."""
    types = [HouseholdType(count=12_500, infected=[0.9, 0.05, 0.0, 0.0, 0.05], members={s: 4}) for s in ("a", "b")]
    model, part = Households(types=types), knowing((Count(labels=["a"]), 6_000))
    said = r"adversary.answers: a box of .* points is too large, .* answers of what the known ones leave open"
    for query, known in ((Count(), part), (Count(per_label=True), knowing((Count(), 12_500)))):
        with pytest.raises(TooLarge, match=said):
            leaks(release(model, query, known))
    rest = release(model, Count(labels=["b"]), Adversary())
    assert leaks(release(model, Count(labels=["b"]), part)) == pytest.approx(leaks(rest), rel=1e-8)


def test_differential_privacy_does_not_depend_on_it() -> None:
    before = DifferentialPrivacy().leakage(release(SEXES, Count(), Adversary()))
    after = DifferentialPrivacy().leakage(release(SEXES, Count(), knowing((Count(labels=["women"]), 4))))
    assert (before.lower, before.upper) == (after.lower, after.upper)


def test_what_shares_no_group_with_the_total_is_as_before() -> None:
    adversary = knowing((Count(labels=["men"]), 2))
    assert leaks(release(SEXES, Count(labels=["women"]), adversary)) == leaks(
        release(SEXES, Count(labels=["women"]), Adversary())
    )


def test_calibrated_against_a_total() -> None:
    notion = InferentialPrivacy(epsilon=1.0)
    asked = release(SEXES, Count(labels=["women"]), knowing((Count(), 5)))
    found = calibrate(asked, notion)
    assert found.sound
    assert found.leakage.upper <= 1 < leaks(asked.with_noise(found.noise.with_scale((found.noise.scale or 1) * 0.99)))
    best = calibrate(asked, notion, "optimal")
    assert best.expected_error <= found.expected_error
    assert leaks(asked.with_noise(best.noise)) <= 1 + 1e-9


ALONE = {"exact", "noiseless", "optimal", "clamped"}


def test_methods_that_suppose_more_than_the_channel_refuse() -> None:
    asked = release(SEXES, Count(labels=["women"]), knowing((Count(), 5)))
    for each in compare(asked, InferentialPrivacy(epsilon=1.0)):
        if each.method not in ALONE:
            assert each.why.startswith(f"adversary.answers: 1 known answer, wanted none beside method {each.method}")
    assert {method.name for method in METHODS if method.reads_channel} == ALONE


def test_a_method_of_somebody_else_is_refused_too() -> None:
    class Trusting(Method):
        name = "trusting"

        def calibrate(self, release: Release, notion: Notion) -> Calibration:
            raise AssertionError("asked")

    with pytest.raises(InputError, match=r"adversary\.answers: 1 known answer, wanted none beside method trusting"):
        calibrate(release(BITS, Count(), knowing((Count(), 5))), InferentialPrivacy(epsilon=1.0), Trusting())


@pytest.mark.parametrize(
    ("notion", "said"),
    [
        (BayesianPrivacy(), "bayesian privacy"),
        (NoiselessPrivacy(delta=0.01), "noiseless privacy"),
        (MutualInformationPrivacy(given=[1]), "mutual information given records"),
    ],
)
def test_notions_that_condition_on_more_refuse(notion: Notion, said: str) -> None:
    asked = release(SEXES, Count(), knowing((Count(labels=["women"]), 5)))
    wanted = f"adversary.answers: 1 known answer, wanted none beside {said}, as given a total everybody depends on"
    with pytest.raises(Meaningless, match=wanted):
        notion.leakage(asked)
    assert bayesian_loss(asked) is None


READERS: dict[str, Callable[[Release], object]] = {
    "joints": lambda release: release.joints,
    "record_worlds": lambda release: release.record_worlds,
    "world_of": lambda release: release.world_of(_joint(release)),
    "group_sensitivity": lambda release: release.group_sensitivity,
    "group_size": lambda release: release.group_size,
}


def _joint(release: Release) -> Joint:
    return release.finite_worlds[0].joint


@pytest.mark.parametrize("name", READERS)
def test_the_law_of_the_records_alone_is_not_to_be_had(name: str) -> None:
    READERS[name](release(SEXES, Count(), Adversary()))
    asked = release(SEXES, Count(), knowing((Count(labels=["women"]), 5), (Count(labels=["men"]), 1)))
    assert not asked.of_plain_records
    with pytest.raises(Meaningless, match=r"adversary\.answers: 2 known answers, wanted none beside"):
        READERS[name](asked)


def test_only_the_joint_channel_composes() -> None:
    adversary = knowing((Count(), 5))
    each = [release(SEXES, Count(labels=[label]), adversary) for label in ("women", "men")]
    found = compose(Releases(tuple(each)), InferentialPrivacy())
    routes = {tried.route: tried for tried in found.tried}
    assert found.route == "joint"
    reasons = [str(tried.reason) for name, tried in routes.items() if name != "joint"]
    assert all("adversary.answers: 1 known answer" in reason for reason in reasons)
    # Each of the two is the total less the other (Result 9.5): together they are twice as precise.
    assert found.bound.value.upper == pytest.approx(leaks(each[0].with_noise(Laplace(scale=1.0))), rel=1e-6)


def test_later_releases_cost_more_than_any_budget() -> None:
    asked = release(SEXES, Count(labels=["women"]), knowing((Count(), 5)))
    entry = cost_of(asked, [InferentialPrivacy(epsilon=1.0)], "", 0.5)
    assert spent_by([], entry, "bytes").nats == 0.5
    for other in (entry, costing(0.0, 0.0)):
        for first, second in ((entry, other), (other, entry)):
            assert spent_by([first.as_body() | {"fingerprint": "bytes"}], second, "bytes").nats == np.inf


BLOCKS = Households(types=[HouseholdType(count=50_000, infected=[0.7, 0.1, 0.2], members={"women": 1, "men": 1})])


@pytest.mark.parametrize(
    ("model", "query", "answers", "message"),
    [
        (
            BITS,
            Count(),
            [(Count(), 9)],
            "adversary.answers row 1: 9, wanted a value the answer can have under",
        ),
        (BITS, Max(), [(Count(), 4), (Sum(), -1)], "adversary.answers row 2: -1, wanted a value the answer can have"),
        (
            BITS,
            Max(),
            [(Count(), 4), (Sum(), 3)],
            "adversary.answers: row 1 = 4, row 2 = 3, wanted values that can",
        ),
        (
            BITS,
            Count(),
            [(Count(), 2.5)],
            "adversary.answers row 1.value: 2.5, wanted a multiple of 1, as every",
        ),
        (BITS, Count(), [(Count(), [1, 2])], "adversary.answers row 1.value: 2 of them, wanted 1, for its only answer"),
        (
            SEXES,
            Count(),
            [(Count(per_label=True), 3)],
            "adversary.answers row 1.value: 1 of them, wanted 2, one for each answer (men, women)",
        ),
        (SEXES, Count(), [(Count(labels=["cats"]), 3)], "adversary.answers row 1.query.labels: cats, wanted one of"),
        (SEXES, Count(labels=["men"]), [(Count(labels=["women"]), 11)], "adversary.answers row 1: 11, wanted a value"),
        (SEXES, Count(labels=["men"]), [(Count(values=[0], labels=["women"]), 11)], "row 1: 11, wanted a value"),
        (BITS, Count(), [(Sum(weights={"": 0.0}), 1)], "adversary.answers row 1: 1, wanted a value"),
        (
            GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.0], [0.0, 1.0]]),
            Sum(),
            [(Sum(), 1)],
            "adversary.answers: 1 of them, wanted none beside model gaussian",
        ),
        (
            AnyOf(models=[Independent(n=2, probabilities=[1.0]), Independent(n=2, probabilities=[0.5])]),
            Count(),
            [(Count(), 1)],
            "adversary.answers row 1: 1, wanted a value the answer can have under the model",
        ),
    ],
)
def test_bad_input(model: Model, query: Query, answers: list[tuple[Query, Any]], message: str) -> None:
    with pytest.raises(InputError) as error:
        leaks(release(model, query, knowing(*answers)))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["many", True, float("nan"), [1, None]])
def test_values_that_are_no_numbers(value: Any) -> None:
    with pytest.raises(InputError, match="wanted a finite number, or a list of one for each answer"):
        KnownAnswer(query=Count(), value=value)


def test_mixed_households_too_many_for_a_box() -> None:
    with pytest.raises(TooLarge, match=r"the law given adversary.answers: a box of 5e\+09 points is too large"):
        leaks(release(BLOCKS, Count(labels=["women"]), knowing((Count(), 30_000))))


def test_a_hundred_thousand_people_and_their_total() -> None:
    """A noisy count of the women, and the exact one of everybody, in households of one sex."""
    types = [
        HouseholdType(count=12_500, infected=[0.7, 0.1, 0.05, 0.05, 0.1], members={s: 4}) for s in ("men", "women")
    ]
    asked = release(Households(types=types), Count(labels=["women"]), knowing((Count(), 18_000)), Geometric(scale=4.0))
    found = InferentialPrivacy().leakage(asked)
    alone = InferentialPrivacy().leakage(
        release(Households(types=types), Count(labels=["women"]), Adversary(), Geometric(scale=4.0))
    )
    assert found.upper - found.lower < 1e-7
    assert 0.25 < found.epsilon < alone.epsilon
    assert {channel.subject.people for channel in asked.channels()} == {50_000}


def test_an_odd_known_record_in_a_product() -> None:
    """The part that is not asked and shares nothing with the total is out of it."""
    model = Product(parts=(BITS, SEXES))
    asked = release(model, Count(labels=["women"]), knowing((Count(labels=["women", "men"]), 5)))
    alone = release(SEXES, Count(labels=["women"]), knowing((Count(), 5)))
    assert leaks(asked) == pytest.approx(leaks(alone), rel=1e-12)
    assert exp(leaks(asked)) > 1
