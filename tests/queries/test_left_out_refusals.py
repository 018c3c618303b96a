"""What cannot be answered without each person is refused in one line."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.queries import Count, Histogram, Mean, Median, Min, Query, Several, Sum, Variance
from dalenius.tallies.leave_one_out import left_out_of
from dalenius.tallies.tally import tally_of_counts, tally_of_people

NUMBERS = tally_of_people([1, 2, 3])
LABELLED = tally_of_people([1, 2, 3], ["a", "b", "b"])
WORDS = tally_of_people(["x", "y", "y"])


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda: tally_of_people([1, None, 2, None]), "a number or a text for every person, 2 of 4 have none"),
        (lambda: tally_of_people([1.0, float("nan"), 2.0]), "for every person, 1 of 3 have none"),
        (lambda: tally_of_people(np.array([1.0, np.nan, np.nan])), "for every person, 2 of 3 have none"),
        (lambda: tally_of_people(np.ma.array([1, 2], mask=[True, False])), "for every person, 1 of 2 have none"),
        (lambda: tally_of_people(["a", None]), "for every person, 1 of 2 have none"),
        (lambda: tally_of_counts([1, None], [2, 3]), "have none"),
        (lambda: tally_of_people(np.array([1.0, np.inf])), "values: infinite, wanted a finite number for every person"),
        (lambda: tally_of_people([1, float("inf")]), "values: inf, wanted a finite number for every person"),
        (lambda: tally_of_people([1, 2j]), "values: 2j, wanted a finite number for every person"),
        (lambda: tally_of_people([1, "a"]), "values: numbers and texts, wanted numbers alone, or texts alone"),
        (lambda: tally_of_people([1]), "values: of 1 people, wanted two people or more, one of whom is absent"),
        (lambda: tally_of_people([]), "values: of 0 people"),
        (lambda: tally_of_people([1, 2], ["a"]), "labels: 1 labels, wanted one for each of 2 people"),
        (lambda: tally_of_counts([1, 2], [1]), "counts: 1 counts, wanted one for each of 2 values"),
        (lambda: tally_of_counts([1, 2], [3, -1]), "wanted whole numbers of at least 0"),
        (lambda: tally_of_counts([1, 2], [3, 0.5]), "wanted whole numbers of at least 0"),  # type: ignore[list-item]
        (lambda: tally_of_counts([1, 2], [1, 0]), "values: of 1 people"),
        (lambda: left_out_of([1]), "wanted the answer without each person, for two people or more"),
        (lambda: left_out_of([1, float("nan")]), "answers: nan, wanted a finite number for every person"),
        (lambda: left_out_of([1, None]), "answers: nothing, wanted a finite number"),  # type: ignore[list-item]
    ],
)
def test_tables(ask: Callable[[], object], line: str) -> None:
    with pytest.raises(InputError) as caught:
        ask()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "tally", "line"),
    [
        (Sum(), WORDS, "query.kind: sum, wanted values that are numbers, not texts"),
        (Median(), WORDS, "query.kind: median, wanted values that are numbers"),
        (Variance(), tally_of_people([1, 2]), "query.kind: variance, wanted 3 people or more to ask"),
        (Mean(labels=["a"]), LABELLED, "query.kind: mean, wanted 2 people or more to ask"),
        (Min(labels=["a"]), LABELLED, "query.kind: min, wanted 2 people or more to ask"),
        (Median(labels=["a"]), LABELLED, "query.kind: median, wanted 2 people or more to ask"),
        (Sum(labels=["c"]), LABELLED, "query.labels: c, wanted one of the people's labels ['a', 'b']"),
        (Sum(per_label=True), LABELLED, "query.per_label: 2 answers, wanted one answer"),
        (Count(values=[9]), NUMBERS, "query.values: 9, wanted values that somebody has, such as 1, 2, 3"),
        (Count(values=["x"]), NUMBERS, "query.values: x, wanted values that somebody has"),
        (Count(values=[1]), WORDS, "query.values: 1, wanted values that somebody has, such as x, y"),
        (Histogram(cells=[[9]]), NUMBERS, "query.cells: 9, wanted values that somebody has"),
        (Histogram(cells=[[1], [2]]), NUMBERS, "query.cells: 2 cells, wanted one cell"),
        (Several(queries=[Sum(), Mean()]), NUMBERS, "query.kind: several, wanted one answer, a number"),
        (Sum(weights={"a": 1}), LABELLED, "query.weights: ['a'], wanted also a weight for label 'b'"),
    ],
)
def test_queries(query: Query, tally: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        query.left_out(tally)
    assert str(caught.value).startswith(line)


def test_differences_beyond_doubles() -> None:
    with pytest.raises(InputError, match=r"^values: spread out, wanted answers whose differences are doubles"):
        Variance().left_out(tally_of_people([Fraction(10) ** 400, 1, 2]))
    with pytest.raises(InputError, match=r"^values: spread out, wanted answers whose differences are doubles"):
        Sum().left_out(tally_of_people([1e-320, 2e-320, 0]))


@pytest.mark.parametrize("query", [Variance(), Median()])
def test_no_score_per_record_makes_them(query: Query) -> None:
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum, an extreme or a count, unless"):
        query.scores(())
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum or a mean"):
        query.linear(())
