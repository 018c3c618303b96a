"""Tests which records depend on each other, pair by pair, and finds how many depend on one (NP Def 4 and 5).

A column is a record, such as one person's value, and a row is one time at which all were seen; rows are independent of
each other. Each pair of columns is tested by Pearson's χ². The p-values are adjusted together:

* by Benjamini and Yekutieli (2001), whatever the tests' own dependence: of the edges found, at most
  a share α = 1 - confidence is false on average. They make the dependence graph; D is its largest closed neighbourhood.
* by Holm (1979): with that confidence all edges so found are true, so D is at least as large as
  their largest closed neighbourhood.

No test proves independence. So each pair also has an upper end of its distance from independence, the total variation
between its joint law and the product of its marginals. With probability 1 - α all upper ends hold. A law of k cells is
within √(2 ln(2^k/α')/m) of that of m rows in L1 (Weissman et al. 2003), and the product of its marginals within twice
that. The pairs share α evenly.

Pairs do not see everything: three bits, each the exclusive or of the other two, are independent in pairs (E1).

>>> rain = [0, 1] * 200
>>> found = dependence_of({"rain": rain, "wet": rain, "heads": [0, 0, 1, 1] * 100})
>>> found.neighbourhood, [(each.first, each.second) for each in found.linked]
(2, [('rain', 'wet')])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import Columns, Statistic, check_rows, coded, crossed
from dalenius.limits import Limit
from dalenius.noise.error_law import missed

MOST_TESTED: Final = Limit(
    "fitting.tested",
    100_000,
    "pairs",
    "Pairs of columns that are tested. 447 columns have as many; they take a minute.",
)
_TRUSTED: Final = 5.0
"""The expected count in a cell below which χ² is not to be trusted."""


@final
@dataclass(frozen=True)
class PairTest:
    """The test of one pair of columns.

    Attributes:
        first: The name of the first column.
        second: That of the second.
        test: Pearson's χ².
        adjusted: The p-value adjusted by Benjamini and Yekutieli.
        certain: The p-value adjusted by Holm.
        variation: The total variation between the rows' joint law and the product of its marginals.
        most: The upper end of the true one.
        is_linked: Whether an edge is found.
        is_certain: Whether it is found by Holm's method too.
    """

    first: str
    second: str
    test: Statistic
    adjusted: float
    certain: float
    variation: float
    most: float
    is_linked: bool
    is_certain: bool

    def shown(self) -> dict[str, Any]:
        """Returns the test, ready for JSON."""
        own = {"first": self.first, "second": self.second, **self.test.shown()}
        own |= {"adjusted": self.adjusted, "holm": self.certain}
        return own | {"total_variation": self.variation, "total_variation_upper": self.most, "linked": self.is_linked}


@final
@dataclass(frozen=True)
class Dependence:
    """The dependence graph of columns, and what it says of D.

    Attributes:
        columns: The names of the columns.
        observations: How many rows there were.
        confidence: The confidence of each statement.
        pairs: The tests.
    """

    columns: tuple[str, ...]
    observations: int
    confidence: float
    pairs: tuple[PairTest, ...]

    @property
    def linked(self) -> tuple[PairTest, ...]:
        """The pairs with an edge."""
        return tuple(each for each in self.pairs if each.is_linked)

    @property
    def neighbourhood(self) -> int:
        """D: the most columns that one column is linked with, itself included."""
        return _largest_neighbourhood(self.columns, self.linked)

    @property
    def least_neighbourhood(self) -> int:
        """A lower bound of D, at the `confidence` of the tests."""
        return _largest_neighbourhood(self.columns, [each for each in self.pairs if each.is_certain])

    @property
    def component(self) -> int:
        """The most columns that are connected by edges."""
        return max(map(len, _components(self.columns, self.linked)))

    @property
    def unseen(self) -> float:
        """An upper end of the total variation from independence of every pair without an edge; 0 for none."""
        return max((each.most for each in self.pairs if not each.is_linked), default=0.0)

    @property
    def untrusted(self) -> int:
        """How many pairs have cells with too small expected counts for χ²."""
        return sum((each.test.smallest_expected or 0.0) < _TRUSTED for each in self.pairs)

    def sentences(self) -> tuple[str, ...]:
        """Returns what is found, with which confidence, and what is not seen, in words."""
        alpha, sure = f"{100 * (1 - self.confidence):.4g} %", f"{100 * self.confidence:.4g} %"
        found = (
            f"D = {self.neighbourhood}: nobody's record is linked with more than {self.neighbourhood - 1} others; "
            f"connected by links are at most {self.component}",
            f"{len(self.linked)} of {len(self.pairs)} pairs are linked; of these at most {alpha} are false on average "
            "(Benjamini and Yekutieli)",
            f"with confidence {sure} D is at least {self.least_neighbourhood} (Holm)",
            f"with confidence {sure} every pair without a link is within {self.unseen:.3g} of independence, in total "
            "variation; D may be larger by dependence that is weaker than that",
            "not seen: dependence of three or more records that are independent in pairs (errata E1), of rows on each "
            "other, and of records that have no column",
        )
        if not self.untrusted:
            return found
        return (*found, f"{self.untrusted} pairs have expected counts below 5: do not trust their p-values")

    def shown(self) -> dict[str, Any]:
        """Returns all numbers, ready for JSON."""
        return {
            "observations": self.observations,
            "columns": list(self.columns),
            "confidence": self.confidence,
            "neighbourhood": self.neighbourhood,
            "least_neighbourhood": self.least_neighbourhood,
            "component": self.component,
            "unseen": self.unseen,
            "untrusted": self.untrusted,
            "pairs": [each.shown() for each in self.pairs],
            "words": list(self.sentences()),
        }


def dependence_of(columns: Columns, confidence: float = 0.95) -> Dependence:
    """Tests all pairs of columns.

    Args:
        columns: The cells by column, all of one length; a column is a record, a row one time at which all were seen.
        confidence: The confidence of each statement, between 0 and 1.

    Raises:
        InputError: A column has one value, or more than 256; or there are fewer than two columns or rows.
        TooLarge: There are too many pairs.
    """
    missed(confidence)
    rows = check_rows(columns, 2, 2)
    count = len(columns) * (len(columns) - 1) // 2
    if count > MOST_TESTED:
        raise TooLarge("the tests of all pairs", f"{count:,} pairs", "name fewer columns", MOST_TESTED)
    codes = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    names, tables = tuple(columns), []
    for first, second in combinations(names, 2):
        (values, one), (others, other) = codes[first], codes[second]
        tables.append((first, second, crossed(one, other, (len(values), len(others)))))
    tests = [_pearson(table) for _, _, table in tables]
    p_values = np.array([1.0 if each.p_value is None else each.p_value for each in tests])
    adjusted, certain, alpha = _yekutieli(p_values), _holm(p_values), 1 - confidence
    pairs = []
    for place, (first, second, table) in enumerate(tables):
        variation = _variation(table)
        most = min(variation + _radius(table, alpha / count), 1.0)
        own = float(adjusted[place]), float(certain[place])
        linked = own[0] <= alpha, own[1] <= alpha
        pairs.append(PairTest(first, second, tests[place], *own, variation, most, *linked))
    return Dependence(names, rows, confidence, tuple(pairs))


def columns_of_people(cells: Mapping[str, Sequence[Any]], person: str, order: str, value: str) -> dict[str, list[Any]]:
    """Returns a column for each person from a table with a row for each person and time.

    Args:
        cells: The cells of these columns.
        person: The name of the column of people.
        order: That of times, at each of which everybody has one row.
        value: That of values.

    Raises:
        InputError: Somebody is twice at a time, or is missing at one that another has.
    """
    by_person: dict[str, dict[Any, Any]] = {}
    for whose, when, what in zip(cells[person], cells[order], cells[value], strict=True):
        own = by_person.setdefault(str(whose), {})
        if when in own:
            raise InputError("data.order", order, "each person once at a time")
        own[when] = what
    times = sorted({when for own in by_person.values() for when in own}, key=str)
    if short := sum(len(own) < len(times) for own in by_person.values()):
        wanted = f"everybody at each of the {len(times)} times, {short} of {len(by_person)} people are missing at some"
        raise InputError("data.order", order, wanted)
    return {whose: [own[when] for when in times] for whose, own in sorted(by_person.items())}


def _pearson(table: IntArray) -> Statistic:
    """Returns Pearson's χ² of a table of counts, without a correction."""
    from scipy.stats.contingency import chi2_contingency

    found = chi2_contingency(table, correction=False)
    return Statistic(max(float(found.statistic), 0.0), int(found.dof), float(found.expected_freq.min()))


def _yekutieli(p_values: "np.ndarray[Any, np.dtype[np.float64]]") -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Returns the p-values adjusted by Benjamini and Yekutieli."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p_values, method="by"))


def _holm(p_values: "np.ndarray[Any, np.dtype[np.float64]]") -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Returns the p-values adjusted by Holm.

    >>> _holm(np.array([0.01, 0.04, 0.03])).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    found = np.empty(len(order))
    found[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return found


def _variation(table: IntArray) -> float:
    """Returns the total variation between the table's joint law and the product of its marginals.

    >>> _variation(np.array([[5, 0], [0, 5]]))
    0.5
    """
    joint = table / table.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    return float(np.abs(joint - product).sum() / 2)


def _radius(table: IntArray, alpha: float) -> float:
    """Returns how far the total variation of the truth may be above that of the rows, but with probability alpha."""
    distance = sqrt(2 * (table.size * log(2) - log(alpha)) / int(table.sum()))
    # Because the joint law is off by this, and the product of its marginals by twice it; half of L1 is the variation.
    return 1.5 * distance


def _largest_neighbourhood(columns: Sequence[str], linked: Sequence[PairTest]) -> int:
    """Returns the most columns that one of them is linked with, itself included."""
    sizes = dict.fromkeys(columns, 1)
    for each in linked:
        sizes[each.first] += 1
        sizes[each.second] += 1
    return max(sizes.values())


def _components(columns: Sequence[str], linked: Sequence[PairTest]) -> list[set[str]]:
    """Returns the sets of columns that edges connect."""
    found = [{name} for name in columns]
    for each in linked:
        together = [own for own in found if each.first in own or each.second in own]
        found = [own for own in found if own not in together] + [set[str]().union(*together)]
    return found
