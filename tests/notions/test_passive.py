"""Noiseless privacy against passive adversaries: the mean over what is known, against every set and all its values."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import inf, log, prod
from typing import TypeAlias

import pytest
from hypothesis import assume, given, strategies as st

from dalenius import (
    Absent,
    Chain,
    Count,
    Geometric,
    Groups,
    GroupType,
    Households,
    Independent,
    InputError,
    Kernel,
    Laplace,
    Max,
    NoiselessPrivacy,
    NoNoise,
    Release,
    Secrets,
    Sum,
    TooLarge,
    calibrate,
)
from dalenius.knowledge import passive
from dalenius.models import Model, Product
from dalenius.noise import Noise
from dalenius.notions import delta_curve, noiseless_delta
from dalenius.queries import Query
from tests.conformance.comparison import assert_agrees, assert_contains
from tests.conformance.scores import Unfit
from tests.conformance.strategies import group_models, models, queries
from tests.conformance.table import FAMILY, MODELS, PAIR, XOR, examples, truth_of
from tests.conformance.truth import Truth
from tests.pace import draws, one_in, slow
from tests.reference.channel import Real, mp

FEW = 4
NOISES = st.sampled_from([NoNoise(), Geometric(scale=1.2)])
EPSILONS = st.sampled_from([0.0, 0.3, 1.1])
THRESHOLD = Kernel(
    answers=list(range(-4, 9)), outputs=["few", "some", "many"],
    probabilities=[[1, 0, 0]] * 6 + [[0.25, 0.5, 0.25], *[[0, 0.125, 0.875]] * 6],
)  # fmt: skip


def brute_force(truth: Truth, known: int, epsilon: float) -> Real:
    return truth.passive(epsilon, fraction_of(known, truth))


def small(model: Model, query: Query, noise: Noise) -> Truth:
    try:
        truth = truth_of(model, query, noise)
    except Unfit:
        assume(False)
        raise
    assume(truth.summable and all(len(w.people) <= FEW and len(w.joint) <= 30 for w in truth.worlds))
    return truth


def fraction_of(known: int, truth: Truth) -> float:
    return (known + 0.5) / len(truth.worlds[0].people)


@given(model=models(FEW), query=queries(), noise=NOISES, epsilon=EPSILONS, data=st.data())
@draws(60)
def test_small_populations(model: Model, query: Query, noise: Noise, epsilon: float, data: st.DataObject) -> None:
    truth = small(model, query, noise)
    known = data.draw(st.integers(0, len(truth.worlds[0].people) - 1))
    with mp.workdps(30):
        wanted = brute_force(truth, known, epsilon)
        found = noiseless_delta(Release(model, query, noise), epsilon, fraction_of(known, truth), "passive")
        assert_agrees(found, wanted)


TWO = Groups(
    types=[
        GroupType(count=2, records=[[0, 0], [1, 0], [1, 2]], probabilities=[0.5, 0.3, 0.2]),
        GroupType(count=1, records=[[0], [1]], probabilities=[0.6, 0.4]),
    ]
)
CASES: dict[str, tuple[Model, Query]] = {
    "bits": (Independent(n=4, probabilities=[0.3]), Count()),
    "two kinds of bits": (Independent(probabilities=[0.3, 0.3, 0.05, 0.5]), Count()),
    "values": (Independent(values=[-1, 0, 2], probabilities=[[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]]), Sum()),
    "somebody certain": (
        Independent(values=[0, 3, 1], probabilities=[[0, 1, 0], [0.5, 0, 0.5], [0.25, 0, 0.75]]),
        Sum(),
    ),
    "equal pair": (PAIR, Count()),
    "exclusive or": (XOR, Count()),
    "groups": (TWO, Sum()),
    "households": (Households(count=2, infected=[0.5, 0.2, 0.3]), Count()),
    "family": (FAMILY, Count()),
    "family's children": (FAMILY, Count(labels=["child"])),
    "beside": (Product(parts=[PAIR, Independent(probabilities=[0.4])]), Sum()),
    "largest": (Independent(values=[0, 1, 3], probabilities=[[0.5, 0.3, 0.2]] * 3), Max()),
    "chain": (examples(MODELS)["chain by steps"], Count()),
}


@pytest.mark.parametrize("noise", [NoNoise(), THRESHOLD, Geometric(scale=0.8)], ids=lambda noise: noise.kind)
@pytest.mark.parametrize("name", one_in(4, CASES))
def test_every_way_every_noise(name: str, noise: Noise, monkeypatch: pytest.MonkeyPatch) -> None:
    """By groups and by every set: both are the brute force's."""
    model, query = CASES[name]
    truth, release = truth_of(model, query, noise), Release(model, query, noise)
    people = len(truth.worlds[0].people)
    with mp.workdps(30):
        for known in {1, people // 2, people - 1} - {0}:
            wanted = brute_force(truth, known, 0.3)
            fraction = fraction_of(known, truth)
            assert_agrees(noiseless_delta(release, 0.3, fraction, "passive"), wanted)
            with monkeypatch.context() as patched:
                patched.setattr(passive, "averages", lambda *_: None)
                assert_agrees(noiseless_delta(release, 0.3, fraction, "passive"), wanted)
            assert wanted <= noiseless_delta(release, 0.3, fraction).upper * (1 + 1e-12) + 1e-15


@given(model=group_models(FEW), data=st.data())
@draws(15)
def test_a_near_lie_is_rejected(model: Model, data: st.DataObject) -> None:
    truth = small(model, Count(), NoNoise())
    known = data.draw(st.integers(0, len(truth.worlds[0].people) - 1))
    with mp.workdps(30):
        exact = brute_force(truth, known, 0.3)
    assume(exact > 1e-3)
    found = noiseless_delta(Release(model, Count(), NoNoise()), 0.3, fraction_of(known, truth), "passive")
    for lie in (exact * (1 + mp.mpf("1e-7")), exact * (1 - mp.mpf("1e-7"))):
        with pytest.raises(AssertionError):
            assert_contains(found, lie)


def referendum(people: int, chance: float) -> Release:
    """Independent votes; their count is published where more than a tenth say yes, and nothing otherwise."""
    least = people // 10
    shown = [
        [float(column == max(yes - least, 0)) for column in range(people - least + 1)] for yes in range(people + 1)
    ]
    outputs = ["nothing", *range(least + 1, people + 1)]
    noise = Kernel(answers=list(range(people + 1)), outputs=outputs, probabilities=shown)
    return Release(Independent(n=people, probabilities=[chance]), Count(), noise)


def joint_divergence(people: int, chance: float, epsilon: float) -> Real:
    """The hockey-stick divergence between the laws of output and known votes, a tenth of all, given a vote's values."""
    known = least = people // 10
    p, others, factor = mp.mpf(chance), people - 1 - known, mp.exp(mp.mpf(epsilon))

    def masses(trials: int) -> list[Real]:
        return [mp.binomial(trials, ones) * p**ones * (1 - p) ** (trials - ones) for ones in range(trials + 1)]

    unknown = masses(others)

    def outputs(yes: int, vote: int) -> Iterator[Real]:
        yield mp.fsum(unknown[: max(least + 1 - yes - vote, 0)])
        for count in range(least + 1, people + 1):
            rest = count - yes - vote
            yield unknown[rest] if 0 <= rest <= others else mp.zero

    worst = mp.zero
    for vote in (0, 1):
        total = mp.zero
        for yes, mass in enumerate(masses(known)):
            pairs = zip(outputs(yes, vote), outputs(yes, 1 - vote), strict=True)
            total += mass * mp.fsum(max(one - factor * other, mp.zero) for one, other in pairs)
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize(
    ("people", "chance"), [(100, 0.04), (100, 1e-7), slow((200, 0.1)), slow((1000, 1e-3)), slow((1000, 0.1))]
)
def test_a_referendum(people: int, chance: float) -> None:
    """Desfontaines et al. 2019: to somebody who knows a tenth of the votes."""
    found = noiseless_delta(referendum(people, chance), 0.5, 0.1, "passive")
    with mp.workdps(30):
        wanted = joint_divergence(people, chance, 0.5)
    assert found.lower <= wanted <= found.upper
    assert found.upper - found.lower <= 1e-8 * found.upper


@pytest.mark.parametrize("people", [100, slow(1000)])
def test_a_referendum_of_very_few_yes(people: int) -> None:
    """Votes of chance 1e-7: so many never say yes; actively, the known ones are made to, and the next one decides."""
    rare = referendum(people, 1e-7)
    assert noiseless_delta(rare, 0.5, 0.1, "passive").upper <= 1e-50
    none_of_the_others = mp.mpf(1 - mp.mpf(1e-7)) ** (people - people // 10 - 1)
    assert_agrees(noiseless_delta(rare, 0.5, 0.1), none_of_the_others)
    left = people - people // 10
    decides = Kernel(answers=list(range(left + 1)), probabilities=[[1.0, 0.0], *[[0.0, 1.0]] * left])
    shown = Release(Independent(n=left, probabilities=[1e-7]), Count(), decides)
    assert noiseless_delta(shown, 0.5).lower > 0.999


Outcome: TypeAlias = tuple[str, int | None]
"""What goes out, and what the vote is that somebody knows, where they know one."""


def three_votes(vote: int, knows: bool) -> dict[Outcome, Fraction]:
    """Of the count of three votes, each a yes at 1/4, that goes out from two on: the outcomes given one of them."""
    found: defaultdict[Outcome, Fraction] = defaultdict(Fraction)
    for others in product((0, 1), repeat=2):
        count = vote + sum(others)
        chance = prod((Fraction(1, 4) if each else Fraction(3, 4) for each in others), start=Fraction(1))
        found[str(count) if count >= 2 else "nothing", others[0] if knows else None] += chance
    return found


def loss_beyond(one: Mapping[Outcome, Fraction], other: Mapping[Outcome, Fraction], factor: int) -> Fraction:
    """E[max(0, 1 - factor/e^L)] under the first, L the privacy loss of an outcome."""
    return sum((max(each - factor * other.get(outcome, 0), Fraction(0)) for outcome, each in one.items()), Fraction(0))


def test_three_votes_distinguish_the_two_adversaries() -> None:
    """At e^ε = 2: whoever makes the vote that they know a yes tells the next one's values apart with δ = 3/4; whoever
    happens to know it with 5/16, as does somebody who knows none."""
    passive_, active = Fraction(0), Fraction(0)
    for vote in (0, 1):
        none, other_none = (three_votes(each, knows=False) for each in (vote, 1 - vote))
        one, other_one = (three_votes(each, knows=True) for each in (vote, 1 - vote))
        passive_ = max(passive_, loss_beyond(none, other_none, 2), loss_beyond(one, other_one, 2))
        for known, chance in ((0, Fraction(3, 4)), (1, Fraction(1, 4))):
            given_it = {outcome: each / chance for outcome, each in one.items() if outcome[1] == known}
            other_given_it = {outcome: each / chance for outcome, each in other_one.items() if outcome[1] == known}
            active = max(active, loss_beyond(none, other_none, 2), loss_beyond(given_it, other_given_it, 2))
    assert (passive_, active) == (Fraction(5, 16), Fraction(3, 4))
    shown = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    noise = Kernel(answers=[0, 1, 2, 3], outputs=["nothing", 2, 3], probabilities=shown)
    release = Release(Independent(n=3, probabilities=[0.25]), Count(), noise)
    for adversary, wanted in (("passive", passive_), ("active", active)):
        found = noiseless_delta(release, log(2), 0.4, adversary)  # type: ignore[arg-type]
        assert found.lower <= wanted <= found.upper
        assert found.upper - found.lower < 1e-12


def test_independent_records_of_a_sum_are_worth_the_same_whatever_they_are() -> None:
    """Known ones shift the answer: the mean over them is the worst."""
    for noise in (NoNoise(), Geometric(scale=2.0), Laplace(scale=1.0)):
        release = Release(Independent(probabilities=[0.3] * 40 + [0.2] * 20), Count(), noise)
        mean = noiseless_delta(release, 0.2, 0.5, "passive")
        worst = noiseless_delta(release, 0.2, 0.5)
        assert mean.middle == pytest.approx(worst.middle, rel=1e-9)


def test_groups_are_worth_less_on_average() -> None:
    release = Release(Households(count=20, infected=[0.5, 0.1, 0.4]), Count(), NoNoise())
    mean, worst = (noiseless_delta(release, 0.2, 0.25, kind) for kind in ("passive", "active"))
    assert 0.1622 < mean.lower <= mean.upper < 0.1623
    assert worst.lower > 0.1641


def test_nothing_known_is_nothing_averaged() -> None:
    release = Release(Households(count=6, infected=[0.5, 0.1, 0.4]), Count(), Geometric(scale=1.0))
    assert delta_curve(release, [0.1, 1.0], 0.0, "passive") == delta_curve(release, [0.1, 1.0])
    passive_, active = (NoiselessPrivacy(delta=0.01, adversary=kind) for kind in ("passive", "active"))
    assert passive_.leakage(release) == active.leakage(release)


@pytest.mark.parametrize("noise", [NoNoise(), Geometric(scale=1.0), THRESHOLD], ids=lambda noise: noise.kind)
def test_the_least_epsilon_inverts_the_curve(noise: Noise) -> None:
    release = Release(Households(count=3, infected=[0.5, 0.2, 0.3]), Count(), noise)
    leakage = NoiselessPrivacy(delta=0.1, known_fraction=0.5, adversary="passive").leakage(release)
    assert 0 < leakage.lower <= leakage.upper
    if leakage.upper < inf:
        after, before = delta_curve(release, [leakage.upper, leakage.lower * (1 - 1e-9)], 0.5, "passive")
        assert after.upper <= 0.1 * (1 + 1e-9)
        assert before.upper > 0.1
    assert leakage.upper <= NoiselessPrivacy(delta=0.1, known_fraction=0.5).leakage(release).upper * (1 + 1e-9)
    assert leakage.witness is not None
    assert leakage.witness.outputs is None
    assert "on average over the values" in leakage.witness.who


def test_only_the_people_asked_about() -> None:
    release = Release(Independent(probabilities=[0.3, 0.5, 0.05]), Count(), NoNoise(), Secrets(people=(3,)))
    leakage = NoiselessPrivacy(delta=0.3, known_fraction=0.4, adversary="passive").leakage(release)
    assert leakage.witness is not None
    assert leakage.witness.person == 3


@pytest.mark.slow
def test_a_promise_is_calibrated() -> None:
    release = Release(Households(count=8, infected=[0.5, 0.2, 0.3]), Count(), Geometric())
    notion = NoiselessPrivacy(epsilon=0.5, delta=0.05, known_fraction=0.25, adversary="passive")
    found = calibrate(release, notion, "exact")
    assert found.leakage.upper <= 0.5
    active = calibrate(release, notion.model_copy(update={"adversary": "active"}), "exact")
    assert found.noise.known_scale() <= active.noise.known_scale()
    assert "and influences none" in notion.rests_on()[0]


def test_long_chains_and_many_values_are_refused() -> None:
    chain = Chain(n=60, transition=[[0.8, 0.2], [0.3, 0.7]], initial="stationary")
    with pytest.raises(
        TooLarge, match=r"^an average over known records: 60 people is too large, use adversary = \"act"
    ):
        noiseless_delta(Release(chain, Count(), NoNoise()), 0.3, 0.1, "passive")
    rows = [[0.1] * 10]
    many = Independent(n=400, values=[v * v for v in range(10)], probabilities=rows)
    release = Release(many, Sum(), Kernel(answers=list(range(81 * 400 + 1)), probabilities=[[1.0]] * (81 * 400 + 1)))
    with pytest.raises(
        TooLarge, match=r"^an average over known records: [\d,]+ or more sets and values of theirs is too"
    ):
        noiseless_delta(release, 0.3, 0.5, "passive")


def test_too_many_sets_are_refused_at_once() -> None:
    different = Independent(probabilities=[0.01 * number for number in range(1, 41)])
    with pytest.raises(
        TooLarge, match=r"^an average over known records: [\d,]+ or more sets and values of theirs is too"
    ):
        noiseless_delta(Release(different, Count(), NoNoise()), 0.3, 0.5, "passive")


def test_what_is_refused() -> None:
    release = Release(PAIR, Count(), NoNoise())
    with pytest.raises(InputError, match=r"^adversary: careless, wanted active or passive$"):
        noiseless_delta(release, 0.3, 0.5, "careless")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^NoiselessPrivacy\.adversary: careless, wanted 'active' or 'passive'$"):
        NoiselessPrivacy(delta=0.1, adversary="careless")
    with pytest.raises(InputError, match=r"^model\.kind: absent"):
        noiseless_delta(Release(Absent(answers=[1, 2]), None, Laplace(scale=1.0)), 0.1, 0.5, "passive")


def test_a_pair_of_which_one_is_known() -> None:
    """Half the time both are alike: known, the other's value is impossible with one secret, and the pair counts 0."""
    release = Release(PAIR, Count(), NoNoise())
    known = noiseless_delta(release, 0.3, 0.5, "passive")
    assert known.middle == pytest.approx(1.0)  # knowing nothing is the worst
    both = Release(Product(parts=[PAIR, PAIR]), Count(), NoNoise(), Secrets(people=(1,)))
    assert noiseless_delta(both, 0.3, 0.8, "passive").middle == pytest.approx(1.0)
