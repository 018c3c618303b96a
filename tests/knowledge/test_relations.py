"""Which promise implies which: every theorem's arrow holds, the numbers are the audit's, and I(X_i; Y | X_K) is what
enumeration gives."""

from collections.abc import Sequence
from math import log

import pytest
from hypothesis import given as drawn, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.knowledge.conditional_information import information_given_others
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import FAMILY, MODELS, PAIR, XOR, examples, truth_of
from tests.pace import draws, slow
from tests.reference.channel import mp

CASES: dict[str, tuple[Model, Query, Noise]] = {
    "exclusive or": (XOR, dl.Sum(), dl.Laplace(scale=1.0)),
    "labels": (FAMILY, dl.Count(per_label=True), dl.Geometric(scale=1.0)),
    "households": (dl.Households(count=1, infected=[0.5, 0.1, 0.2, 0.2]), dl.Count(), dl.Laplace(scale=1.0)),
    "kernel": (PAIR, dl.Count(), dl.Kernel(answers=[0, 2], probabilities=[[0.75, 0.25], [0.5, 0.5]])),
    "chain of three values": (examples(MODELS)["chain of three values"], dl.Sum(), dl.Gaussian(scale=1.0)),
    "independent": (dl.Independent(probabilities=[0.3, 0.4, 0.5]), dl.Count(), dl.Geometric(scale=1.0)),
    "network": (examples(MODELS)["diamond"], dl.Count(), dl.NoNoise()),
    "product": (dl.Product(parts=[XOR, PAIR]), dl.Sum(), dl.Geometric(scale=1.3)),
    "any": (dl.AnyOf(models=[PAIR, dl.Independent(n=2, probabilities=[0.25])]), dl.Count(), dl.Geometric(scale=1.0)),
}
GIVEN: dict[str, tuple[Model, Query, Noise, tuple[int, ...]]] = {
    "exclusive or": (XOR, dl.Count(), dl.Laplace(scale=0.7), (3, 1)),
    "labels, geometric": (FAMILY, dl.Count(), dl.Geometric(scale=1.3), (2, 3)),
    "kernel": (*CASES["kernel"], (1,)),
    "chain, two": (examples(MODELS)["chain of three values"], dl.Sum(), dl.NoNoise(), (1, 3)),
    "normal noise": (PAIR, dl.Count(), dl.Gaussian(scale=1.0), (2,)),
    "network": (*CASES["network"], (1, 4)),
    "product": (*CASES["product"], (1, 5)),
    "any": (*CASES["any"], (1,)),
}
ARROWS = {
    ("identity", "inferential"),
    ("inferential", "identity"),
    ("inferential", "information"),
    ("inferential", "two_sided"),
    ("information", "relative_entropy"),
    ("two_sided", "reverse"),
    ("information", "mutual_information"),
    ("relative_entropy", "mutual_information"),
    ("information", "min_entropy"),
    ("differential", "given_others"),
    ("bayesian", "inferential"),
    ("bayesian", "given_others"),
}
RECORDS = {"differential", "given_others", "bayesian"}
"""What who is absent has no number of."""


def check_given(found: Enclosure, case: tuple[Model, Query, Noise], people: Sequence[int] | None, width: float) -> None:
    with mp.workdps(30):
        wanted = truth_of(*case).information_given(None if people is None else [number - 1 for number in people])
    assert_contains(found, wanted)
    assert found.upper - found.lower <= width


@pytest.mark.parametrize("name", [slow(name) if name == "chain of three values" else name for name in CASES])
def test_given_everybody_else_against_enumeration(name: str) -> None:
    check_given(enclosure(information_given_others(dl.Release(*CASES[name]))), CASES[name], None, 1e-9)


@pytest.mark.parametrize("name", GIVEN)
def test_given_some_against_enumeration(name: str) -> None:
    model, query, noise, people = GIVEN[name]
    leakage = dl.MutualInformationPrivacy(given=people).leakage(dl.Release(model, query, noise))
    check_given(enclosure(leakage), (model, query, noise), people, 1e-9 if noise.shape.light_tailed else 1e-12)


def test_it_may_be_more_or_less_than_without() -> None:
    """Two equal records, one of which is known: nothing. Exclusive or of three: a bit, and nothing without."""
    equal, odd = dl.Release(PAIR, dl.Count(), dl.NoNoise()), dl.Release(XOR, dl.Count(values=[1]), dl.NoNoise())
    assert dl.MutualInformationPrivacy(given=[1]).leakage(equal).upper <= 1e-12
    assert dl.MutualInformationPrivacy().leakage(equal).lower > 0.3
    both = dl.MutualInformationPrivacy(given=[1, 2]).leakage(odd)
    assert both.upper <= 1e-12
    one = dl.MutualInformationPrivacy(given=[1]).leakage(odd)
    assert one.lower > dl.MutualInformationPrivacy().leakage(odd).upper


def by_ends(found: dl.Relations) -> dict[tuple[str, str], dl.Relation]:
    return {(row.start.name, row.end.name): row for row in found.rows}


@pytest.mark.parametrize("name", CASES)
def test_what_always_holds_holds(name: str) -> None:
    release = dl.Release(*CASES[name])
    found = dl.relations(release)
    assert found.left_out == {}
    assert {ends for ends, row in by_ends(found).items() if row.always} >= ARROWS
    assert [row for row in found.rows if row.always and not row.holds] == []
    always = [row.always for row in found.rows]
    assert always == sorted(always, reverse=True)


@pytest.mark.parametrize("name", ["exclusive or", "households"])
def test_the_numbers_are_those_of_the_audit(name: str) -> None:
    release = dl.Release(*CASES[name])
    audited = dl.audit(release)
    for row in dl.relations(release).rows:
        for side in (row.start, row.end):
            if side.name in audited:
                assert side.value == enclosure(audited[side.name])
            elif side.name == "two_sided":
                assert side.value == audited["information"].companions["two_sided"]


@drawn(
    st.lists(st.integers(0, 6), min_size=8, max_size=8).filter(lambda row: sum(row) > 0),
    st.sampled_from([dl.Geometric(scale=0.7), dl.Laplace(scale=1.5), dl.NoNoise(), dl.Gaussian(scale=1.0)]),
    st.sampled_from([dl.Sum(), dl.Count(values=[1]), dl.Max()]),
)
@draws(120)
def test_random_tables(weights: list[int], noise: Noise, query: Query) -> None:
    rows = [[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)]
    if isinstance(noise, dl.Gaussian) and isinstance(query, dl.Max):
        noise = dl.NoNoise()
    table = dl.Table(records=rows, probabilities=[weight / sum(weights) for weight in weights])
    found = dl.relations(dl.Release(table, query, noise))
    assert [row for row in found.rows if row.always and not row.holds] == []


def test_what_does_not_hold_in_general_fails_somewhere() -> None:
    """Each arrow that is no theorem fails in one of these, by far more than rounding."""
    bits = dl.Independent(probabilities=[0.5, 0.001])
    both = dl.Table(records=[[0, 0], [0, 1], [1, 0], [1, 1]], probabilities=[0.25] * 4)
    odd = dl.Kernel(answers=[0, 1, 2], probabilities=[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    rare = dl.Kernel(answers=[0, 1, 2], probabilities=[[0.5, 0.5], [0.4, 0.6], [0.01, 0.99]])
    released = [
        dl.Release(*CASES["exclusive or"]),
        dl.Release(both, dl.Count(), odd),
        dl.Release(bits, dl.Count(), rare),
    ]
    rows = [row for release in released for row in dl.relations(release).rows if not row.always]
    assert {(row.start.name, row.end.name) for row in rows if not row.holds} >= {
        ("differential", "inferential"),
        ("given_others", "mutual_information"),
        ("inferential", "given_others"),
        ("inferential", "bayesian"),
        ("information", "inferential"),
        ("relative_entropy", "information"),
        ("mutual_information", "relative_entropy"),
    }
    # E15: two fair bits of which the exclusive or goes out.
    row = by_ends(dl.relations(released[1]))["inferential", "given_others"]
    assert row.start.value.upper < 1e-12
    assert row.end.value.lower <= log(2) <= row.end.value.upper
    assert not row.always


def test_inferential_does_not_give_differential() -> None:
    """IDP §4: the second bit is rarely 1, and then the noise says more about the first."""
    table = dl.Kernel(answers=[0, 1, 2], probabilities=[[0.5, 0.5], [0.4, 0.6], [0.01, 0.99]])
    release = dl.Release(dl.Independent(probabilities=[0.5, 0.001]), dl.Count(), table, dl.Secrets(people=(1,)))
    row = by_ends(dl.relations(release))["inferential", "differential"]
    assert not row.holds
    assert row.start.value.upper < 0.24
    assert row.end.value.lower > 3.6


def test_what_is_left_out_says_why() -> None:
    bits = dl.Independent(n=40, probabilities=[0.3])
    release = dl.Release(bits, dl.Max(), dl.Geometric(scale=1.0))
    with pytest.raises(dl.TooLarge):
        information_given_others(release)
    found = dl.relations(release)
    assert set(found.left_out) == {"given_others"}
    assert "assignments of records is too large" in found.left_out["given_others"]
    assert ("inferential", "information") in by_ends(found)
    absent = dl.relations(dl.Release(dl.Absent(answers=[1, 2, 2]), None, dl.Geometric(scale=1.0)))
    assert set(absent.left_out) == {"differential", "given_others"}
    wanted = {ends for ends in ARROWS if not RECORDS & set(ends)}
    assert {ends for ends, row in by_ends(absent).items() if row.always} == wanted
    assert all(row.holds for row in absent.rows if row.always)
