"""Intervals of probabilities that hold together, at a level the user states.

With α = 1 - confidence, the probabilities fitted share α evenly (Bonferroni): a row of k > 2 probabilities makes k
claims, a row of two makes one, since either is 1 minus the other, and a row of one makes none.

* Clopper and Pearson (Biometrika 26, 1934): [lo, hi] with Pr[Bin(m, lo) >= count] = α'/2 = Pr[Bin(m, hi) <= count],
  for counts of m independent observations, m chosen without looking at them.
* Robbins (Ann. Math. Stat. 41, 1970): the p at which the mixture of likelihoods under Beta(1/2, 1/2) is at most 1/α'
  times the likelihood of p; by Ville's inequality this holds after every number of observations at once, so also after
  a number that the observations themselves decide.

Every interval is rounded outwards, and its tails are then checked. Of 0 in 10 observations, at α' = 0.05, the first
gives [0, 0.308] and the second [0, 0.377]; of 3 in 10 [0.067, 0.652] and [0.033, 0.748]: that is what it costs not to
have chosen 10 before.

Beside them stands what every fit provides and rests on: a section for a spec, how well it fits, tests on tables of
counts, and the values of records as codes.
"""

import abc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_jsonable_python
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, chdtrc, xlog1py, xlogy

from dalenius.bisection import bisected
from dalenius.errors import InputError
from dalenius.fields_and_plugin_kinds import RecordValue
from dalenius.laws.law_on_lattice import Array, IntArray
from dalenius.models.joint_tables import value_order
from dalenius.noise.error_law import missed

Row: TypeAlias = tuple[tuple[float, float], ...]
"""An interval for each probability of a row."""

_MARGIN: Final = 1e-9  # an end moves outwards by this much of its distance from 0 and 1, until its tail is small enough


Ends: TypeAlias = Callable[[int, int, float], tuple[float, float]]
"""Of how often something occurred, in how many trials, and alpha: an interval of its probability, which that is outside
of with chance alpha at most."""


def clopper_pearson(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Exact for counts of independent observations whose number the counts do not decide."""
    # A value that never occurred may have probability 0, one that always did 1: no quantile is to be looked for.
    low, high = (count, trials - count + 1), (count + 1, trials - count)
    return _quantile(*low, alpha / 2) if count else 0.0, _quantile(*high, alpha / 2, 1) if high[1] else 1.0


def robbins(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """For counts that decide themselves how many there are, as visits to a state of a chain do."""
    other, share = trials - count, count / trials
    # The log-likelihood is at least `floor` inside; a little below it, so that both ends lie outside.
    floor = float(betaln(count + 0.5, other + 0.5) - betaln(0.5, 0.5)) + float(np.log(alpha))
    floor -= _MARGIN * max(1.0, -floor)

    def inside(p: float) -> bool:
        return float(xlogy(count, p) + xlog1py(other, -p)) > floor

    low = bisected(inside, share, 0.0)[1] if count else 0.0
    return low, bisected(inside, share, 1.0)[1] if other else 1.0


def _quantile(a: float, b: float, share: float, sign: Literal[-1, 1] = -1) -> float:
    """Below which (sign -1), or above, Beta(a, b) has that share at most: rounded outwards until its tail has."""
    inverse, tail = (betaincinv, betainc) if sign < 0 else (betainccinv, betaincc)
    return _outwards(float(inverse(a, b, share)), sign, lambda p: tail(a, b, p), share)


def _outwards(end: float, sign: int, tail: Callable[[float], Any], most: float) -> float:
    """The end moved towards 0 (sign -1) or 1, until the tail beyond it is `most` at most."""
    step = _MARGIN
    # One step is nearly always enough: the quantile was right but for its last digits.
    while 0 < end < 1:
        end += sign * step * min(end, 1 - end)
        # the tail is computed to less than this
        if float(tail(end)) <= most * (1 - 1e-12):
            break
        step *= 2
    return min(max(end, 0.0), 1.0)


@final
@dataclass(frozen=True)
class Simultaneous:
    """Intervals that all hold together at that level; claims: how many statements share 1 - confidence."""

    ends: Ends
    confidence: float
    claims: int

    def rows(self, counts: IntArray) -> tuple[Row, ...]:
        """counts: (rows, k), one of the tables whose claims were counted."""
        return tuple(self._row([int(count) for count in row]) for row in np.atleast_2d(counts))

    def _row(self, counts: Sequence[int]) -> Row:
        """[0, 1] throughout a row without observations: nothing is learned."""
        trials, width = sum(counts), len(counts)
        # Of a row of one probability there is nothing to claim: it is 1.
        if width < 2:
            return ((1.0, 1.0),)
        # A state that no sequence ever was in, or a label that no row has.
        if not trials:
            return ((0.0, 1.0),) * width
        alpha = (1 - self.confidence) / max(self.claims, 1)
        return tuple(self.ends(count, trials, alpha) for count in counts)

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"confidence": self.confidence, "region": self.ends.__name__, "claims": self.claims}


def simultaneous(confidence: float | None, widths: Sequence[int], ends: Ends = clopper_pearson) -> Simultaneous | None:
    """Of rows of so many probabilities; None where no confidence is wanted. InputError for a confidence that is
    none."""
    # Points were asked for, and no intervals.
    if confidence is None:
        return None
    missed(confidence)
    # Of two probabilities either is 1 less the other, and of one there is nothing to claim.
    claims = sum(0 if width < 2 else 1 if width == 2 else width for width in widths)
    return Simultaneous(ends, confidence, claims)


# An end of a box moves outwards by so much in each round, more than was rounded in it.
_OUT: Final = 1e-12


def stationary_row(rows: tuple[Row, ...]) -> Row:
    """Holds every π = πP with P in these intervals.

    If π lies in a box, its mean of column j of P is at least the least mean, over laws in the box, of that column's
    lower ends, and likewise above: smaller boxes, round by round, each of which holds π.
    """
    ends = np.array(rows)
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    # Boxes only shrink; how many rounds there are says how tight they get, and nothing of whether they hold.
    for _ in range(200):
        least = [_least(low, high, column) for column in ends[:, :, 0].T]
        most = [-_least(low, high, -column) for column in ends[:, :, 1].T]
        low = np.maximum(low, np.array(least) - _OUT).clip(0, 1)
        high = np.minimum(high, np.array(most) + _OUT).clip(0, 1)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _least(low: Array, high: Array, weights: Array) -> float:
    """The least mean of the weights under a law in the box: what is free goes to the smallest."""
    order = np.argsort(weights, kind="stable")
    room = (high - low)[order]
    free = 1 - low.sum()
    given = low[order] + np.clip(free - (np.cumsum(room) - room), 0, room)
    return float(given @ weights[order])


WARNING: Final = "fitted on these data: use public or past data; a model fitted on the data to be protected leaks them"


@dataclass(frozen=True)
class Fit(abc.ABC):
    """The result of a fit; each kind of model has a class of its own that also holds its numbers.

    model: the section of a spec that it makes; observations: how many independent ones there were, or records of a
    sequence; smoothing: pseudo-counts added to each distribution, in all, None where nothing is smoothed. intervals:
    how those of the model were found; None where it is of points. Log-likelihoods are of the points in either case.
    """

    model: Any
    observations: int
    smoothing: float | None
    _: KW_ONLY
    intervals: Simultaneous | None = None

    warning: ClassVar[str] = WARNING
    """What using the fit may leak."""

    def section(self) -> dict[str, Any]:
        """The `[model]` section of a spec."""
        return dict(to_jsonable_python(self.model, exclude_none=True))

    def goodness(self) -> dict[str, Any]:
        """How well it fits, ready for JSON."""
        return {**self.measures(), **({} if self.intervals is None else self.intervals.shown())}

    def measures(self) -> dict[str, Any]:
        """The same but for the intervals: by default what its class adds, each under its field's name or `key`."""
        own = fields(self)[len(fields(Fit)) :]
        return {each.metadata.get("key", each.name): _shown(getattr(self, each.name)) for each in own}


def _shown(value: Any) -> Any:
    """Ready for JSON: what a fit's fields hold are numbers, texts, and parts that say themselves how they are shown."""
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
    """A test statistic that has, if the hypothesis holds and counts are large, the chi-squared law.

    p_value: None without degrees of freedom. smallest_expected: the least count that the hypothesis expects in a cell;
    far below 5 the p-value is not to be trusted. None where the test does not compare counts.
    """

    statistic: float
    degrees_of_freedom: int
    smallest_expected: float | None = None

    @property
    def p_value(self) -> float | None:
        """How likely a statistic is at least this large, if the hypothesis holds."""
        # A table of one row or one column tests nothing.
        if self.degrees_of_freedom < 1:
            return None
        return float(chdtrc(self.degrees_of_freedom, self.statistic))

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        shown = {"statistic": self.statistic, "degrees_of_freedom": self.degrees_of_freedom, "p_value": self.p_value}
        return shown if self.smallest_expected is None else shown | {"smallest_expected": self.smallest_expected}


def check_smoothing(smoothing: float) -> None:
    """InputError unless it is a pseudo-count."""
    if not (math.isfinite(smoothing) and smoothing > 0):
        raise InputError("smoothing", smoothing, "a finite number above 0")


def crossed(first: IntArray, second: IntArray, shape: tuple[int, int]) -> IntArray:
    """How often each pair of codes occurs together."""
    return np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape)


def mutual_information(counts: IntArray) -> float:
    """Of the table's empirical law, in nats; 0 where it has no counts."""
    return likelihood_ratio(counts).statistic / (2 * max(int(counts.sum()), 1))


def likelihood_ratio(counts: IntArray) -> Statistic:
    """G = 2 Σ observed log(observed / expected) = 2 N (mutual information), of the hypothesis that rows and columns are
    independent. Without those that never occur: they carry no information and no degrees of freedom."""
    from scipy.stats.contingency import chi2_contingency

    # A state that no middle record has, or a column that is 0 throughout: of those the test knows nothing.
    occurring = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if not occurring.size:
        return Statistic(0.0, 0)
    found = chi2_contingency(occurring, correction=False, lambda_="log-likelihood")
    return Statistic(max(float(found.statistic), 0.0), int(found.dof), float(found.expected_freq.min()))


Cells: TypeAlias = Sequence[Any] | NDArray[Any]
Columns: TypeAlias = Mapping[str, Cells]
"""Cells by the column's name, all of one length."""

# Different values of a column: beyond, as of incomes, a law of all of them would be one of counts of 1.
_MOST_VALUES: Final = 256


def coded(cells: Cells, key: str) -> tuple[tuple[RecordValue, ...], IntArray]:
    """The distinct values in order, numbers before texts, and each cell's place among them."""
    plain = as_values(cells, key)
    universe = tuple(sorted(set(plain), key=value_order))
    if len(universe) < 2:
        raise InputError(key, "one value" if universe else "no cells", "at least two different values")
    if len(universe) > _MOST_VALUES:
        raise InputError(key, f"{len(universe)} different values", f"at most {_MOST_VALUES}: group them first")
    places = {value: place for place, value in enumerate(universe)}
    return universe, np.array([places[value] for value in plain], dtype=np.int64)


def as_values(cells: Cells, key: str) -> list[RecordValue]:
    """Plain Python values of records: truth values are 0 and 1. InputError where one is missing or of another type."""
    # Cells of an array of numpy's come as numpy's scalars, those of a pandas column as Python's.
    given = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    for row, cell in enumerate(given, 1):
        if not isinstance(cell, int | float | str) or (isinstance(cell, float) and not math.isfinite(cell)):
            raise InputError(key, f"another cell in row {row}", "a finite number or a text in every row")
    return [int(cell) if isinstance(cell, bool) else cell for cell in given]


def check_rows(columns: Columns, fewest_columns: int, fewest_rows: int) -> int:
    """How many rows there are; InputError where columns differ in length, or columns or rows are too few."""
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
    """The mean of each row's law (..., k): `smoothing` pseudo-counts in all, shared evenly by the k values."""
    share = smoothing / counts.shape[-1]
    return np.asarray((counts + share) / (counts.sum(axis=-1, keepdims=True) + smoothing))


def section_rows(counts: IntArray, smoothing: float, intervals: Simultaneous | None) -> tuple[Any, ...]:
    """Each row's law in a section (rows, k): of points, or of intervals."""
    return tuple(map(tuple, smoothed_law(counts, smoothing).tolist())) if intervals is None else intervals.rows(counts)
