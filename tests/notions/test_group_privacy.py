"""Group privacy (IP Def 4): what hides one record of each says of several, and what it does not.

What is told of a secret that is rarer than a double, or told by a way out that is.

Who is named as the worst: the first of all whose enclosures overlap the largest.
"""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Largest, pair_at, peak, worst
from dalenius.models import Model
from dalenius.notions import Leakage, Witness
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import worlds_of
from tests.pace import draws
from tests.reference.joints import Joint


def leak(model: Model, noise: Any, notion: Any, query: Any = None, **secrets: Any) -> Any:
    return notion.leakage(dl.Release(model, query or dl.Sum(), noise, secrets=dl.Secrets(**secrets)))


@pytest.mark.parametrize("k", [2, 5])
def test_hiding_each_record_hides_no_pair(k: int) -> None:
    """IP Prop 3: the sum of two uniform records mod k is independent of either, and with one gives the other."""
    model = dl.Independent(n=2, values=list(range(k)), probabilities=[1 / k] * k)
    rest = [[float(answer % k == output) for output in range(k)] for answer in range(2 * k - 1)]
    modulo = dl.Kernel(answers=list(range(2 * k - 1)), outputs=list(range(k)), probabilities=rest)
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy()):
        assert leak(model, modulo, notion).upper < 1e-12
    pair = leak(model, modulo, dl.InformationPrivacy(), size=2)
    assert pair.lower <= log(k) <= pair.upper
    assert pair.upper - pair.lower < 1e-12
    assert leak(model, modulo, dl.InferentialPrivacy(), size=2).lower == inf


@given(weights=st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(lambda w: sum(map(bool, w)) > 1))
@draws(40)
def test_no_output_raises_records_beyond_certainty(weights: list[int]) -> None:
    """E12: given the records' law IP Prop 3's ratio is at most 1/Pr[x_I], whatever the mechanism."""
    rows = [row for row, weight in zip(product((0, 1), repeat=2), weights, strict=True) if weight]
    own = [weight / sum(weights) for weight in weights if weight]
    model = dl.Table(records=rows, probabilities=own)
    for noise in (dl.NoNoise(), dl.Laplace(scale=0.01)):
        found = leak(model, noise, dl.InformationPrivacy(), dl.Count(), groups=[[1, 2]])
        assert found.upper <= -log(min(own)) + 1e-9


@given(
    chances=st.lists(st.floats(0.01, 0.99), min_size=2, max_size=5),
    scale=st.floats(0.3, 4.0),
    size=st.integers(1, 3),
    notion=st.sampled_from([dl.InferentialPrivacy(), dl.InformationPrivacy()]),
)
@draws(60)
def test_independent_records_share_the_loss_of_one_each(
    chances: list[float], scale: float, size: int, notion: Any
) -> None:
    """IP Cor 1: ε-differentially private of independent records is ε-group private: ℓ·ε for every ℓ of them."""
    assume(size <= len(chances))
    model = dl.Independent(probabilities=chances)
    found = leak(model, dl.Laplace(scale=scale), notion, size=size)
    assert found.upper <= size / scale + 1e-9
    if size > 1:
        assert found.companions["per_person"].upper <= 1 / scale + 1e-9
    if notion.kind == "inferential":
        assert found.lower >= size / scale - 1e-9  # and no less: the sum's ends tell all of them


def overlap(joint: Joint, inside: tuple[int, ...]) -> Fraction:
    """The most that 1 - Σ min(Pr[x_(I) | x_I], Pr[x_(I) | x'_I]) is for two values x_I, x'_I."""
    laws: dict[Any, dict[Any, Fraction]] = {}
    for row, chance in joint.items():
        own = laws.setdefault(tuple(row[i] for i in inside), {})
        rest = tuple(value for i, value in enumerate(row) if i not in inside)
        own[rest] = own.get(rest, Fraction(0)) + chance
    every = [{rest: p / sum(law.values()) for rest, p in law.items()} for law in laws.values()]
    apart = [
        1 - sum((min(p, other.get(rest, Fraction(0))) for rest, p in own.items()), Fraction(0))
        for own, other in combinations(every, 2)
    ]
    return max(apart, default=Fraction(0))


@given(
    infected=st.lists(st.integers(1, 40), min_size=3, max_size=4), epsilon=st.floats(0.5, 6.0), size=st.integers(1, 3)
)
@draws(60)
def test_weak_dependence_of_groups(infected: list[int], epsilon: float, size: int) -> None:
    """IP Cor 3 (Result 2.4): with independent groups of at most k, the others' laws within η = e^-b of each other for
    every I, and ε/k-differential privacy with ε(1 - 1/k) >= b, every ℓ people lose at most ℓ(ε - b + log 2)."""
    total = sum(infected)
    model = dl.Households(count=2, infected=[weight / total for weight in infected])
    k = len(infected) - 1
    (world,) = worlds_of(model)
    everybody = range(2 * k)
    eta = max(overlap(world.joint, inside) for ell in (1, 2) for inside in combinations(everybody, ell))
    assume(eta > 0)
    b = -log(float(eta))
    assume(epsilon * (1 - 1 / k) >= b)
    found = leak(model, dl.Laplace(scale=k / epsilon), dl.InformationPrivacy(), size=size)
    assert found.upper <= size * (epsilon - b + log(2)) + 1e-9


def test_the_companion_is_the_share_of_each() -> None:
    model = dl.Households(count=2, infected=[0.7, 0.1, 0.2])
    found = leak(model, dl.Laplace(scale=1.0), dl.InformationPrivacy(), groups=[[1], [1, 2, 3, 4]])
    alone = leak(model, dl.Laplace(scale=1.0), dl.InformationPrivacy(), size=1)
    assert found.companions["per_person"].lower >= alone.lower - 1e-9  # one alone loses more than each of four
    assert found.companions["per_person"].upper <= alone.upper + 1e-12
    assert found.lower > alone.upper


def posteriors(prior: list[float], scale: float) -> list[list[mp.mpf]]:
    """Of a bit told through Laplace noise, at both of its values."""
    with mp.workdps(60):
        given = [mp.mpf(p) for p in prior]
        weights = [[given[s] * mp.exp(-abs(s - y) / mp.mpf(scale)) for s in (0, 1)] for y in (0, 1)]
        return [[w / sum(row) for w in row] for row in weights]


@pytest.mark.filterwarnings("ignore:overflow encountered in divide")  # a possible row over a prior that is none
@pytest.mark.parametrize(("rare", "scale"), [(1e-300, 1.0), (1e-310, 0.01), (5e-324, 1e-3)])
def test_relative_entropy_and_information_of_a_rare_bit(rare: float, scale: float) -> None:
    model = dl.Table(records=[[0], [1]], probabilities=[1.0, rare])
    release = dl.Release(model, dl.Sum(), dl.Laplace(scale=scale))
    told = dl.RelativeEntropyPrivacy().leakage(release)
    found = dl.InformationPrivacy().leakage(release)
    average = dl.MutualInformationPrivacy().leakage(release)
    assert 0 <= average.lower <= average.upper < 1e-15
    with mp.workdps(60):
        prior = [1 - mp.mpf(rare), mp.mpf(rare)]
        seen = posteriors([1.0, rare], scale)
        forward = max(sum(q * mp.log(q / p) for q, p in zip(after, prior, strict=True)) for after in seen)
        reverse = max(sum(p * mp.log(p / q) for q, p in zip(after, prior, strict=True)) for after in seen)
        raised = max(mp.log(q / p) for after in seen for q, p in zip(after, prior, strict=True))
    assert_contains(enclosure(told), forward)
    assert_contains(enclosure(told, "reverse"), reverse)
    assert_contains(enclosure(found), raised)
    assert told.upper - told.lower <= 1e-10 * max(1.0, float(forward))


def relocation(leaves: list[float], away: list[float]) -> dl.Relocation:
    """Three bins of a point each: the first two leave for the third alone, or stay as they are."""
    moves = [[1 - away[0], 0.0, away[0]], [0.0, 1 - away[1], away[1]], [0.0, 0.0, 1.0]]
    return dl.Relocation(lower=0, upper=2, leaves=leaves, moves=moves, shares=[[1.0], [1.0], [1.0]])


def test_a_way_out_that_is_a_product_of_two_rare_moves() -> None:
    model = dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5])
    noise = relocation([1e-200, 1e-180, 0.0], [1e-200, 1e-170])
    pairs = dl.Release(model, dl.Sum(), noise)
    # Answers 0 and 1 are told apart for certain where they stay; at output 2 by 50 powers of ten, and no more.
    channel = next(iter(pairs.channels()))
    logs: Array = channel.relative
    assert logs[1, -1] - logs[0, -1] == pytest.approx(50 * float(mp.log(10)), rel=1e-12)


@pytest.mark.parametrize("rest", [1e-20, 0.01])
def test_rho_through_a_table_counts_the_few_who_are_alike(rest: float) -> None:
    model = dl.Absent(answers=[0, 0, 400, 400], prior=[0.5 - rest, rest, 0.25, 0.25])
    quick = dl.RhoIdentifiability(rho=0.9).leakage(dl.Release(model, dl.Sum(), dl.Geometric(scale=4.0)))
    table = dl.RhoIdentifiability(rho=0.9).leakage(
        dl.Release(model, dl.Sum(), dl.Clamped(scale=4.0, lower=0, upper=400))
    )
    with mp.workdps(60):
        far = mp.exp(-100)
        truth = mp.log1p(mp.mpf(0.5 - rest) / (mp.mpf(rest) + far / 2))
    assert_contains(enclosure(quick), truth)
    assert_contains(enclosure(table), truth)


def test_overlapping_is_asked_of_the_largest_and_not_in_a_chain() -> None:
    """Each overlaps the next, the first does not overlap the last."""
    found = Largest[str]()
    for place, name in enumerate("abcd"):
        found.add(Enclosure(place, place + 1.5), name)
    assert (found.lower, found.upper, found.first) == (3, 4.5, "c")


def leakage(person: int, lower: float, upper: float) -> Leakage:
    return Leakage(lower, upper, Witness(person, f"person {person}"), {"also": Enclosure(lower / 2, upper)})


def test_worst_names_the_lowest_number_whatever_the_order() -> None:
    for each in permutations([leakage(1, 0.5, 0.9), leakage(2, 1.0, 1.2), leakage(3, 1.1, 1.15)]):
        found = worst(each)
        assert found.witness is not None
        assert (found.witness.person, found.lower, found.upper) == (2, 1.1, 1.2)
        assert found.companions == {"also": Enclosure(0.55, 1.2)}


def test_places_within_the_error_are_equal() -> None:
    values = np.array([[0.0, 1.0 - 1e-12], [1.0, 1.0]])
    possible: Any = np.ones(2, dtype=np.bool_)
    assert peak(values, possible, 1e-12)[1] == (0, 1)
    assert peak(values, possible, 1e-13)[1] == (1, 0)
    assert peak(values, possible, np.full(2, 1e-12))[1] == (0, 1)


def test_secrets_come_before_outputs() -> None:
    """Secret 1 has the largest ratio at output 0, secret 0 as large a one, but for rounding, at output 1."""
    logs = np.array([[-2.0, -1.0], [-1.0, -2.0 + 1e-15]])
    possible: Any = np.ones(2, dtype=np.bool_)
    assert pair_at(logs, possible, 1e-14, 1 - 1e-14) == (0, 1, 1)
    assert pair_at(logs, possible, 1e-17, 1.0) == (1, 0, 0)
