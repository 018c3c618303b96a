"""Several answers with cell keys, of which those about the same people are moved alike, against enumeration."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel.counted_sets import CountedSets
from dalenius.errors import InputError, TooLarge
from dalenius.models import Model
from dalenius.noise import CellKey, Noise, Steps
from dalenius.noise.rule import RuleRows
from dalenius.queries import Query
from tests.reference import joints
from tests.reference.cell_keys import Counted, Output, outputs_given
from tests.reference.joints import Joint, Value

INFECTED = (0.8, 0.1, 0.0, 0.1)
TABLE = CellKey(rows=[[[0, 1]], [[-1, 0.25], [0, 0.5], [1, 0.25]], [[-1, 1], [2, 3]]], period=2)
"""A table whose last two rows repeat, with weights that are no probabilities."""
RULES: dict[str, Noise] = {
    "one up or down": CellKey(d=1, v=0.5),
    "a table": TABLE,
    "keys, then suppression": Steps(steps=[CellKey(d=1, v=0.5), dl.Suppression(below=2)]),
    "rounding after": Steps(steps=[CellKey(d=1, v=0.5), dl.Rounding(base=2, how="nearest")]),
}
HOMES = dl.Households(
    types=[
        dl.HouseholdType(count=1, infected=INFECTED, members={"A": 2, "B": 1}),
        dl.HouseholdType(count=1, infected=[0.5, 0.3, 0.2], members={"B": 2}),
    ]
)


def _home(infected: Sequence[float]) -> Joint:
    return joints.household([Fraction(str(each)) for each in infected])


MODELS: dict[str, tuple[Model, Joint, Sequence[str]]] = {
    "streets": (HOMES, joints.product([_home(INFECTED), _home([0.5, 0.3, 0.2])]), "AABBB"),
    "three alone": (
        dl.Independent(n=3, probabilities=[0.3]),
        joints.independent([{0: Fraction(7, 10), 1: Fraction(3, 10)}] * 3),
        ("", "", ""),
    ),
}


def _ill(labels: str | None, people: Sequence[str], value: int = 1) -> Counted:
    return lambda person, record: record == value and (labels is None or people[person] in labels)


Asked = tuple[Query, Callable[[Sequence[str]], list[Counted]]]
QUERIES: dict[str, dict[str, Asked]] = {
    "streets": {
        "cell and total": (
            dl.Several(queries=[dl.Count(labels=["B"]), dl.Count()]),
            lambda people: [_ill("B", people), _ill(None, people)],
        ),
        "both cells, the total and one again": (
            dl.Several(queries=[dl.Count(per_label=True), dl.Count(), dl.Count(labels=["A"])]),
            lambda people: [_ill("A", people), _ill("B", people), _ill(None, people), _ill("A", people)],
        ),
    },
    "three alone": {
        "twice": (
            dl.Several(queries=[dl.Count(), dl.Count()]),
            lambda people: [_ill(None, people), _ill(None, people)],
        ),
        "the well, the ill and all": (
            dl.Several(queries=[dl.Count(values=[0]), dl.Count(), dl.Count(values=[0, 1])]),
            lambda people: [_ill(None, people, 0), _ill(None, people), lambda person, record: True],
        ),
    },
}
CASES = [(model, query, rule) for model in MODELS for query in QUERIES[model] for rule in RULES]


def _row(noise: Noise) -> RuleRows:
    rule = noise.by_people
    assert rule is not None
    return rule


def _shown(output: Output) -> tuple[float | str, ...]:
    return tuple(each if isinstance(each, str) else float(each) for each in output)


def _truth(model: str, query: str, noise: Noise, person: int) -> dict[Value, dict[tuple[float | str, ...], float]]:
    _, joint, people = MODELS[model]
    found = outputs_given(joint, QUERIES[model][query][1](people), _row(noise).row, person)
    return {s: {_shown(output): float(p) for output, p in own.items()} for s, own in found.items()}


def _delta(
    one: dict[tuple[float | str, ...], float], other: dict[tuple[float | str, ...], float], epsilon: float
) -> float:
    return sum(max(p - exp(epsilon) * other.get(output, 0.0), 0.0) for output, p in one.items())


@pytest.mark.parametrize(("model", "query", "rule"), CASES)
def test_against_enumeration(model: str, query: str, rule: str) -> None:
    release = dl.Release(MODELS[model][0], QUERIES[model][query][0], RULES[rule])
    delta = gain = ratio = 0.0
    for channel in release.channels():
        truth = _truth(model, query, RULES[rule], channel.subject.person - 1)
        logs = channel.likelihood.log_mass()
        for place, secret in enumerate(channel.secrets):
            row = {channel.output(i): exp(log) for i, log in enumerate(logs[place]) if log > -inf}
            assert row == pytest.approx(truth[secret], abs=1e-12)
        one, other = truth.values()
        delta = max(delta, _delta(one, other, 1.0), _delta(other, one, 1.0))
        prior = np.exp(channel.log_prior)
        mixed = {o: prior @ [row.get(o, 0.0) for row in truth.values()] for o in {*one, *other}}
        gain = max(gain, max(log(p / mixed[o]) for row in truth.values() for o, p in row.items()))
        ratio = max(ratio, max(log(p / q) if (q := other.get(o, 0.0)) else inf for o, p in one.items()))
        ratio = max(ratio, max(log(p / q) if (q := one.get(o, 0.0)) else inf for o, p in other.items()))
        output = next(iter(one))
        update = channel.at(output).updates[0]
        for value in update.values:
            after = truth[value.value].get(output, 0.0) * value.prior / mixed[output]
            assert value.posterior.lower - 1e-12 <= after <= value.posterior.upper + 1e-12
    found = dl.delta_of(release, 1.0)
    assert found.lower - 1e-9 <= delta <= found.upper + 1e-9
    assert dl.InformationPrivacy().leakage(release).upper == pytest.approx(gain, abs=1e-9)
    assert dl.InferentialPrivacy().leakage(release).upper == pytest.approx(ratio, abs=1e-9)
    assert dl.DifferentialPrivacy().leakage(release).lower == inf


def test_an_answer_that_is_published_twice_says_no_more() -> None:
    """Averaging is useless, where a rule that is drawn anew says more each time."""
    homes = dl.Households(count=2, infected=INFECTED)
    twice = dl.Several(queries=[dl.Count(), dl.Count()])
    for rule, same in ((CellKey(d=2, v=0.9), True), (dl.Rounding(base=3), False)):
        once, again = (dl.delta_of(dl.Release(homes, query, rule), 1.0).upper for query in (dl.Count(), twice))
        assert (again == pytest.approx(once, abs=1e-9)) is same


def test_draws_are_alike_where_sets_are_equal() -> None:
    """Street B has nobody ill: the total is street A's count, and is drawn as often as the row says."""
    release = dl.Release(HOMES, QUERIES["streets"]["both cells, the total and one again"][0], CellKey(d=1, v=0.5))
    sets = CountedSets.of(release.scores)
    ill_in = {tuple(row): place for place, row in enumerate(sets.members.tolist())}
    counts = [0, 0]
    counts[ill_in[(1, 0, 1, 1)]] = 2
    drawn = Counter(tuple(map(str, sets.drawn(release.noise, counts))) for _ in range(2000))
    assert set(drawn) == {("1", "0", "1", "1"), ("2", "0", "2", "2"), ("3", "0", "3", "3")}
    assert abs(drawn[("2", "0", "2", "2")] - 1000) < 5.5 * (2000 / 4) ** 0.5
    counts[ill_in[(0, 1, 1, 0)]] = 1
    apart = {tuple(float(each) for each in sets.drawn(release.noise, counts)) for _ in range(400)}
    assert all(a == again for a, _, _, again in apart)
    assert any(total != a + b for a, b, total, _ in apart)


@pytest.mark.parametrize(
    ("query", "noise", "wanted"),
    [
        (
            dl.Several(queries=[dl.Count(), dl.Sum(upper=0.5)]),
            CellKey(d=1, v=0.5),
            "query: sum 2, wanted counts of people, beside other answers with cell keys",
        ),
        (
            dl.Several(queries=[dl.Count(), dl.Count(values=[0])]),
            Steps(steps=[CellKey(d=1, v=0.5), dl.Rounding(base=3)]),
            "noise.steps: steps for 2 answers, wanted one answer, or cell keys as the only step that is drawn",
        ),
    ],
)
def test_what_has_no_joint_law_is_refused(query: Query, noise: Noise, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        dl.InferentialPrivacy().leakage(dl.Release(dl.Households(count=1, infected=INFECTED), query, noise))


def test_a_large_table_with_totals_is_refused() -> None:
    homes = dl.Households(
        types=[dl.HouseholdType(count=4, infected=INFECTED, members={name: 3}) for name in ("A", "B", "C", "D")]
    )
    pairs = [dl.Count(labels=pair) for pair in (["A", "B"], ["B", "C"], ["C", "D"])]
    query = dl.Several(queries=[dl.Count(per_label=True), *pairs, dl.Count()])
    with pytest.raises(TooLarge, match=r"ways to draw .* is too large.*noise\.shared_draws"):
        dl.InferentialPrivacy().leakage(dl.Release(homes, query, CellKey(d=5, v=3.0, js=2)))
