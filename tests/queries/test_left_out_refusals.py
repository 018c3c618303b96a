"""What cannot be answered without each person is refused in one line."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.queries import Count, Histogram, Mean, Median, Several, Sum, Variance
from dalenius.tallies.leave_one_out import left_out_of
from dalenius.tallies.tally import tally_of_counts, tally_of_people
from tests.cases import Refusals, check_refused

NUMBERS = tally_of_people([1, 2, 3])
LABELLED = tally_of_people([1, 2, 3], ["a", "b", "b"])
WORDS = tally_of_people(["x", "y", "y"])


REFUSED: Refusals = [
    (
        lambda: tally_of_people([1, None, 2, None]),
        "values: missing, wanted a number or a text for every person, 2 of 4",
    ),
    (lambda: tally_of_people(np.array([1.0, np.nan, np.nan])), "values: missing, wanted a number or a text for every"),
    (lambda: tally_of_people(np.ma.array([1, 2], mask=[True, False])), "values: missing, wanted a number or a text"),
    (lambda: tally_of_counts([1, None], [2, 3]), "values: missing, wanted a number or a text"),
    (lambda: tally_of_people(np.array([1.0, np.inf])), "values: infinite, wanted a finite number for every person"),
    (lambda: tally_of_people([1, 2j]), "values: 2j, wanted a finite number for every person"),
    (lambda: tally_of_people([1, "a"]), "values: numbers and texts, wanted numbers alone, or texts alone"),
    (lambda: tally_of_people([1]), "values: of 1 people, wanted two people or more, one of whom is absent"),
    (lambda: tally_of_people([1, 2], ["a"]), "labels: 1 labels, wanted one for each of 2 people"),
    (lambda: tally_of_counts([1, 2], [1]), "counts: 1 counts, wanted one for each of 2 values"),
    (lambda: tally_of_counts([1, 2], [3, -1]), "counts: [3, -1], wanted whole numbers of at least 0"),
    (lambda: tally_of_counts([1, 2], [1, 0]), "values: of 1 people"),
    (lambda: left_out_of([1]), "answers: [1], wanted the answer without each person, for two people or more"),
    (lambda: left_out_of([1, float("nan")]), "answers: nan, wanted a finite number for every person"),
    (lambda: Sum().left_out(WORDS), "query.kind: sum, wanted values that are numbers, not texts"),
    (lambda: Variance().left_out(tally_of_people([1, 2])), "query.kind: variance, wanted 3 people or more to ask"),
    (lambda: Mean(labels=["a"]).left_out(LABELLED), "query.kind: mean, wanted 2 people or more to ask"),
    (lambda: Sum(labels=["c"]).left_out(LABELLED), "query.labels: c, wanted one of the people's labels ['a', 'b']"),
    (lambda: Sum(per_label=True).left_out(LABELLED), "query.per_label: 2 answers, wanted one answer"),
    (lambda: Count(values=[9]).left_out(NUMBERS), "query.values: 9, wanted values that somebody has, such as 1, 2, 3"),
    (lambda: Histogram(cells=[[9]]).left_out(NUMBERS), "query.cells: 9, wanted values that somebody has"),
    (lambda: Histogram(cells=[[1], [2]]).left_out(NUMBERS), "query.cells: 2 cells, wanted one cell"),
    (lambda: Several(queries=[Sum()] * 2).left_out(NUMBERS), "query.kind: several, wanted one answer, a number"),
    (lambda: Sum(weights={"a": 1}).left_out(LABELLED), "query.weights: ['a'], wanted also a weight for label 'b'"),
]


def test_tables_and_queries() -> None:
    check_refused(REFUSED)


def test_differences_beyond_doubles() -> None:
    with pytest.raises(InputError, match=r"^values: spread out, wanted answers whose differences are doubles"):
        Variance().left_out(tally_of_people([Fraction(10) ** 400, 1, 2]))
    with pytest.raises(InputError, match=r"^values: spread out, wanted answers whose differences are doubles"):
        Sum().left_out(tally_of_people([1e-320, 2e-320, 0]))


def test_no_score_per_record_makes_them() -> None:
    query = Median()
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum, an extreme or a count, unless"):
        query.scores(())
    with pytest.raises(InputError, match=rf"^query.kind: {query.kind}, wanted a sum or a mean"):
        query.linear(())
