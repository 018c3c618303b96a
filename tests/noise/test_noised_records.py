"""Noise on each record: what is refused and said, what is drawn, what `calibrate` finds, and what shuffling claims."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf, log, log1p, nan

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

import dalenius as dl
from dalenius.channel.large.ordered_reports import messages_of
from dalenius.curator.drawn_output import drawn_output
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints.chain_joint_law import ChainLaw
from dalenius.laws.extended_range import Masses
from dalenius.noise import Noise
from dalenius.queries import Query
from dalenius.theorems.shuffled_reports import claimed_epsilon
from tests.pace import draws

DAYS = dl.Chain(n=5, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]])
THREE = dl.Independent(n=3, values=[0, 1, 2], probabilities=[[0.2, 0.3, 0.5]])
HALF = dl.RandomizedResponse(keep=0.75)


def kept(noise: Noise) -> float:
    assert isinstance(noise, dl.RandomizedResponse)
    assert noise.keep is not None
    return noise.keep


def test_the_row_of_days_of_the_theory() -> None:
    """Result 23.4; as large when shuffled or summed, and ln 3 for a day alone."""
    for query in (dl.Reports(), dl.Reports(shuffled=True), dl.Count()):
        found = dl.InferentialPrivacy().leakage(dl.Release(DAYS, query, HALF))
        assert found.upper == pytest.approx(2.8767274514997, rel=1e-12)
    alone = dl.InferentialPrivacy().leakage(dl.Release(dl.Independent(n=1, probabilities=[0.5]), dl.Reports(), HALF))
    assert alone.upper == pytest.approx(log(3), rel=1e-12)


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "keep below 1/k": (
        lambda: dl.Release(THREE, dl.Reports(), dl.RandomizedResponse(keep=0.3)),
        r"noise\.keep: 0\.3, wanted a probability from 1/3 to 1 \(records have 3 values\)",
    ),
    "keep below a half": (
        lambda: dl.Release(DAYS, dl.Count(), dl.RandomizedResponse(keep=0.49)),
        r"noise\.keep: 0\.49, wanted a probability from 1/2 to 1",
    ),
    "keep above 1": (lambda: dl.RandomizedResponse(keep=1.1), r"keep: 1\.1, wanted a number of at most 1"),
    "keep that is no number": (lambda: dl.RandomizedResponse(keep=nan), r"keep: nan, wanted a number"),
    "another number of values": (
        lambda: dl.Release(DAYS, dl.Count(), dl.RandomizedResponse(keep=0.75, values=3)),
        r"noise\.values: 3, wanted 2, the number of values of a record",
    ),
    "no keep": (
        lambda: dl.InferentialPrivacy().leakage(dl.Release(DAYS, dl.Count(), dl.RandomizedResponse())),
        r"noise\.keep: missing, wanted a probability",
    ),
    "another size of matrix": (
        lambda: dl.Release(
            THREE, dl.Reports(), dl.Kernel(answers=[0, 1], probabilities=[[0.9, 0.1], [0.1, 0.9]], each=True)
        ),
        r"noise\.answers: .*wanted the values of a record, \[0, 1, 2\], a row for each",
    ),
    "somebody unknown": (
        lambda: dl.Release(DAYS, dl.Reports(people=[2, 9]), HALF),
        r"query\.people: 9, wanted a person's number from 1 to 5",
    ),
    "a name that nobody has": (
        lambda: dl.Release(DAYS, dl.Reports(people=["Ann"]), HALF),
        r"query\.people: Ann, wanted a person's number or name",
    ),
    "somebody twice": (
        lambda: dl.Release(DAYS, dl.Reports(people=[2, "2"]), HALF),
        r"query\.people: 2, wanted each person once",
    ),
    "Laplace noise on reports": (
        lambda: dl.Release(DAYS, dl.Reports(), dl.Laplace(scale=1.0)),
        r"noise\.kind: laplace, wanted none, or noise on each record",
    ),
    "reports beside another question": (
        lambda: dl.Several(queries=[dl.Reports(), dl.Count()]),
        r"queries about everybody together: reports in order are a release of their own",
    ),
    "some people's reports shuffled": (
        lambda: dl.Reports(people=[1, 2], shuffled=True),
        r"people, or shuffled = true, not both",
    ),
    "a group as the secret": (
        lambda: dl.Release(DAYS, dl.Reports(), HALF, dl.Secrets(size=2)),
        r"secrets: .*one person's record each: reports says nothing of groups",
    ),
    "known totals": (
        lambda: dl.Release(
            DAYS, dl.Count(), HALF, adversary=dl.Adversary(answers=[dl.KnownAnswer(query=dl.Count(), value=2)])
        ),
        r"adversary\.answers: 1 of them, wanted none beside reports of records",
    ),
    "enumeration": (
        lambda: dl.InferentialPrivacy().leakage(dl.Release(DAYS, dl.Count(), HALF, engine="enumeration")),
        r"engine: enumeration, wanted convolution or tilting: noised reports do not say the records",
    ),
    "records that are real numbers": (
        lambda: dl.Release(dl.GaussianRecords(mean=[0.0], covariance=[[1.0]]), dl.Sum(), HALF),
        r"noise\.kind: randomized_response, wanted a model with one law, of records of finitely many values",
    ),
    "reports of an estimate without noise": (
        lambda: dl.RandomizedResponse(keep=0.5).unbiased(3, 5, [0, 1]),
        r"noise\.keep: 0\.5, wanted more than 1/k",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    act, line = BAD[name]
    with pytest.raises((InputError, Meaningless, ValueError), match=line) as caught:
        act()
    assert "Traceback" not in str(caught.value)


def test_matrices_that_are_not_stochastic() -> None:
    with pytest.raises(InputError, match=r"wanted probabilities that sum to 1"):
        dl.Kernel(answers=[0, 1], probabilities=[[0.9, 0.2], [0.1, 0.9]], each=True)


def test_too_many_reports_in_order() -> None:
    wide = dl.Households(count=1, infected=[1 / 21] * 21)
    with pytest.raises(TooLarge, match=r"reports in order: .*limit channel\.reports: 16 people"):
        dl.Release(wide, dl.Reports(), HALF)
    long = dl.Release(dl.Chain(n=50, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]]), dl.Reports(), HALF)
    with pytest.raises(Meaningless, match=r"query\.kind: reports in order of so long a chain"):
        dl.MutualInformationPrivacy().leakage(long)


def test_reports_of_some_say_what_they_say() -> None:
    """Reports of others in other households say nothing; without noise a report is the record."""
    homes = dl.Households(count=3, infected=[0.6, 0.1, 0.3])
    own, both = (
        dl.MutualInformationPrivacy().leakage(
            dl.Release(homes, dl.Reports(people=people), dl.NoNoise(), dl.Secrets(people=[1]))
        )
        for people in ([2], [2, 3, 6])
    )
    assert own.upper == pytest.approx(both.upper, abs=1e-12)
    prior, table = [0.65, 0.35], [[0.6, 0.05], [0.05, 0.3]]
    truth = sum(p * log(p / (prior[i] * prior[j])) for i, row in enumerate(table) for j, p in enumerate(row))
    assert own.upper == pytest.approx(truth, abs=1e-12)


def test_drawn_reports_have_the_law_that_is_promised() -> None:
    """A normal test of the mean and the variance accepts keep .75, and rejects .78."""
    release = dl.Release(dl.Independent(n=40, probabilities=[0.3]), dl.Reports(shuffled=True), HALF)
    drawn = np.array([int(drawn_output(release, (30, 10))[0]) for _ in range(2000)])

    def accepted(keep: float) -> bool:
        mean, variance = 30 * (1 - keep) + 10 * keep, 40 * keep * (1 - keep)
        return bool(abs(drawn.mean() - mean) < 6 * (variance / 2000) ** 0.5)

    assert accepted(0.75)
    assert not accepted(0.78)


@given(st.integers(2, 4), st.integers(0, 6), st.integers(0, 100))
@draws(40)
def test_the_estimate_is_unbiased(values: int, people: int, seed: int) -> None:
    """Exactly: over all reports of given records."""
    generator = np.random.default_rng(seed)
    scores = [int(score) for score in generator.integers(-3, 4, values)]
    noise = dl.RandomizedResponse(keep=0.8)
    rows = noise.reports(tuple(range(values))).rows
    records = generator.integers(0, values, people).tolist()
    mean = sum((sum(chance * scores[told] for told, chance in enumerate(rows[own])) for own in records), Fraction(0))
    assert noise.unbiased(mean, people, scores) == sum(scores[own] for own in records)


def test_the_deviation_of_a_count() -> None:
    assert HALF.deviation(100, [0, 1]) == pytest.approx((100 * 0.75 * 0.25) ** 0.5 / 0.5)


@pytest.mark.parametrize("query", [dl.Reports(), dl.Count()])
def test_calibrate_finds_the_largest_keep(query: Query) -> None:
    promise = dl.InferentialPrivacy(epsilon=1.0)
    found = dl.calibrate(dl.Release(DAYS, query, dl.RandomizedResponse()), promise)
    assert isinstance(found.noise, dl.RandomizedResponse)
    assert found.noise.keep is not None
    assert found.leakage.upper <= 1.0
    more = dl.RandomizedResponse(keep=round(found.noise.keep + 1e-9, 12))
    assert dl.InferentialPrivacy().leakage(dl.Release(DAYS, query, more)).lower > 1.0


def test_methods_that_hide_one_report_or_a_group() -> None:
    homes = dl.Households(count=5, infected=[0.8, 0.0, 0.2])
    release, promise = dl.Release(homes, dl.Count(), dl.RandomizedResponse()), dl.InferentialPrivacy(epsilon=1.0)
    alone, group = (dl.calibrate(release, promise, method) for method in ("independent", "group"))
    assert not alone.sound
    assert kept(alone.noise) == pytest.approx(1 / (1 + exp(-1.0)), abs=1e-11)
    assert alone.leakage.lower > 1.9
    assert group.sound
    assert kept(group.noise) == pytest.approx(1 / (1 + exp(-0.5)), abs=1e-11)
    assert group.leakage.lower == pytest.approx(1.0, abs=1e-9)


def test_several_promises_keep_the_smaller_keep() -> None:
    release = dl.Release(DAYS, dl.Count(), dl.RandomizedResponse())
    strict = dl.calibrate(release, dl.DifferentialPrivacy(epsilon=0.1)).noise
    both = dl.calibrate(release, [dl.InferentialPrivacy(epsilon=1.0), dl.DifferentialPrivacy(epsilon=0.1)]).noise
    assert both == strict


def _chains() -> st.SearchStrategy[tuple[list[list[float]], list[list[float]], int]]:
    def rows(size: int, columns: int) -> st.SearchStrategy[list[list[float]]]:
        row = st.lists(st.sampled_from([0.0, 0.05, 0.3, 1.0]), min_size=columns, max_size=columns).filter(any)
        return st.lists(row.map(lambda own: [each / sum(own) for each in own]), min_size=size, max_size=size)

    return st.integers(2, 3).flatmap(lambda k: st.tuples(rows(k, k), rows(k, k), st.integers(1, 5 if k == 2 else 4)))


@given(_chains())
@draws(200)
def test_extreme_messages_against_all_reports(case: tuple[list[list[float]], list[list[float]], int]) -> None:
    """With two values the two ends meet; with more the truth lies between."""
    step, told, n = case
    values = len(step)
    start = np.full(values, 1 / values)
    chain = ChainLaw(
        tuple(range(values)), Masses.of(start), Masses.of(np.array([step])), np.zeros(n - 1, dtype=np.int64)
    ).chain
    with np.errstate(divide="ignore"):
        found = messages_of(chain, np.log(np.array(told)))
    law = np.zeros((n, values, values**n))
    for path in product(range(values), repeat=n):
        chance = start[path[0]] * np.prod([step[a][b] for a, b in pairwise(path)])
        given_path = np.ones(1)
        for state in path:
            given_path = np.outer(given_path, told[state]).ravel()
        for place, state in enumerate(path):
            law[place, state] += chance * given_path
    for place, s, t in product(range(n), range(values), range(values)):
        masses = law[place].sum(axis=1)
        if s == t or not (masses[s] > 0 and masses[t] > 0):
            continue
        own, other = law[place, s] / masses[s], law[place, t] / masses[t]
        there = own > 0
        truth = inf if (other[there] == 0).any() else float(np.max(np.log(own[there] / other[there])))
        assert found.upper[place, s, t] >= truth - 1e-12
        with np.errstate(invalid="ignore"):
            apart = found.attained[:, place, s] - found.attained[:, place, t]
        attained = float(np.nanmax(apart, initial=-inf))
        assert attained <= truth + 1e-9
        if values == 2:
            assert found.upper[place, s, t] == pytest.approx(truth, abs=1e-9)
            assert attained == pytest.approx(truth, abs=1e-9)


def test_a_chain_just_too_long_leaks_what_a_law_says() -> None:
    """By messages for 17 records, and by all reports for 12 of them: the middle forgets the ends."""
    step = [[0.7, 0.3], [0.4, 0.6]]
    long, short = (
        dl.Release(dl.Chain(n=n, initial="stationary", transition=step), dl.Reports(), HALF) for n in (17, 9)
    )
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(two_sided=True), dl.RelativeEntropyPrivacy()):
        one, other = notion.leakage(long), notion.leakage(short)
        assert one.upper - one.lower < 1e-9
        assert one.upper == pytest.approx(other.upper, abs=2e-3)
    assert long.worlds.engines()[0][0] == "messages"


def test_what_shuffling_claims_holds_alone_and_not_in_households() -> None:
    """For independent people the exact δ at the claimed ε is below the claim's; twenty alike exceed it."""
    people, delta = 20_000, 1e-6
    claim = claimed_epsilon(log(3), people, delta)
    assert claim is not None
    assert claim == pytest.approx(log1p(0.5 * (8 * (3 * log(4 / delta) / people) ** 0.5 + 24 / people)), rel=1e-12)
    others = binom.pmf(np.arange(people), people - 1, 0.25)  # everybody else has 0
    ill, well = (keep * np.append(0, others) + (1 - keep) * np.append(others, 0) for keep in (0.75, 0.25))
    assert max(np.maximum(a - exp(claim) * b, 0).sum() for a, b in ((ill, well), (well, ill))) < delta
    homes = dl.Households(count=people // 20, infected=[0.9, *[0.0] * 19, 0.1])
    promise = dl.InferentialPrivacy(epsilon=claim, delta=delta)
    found = dl.calibrate(dl.Release(homes, dl.Reports(shuffled=True), dl.RandomizedResponse()), promise, "shuffling")
    assert not found.sound
    assert found.why.endswith("says nothing of people who depend on each other, as groups of up to 20 do here")
    assert kept(found.noise) == pytest.approx(0.75, abs=1e-9)
    assert found.leakage.lower > claim


REFUSED_METHODS: dict[str, tuple[dl.Release, dl.InferentialPrivacy, str]] = {
    "shuffling": (
        dl.Release(DAYS, dl.Reports(), dl.RandomizedResponse()),
        dl.InferentialPrivacy(epsilon=1.0, delta=1e-6),
        r"query\.kind: reports, wanted shuffled reports",
    ),
    "shuffling ": (
        dl.Release(DAYS, dl.Count(), dl.RandomizedResponse()),
        dl.InferentialPrivacy(epsilon=1.0),
        r"notion\.delta: missing",
    ),
    " shuffling": (
        dl.Release(DAYS, dl.Count(), dl.RandomizedResponse()),
        dl.InferentialPrivacy(epsilon=1.0, delta=1e-6),
        r"model: 5 people, wanted more people",
    ),
    "least_flip": (
        dl.Release(THREE, dl.Sum(), dl.RandomizedResponse()),
        dl.InferentialPrivacy(epsilon=1.0),
        r"model\.kind: independent, wanted a chain of records of two values",
    ),
}


@pytest.mark.parametrize("name", REFUSED_METHODS)
def test_what_methods_refuse(name: str) -> None:
    release, promise, line = REFUSED_METHODS[name]
    with pytest.raises(InputError, match=line):
        dl.calibrate(release, promise, name.strip())


@pytest.mark.lengthy
def test_the_least_flip_serves_a_count() -> None:
    release, promise = dl.Release(DAYS, dl.Count(), dl.RandomizedResponse()), dl.InferentialPrivacy(epsilon=1.0)
    found = dl.calibrate(release, promise, "least_flip")
    assert found.sound
    assert found.leakage.upper <= 1.0
    ordered = dl.calibrate(dl.Release(DAYS, dl.Reports(), dl.RandomizedResponse()), promise)
    assert kept(found.noise) == kept(ordered.noise)


def test_knowing_others_records() -> None:
    """An adversary who knows the next days learns less from the reports, as the conditioned chain says."""
    whole = dl.InferentialPrivacy().leakage(dl.Release(DAYS, dl.Reports(), HALF)).upper
    known = dl.Adversary(known={2: 1, 4: 0})
    found = dl.InferentialPrivacy().leakage(dl.Release(DAYS, dl.Reports(), HALF, adversary=known))
    assert found.upper < whole
    third = dl.InferentialPrivacy().leakage(
        dl.Release(DAYS, dl.Reports(), HALF, dl.Secrets(people=[3]), adversary=known)
    )
    assert third.upper == pytest.approx(log(3), rel=1e-9)


def test_all_that_may_be_known() -> None:
    """Bayesian privacy is at least inferential privacy, and at most what a whole group's reports lose."""
    release = dl.Release(dl.Households(count=2, infected=[0.8, 0.0, 0.2]), dl.Count(), HALF)
    bayesian, inferential = (notion.leakage(release) for notion in (dl.BayesianPrivacy(), dl.InferentialPrivacy()))
    assert inferential.lower - 1e-9 <= bayesian.upper <= 2 * log(3) + 1e-9


def test_counted_shares() -> None:
    """The drawn reports of one value go to each other value alike."""
    reports = dl.RandomizedResponse(keep=0.5).reports(("a", "b", "c"))
    drawn = Counter(reports.drawn_place(0) for _ in range(3000))
    assert abs(drawn[1] - drawn[2]) < 6 * 1500**0.5
    assert abs(drawn[0] - 1500) < 6 * 750**0.5


def test_all_questions_have_one_noise_on_records() -> None:
    model = dl.Independent(probabilities=[0.3, 0.3], labels=["a", "b"])
    questions = [dl.Question(query=dl.Count(labels=[label]), noise=HALF) for label in ("a", "b")]
    found = dl.Spec(model=model, questions=questions).audited()
    assert dl.InferentialPrivacy().leakage(found).upper == pytest.approx(log(3))
    beside = dl.Question(query=dl.Count(labels=["b"]), noise=dl.Rounding(base=2))
    with pytest.raises(InputError, match=r"^noise\.kind: randomized_response, wanted noise on each record for all"):
        dl.Spec(model=model, questions=[questions[0], beside]).audited()
