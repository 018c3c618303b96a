"""The answers without each person against fractions: classes, exact base, offsets to the last digits; and refusals."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.left_out import LeftOut, left_out_of
from dalenius.queries import Count, Histogram, Max, Mean, Median, Min, Query, Several, Sum, Variance
from dalenius.tally import tally_of_counts, tally_of_people
from tests.cases import Refusals, check_refused
from tests.pace import covering
from tests.reference import left_out as reference

QUERIES: dict[str, tuple[Query, reference.Answer, int]] = {
    "count": (Count(values=[1, 2.5]), reference.among([Fraction(1), Fraction(5, 2)]), 2),
    "cell": (Histogram(cells=[[1, -3]]), reference.among([Fraction(1), Fraction(-3)]), 2),
    "sum": (Sum(), reference.total, 2),
    "mean": (Mean(), reference.mean, 2),
    "variance": (Variance(), reference.variance, 3),
    "min": (Min(), min, 2),
    "max": (Max(), max, 2),
    "median": (Median(), reference.median, 2),
}
NAMES = list(QUERIES)
NUMERIC = [name for name in NAMES if name not in ("count", "cell")]
UNIVERSES: tuple[tuple[float, ...], ...] = ((1, 2, 2.5), (-3, 1), (0.1, 1, 7.75, -0.35), (1e6, 1000000.01, 1))


def exactly(values: Sequence[float | int]) -> list[Fraction]:
    return [Fraction(str(value)) for value in values]


def check(found: LeftOut, answers: Sequence[Fraction], tolerance: float = 1e-15) -> None:
    """Base, classes and people as they are, offsets to a relative tolerance."""
    levels = sorted(set(answers))
    assert found.base == levels[0]
    assert len(found.offsets) == len(levels)
    for offset, level in zip(found.offsets, levels, strict=True):
        assert abs(Fraction(offset) - (level - levels[0])) <= Fraction(tolerance) * (level - levels[0])
    assert found.people.tolist() == [answers.count(level) for level in levels]
    assert found.total == len(answers)
    assert found.sensitivity == pytest.approx(float(levels[-1] - levels[0]), rel=tolerance, abs=0)
    if found.whose is not None:
        assert found.whose.tolist() == [levels.index(answer) for answer in answers]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_person_of_random_tables(name: str) -> None:
    query, answer, fewest = QUERIES[name]
    draw = random.Random(name)
    for turn in range(400):
        size = draw.randint(fewest, 9)
        values = [draw.choice(UNIVERSES[turn % len(UNIVERSES)]) for _ in range(size - 1)] + [1]
        draw.shuffle(values)
        answers = reference.without_each(answer, exactly(values))
        check(query.left_out(tally_of_people(values)), answers)
        check(query.left_out(tally_of_people(np.array(values))), answers)


def test_counts_tell_the_same_as_people() -> None:
    values, counts = [2.5, 1, 7.75, -3, 2.5, 0.5], [3, 4, 1, 2, 1, 0]
    for query, _, _ in QUERIES.values():
        told = query.left_out(tally_of_counts(values, counts))
        known = query.left_out(tally_of_people(np.repeat(values, counts)))
        assert told.base == known.base
        assert told.whose is None
        np.testing.assert_array_equal(told.offsets, known.offsets)
        np.testing.assert_array_equal(told.people, known.people)


@pytest.mark.parametrize(
    ("name", "scale"), covering(product(NUMERIC, ["far", "wide", "long", "huge", "brink", "square"]))
)
def test_offsets_keep_their_digits(name: str, scale: str) -> None:
    """Answers that agree in all the digits of a double; values past int64, or only sums; doubles of 17 digits."""
    query, answer, _ = QUERIES[name]
    draw = random.Random(f"{name}{scale}")
    tables: dict[str, list[float | int]] = {
        "far": [10**12 + draw.randint(0, 5) / 100 for _ in range(60)],
        "wide": [draw.choice([10**9, 1, 0.001]) * draw.randint(1, 9) for _ in range(60)],
        "long": [draw.gauss(0, 1) * 10.0 ** draw.randint(-2, 2) for _ in range(60)],
        "brink": [draw.randint(-4 * 10**17, 4 * 10**17) for _ in range(60)],
        "square": [draw.randint(0, 3 * 10**9) for _ in range(60)],
        "huge": [10**30 + draw.randint(0, 9) * 10**12 + draw.randint(0, 1) for _ in range(60)],
    }
    answers = reference.without_each(answer, exactly(tables[scale]))
    check(query.left_out(tally_of_people(tables[scale])), answers, 2e-15)


def test_people_as_far_above_the_mean_as_below_leave_the_same_variance() -> None:
    found = Variance().left_out(tally_of_people([0, 1, 2, 3, 4]))
    assert found.people.tolist() == [2, 2, 1]
    assert found.whose is not None
    assert found.whose.tolist() == [0, 1, 2, 1, 0]


@pytest.mark.parametrize("name", ["mean", "variance", "max"])
def test_values_are_clipped_first(name: str) -> None:
    query, answer, _ = QUERIES[name]
    values = [-7, 0.3, 0.25, 2, 5, 2.125]
    for bounds in ({"lower": 0.1}, {"upper": 2.05}, {"lower": -0.15, "upper": 2.05}, {"upper": -10.5}):
        clipped = [min(max(value, bounds.get("lower", -99)), bounds.get("upper", 99)) for value in values]
        bounded = type(query).model_validate(bounds)
        check(bounded.left_out(tally_of_people(values)), reference.without_each(answer, exactly(clipped)))


@pytest.mark.parametrize("name", ["count", "mean", "variance", "median"])
def test_only_some_labels_are_asked(name: str) -> None:
    """Whose label is not asked leaves the answer of all who are."""
    query, answer, fewest = QUERIES[name]
    draw = random.Random(name)
    asking = type(query).model_validate(query.model_dump() | {"labels": ("a", "c")})
    for _ in range(200):
        labels = ["a"] * fewest + [draw.choice("abc") for _ in range(5)] + ["b", "c"]
        values = [1, *(draw.choice((1, 2.5, -3, 1000000)) for _ in labels[1:])]
        exact = exactly(values)
        answers = []
        for absent in range(len(values)):
            there = [v for i, v in enumerate(exact) if i != absent and labels[i] in "ac"]
            answers.append(answer(there))
        check(asking.left_out(tally_of_people(values, labels)), answers)


@pytest.mark.parametrize(("name", "bits"), [("sum", 63), ("variance", 60), ("median", 63)])
def test_whole_numbers_at_the_ends_of_int64(name: str, bits: int) -> None:
    query, answer, _ = QUERIES[name]
    end = 2**bits
    values = [-end, end - 1, end // 2 + 12345, -end // 4 - 7, end - 10**9, end // 8 + 1] * 6
    check(query.left_out(tally_of_people(np.array(values))), reference.without_each(answer, exactly(values)))
    asking = type(query).model_validate({"labels": ("a",)})
    labels = ["a", "a", "a", "b", "a", "a"] * 6
    exact = exactly(values)
    answers = [answer([v for i, v in enumerate(exact) if i != absent and labels[i] == "a"]) for absent in range(36)]
    check(asking.left_out(tally_of_people(np.array(values), labels)), answers)


def test_a_double_is_the_decimal_it_is_written_as() -> None:
    """2^60 is written 1.152921504606847e+18, which is 24 above it."""
    for given in (np.array([2.0**60, 2.0**60, 0.0]), [2.0**60, 2.0**60, 0.0]):
        assert Sum().left_out(tally_of_people(given)).base == 2**60 + 24


def test_weights_multiply_by_label() -> None:
    values, labels = [1, 2.5, 2.5, -3], ["a", "a", "b", "c"]
    query = Sum(weights={"a": 2, "b": -0.5, "c": 0.1}, lower=-2)
    scores = [Fraction(2), Fraction(5), Fraction(-5, 4), Fraction(-1, 5)]
    answers = [sum(scores, Fraction(0)) - score for score in scores]
    check(query.left_out(tally_of_people(values, labels)), answers)


def test_words_are_counted() -> None:
    tally = tally_of_people(["ill", "well", "ill", "dead"])
    check(Count(values=["ill", "dead"]).left_out(tally), exactly([2, 3, 2, 2]))
    check(Histogram(cells=[["well"]]).left_out(tally), exactly([1, 0, 1, 1]))
    assert Count(values=["ill", "well", "dead"]).left_out(tally).sensitivity == 0


def test_a_decimal_counts_as_it_is_written() -> None:
    assert Count(values=[0.3]).left_out(tally_of_people([0.3, 0.1, 0.30000000000000004])).people.tolist() == [1, 2]


NUMBERS = tally_of_people([1, 2, 3])
LABELLED = tally_of_people([1, 2, 3], ["a", "b", "b"])
WORDS = tally_of_people(["x", "y", "y"])


REFUSED: Refusals = [
    (
        lambda: tally_of_people([1, None, 2, None]),
        "values: missing, wanted a number or a text for every person, 2 of 4…",
    ),
    (lambda: tally_of_people(np.array([1.0, np.nan, np.nan])), "values: missing, wanted a number or a text for every…"),
    (lambda: tally_of_people(np.ma.array([1, 2], mask=[True, False])), "values: missing, wanted a number or a text…"),
    (lambda: tally_of_counts([1, None], [2, 3]), "values: missing, wanted a number or a text…"),
    (lambda: tally_of_people(np.array([1.0, np.inf])), "values: infinite, wanted a finite number for every person"),
    (lambda: tally_of_people([1, 2j]), "values: 2j, wanted a finite number for every person"),
    (lambda: tally_of_people([1, "a"]), "values: numbers and texts, wanted numbers alone, or texts alone"),
    (lambda: tally_of_people([1]), "values: of 1 people, wanted two people or more, one of whom is absent"),
    (lambda: tally_of_people([1, 2], ["a"]), "labels: 1 labels, wanted one for each of 2 people"),
    (lambda: tally_of_counts([1, 2], [1]), "counts: 1 counts, wanted one for each of 2 values"),
    (lambda: tally_of_counts([1, 2], [3, -1]), "counts: [3, -1], wanted whole numbers of at least 0"),
    (lambda: tally_of_counts([1, 2], [1, 0]), "values: of 1 people…"),
    (lambda: left_out_of([1]), "answers: [1], wanted the answer without each person, for two people or more"),
    (lambda: left_out_of([1, float("nan")]), "answers: nan, wanted a finite number for every person"),
    (lambda: Sum().left_out(WORDS), "query.kind: sum, wanted values that are numbers, not texts"),
    (lambda: Variance().left_out(tally_of_people([1, 2])), "query.kind: variance, wanted 3 people or more to ask…"),
    (lambda: Mean(labels=["a"]).left_out(LABELLED), "query.kind: mean, wanted 2 people or more to ask…"),
    (lambda: Sum(labels=["c"]).left_out(LABELLED), "query.labels: c, wanted one of the people's labels: a, b"),
    (lambda: Sum(per_label=True).left_out(LABELLED), "query.per_label: 2 answers, wanted one answer…"),
    (
        lambda: Count(values=[9]).left_out(NUMBERS),
        "query.values: 9, wanted values that somebody has; the records are numbers",
    ),
    (lambda: Histogram(cells=[[9]]).left_out(NUMBERS), "query.cells: 9, wanted values that somebody has…"),
    (lambda: Histogram(cells=[[1], [2]]).left_out(NUMBERS), "query.cells: 2 cells, wanted one cell…"),
    (lambda: Several(queries=[Sum()] * 2).left_out(NUMBERS), "query.kind: several, wanted one answer, a number…"),
    (lambda: Sum(weights={"a": 1}).left_out(LABELLED), "query.weights: ['a'], wanted also a weight for label 'b'"),
]


def test_tables_and_queries() -> None:
    check_refused(REFUSED)


def test_no_score_per_record_makes_them() -> None:
    query = Median()
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum, an extreme or a count, unless"):
        query.scores(())
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum or a mean"):
        query.linear(())
