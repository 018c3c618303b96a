"""A promise in words is a promise of an epsilon: which kinds have which phrase, what is refused, what is written.

What is said in words is kept by its epsilon and by no greater double, and what epsilon says is implied by it.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import inf, log, nan, nextafter
from typing import Any, Final

import pytest
from hypothesis import assume, example, given, strategies as st
from mpmath import mp, mpf, workdps

import dalenius as dl
from dalenius.notions import (
    NOTIONS,
    Leakage,
    Notion,
    Witness,
    in_words,
    leakage_in_words,
    promises_in_words,
)
from dalenius.notions.promise_as_phrase import PHRASE_KEYS, phrase_of
from dalenius.spec import spec_from

FROM_TO = {"from": 0.1, "to": 0.2}
ODDS = {"factor", "odds", "from", "advantage"}
HAVE = {
    "differential": ODDS,
    "inferential": ODDS,
    "bayesian": ODDS,
    "noiseless": ODDS,
    "information": {"factor", "from"},
}
NEEDED: dict[str, dict[str, float]] = {
    "noiseless": {"delta": 1e-6},
    "identifiability": {"alpha": 0.5, "beta": 1.0},
    "rho": {"rho": 0.75},
}
EXAMPLES: dict[str, dict[str, float]] = {
    "factor": {"factor": 2.0},
    "odds": {"odds": 3.0},
    "from": FROM_TO,
    "advantage": {"advantage": 0.05},
}
MODEL = {"kind": "independent", "probabilities": [0.5]}


def notion_of(**keys: Any) -> Notion:
    spec = spec_from({"model": MODEL, "query": {"kind": "count"}, "notion": keys})
    assert spec.notion is not None
    return spec.notion


def refusal(**keys: Any) -> str:
    with pytest.raises(dl.InputError) as caught:
        notion_of(**keys)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_which_kinds_have_which_phrase() -> None:
    for kind, phrase in product([each.model_fields["kind"].default for each in NOTIONS.own], PHRASE_KEYS):
        keys = {"kind": kind, **NEEDED.get(kind, {}), **EXAMPLES[phrase]}
        if phrase in HAVE.get(kind, ()):
            notion = notion_of(**keys)
            assert notion.epsilon is not None
            assert notion.epsilon > 0
            assert phrase_of(notion) == EXAMPLES[phrase]
        else:
            said = refusal(**keys)
            assert said.startswith(f"notion.{phrase}: ")
            assert said.endswith(f" for {kind} privacy")


def test_epsilon() -> None:
    for keys, epsilon in (
        ({"kind": "information", "factor": 2}, log(2)),
        ({"kind": "information", **FROM_TO}, log(2)),
        ({"kind": "identity", "odds": 3}, log(3)),
        ({"kind": "dependent", **FROM_TO}, log(9 / 4)),
        ({"kind": "differential", "advantage": 0.05}, log(1.05 / 0.95)),
        ({"kind": "noiseless", "advantage": 0.05, "delta": 0.01}, log(1.03 / 0.95)),
    ):
        found = notion_of(**keys)
        assert found.epsilon == pytest.approx(epsilon, rel=1e-14)
        assert notion_of(**found.model_dump(mode="json")) == found


REFUSED: dict[str, dict[str, Any]] = {
    "notion.factor: 1, wanted a number above 1": {"factor": 1},
    "notion.factor: inf, wanted a finite number": {"factor": inf},
    "notion.factor: nan, wanted a number above 1": {"factor": nan},
    "notion.factor: 2, wanted a number, not a text": {"factor": "2"},
    "notion.factor: true, wanted a number, not true or false": {"factor": True},
    "notion.odds: 3.0, wanted one of epsilon, factor, from with to for information privacy": {"odds": 3.0},
    "notion.factor: 2, wanted one promise only: epsilon says it already": {"factor": 2, "epsilon": 1.0},
    "notion.to: missing, wanted a value": {"from": 0.1},
    "notion.to: 0.1, wanted from beside it: a chance of from is to stay at or below to": {"to": 0.1},
    "notion.to: 0.2, wanted a number above from, 0.2": {"from": 0.2, "to": 0.2},
    "notion.to: 1, wanted a number below 1": {"from": 0.2, "to": 1},
    "notion.from: 0, wanted a number above 0": {"from": 0, "to": 0.5},
    "notion.advantage: 1.0, wanted a number below 1": {"kind": "inferential", "advantage": 1.0},
    "notion.advantage: 0.05, wanted a number above delta, 0.05": {
        "kind": "inferential",
        "advantage": 0.05,
        "delta": 0.05,
    },
}


def test_refusals() -> None:
    for said, keys in REFUSED.items():
        assert refusal(**{"kind": "information"} | keys) == said


def test_what_is_written_is_what_was_given() -> None:
    """One promise; other texts for other words, and the text of an epsilon is what it always was."""
    words, nats = dl.InformationPrivacy(factor=2), dl.InformationPrivacy(epsilon=1.0)
    assert words.model_dump() == {"kind": "information", "factor": 2.0}
    assert nats.model_dump() == {"kind": "information", "epsilon": 1.0}
    assert dl.InformationPrivacy().model_dump() == {"kind": "information", "epsilon": None}
    halved = words.model_copy(update={"epsilon": 0.25})
    assert halved.model_dump() == {"kind": "information", "epsilon": 0.25}
    assert phrase_of(halved) == {}


def test_calibrated_to_words() -> None:
    """The posterior itself, from the channel: it reaches what was promised and never passes it."""
    house = dl.Households(count=5, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    release = dl.Release(house, dl.Count(), dl.Geometric())
    found = dl.calibrate(release, dl.InformationPrivacy(factor=2))
    assert 1.999 < 2.718281828459045**found.leakage.lower <= 2
    of_odds = dl.calibrate(release, dl.InferentialPrivacy(from_=0.07, to=0.2))
    prior, moved = 0.07, 2.718281828459045**of_odds.leakage.lower
    assert 0.1999 < prior * moved / (1 - prior + prior * moved) <= 0.2 * (1 + 1e-12)


def test_promises_in_words() -> None:
    for notion, words in (
        (dl.InformationPrivacy(), None),
        (dl.InformationPrivacy(factor=2), "no chance grows more than 2-fold, one of 1 % stays at or below 2 %"),
        (
            dl.InformationPrivacy(from_=0.1, to=0.3),
            "no chance grows more than 3-fold, one of 10 % stays at or below 30 %",
        ),
        (
            dl.InferentialPrivacy(odds=3, delta=1e-6),
            "except with probability 1e-06, the odds between two values change at most 3-fold, a chance of 1 % stays "
            "at or below 2.95 %",
        ),
        (
            dl.DifferentialPrivacy(advantage=0.05),
            "a guess between two equally likely values is right with probability at most 52.5 %; to an adversary who "
            "knows all other records, the odds between two values change at most 1.106-fold, a chance of 1 % stays at "
            "or below 1.11 %",
        ),
        (
            dl.BayesianPrivacy(from_=0.1, to=0.2),
            "whatever else is known of others, the odds between two values change at most 2.25-fold, a chance of 10 % "
            "stays at or below 20 %",
        ),
        (dl.MinEntropyPrivacy(epsilon=1), "a single guess of the secret is right at most 2.719 times as often"),
    ):
        assert in_words(notion) == words


def test_leakages_in_words() -> None:
    witness = Witness(1, "somebody", secret=1, chance=0.0200000001)
    leakage = Leakage(0.9, 1.0, witness)
    said = "no chance grows more than 2.719-fold, one of 2 % stays at or below 5.44 %"
    assert leakage_in_words(dl.InformationPrivacy(), leakage) == said
    assert "a chance of 1 %" in (leakage_in_words(dl.DifferentialPrivacy(), leakage) or "")
    assert leakage_in_words(dl.InformationPrivacy(), Leakage(0.0, 1e-12, None)) == "no chance grows"
    assert leakage_in_words(dl.MinEntropyPrivacy(), Leakage(0.0, 1e-12, None)) == (
        "a single guess of the secret is right no more often"
    )
    assert leakage_in_words(dl.InformationPrivacy(), Leakage(inf, inf, None)) == "a chance may become certainty"


TIMES = st.floats(1, 1e300, exclude_min=True) | st.floats(1, 1 + 1e-9, exclude_min=True) | st.sampled_from([2.0, 3.0])
CHANCES = st.floats(0, 1, exclude_min=True, exclude_max=True) | st.sampled_from([0.1, 0.2, 0.3, 0.5, 1e-300, 5e-324])
NATS = st.floats(0, 700) | st.floats(0, 1e-9) | st.sampled_from([0.0, 1.0, 0.6931471805599453])
PLACES: Final = 400  # the least double above 0, added to 1, is still seen


def exact(number: float) -> Any:
    """The decimal as written."""
    return mpf(repr(number))


def just_below(epsilon: float, truth: Any) -> None:
    assert mpf(epsilon) <= truth < mpf(nextafter(nextafter(epsilon, inf), inf))


@given(TIMES)
def test_factor(factor: float) -> None:
    with workdps(50):
        just_below(promises_in_words.epsilon_of_factor(factor), mp.log(exact(factor)))


@given(CHANCES, CHANCES)
def test_from_to(start: float, end: float) -> None:
    assume(start < end)
    with workdps(PLACES):
        low, high = exact(start), exact(end)
        just_below(promises_in_words.epsilon_of_chances(start, end), mp.log(high / low))
        just_below(promises_in_words.epsilon_of_odds(start, end), mp.log(high / (1 - high) / (low / (1 - low))))


@given(CHANCES, st.floats(0, 0.999) | st.just(0.0))
def test_advantage(advantage: float, delta: float) -> None:
    epsilon = promises_in_words.epsilon_of_advantage(advantage, delta)
    if advantage <= delta:
        assert epsilon == 0
        return
    with workdps(PLACES):
        most, slack = exact(advantage), exact(delta)
        just_below(epsilon, mp.log((1 + most - 2 * slack) / (1 - most)))
        power = mp.exp(mpf(epsilon))
        assert (power - 1 + 2 * slack) / (power + 1) <= most * (1 + mpf(10) ** -45)
        if delta == 0:
            assert mp.tanh(mpf(epsilon) / 2) <= most


def close(value: Fraction, truth: Any) -> None:
    shown = mpf(value.numerator) / mpf(value.denominator)
    assert truth * (1 - mpf(10) ** -45) <= shown <= truth * (1 + mpf(10) ** -30)


@given(CHANCES, NATS)
def test_what_epsilon_says(chance: float, epsilon: float) -> None:
    with workdps(PLACES):
        power, start = mp.exp(mpf(epsilon)), exact(chance)
        close(promises_in_words.raised_belief(chance, epsilon), min(start * power, mpf(1)))
        close(promises_in_words.raised_by_odds(chance, epsilon), start * power / (1 - start + start * power))


@given(NATS, st.floats(0, 0.999))
def test_right_guess(epsilon: float, delta: float) -> None:
    with workdps(50):
        power, slack = mp.exp(mpf(epsilon)), exact(delta)
        close(promises_in_words.right_guess(epsilon, delta), (1 + (power - 1 + 2 * slack) / (power + 1)) / 2)


@given(st.floats(0, 30), CHANCES)
@example(0.0, 0.0963)  # neither it nor a hundred times it is a number of so many digits
def test_printed_numbers_are_not_below(epsilon: float, chance: float) -> None:
    assert Fraction(promises_in_words.percent(chance).removesuffix(" %")) >= 100 * Fraction(repr(chance))
    with workdps(60):
        assert mpf(promises_in_words.folds(epsilon)) >= mp.exp(mpf(epsilon))
        assert mpf(promises_in_words.folds(epsilon)) <= mp.exp(mpf(epsilon)) * mpf("1.0011")


# In none of these is a promise or a leakage above said.
WORDS: dict[str, Callable[[], str]] = {
    "4.852e+8": lambda: promises_in_words.folds(20.0),
    "e^200000": lambda: promises_in_words.folds(2e5),
    "99.995 %": lambda: promises_in_words.percent(0.99995),
    "1.00e-7 %": lambda: promises_in_words.percent(1e-9),
    "the odds between two values change without bound": lambda: promises_in_words.sentence(True, inf),
    "no chance grows more than 22030-fold, one of 0.001 % stays at or below 22.1 %": lambda: promises_in_words.sentence(
        False, 10.0, 0.5
    ),
}


def test_words() -> None:
    for words, said in WORDS.items():
        assert said() == words


def test_the_example() -> None:
    """The last bits of a prior probability do not show, and what is as good as certain is no example."""
    shown = {None: 0.01, 0.07000000000000002: 0.07, 0.1875: 0.188, 0.0: 0.01, 1.0: 0.01, 0.99951: 0.99951}
    for chance, said in shown.items():
        assert promises_in_words.example(chance) == said
