"""The base of all fits: a section for a spec, how well it fits, tests on tables of counts, and values as codes.

A fit may have intervals of probabilities that hold together, at a level the user states. With α = 1 - confidence, the
fitted probabilities share α evenly (Bonferroni). A row of k > 2 probabilities makes k claims. A row of two makes one,
since either is 1 minus the other, and a row of one makes none.

* Clopper and Pearson (Biometrika 26, 1934): [lo, hi] with Pr[Bin(m, lo) >= count] = α'/2 = Pr[Bin(m, hi) <= count],
  for counts of m independent observations, m chosen without looking at them.
* Robbins (Ann. Math. Stat. 41, 1970): the p at which the mixture of likelihoods under Beta(1/2, 1/2) is at most 1/α'
  times the likelihood of p; by Ville's inequality this holds after every number of observations at once, so also after
  a number that the observations themselves decide.

Every interval is rounded outwards, and its tails are then checked. For 0 in 10 observations, at α' = 0.05, the first
gives [0, 0.308] and the second [0, 0.377]. For 3 in 10 they give [0.067, 0.652] and [0.033, 0.748]. The difference is
the cost of not having chosen 10 before.
"""

import abc
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_jsonable_python
from scipy.special import chdtrc

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.fitting.simultaneous_intervals import Simultaneous
from dalenius.limits import Limit
from dalenius.models.joint_tables import value_order

WARNING: Final = "fitted on these data: use public or past data; a model fitted on the data to be protected leaks them"


@dataclass(frozen=True)
class Fit(abc.ABC):
    """The result of a fit; each kind of model has a class of its own that also holds its numbers.

    Log-likelihoods are of the points in either case.

    Attributes:
        model: The section of a spec that it makes.
        observations: How many independent ones there were, or records of a sequence.
        smoothing: Pseudo-counts added to each distribution, in all; None where nothing is smoothed.
        intervals: How those of the model were found; None where it is of points.
    """

    model: Any
    observations: int
    smoothing: float | None
    _: KW_ONLY
    intervals: Simultaneous | None = None

    warning: ClassVar[str] = WARNING
    """The warning that using the fit may leak the data."""

    def section(self) -> dict[str, Any]:
        """Returns the `[model]` section of a spec."""
        return dict(to_jsonable_python(self.model, exclude_none=True))

    def goodness(self) -> dict[str, Any]:
        """Returns how well it fits, in words and as numbers, ready for JSON."""
        intervals = {} if self.intervals is None else self.intervals.shown()
        return {"in_words": self.in_words, **self.measures(), **intervals}

    @property
    @abc.abstractmethod
    def in_words(self) -> str:
        """How well it fits, in a sentence or two."""

    def measures(self) -> dict[str, Any]:
        """Returns what its class adds, by default each field under its name or `key`, without the intervals."""
        own = fields(self)[len(fields(Fit)) :]
        return {each.metadata.get("key", each.name): _shown(getattr(self, each.name)) for each in own}


def _shown(value: Any) -> Any:
    """Returns a field ready for JSON: a number, a text, or a part that says itself how it is shown."""
    match value:
        case Mapping():
            return {key: _shown(each) for key, each in value.items()}
        case tuple():
            return [_shown(each) for each in value]
        case _:
            return value.shown() if hasattr(value, "shown") else value


@final
@dataclass(frozen=True)
class Statistic:
    """A test statistic that has the chi-squared law, if the hypothesis holds and counts are large.

    Attributes:
        statistic: Its value.
        degrees_of_freedom: Of the chi-squared law; without any, there is no p-value.
        smallest_expected: The least count that the hypothesis expects in a cell; far below 5 the p-value is not to be
            trusted. None where the test does not compare counts.
    """

    statistic: float
    degrees_of_freedom: int
    smallest_expected: float | None = None

    @property
    def p_value(self) -> float | None:
        """The probability that a statistic is as large, if the hypothesis holds; None without freedom."""
        # Because a table of one row or one column tests nothing.
        if self.degrees_of_freedom < 1:
            return None
        return float(chdtrc(self.degrees_of_freedom, self.statistic))

    def shown(self) -> dict[str, Any]:
        """Returns the test, ready for JSON."""
        shown = {"statistic": self.statistic, "degrees_of_freedom": self.degrees_of_freedom, "p_value": self.p_value}
        return shown if self.smallest_expected is None else shown | {"smallest_expected": self.smallest_expected}


_NEVER: Final = 0.001
"""The p-value below which a hypothesis does not hold, in words."""
_HARDLY: Final = 0.05
_FEW: Final = 5.0
"""The expected count below which a p-value is not to be trusted."""


def judged(test: Statistic, holds: str, doubtful: str, fails: str) -> str:
    """Returns one of three sentences by the p-value of a test, with that value and a warning where it is rough.

    Args:
        test: The test of a hypothesis.
        holds: The sentence where nothing speaks against the hypothesis.
        doubtful: The sentence for a p-value below 0.05.
        fails: The sentence for a p-value below 0.001.

    >>> judged(Statistic(0.02, 1, 9.0), "it fits", "it hardly fits", "it does not fit")
    'it fits (p = 0.89)'
    >>> judged(Statistic(134.6, 30, 0.2), "it fits", "it hardly fits", "it does not fit")
    'it does not fit (p = 3.3e-15, which is rough: some cells expect fewer than 5)'
    """
    value = test.p_value
    if value is None:
        return "there are too few different rows to test it"
    said = fails if value < _NEVER else doubtful if value < _HARDLY else holds
    rough = ", which is rough: some cells expect fewer than 5"
    few = test.smallest_expected is not None and test.smallest_expected < _FEW
    return f"{said} (p = {value:.2g}{rough * few})"


def check_smoothing(smoothing: float) -> None:
    """Raises InputError unless `smoothing` is a pseudo-count: a finite number above 0."""
    if not (math.isfinite(smoothing) and smoothing > 0):
        raise InputError("smoothing", smoothing, "a finite number above 0")


def crossed(first: IntArray, second: IntArray, shape: tuple[int, int]) -> IntArray:
    """Returns how often each pair of codes occurs together, a table of this `shape`.

    Args:
        first: The codes of the rows' first values (n,).
        second: The codes of their second values (n,).
        shape: How many codes there are of each.
    """
    return np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape)


def mutual_information(counts: IntArray) -> float:
    """Returns the mutual information of the table's empirical law, in nats; 0 where it has no counts."""
    return likelihood_ratio(counts).statistic / (2 * max(int(counts.sum()), 1))


def likelihood_ratio(counts: IntArray) -> Statistic:
    """Returns G = 2 Σ observed log(observed / expected) = 2 N (mutual information): are rows and columns independent?

    counts is the table. Rows and columns that never occur are left out: they carry no information and no degrees of
    freedom.
    """
    from scipy.stats.contingency import chi2_contingency

    # Because the test knows nothing of a state that no middle record has, or a column that is 0 throughout.
    occurring = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if not occurring.size:
        return Statistic(0.0, 0)
    found = chi2_contingency(occurring, correction=False, lambda_="log-likelihood")
    return Statistic(max(float(found.statistic), 0.0), int(found.dof), float(found.expected_freq.min()))


Cells: TypeAlias = Sequence[Any] | NDArray[Any]
Columns: TypeAlias = Mapping[str, Cells]
"""The cells of columns by name, all of one length."""

_MOST_VALUES: Final = Limit(
    "fitting.values",
    256,
    "values",
    "Different values of a column. A column with more, such as incomes, has mostly counts of 1.",
)


def coded(cells: Cells, key: str) -> tuple[tuple[RecordValue, ...], IntArray]:
    """Returns the distinct values of `cells` in order, numbers before texts, and each cell's place; key: for errors."""
    plain = as_values(cells, key)
    universe = tuple(sorted(set(plain), key=value_order))
    if len(universe) < 2:
        raise InputError(key, "one value" if universe else "no cells", "at least two different values")
    if len(universe) > _MOST_VALUES:
        wanted = f"at most {_MOST_VALUES}: group them first (limit {_MOST_VALUES.name})"
        raise InputError(key, f"{len(universe)} different values", wanted)
    places = {value: place for place, value in enumerate(universe)}
    return universe, np.array([places[value] for value in plain], dtype=np.int64)


def as_values(cells: Cells, key: str) -> list[RecordValue]:
    """Returns `cells` as plain Python values of records: truth values are 0 and 1.

    InputError, in the name of the `key`, where one is missing or of another type.
    """
    # Because numpy's arrays give numpy's scalars, and a pandas column Python's.
    given = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    for row, cell in enumerate(given, 1):
        if not isinstance(cell, int | float | str) or (isinstance(cell, float) and not math.isfinite(cell)):
            raise InputError(key, f"another cell in row {row}", "a finite number or a text in every row")
    return [int(cell) if isinstance(cell, bool) else cell for cell in given]


def check_rows(columns: Columns, fewest_columns: int, fewest_rows: int) -> int:
    """Returns how many rows there are; InputError where columns differ in length, or columns or rows are too few.

    Args:
        columns: The cells by column.
        fewest_columns: How many columns are wanted at least.
        fewest_rows: How many rows are wanted at least.
    """
    if len(columns) < fewest_columns:
        raise InputError("columns", ", ".join(columns) or "none", f"at least {fewest_columns} columns")
    lengths = {name: len(cells) for name, cells in columns.items()}
    rows = next(iter(lengths.values()))
    for name, length in lengths.items():
        if length != rows:
            raise InputError(f"column {name}", f"{length} cells", f"{rows}, as many as the first column has")
    if rows < fewest_rows:
        raise InputError("rows", rows, f"at least {fewest_rows} rows")
    return rows


def smoothed_law(counts: IntArray, smoothing: float) -> Array:
    """Returns the mean of each row's law (..., k): `smoothing` pseudo-counts in all, shared evenly by the k values."""
    share = smoothing / counts.shape[-1]
    return np.asarray((counts + share) / (counts.sum(axis=-1, keepdims=True) + smoothing))


def section_rows(counts: IntArray, smoothing: float, intervals: Simultaneous | None) -> tuple[Any, ...]:
    """Returns each row's law in a section (rows, k): of points, or of intervals.

    Args:
        counts: The counts of each row (rows, k).
        smoothing: Pseudo-counts of each row in all, for points.
        intervals: How intervals are found; None for points.
    """
    return tuple(map(tuple, smoothed_law(counts, smoothing).tolist())) if intervals is None else intervals.rows(counts)
