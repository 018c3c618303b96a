"""Promises in words are kept: noise calibrated to one, looked at output by output by the reference's enumeration."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from dalenius import Count, Geometric, Independent, InferentialPrivacy, Kernel, Release, Table, calibrate, in_words
from dalenius.notions import Notion
from dalenius.spec import spec_from
from tests.reference.bayesian import given, known_sets
from tests.reference.channel import Channel, Real, channel, mp
from tests.reference.joints import table
from tests.reference.noises import geometric

ROWS = [(0, 0), (0, 1), (1, 0), (1, 1)]
CHANCES = ["0.97", "0.01", "0.01", "0.01"]
"""Each of two is ill with a chance of 2 %, and if one is, the other is with a half."""
JOINT = table(ROWS, [Fraction(each) for each in CHANCES])
PAIR = Table(records=ROWS, probabilities=[float(each) for each in CHANCES])
CLOSE = Fraction(1, 10**8)
"""What the scale's eleven digits leave open."""


def notion_of(**keys: Any) -> Notion:
    model = {"kind": "independent", "probabilities": [0.5]}
    notion = spec_from({"model": model, "query": {"kind": "count"}, "notion": keys}).notion
    assert notion is not None
    return notion


def calibrated(notion: Notion, joint: Any = JOINT) -> Channel:
    """The channel of the first record, of the pair's count under the least noise that keeps the promise."""
    found = calibrate(Release(PAIR, Count(), Geometric()), notion, "exact")
    scale = found.noise.known_scale()
    assert scale is not None
    return channel(joint, lambda _, value: (value,), 0, geometric(repr(scale)))


def likelihoods(seen: Channel) -> Iterator[tuple[Real, Real]]:
    """Of being well and ill, at every output where a supremum can be."""
    for output in seen.candidates:
        likelihood = seen.likelihoods(output)
        yield likelihood[0], likelihood[1]


def most_probable(seen: Channel, chance: str) -> Real:
    """The most that a chance of being ill becomes; of two values, given that it is one of them."""
    prior = mp.mpf(chance)
    return max(prior * ill / (prior * ill + (1 - prior) * well) for well, ill in likelihoods(seen))


def right_guess(seen: Channel) -> Real:
    """Of who knows that both are equally likely, and then sees the output."""
    return seen.noise.total(seen, lambda of: max(of[0], of[1]) / 2, [lambda of: of[0] - of[1]])


def excess(seen: Channel, factor: int, against_prior: bool = False) -> Real:
    """The largest Σ_y max(W(y|s) - factor·W(y|s'), 0), or with the prior's mixture for the last."""

    def beyond(secret: int) -> Real:
        def own(of: dict[Any, Real]) -> Real:
            return of[secret] - factor * (seen.mixture(of) if against_prior else of[1 - secret])

        return seen.noise.total(seen, lambda of: max(own(of), mp.zero), [own])

    return max(beyond(0), beyond(1))


def attains(found: Real, promised: str) -> None:
    """It is kept, and no less noise would."""
    with mp.workdps(40):
        assert mp.mpf(promised) * (1 - mp.mpf(CLOSE.numerator) / CLOSE.denominator) <= found <= mp.mpf(promised)


def test_a_chance_of_2_percent_stays_below_5_and_a_half() -> None:
    """As the page of guarantees says of information at 1 nat, and above .7 where it is two-sided."""
    seen = calibrated(notion_of(kind="information", epsilon=1.0))
    assert mp.mpf("0.0543") < most_probable(seen, "0.02") < mp.mpf("0.055")
    assert "stays at or below 5.44 %" in str(in_words(notion_of(kind="information"), 1.0, 0.02))
    assert mp.mpf("0.007") < mp.mpf("0.02") / mp.e < mp.mpf("0.0074")


def test_factor_and_from_of_information() -> None:
    attains(most_probable(calibrated(notion_of(kind="information", factor=2)), "0.02"), "0.04")
    attains(most_probable(calibrated(notion_of(kind="information", **{"from": 0.02, "to": 0.055})), "0.02"), "0.055")


def test_odds_of_inferential() -> None:
    seen = calibrated(notion_of(kind="inferential", odds=3))
    attains(max(max(ill / well, well / ill) for well, ill in likelihoods(seen)), "3")
    seen = calibrated(notion_of(kind="inferential", **{"from": 0.02, "to": 0.055}))
    attains(max(most_probable(seen, "0.02"), 1 - _least(seen, "0.98")), "0.055")


def _least(seen: Channel, chance: str) -> Real:
    """The least that a chance of being ill becomes."""
    prior = mp.mpf(chance)
    return min(prior * ill / (prior * ill + (1 - prior) * well) for well, ill in likelihoods(seen))


def test_factor_of_the_odds_kinds_holds_of_every_prior() -> None:
    """No chance grows more than twofold, and a rare one nearly does."""
    seen = calibrated(notion_of(kind="inferential", factor=2))
    grown = {chance: most_probable(seen, chance) / mp.mpf(chance) for chance in ("0.5", "0.1", "0.001", "1e-9")}
    assert all(each <= 2 for each in grown.values())
    assert max(grown.values()) > 1.99999999


def test_differential_to_whoever_knows_the_other() -> None:
    """Given the other's record, the first's moves the count from that to one more."""
    seen = calibrated(notion_of(kind="differential", odds=3), given(JOINT, {1: 1}))
    attains(max(max(ill / well, well / ill) for well, ill in likelihoods(seen)), "3")


def test_bayesian_whatever_is_known() -> None:
    notion = notion_of(kind="bayesian", **{"from": 0.02, "to": 0.055})
    told = [calibrated(notion, given(JOINT, known)) for known in known_sets(JOINT, 0)]
    assert len(told) == 3
    attains(max(max(most_probable(seen, "0.02"), 1 - _least(seen, "0.98")) for seen in told), "0.055")


@pytest.mark.parametrize("kind", ["inferential", "bayesian"])
def test_an_advantage_is_never_passed(kind: str) -> None:
    assert 0.5 < right_guess(calibrated(notion_of(kind=kind, advantage=0.2))) <= mp.mpf("0.6")


def test_an_advantage_over_whoever_knows_the_other() -> None:
    """Differential privacy promises it to them alone: who knows nobody guesses better, as the other's record helps."""
    promise = notion_of(kind="differential", advantage=0.2)
    for known in (0, 1):
        assert 0.5 < right_guess(calibrated(promise, given(JOINT, {1: known}))) <= mp.mpf("0.6")
    assert right_guess(calibrated(promise)) > mp.mpf("0.63")


def test_randomised_response_attains_an_advantage() -> None:
    """Right with probability .6: the leakage is what the promise allows, and so is the guess."""
    noise = Kernel(answers=[0, 1], probabilities=[[0.6, 0.4], [0.4, 0.6]])
    promise = InferentialPrivacy(advantage=0.2)
    leakage = promise.leakage(Release(Independent(probabilities=[0.3]), Count(), noise))
    assert promise.epsilon is not None
    assert leakage.lower <= promise.epsilon * (1 + 1e-15)
    assert leakage.upper >= promise.epsilon * (1 - 1e-15)


@pytest.mark.parametrize("kind", ["inferential", "noiseless"])
def test_odds_and_an_advantage_with_a_delta(kind: str) -> None:
    attains(excess(calibrated(notion_of(kind=kind, odds=3, delta=0.05)), 3), "0.05")
    seen = calibrated(notion_of(kind=kind, advantage=0.2, delta=0.05))
    assert 0.5 < right_guess(seen) <= mp.mpf("0.6")


def test_factor_with_a_delta() -> None:
    seen = calibrated(notion_of(kind="information", factor=2, delta=0.05))
    attains(excess(seen, 2, against_prior=True), "0.05")
