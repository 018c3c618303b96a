"""Secrets of several people against enumeration: every group, none left out for being like another.

What promises something of one record only refuses secrets of several people, by name and in one line.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, inf
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.calibration import METHODS, Calibration, Method, calibrate
from dalenius.channel import Release
from dalenius.composition import Releases, compose
from dalenius.composition.choice_of_route import RULES
from dalenius.composition.route import Route
from dalenius.errors import DaleniusError, InputError, Meaningless, TooLarge
from dalenius.linked.group_secrets import collections_of
from dalenius.models import Model
from dalenius.noise import Noise, separate
from dalenius.notions import ALL_NOTIONS, Leakage, Notion, audit, differential_loss
from dalenius.queries import Query
from tests.cases import in_turn
from tests.conformance.scores import Unfit
from tests.conformance.strategies import models, noises, queries
from tests.conformance.table import truth_of
from tests.pace import covering, draws
from tests.reference import leakages
from tests.reference.channel import Channel, mp
from tests.reference.collections import channels, groups_of

BITS = ((0.7, 0.3), (0.2, 0.8))
HOMES = dl.Households(types=[{"count": 2, "infected": [0.7, 0.1, 0.2]}, {"count": 1, "infected": [0.6, 0.1, 0.1, 0.2]}])
LABELLED = dl.Households(types=[{"count": 2, "infected": [0.6, 0.1, 0.1, 0.2], "members": {"old": 1, "young": 2}}])
CHAIN = dl.Chain(n=5, initial=[0.3, 0.7], transition=BITS)
LETTERS = dl.Chain(
    n=4,
    values=["a", "b", "c"],
    initial=[0.5, 0.5, 0.0],
    transition=[[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.2, 0.8, 0.0]],
)
NETWORK = dl.Network(
    nodes=[
        {"name": "Ann", "values": [0, 1], "probabilities": [[0.4, 0.6]]},
        {"name": "Bob", "values": [0, 1], "parents": ["Ann"], "probabilities": [[0.9, 0.1], [0.3, 0.7]]},
        {"name": "Cid", "values": [0, 1], "parents": ["Ann"], "probabilities": [[0.8, 0.2], [0.5, 0.5]]},
        {"name": "Dee", "values": [0, 1], "probabilities": [[0.25, 0.75]]},
    ]
)
BOTH = dl.Product(
    parts=[dl.Chain(n=3, initial=[0.5, 0.5], transition=BITS), dl.Households(count=1, infected=[0.5, 0.2, 0.3])]
)
TABLE = dl.Groups(types=[{"count": 2, "records": [[0, 2], [1, 0], [2, 2]], "probabilities": [0.5, 0.3, 0.2]}])
NOISES: tuple[Noise, ...] = (dl.Laplace(scale=1.5), dl.Geometric(scale=1.5), dl.NoNoise())
BY_NAME = {noise.kind: noise for noise in NOISES}
SUMS = ("households", "chain", "network", "product")
WORDS = ("any member 1", "all members 0", "number 1", "total")


def released(model: Model, query: Query, noise: Noise, engine: str | None = None, **secrets: Any) -> dl.Release:
    return dl.Release(model, query, noise, secrets=dl.Secrets(**secrets), engine=engine)


def reference(model: Model, query: Query, noise: Noise, groups: Any, words: str | None = None) -> list[Channel]:
    truth = truth_of(model, query, noise)
    return [
        each
        for world, asked in zip(truth.worlds, truth.asked, strict=True)
        for each in channels(world.joint, asked.score, truth.noise_of(asked), groups, words)
    ]


def encloses(found: Leakage, truth: Any, worth: float = 1e-9) -> None:
    value = float(truth)
    if value == inf:
        assert found.lower == inf
        return
    assert found.lower <= value * (1 + 1e-12) + 1e-15
    assert found.upper >= value * (1 - 1e-12)
    assert found.upper - found.lower <= worth * max(value, 1.0)


MEASURES: tuple[tuple[Notion, Callable[[Channel], leakages.Leakage]], ...] = (
    (dl.InferentialPrivacy(), leakages.inferential),
    (dl.InformationPrivacy(), leakages.information),
    (dl.RelativeEntropyPrivacy(), leakages.relative_entropy),
)
SUMMED: tuple[tuple[Notion, Callable[[Channel], leakages.Leakage]], ...] = (
    (dl.MutualInformationPrivacy(), leakages.mutual_information),
    (dl.MinEntropyPrivacy(), leakages.min_entropy),
)


def compare(release: dl.Release, truth: Sequence[Channel]) -> None:
    summed = not truth[0].noise.density and len({len(each.axes) for each in truth}) == 1
    with mp.workdps(40):
        for notion, measure in (*MEASURES, *(SUMMED if summed else ())):
            encloses(notion.leakage(release), max(measure(each).value for each in truth))


CASES = {
    "households": (HOMES, dl.Count(), 7),
    "labelled": (LABELLED, dl.Count(per_label=True), 6),
    "chain": (CHAIN, dl.Count(), 5),
    "letters": (LETTERS, dl.Count(values=["b"]), 4),
    "network": (NETWORK, dl.Sum(), 4),
    "product": (BOTH, dl.Count(), 5),
    "table": (TABLE, dl.Sum(), 4),
    "greatest": (TABLE, dl.Max(), 4),
}


@pytest.mark.parametrize(("name", "noise", "size"), covering(product(CASES, BY_NAME, ("2", "3"))))
def test_every_group_of_a_size(name: str, noise: str, size: str) -> None:
    (model, query, people), of = CASES[name], int(size)
    truth = reference(model, query, BY_NAME[noise], groups_of(people, of))
    compare(released(model, query, BY_NAME[noise], size=of), truth)


@pytest.mark.parametrize(("name", "words"), covering(product((*SUMS, "labelled", "greatest"), WORDS)))
def test_functions_of_everybody_and_of_pairs(name: str, words: str) -> None:
    model, query, people = CASES[name]
    whole = released(model, query, NOISES[1], groups="everybody", function=words)
    compare(whole, reference(model, query, NOISES[1], [tuple(range(people))], words))
    pairs = released(model, query, NOISES[2], size=2, function=words)
    compare(pairs, reference(model, query, NOISES[2], groups_of(people, 2), words))


def test_a_function_alone_is_of_each_independent_group() -> None:
    truth = reference(HOMES, dl.Count(), NOISES[0], [(0, 1), (2, 3), (4, 5, 6)], "any member 1")
    compare(released(HOMES, dl.Count(), NOISES[0], function="any member 1"), truth)


def test_known_records_are_conditioned_on() -> None:
    release = dl.Release(
        CHAIN, dl.Count(), NOISES[0], secrets=dl.Secrets(size=2), adversary=dl.Adversary(known={"3": 1})
    )
    joint = truth_of(CHAIN, dl.Count(), NOISES[0]).worlds[0].joint
    kept = {row: chance for row, chance in joint.items() if row[2] == 1}
    given_it = {row: chance / sum(kept.values()) for row, chance in kept.items()}
    asked = truth_of(CHAIN, dl.Count(), NOISES[0])
    compare(release, channels(given_it, asked.asked[0].score, asked.noise_of(asked.asked[0]), groups_of(5, 2)))


@given(model=models(), query=queries(), noise=noises(), size=st.integers(2, 3), words=st.booleans())
@draws(60)
def test_random_models(model: Model, query: Query, noise: Noise, size: int, words: bool) -> None:
    try:
        truth = truth_of(model, query, noise)
    except Unfit:
        assume(False)
        raise
    people = len(truth.worlds[0].people)
    assume(size <= people <= 6)
    value = str(truth.worlds[0].people[0].values[-1])
    chosen = f"number {value}" if words else None
    groups = groups_of(people, size)
    worst = [
        max(leakages.inferential(each).value for each in channels(w.joint, a.score, truth.noise_of(a), groups, chosen))
        for w, a in zip(truth.worlds, truth.asked, strict=True)
    ]
    found = dl.InferentialPrivacy().leakage(released(model, query, noise, size=size, function=chosen))
    encloses(found, max(worst), 1e-8)


def test_a_near_lie_is_rejected() -> None:
    """Were members taken for independent, or one order of two values for both, the comparison would fail."""
    apart = dl.Independent(probabilities=[0.36, 0.36, 0.36, 0.36, 0.5, 0.5, 0.5])
    truth = reference(HOMES, dl.Count(), NOISES[0], groups_of(7, 2))
    with pytest.raises(AssertionError):
        compare(released(apart, dl.Count(), NOISES[0], size=2), truth)
    with pytest.raises(AssertionError):
        compare(released(HOMES, dl.Count(), NOISES[0], groups=[[1, 2]]), truth)


def test_delta_tail_and_posterior_of_a_pair() -> None:
    release = released(HOMES, dl.Count(), NOISES[1], size=2)
    truth = reference(HOMES, dl.Count(), NOISES[1], groups_of(7, 2))
    delta = dl.InferentialPrivacy().least_delta(release, 0.5)
    assert delta is not None
    with mp.workdps(30):
        wanted = float(max(leakages.delta(each, 0.5).value for each in truth))
    assert delta.lower <= wanted <= delta.upper
    assert delta.upper - delta.lower < 1e-9
    seen = dl.posterior(release, [3])
    pair = next(
        each for each in seen.worst.people if (each.person, each.who) == (1, "together with person 2, of one group")
    )
    own = next(each for each in truth)
    likelihood = own.likelihoods((Fraction(3),))
    whole = own.mixture(likelihood)
    for each in pair.values:
        secret = tuple(int(text) for text in str(each.value).split(", "))
        exact = float(own.weights[secret] * likelihood[secret] / whole)
        assert each.posterior.lower <= exact <= each.posterior.upper
    assert pair.what == "records"


@pytest.mark.lengthy
def test_thousands_of_households_as_a_few() -> None:
    """Far from both ends of the answers' range a large population is noise enough: the limit at ±∞ is the same."""
    kinds = [{"count": 4000, "infected": [0.9, 0.04, 0.0, 0.0, 0.06]}, {"count": 6000, "infected": [0.9, 0.05, 0.05]}]
    few = [kind | {"count": 3} for kind in kinds]
    asked: tuple[dict[str, Any], ...] = ({"size": 2}, {"function": "number 1"})
    for secrets in asked:
        large, small = (
            dl.InferentialPrivacy().leakage(
                released(dl.Households(types=types), dl.Count(), NOISES[0], None, **secrets)
            )
            for types in (kinds, few)
        )
        assert abs(large.epsilon - small.epsilon) < 1e-8


def test_more_values_than_fit_are_refused() -> None:
    many = dl.Households(count=1, infected=[0.5, *[0.5 / 30] * 30])
    with pytest.raises(TooLarge, match="the records of a group of people"):
        released(many, dl.Count(), NOISES[0], size=20)
    counted = dl.InferentialPrivacy().leakage(released(many, dl.Count(), NOISES[0], function="number 1"))
    assert counted.lower <= 20.0 <= counted.upper
    everybody = dl.Independent(n=10_000, probabilities=[0.5])
    release = released(everybody, dl.Count(), NOISES[0], groups="everybody", function="number 1")
    with pytest.raises(TooLarge, match="values of the answer and of number 1 together"):
        dl.InferentialPrivacy().leakage(release)


def test_every_class_once() -> None:
    """The classes' sizes add up to all groups of that many people."""
    for (model, query, people), size in product(CASES.values(), (2, 3)):
        (world,) = released(model, query, NOISES[0], size=size).worlds.finite
        found = collections_of(dl.Secrets(size=size), world.joint)
        assert sum(each.alike for each in found) == comb(people, size)
        assert all(len(set(each.people)) == size for each in found)


def test_every_part_of_a_chain_is_as_it_is_one_by_one() -> None:
    """Contiguous and scattered groups of a chain of four letters and labels, whose steps differ."""
    for noise, people in product(NOISES, ([1, 2], [1, 4], [2, 4], [1, 2, 4])):
        truth = reference(LETTERS, dl.Count(values=["c"]), noise, [tuple(person - 1 for person in people)])
        compare(released(LETTERS, dl.Count(values=["c"]), noise, groups=[people]), truth)


PROMISE = dl.InferentialPrivacy(epsilon=1.0)
READING = {"exact", "optimal", "clamped", "noiseless"}
SECRETS = (
    {"size": 2},
    {"groups": [[1, 2]]},
    {"function": "any member 1"},
    {"groups": "everybody", "function": "total"},
)


def release_of(noise: Noise | None = None, **secrets: Any) -> Release:
    model = dl.Households(count=3, infected=[0.7, 0.1, 0.2])
    return Release(model, dl.Count(), noise or dl.Laplace(scale=1.0), secrets=dl.Secrets(**(secrets or {"size": 2})))


def test_what_is_read_of_single_records_is_refused() -> None:
    asked: tuple[Callable[[Release], Any], ...] = (
        lambda release: release.worlds.joints,
        lambda release: release.worlds.plain,
        lambda release: release.sensitivity,
        lambda release: release.worlds.group_sensitivity,
        lambda release: release.worlds.group_size,
        lambda release: Releases((release,)).about_everybody,
    )
    for secrets, each in product(SECRETS, asked):
        with pytest.raises(Meaningless, match=r"^secrets: .*, wanted one person's record each: ") as caught:
            each(release_of(**secrets))
        assert "\n" not in str(caught.value)


def test_methods_that_do_not_read_the_channel_are_refused() -> None:
    assert {method.name for method in METHODS if method.reads_channel} == READING
    for method in METHODS:
        if not method.reads_channel:
            with pytest.raises(Meaningless, match=f"method {method.name} says nothing of groups"):
                calibrate(release_of(), PROMISE, method)
            with pytest.raises(DaleniusError):
                method.calibrate(release_of(), PROMISE)


def test_a_new_method_is_refused_unless_it_says_that_it_reads_the_channel() -> None:
    class Hoping(Method):
        name = "hoping"

        def calibrate(self, release: Release, notion: Notion) -> Calibration:
            raise AssertionError

    with pytest.raises(Meaningless, match="method hoping says nothing of groups"):
        calibrate(release_of(), PROMISE, Hoping())


@in_turn({"secrets": SECRETS, "method": ["exact", "optimal"]})
def test_methods_that_read_the_channel_keep_the_promise(method: str, secrets: dict[str, Any]) -> None:
    found = calibrate(release_of(dl.Geometric(), **secrets), PROMISE, method)
    audited = dl.InferentialPrivacy().leakage(release_of(found.noise, **secrets))
    assert found.sound
    assert audited.upper <= 1.0
    single = calibrate(release_of(dl.Geometric(), size=1), PROMISE, method)
    alone = dl.InferentialPrivacy().leakage(release_of(single.noise, **secrets))
    # Noise for one record does not hide the records of several.
    assert alone.lower > 1.0 or secrets.get("function") == "any member 1"
    assert (found.differential, found.bayesian) == (None, None)


def test_the_joint_route_alone_composes() -> None:
    release = release_of()
    found = compose([release, release], PROMISE)
    assert found.route == "joint"
    both = Release(
        release.model,
        dl.Several(queries=(dl.Count(), dl.Count())),
        separate([dl.Laplace(scale=1.0)] * 2),
        secrets=dl.Secrets(size=2),
    )
    leakage = dl.InferentialPrivacy().leakage(both)
    assert abs(found.bound.value.upper - leakage.upper) < 1e-9
    routes: set[Route] = {route for rule in RULES.values() for route in rule.routes}
    assert {route.name for route in routes if route.reads_channel} == {"joint"}
    for route in {route.name for route in rule_routes(PROMISE)} - {"joint"}:
        with pytest.raises(InputError, match=f"route {route} says nothing of groups"):
            compose([release, release], PROMISE, route)


def rule_routes(notion: Notion) -> tuple[Route, ...]:
    return RULES[notion.properties.implied_by].routes


def test_notions_of_one_record_are_refused_and_left_out_of_an_audit() -> None:
    release = release_of()
    for notion in (
        dl.DifferentialPrivacy(),
        dl.BayesianPrivacy(),
        dl.NoiselessPrivacy(known_fraction=0.5, delta=0.1),
        dl.MutualInformationPrivacy(given=[3]),
    ):
        with pytest.raises(Meaningless, match="says nothing of groups"):
            notion.leakage(release)
        assert audit(release, [notion]) == {}
    assert set(audit(release)) == {notion.kind for notion in ALL_NOTIONS} - {"differential"}
    assert differential_loss(release) is None
