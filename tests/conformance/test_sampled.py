"""Samples of a population against enumeration of all records and all samples, by every notion.

Who is in the sample is no record of the model, so `MODELS` has no row of it: the answer depends on more than
everybody's values.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product as choices
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.channel import Adversary, Release
from dalenius.errors import InputError
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.knowledge.noiseless import NoiselessPrivacy, noiseless_delta
from dalenius.models import (
    Chain,
    Households,
    Independent,
    Model,
    Network,
    Product,
    Sample,
    Sampled,
    Table,
    finite_joints,
)
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, MutualInformationPrivacy
from dalenius.notions.log_ratios import differential_loss
from dalenius.queries import Count, Histogram, Max, Mean, Median, Query, Several, Sum
from tests.conformance import comparison
from tests.conformance.compare import check_all
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.scores import Unfit
from tests.conformance.strategies import household_models, independents, noises, queries, tables
from tests.conformance.table import CHECKS, NOISES, examples, truth_of, worlds_of
from tests.conformance.truth import Truth
from tests.pace import draws, one_in, slow
from tests.reference import leakages, samples
from tests.reference.bayesian import given as given_records, known_sets
from tests.reference.channel import Channel, mp

OF_KNOWN_RECORDS = frozenset(
    {"differential", "bayesian", "mutual information given", "noiseless", "noiseless, half known"}
)
"""Checks whose truth is about records that are known: tests of their own here hold them."""


class Population(NamedTuple):
    """A population, and its people by group."""

    model: Model
    groups: Sequence[Sequence[int]]


def alone(people: int) -> list[list[int]]:
    return [[person] for person in range(people)]


LABELLED = Households(
    types=[
        {"count": 1, "infected": [0.7, 0.1, 0.05, 0.15], "members": {"north": 2, "south": 1}},
        {"count": 1, "infected": [0.5, 0.0, 0.5], "members": {"south": 2}},
    ]
)
POPULATIONS = {
    "independent": Population(Independent(probabilities=[0.3, 0.3, 0.01]), alone(3)),
    "values": Population(
        Independent(values=[-1, 0.5, 2], probabilities=[[0.2, 0.3, 0.5], [0.0, 1e-12, 1 - 1e-12]]), alone(2)
    ),
    "households": Population(Households(count=2, infected=[0.9, 0.04, 0.06]), [[0, 1], [2, 3]]),
    "labelled": Population(LABELLED, [[0, 1, 2], [3, 4]]),
    "table": Population(Table(records=[[0, 0, 1], [1, 1, 0], [0, 1, 1]], probabilities=[0.5, 0.3, 0.2]), [[0, 1, 2]]),
    "chain": Population(Chain(n=4, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary"), [[0, 1, 2, 3]]),
    "network": Population(
        Network(
            nodes=[
                {"name": "a", "probabilities": [0.9, 0.1]},
                {"name": "b", "parents": ["a"], "probabilities": [[0.8, 0.2], [0.3, 0.7]]},
                {"name": "c", "probabilities": [0.6, 0.4]},
            ]
        ),
        [[0, 1], [2]],
    ),
    "chain beside people": Population(
        Product(
            parts=[
                Chain(n=2, transition=[[0.7, 0.3], [0.3, 0.7]], initial=[0.5, 0.5]),
                Independent(probabilities=[0.4]),
            ]
        ),
        [[0, 1], [2]],
    ),
}
SAMPLES = {
    "people": Sample(rate=0.1),
    "nearly everybody": Sample(rate=1 - 1e-9),
    "everybody": Sample(rate=1),
    "households": Sample(rate=0.25, of="households"),
    "two people": Sample(size=2),
    "one household": Sample(size=1, of="households"),
}
QUERIES = {
    "count": Count(),
    "sum": Sum(),
    "histogram": Histogram(cells=[[0], [1]]),
    "count and sum": Several(queries=[Count(), Sum()]),
}
STRATA = Sample(rate={"north": 0.5, "south": 0.125}, of="strata")


def sets_of(sample: Sample, population: Population) -> samples.Sample:
    """Every set that may be drawn, by the meaning of the section's keys."""
    (world,) = worlds_of(population.model)
    units = population.groups if sample.of == "households" else alone(len(world.people))
    if sample.size is not None:
        return samples.of_size(units, sample.size)
    if isinstance(sample.rate, dict):
        rates = [sample.rate[person.label] for person in world.people]
    else:
        rates = [sample.rate or 0.0] * len(units)
    return samples.by_rates(units, [Fraction(rate) for rate in rates])


def sampled_truth(population: Population, sample: Sample, query: Query, noise: Noise) -> Truth:
    """What the reference knows of everybody where only a sample is asked."""
    truth = truth_of(population.model, query, noise)
    sets = sets_of(sample, population)
    truth.people = [
        samples.channels(world.joint, sets, each.score, truth.noise_of(each))
        for world, each in zip(truth.worlds, truth.asked, strict=True)
    ]
    return truth


def check(
    population: Population, sample: Sample, query: Query, noise: Noise, engine: str | None = None, tight: bool = True
) -> None:
    truth = sampled_truth(population, sample, query, noise)
    release = Release(Sampled(population=population.model, sample=sample), query, noise, engine=engine)
    names = [name for name in CHECKS if name not in OF_KNOWN_RECORDS]
    check_all(release, truth, names, tight)
    if truth.summable:
        assert_agrees(noiseless_delta(release, 0.05), truth.delta(0.05), tight)


def _cases() -> list[Any]:
    """Every population, sample and query that fit; the quick suite has each sample, and each query of some of them."""
    found = []
    for place, (population, each) in enumerate(POPULATIONS.items()):
        for turn, sample in enumerate(SAMPLES):
            for number, query in enumerate(QUERIES):
                try:
                    truth_of(each.model, QUERIES[query], NoNoise())
                except Unfit:
                    continue
                case = population, sample, query
                found.append(case if number == (place + turn // 2) % 4 and turn % 2 == place % 2 else slow(case))
    return found


@pytest.mark.parametrize(("population", "sample", "query"), _cases())
def test_against_enumeration(population: str, sample: str, query: str) -> None:
    check(POPULATIONS[population], SAMPLES[sample], QUERIES[query], Geometric(scale=1.3))


@pytest.mark.parametrize("query", [Count(), Count(per_label=True)])
def test_strata_against_enumeration(query: Query) -> None:
    check(POPULATIONS["labelled"], STRATA, query, Geometric(scale=1.3))


@pytest.mark.parametrize(
    "noise",
    [
        each if each == "none" else slow(each)
        for each, noise in examples(NOISES).items()
        if each not in ("noisy max", "geometric") and noise.reports((0, 1)) is None
    ],
)
def test_every_noise(noise: str) -> None:
    """Of at most two people, as a kernel is of three answers. `test_reports_of_samples` has noise on records."""
    population = Population(Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1]), [[0, 1]])
    for sample in (Sample(rate=0.25), Sample(rate=0.25, of="households"), Sample(size=1)):
        check(population, sample, Count(), examples(NOISES)[noise])


@pytest.mark.parametrize("sample", ["people", "households", "two people"])
def test_by_tilted_transforms(sample: str) -> None:
    """What they do not resolve is a doubt, and never wrong."""
    check(POPULATIONS["households"], SAMPLES[sample], Count(), Geometric(scale=1.3), "tilting", tight=False)


@st.composite
def drawn_samples(draw: st.DrawFn, people: int, groups: int) -> Sample:
    of = draw(st.sampled_from(["people", "households"]))
    if draw(st.booleans()):
        return Sample(rate=draw(st.sampled_from([1.0, 1e-12, 0.5]) | st.floats(0.01, 0.99)), of=of)
    return Sample(size=draw(st.integers(1, people if of == "people" else groups)), of=of)


@given(
    model=st.one_of(independents(4), tables(4), household_models(5)),
    query=queries(per_label=st.just(False)).filter(lambda query: query.kind in ("count", "sum")),
    noise=noises(),
    data=st.data(),
)
@draws(120)
def test_random_samples(model: Model, query: Query, noise: Noise, data: st.DataObject) -> None:
    try:
        truth_of(model, query, noise)
    except Unfit:
        assume(False)
    (law,) = finite_joints(model)
    groups = [
        [number - 1 for number in list(factor.people)[first : first + factor.size]]
        for factor in law.factors()
        for first in range(0, factor.count * factor.size, factor.size)
    ]
    people = sum(map(len, groups))
    assume(people <= 6)
    sample = data.draw(drawn_samples(people, len(groups)))
    truth = sampled_truth(Population(model, groups), sample, query, noise)
    release = Release(Sampled(population=model, sample=sample), query, noise)
    with mp.workdps(40):
        check_all(release, truth, ["inferential", "information", "relative entropy"])
        if truth.summable and truth.quick:
            check_all(release, truth, ["mutual information", "delta", "min-entropy"])


KNOWN = [
    ("households", "people"),
    ("labelled", "households"),
    ("chain", "people"),
    ("households", "two people"),
    ("network", "households"),
    ("network", "one household"),
]


@pytest.mark.parametrize(("population", "sample"), KNOWN)
def test_known_records_say_nothing_of_who_is_drawn(population: str, sample: str) -> None:
    """Given the second record: whoever knows it does not know whether that person was asked."""
    each, draw = POPULATIONS[population], SAMPLES[sample]
    (world,) = worlds_of(each.model)
    asked = truth_of(each.model, Count(), Geometric(scale=1.3))
    joint = given_records(world.joint, {1: 1})
    own = samples.channels(joint, sets_of(draw, each), asked.asked[0].score, asked.noise_of(asked.asked[0]))
    model = Sampled(population=each.model, sample=draw)
    release = Release(model, Count(), Geometric(scale=1.3), adversary=Adversary(known={2: 1}))
    found = enclosure(InferentialPrivacy().leakage(release))
    assert_agrees(found, max(leakages.inferential(channel).value for channel in own))


@pytest.mark.parametrize(("population", "sample"), KNOWN)
def test_bounds_whatever_is_known(population: str, sample: str) -> None:
    """Notions of adversaries who know records of others lie between two ends, as samples are not listed."""
    each, draw = POPULATIONS[population], SAMPLES[sample]
    (world,) = worlds_of(each.model)
    truth = truth_of(each.model, Count(), Geometric(scale=1.3))
    score, noise = truth.asked[0].score, truth.noise_of(truth.asked[0])
    sets = sets_of(draw, each)
    worst = max(
        leakages.inferential(samples.channels(given_records(world.joint, known), sets, score, noise)[person]).value
        for person in range(len(world.people))
        for known in known_sets(world.joint, person)
    )
    release = Release(Sampled(population=each.model, sample=draw), Count(), Geometric(scale=1.3))
    assert_within(enclosure(BayesianPrivacy().leakage(release)), worst)
    half = enclosure(NoiselessPrivacy(delta=0.01, known_fraction=0.5).leakage(release))
    assert half.upper >= 0


DIFFERENTIAL = [
    (population, sample, query)
    for population in ("independent", "values", "households", "labelled", "table")
    for sample in ("people", "nearly everybody", "everybody", "households", "strata", "two people")
    for query in ("sum", "histogram", "count and sum", "count per label")
    if (sample == "strata") <= (population == "labelled") and (query == "count per label") <= (population == "labelled")
    if (population != "values" or query == "sum") and (population, query) != ("labelled", "count and sum")
]


@pytest.mark.parametrize(("population", "sample", "query"), one_in(3, DIFFERENTIAL))
def test_the_loss_of_whoever_knows_all_other_records(population: str, sample: str, query: str) -> None:
    """They do not know who is in the sample. It is exact, but for samples of a size, and whole groups' tables."""
    each, asked = POPULATIONS[population], {**QUERIES, "count per label": Count(per_label=True)}[query]
    draw = STRATA if sample == "strata" else SAMPLES[sample]
    (world,) = worlds_of(each.model)
    truth = truth_of(each.model, asked, Geometric(scale=1.3))
    score, noise = truth.asked[0].score, truth.noise_of(truth.asked[0])
    sets = sets_of(draw, each)
    rows = list(choices(*(person.values for person in world.people)))
    laws = {row: samples.law_of(row, sets, score) for row in rows}
    half = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    worst = max(
        leakages.inferential(Channel(half, {0: laws[one], 1: laws[other]}, noise)).value
        for one, other in combinations(rows, 2)
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    )
    release = Release(Sampled(population=each.model, sample=draw), asked, Geometric(scale=1.3))
    found = enclosure(DifferentialPrivacy().leakage(release))
    assert_within(found, worst)
    bound = differential_loss(release)
    assert bound is not None
    assert_within(bound, worst)
    if draw.size is not None or (draw.of == "households" and query != "sum"):
        assert_agrees(Enclosure(found.upper, found.upper), truth.differential())
    else:
        assert_agrees(found, worst)


def assert_within(found: Enclosure, truth: Any) -> None:
    assert found.lower * (1 - 1e-12) <= truth <= found.upper * (1 + 1e-12)


def test_information_given_a_record() -> None:
    each, draw = POPULATIONS["households"], SAMPLES["people"]
    (world,) = worlds_of(each.model)
    truth = truth_of(each.model, Count(), Geometric(scale=1.3))
    score, noise = truth.asked[0].score, truth.noise_of(truth.asked[0])
    total = [mp.zero] * len(world.people)
    for value in (0, 1):
        mass = sum(p for row, p in world.joint.items() if row[0] == value)
        own = samples.channels(given_records(world.joint, {0: value}), sets_of(draw, each), score, noise)
        for person, channel in enumerate(own):
            total[person] += mp.mpf(mass.numerator) / mass.denominator * leakages.mutual_information(channel).value
    release = Release(Sampled(population=each.model, sample=draw), Count(), Geometric(scale=1.3))
    assert_agrees(enclosure(MutualInformationPrivacy(given=[1]).leakage(release)), max(total[1:]))


@pytest.mark.parametrize("query", [Mean(), Max(), Several(queries=[Count(), Max()])])
def test_queries_of_everybody_are_refused(query: Query) -> None:
    model = Sampled(population=POPULATIONS["households"].model, sample=SAMPLES["people"])
    with pytest.raises(InputError, match=r"^query\.kind: \w+, wanted a count, a sum or a histogram of a sample"):
        Release(model, query, NoNoise())


def test_a_median_has_no_scores_of_a_sample_either() -> None:
    with pytest.raises(InputError, match=r"^query\."):
        Release(Sampled(population=POPULATIONS["households"].model, sample=SAMPLES["people"]), Median(), NoNoise())


RARE = Population(Table(records=[[0, 0], [0, 1], [1, 1]], probabilities=[1 - 1e-12, 1e-300, 1e-12]), [[0, 1]])


@pytest.mark.parametrize("noise", [Laplace(scale=0.05), Geometric(scale=50.0), NoNoise()])
@pytest.mark.parametrize("rate", [1e-300, 5e-324, 1 - 2**-53])
def test_rare_draws_and_rare_records(rate: float, noise: Noise, monkeypatch: pytest.MonkeyPatch) -> None:
    """Suprema at rates and probabilities that products of doubles do not hold; logs of 1e-323 resolve 1e-13 each."""
    monkeypatch.setattr(comparison, "NEAR_ZERO", mp.mpf("1e-10"))
    for of in ("people", "households"):
        sample = Sample(rate=rate, of=of)
        truth = sampled_truth(RARE, sample, Count(), noise)
        release = Release(Sampled(population=RARE.model, sample=sample), Count(), noise)
        check_all(release, truth, ["inferential", "information", "relative entropy"])
