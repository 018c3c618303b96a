"""Known totals: what they leave to be leaked, what they rule out, and what must not be asked beside them."""

from math import comb, log
from typing import Any

import numpy as np
import pytest

from dalenius.calibration import calibrate
from dalenius.channel import Adversary, KnownAnswer, Release, posterior
from dalenius.composition import Releases, compose
from dalenius.errors import InputError, TooLarge
from dalenius.models import Chain, Households, HouseholdType, Independent, Model
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, audit
from dalenius.queries import Count, Max, Query
from tests.cases import in_turn

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


def test_a_total_that_determines_records_leaves_no_secret() -> None:
    for value in (0, 8):
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


@pytest.mark.parametrize("value", [50, 1990])
def test_improbable_totals_keep_their_digits(value: int) -> None:
    """A thousand women and a thousand men: hypergeometric, far from where the model expects the total too."""
    types = [HouseholdType(count=1000, infected=[0.8, 0.2], members={label: 1}) for label in ("men", "women")]
    asked = release(Households(types=types), Count(labels=["women"]), knowing((Count(), value)), NoNoise())
    low, high = max(0, value - 1000), min(value, 1000)
    seen = set()
    for channel in asked.channels():
        law, woman = channel.likelihood, channel.subject.person > 1000
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


def test_known_totals_are_not_tilted() -> None:
    model = Households(count=3, infected=[0.8, 0.2])
    with pytest.raises(InputError, match="engine: tilting, wanted convolution where answers are known"):
        list(release(model, Count(), knowing((Count(), 2)), engine="tilting").channels())


def _ways(people: int, ill: int) -> int:
    return comb(people, ill) if ill >= 0 else 0


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


def test_calibrated_against_a_total() -> None:
    notion = InferentialPrivacy(epsilon=1.0)
    asked = release(SEXES, Count(labels=["women"]), knowing((Count(), 5)))
    found = calibrate(asked, notion)
    assert found.sound
    assert found.leakage.upper <= 1 < leaks(asked.with_noise(found.noise.with_scale((found.noise.scale or 1) * 0.99)))
    best = calibrate(asked, notion, "optimal")
    assert best.expected_error <= found.expected_error
    assert leaks(asked.with_noise(best.noise)) <= 1 + 1e-9


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
