"""A black box: how much a program leaks at least, found by running it on data sets drawn from a model.

The program runs on data sets with one value of a record, and on data sets with another. A quarter of the outputs
teaches scores, a quarter chooses an event by them, and the other half says how likely the event is given each value.
Exact confidence limits of both probabilities (Clopper and Pearson 1934) bound their ratio, whatever was learned.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.attack.drawn_data_sets import drawn_data_sets, law_of
from dalenius.bisection import bisected
from dalenius.bounds import Enclosure
from dalenius.conversion import Conversion, PrivacyProfile
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.joints import Joint
from dalenius.joints.drawn_records import DrawnRecords
from dalenius.models import Model
from dalenius.special_functions import betaincinv

Program: TypeAlias = Callable[[Sequence[Any]], Any]
"""A function of everybody's records, in the order of people's numbers, that returns what is released."""
Compared: TypeAlias = Literal["replace", "add_remove", "group"]
_FEWEST: Final = 40
"""Runs with which a quarter of the outputs of a value is five."""
_THRESHOLDS: Final = 256
_BINS: Final = 64
_LARGEST: Final = 1e4
"""Nats beyond which no guarantee is looked for."""


@final
@dataclass(frozen=True)
class ProgramTest:
    """Result of a test of a program: how much its runs show that it leaks.

    Attributes:
        person: The number of the person whose record was told.
        values: The value that the event speaks for, and the one that it speaks against.
        runs: The number of runs, over both values.
        confidence: The probability with which `lower` is no more than the truth.
        lower: A lower bound, in nats, of the log-ratio of the event's probabilities; at least 0.
        upper: The most, in nats, that the guarantee allows; None without a guarantee.
        chances: The event's probability given each of `values`, from below and from above.
        event: The event in words.

    Example:
        >>> import dalenius as dl
        >>> pair = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
        >>> found = dl.test_program(lambda records: "always this", pair, runs=1000, seed=1)
        >>> found.lower, found.upper, found.runs
        (0.0, None, 1000)
    """

    person: int
    values: tuple[RecordValue, RecordValue]
    runs: int
    confidence: float
    lower: float
    upper: float | None
    chances: tuple[Enclosure, Enclosure]
    event: str

    @property
    def exposed(self) -> bool:
        """Whether the program leaks more than its guarantee allows, at the confidence."""
        return self.upper is not None and self.lower > self.upper


def test_program(
    program: Program,
    model: Model,
    *,
    person: int = 1,
    values: tuple[RecordValue, RecordValue] | None = None,
    runs: int = 100_000,
    confidence: float = 0.95,
    guarantee: PrivacyProfile | None = None,
    neighbours: Compared = "replace",
    delta: float = 0.0,
    seed: int | None = None,
) -> ProgramTest:
    """Run a program on data sets drawn from a model, and bound from below what it leaks about one record.

    Args:
        program: A function of everybody's records, in the order of people's numbers. It returns what it releases: a
            number, a text, or a sequence of these.
        model: What the adversary believes about the records: one law.
        person: The number, from 1, of the person whose record is the secret.
        values: The two values that are told from each other; None (the default) for the least and the greatest.
        runs: The number of runs, half of them with each value; at least 40.
        confidence: The probability with which the bound holds.
        guarantee: The privacy profile that the program is said to have; None (the default) for none.
        neighbours: What the guarantee compares: `"replace"`, another value of one record; `"add_remove"`, one record
            more or less; `"group"`, other records of one whole group that is independent of all others, such as a
            household.
        delta: The δ′ beside which the leakage is meant, in the bound and in what the guarantee allows.
        seed: The seed of the drawn data sets; None (the default) for another one each time.

    Returns:
        The bound, and what the guarantee allows.

    Raises:
        InputError: For values that cannot occur, numbers out of range, a model without one finite law, and a program
            that returns nothing.

    Example:
        A count of a pair with equal records, without noise, tells for certain:

        >>> import dalenius as dl
        >>> pair = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
        >>> found = dl.test_program(sum, pair, runs=1000, guarantee=dl.PureProfile(1.0), seed=1)
        >>> found.lower > 3, round(found.upper, 6), found.exposed
        (True, 2.0, True)

    Notes:
        Each of the two confidence limits is missed with at most half of 1 - confidence (Clopper and Pearson 1934).
    """
    law = law_of(tuple(model.joints()))
    _check(runs, confidence, delta)
    pair = _pair(law, person, values)
    # So that a guarantee that cannot be read is refused before hours of runs, it is converted first.
    allowed = None if guarantee is None else _allowed(model, guarantee, neighbours, delta)
    random = np.random.default_rng(seed)
    outputs = [list(_outputs(program, drawn_data_sets(law, person, value), runs // 2, random)) for value in pair]
    event, first = _learned(outputs, 1 - confidence, delta)
    half = runs // 4
    shares = [Counter(event.holds(each[half:]).tolist())[True] for each in outputs]
    sizes = [len(each) - half for each in outputs]
    order = (first, 1 - first)
    chances = [_limits(shares[side], sizes[side], 1 - confidence) for side in order]
    lower = _log_ratio(np.array([chances[0].lower]), np.array([chances[1].upper]), delta)[0]
    values_in_order = (pair[order[0]], pair[order[1]])
    return ProgramTest(
        person,
        values_in_order,
        2 * (runs // 2),
        confidence,
        max(float(lower), 0.0),
        allowed,
        (chances[0], chances[1]),
        event.words,
    )


test_program.__test__ = False  # type: ignore[attr-defined] # Because pytest takes it for a test by its name.


def _check(runs: int, confidence: float, delta: float) -> None:
    if runs < _FEWEST:
        raise InputError("runs", runs, f"at least {_FEWEST}")
    if not 0 < confidence < 1:
        raise InputError("confidence", confidence, "a number above 0 and below 1")
    if not 0 <= delta < 1:
        raise InputError("delta", delta, "a probability of at least 0 and below 1")


def _allowed(model: Model, guarantee: PrivacyProfile, neighbours: Compared, delta: float) -> float:
    """Returns the most that a program with this guarantee leaks of anybody's record, in nats."""
    if neighbours != "group":
        return Conversion(model, guarantee, neighbours).epsilon(delta).value.upper
    if guarantee.pure is not None and not delta:
        return guarantee.pure
    # Because a mixture of neighbours over the others' records keeps the profile (it is convex in the two laws).
    if guarantee.delta(_LARGEST) > delta:
        return inf
    if guarantee.delta(0.0) <= delta:
        return 0.0
    return bisected(lambda epsilon: guarantee.delta(epsilon) <= delta, _LARGEST, 0.0, relative=1e-9)[0]


def _pair(law: Joint, person: int, values: tuple[RecordValue, RecordValue] | None) -> tuple[RecordValue, RecordValue]:
    possible = law.subject_of(person).secrets
    if len(possible) < 2:
        raise InputError("person", person, "somebody whose record has at least two possible values")
    if values is None:
        return possible[0], possible[-1]
    if len(values) != 2 or values[0] == values[1] or not set(values) <= set(possible):
        shown = ", ".join(map(str, possible))
        raise InputError("values", ", ".join(map(str, values)), f"two values that can occur: {shown}")
    return values


Output: TypeAlias = tuple[float | str, ...]


def _outputs(program: Program, sets: DrawnRecords, runs: int, random: np.random.Generator) -> Iterator[Output]:
    """Yields what the program releases, run after run."""
    for records in sets.draw(runs, random):
        found = program(records)
        if found is None:
            raise InputError("program", "nothing", "a program that returns what it releases")
        parts = (found,) if isinstance(found, str) or not isinstance(found, Sequence | np.ndarray) else found
        yield tuple(_part(each) for each in parts)


def _part(given: object) -> float | str:
    """Returns a number where it is one, and a text otherwise."""
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(given)
    return number if isfinite(number) else str(given)


@final
@dataclass(frozen=True)
class _Event:
    """The outputs whose score is at least a threshold."""

    score: Callable[[list[Output]], Array]
    threshold: float
    words: str

    def holds(self, outputs: list[Output]) -> NDArray[np.bool_]:
        return np.asarray(self.score(outputs) >= self.threshold)


def _learned(outputs: Sequence[list[Output]], missed: float, delta: float) -> tuple[_Event, int]:
    """Returns an event, and the place of the value that it speaks for, from the first half of the outputs."""
    quarter = min(map(len, outputs)) // 4
    taught = [each[:quarter] for each in outputs]
    chosen = [each[quarter : 2 * quarter] for each in outputs]
    best, found = -inf, (_Event(lambda given: np.zeros(len(given)), 1.0, "none"), 0)
    for name, score in _scores(taught):
        marks = [score(each) for each in chosen]
        both = np.unique(np.concatenate(marks))
        picked = both[np.unique(np.linspace(0, len(both) - 1, _THRESHOLDS).astype(int))]
        above = [len(each) - np.searchsorted(np.sort(each), picked) for each in marks]
        for first in (0, 1):
            own, other = above[first], above[1 - first]
            low = _lower_limit(own, quarter, missed)
            values = _log_ratio(low, _upper_limit(other, quarter, missed), delta)
            place = int(np.argmax(values))
            if values[place] > best:
                best = float(values[place])
                found = _Event(score, float(picked[place]), f"{name} at least {picked[place]:.6g}"), first
    return found


def _scores(taught: Sequence[list[Output]]) -> Iterator[tuple[str, Callable[[list[Output]], Array]]]:
    """Yields scores by name, learned from outputs given each value; an output speaks for or against by its score."""
    counts = [Counter(each) for each in taught]
    ratios = {key: log((counts[1][key] + 0.5) / (counts[0][key] + 0.5)) for key in {*counts[0], *counts[1]}}
    for sign, name in ((1, "log-ratio of the output"), (-1, "log-ratio of the output, reversed")):
        yield name, lambda given, sign=sign: np.array([sign * ratios.get(each, 0.0) for each in given])  # type: ignore[misc]
    every = [output for each in taught for output in each]
    width = len(every[0])
    if not all(len(output) == width and not any(isinstance(part, str) for part in output) for output in every):
        return
    tables = [np.array(each, dtype=np.float64) for each in taught]
    directions = [(f"coordinate {axis + 1}", np.eye(width)[axis]) for axis in range(min(width, 64))]
    if width > 1:
        directions.append(("linear discriminant", _discriminant(tables)))
    for name, direction in directions:
        yield name, _projected(direction)
        yield f"minus {name}", _projected(-direction)
        yield from _binned(name, direction, tables)


def _projected(direction: Array) -> Callable[[list[Output]], Array]:
    def score(given: list[Output]) -> Array:
        return _numbers(given, len(direction)) @ direction

    return score


def _binned(
    name: str, direction: Array, tables: Sequence[Array]
) -> Iterator[tuple[str, Callable[[list[Output]], Array]]]:
    """Yields the log-ratio of the bin of a projection, for outputs in the middle that speak louder than the ends."""
    marks = [table @ direction for table in tables]
    edges = np.unique(np.quantile(np.concatenate(marks), np.linspace(0, 1, _BINS + 1)[1:-1]))
    counts = [np.bincount(np.searchsorted(edges, each), minlength=len(edges) + 1) for each in marks]
    ratios = np.log((counts[1] + 0.5) / (counts[0] + 0.5))
    for sign, shown in ((1.0, f"log-ratio near {name}"), (-1.0, f"log-ratio near {name}, reversed")):

        def score(given: list[Output], sign: float = sign) -> Array:
            return np.asarray(sign * ratios[np.searchsorted(edges, _numbers(given, len(direction)) @ direction)])

        yield shown, score


def _discriminant(tables: Sequence[Array]) -> Array:
    """Returns Fisher's direction, with a little of the identity so that equal coordinates do no harm."""
    spread = np.cov(tables[0], rowvar=False) + np.cov(tables[1], rowvar=False)
    ridge = 1e-9 * (1 + np.trace(spread)) * np.eye(len(spread))
    return np.asarray(np.linalg.solve(spread + ridge, tables[1].mean(axis=0) - tables[0].mean(axis=0)))


def _numbers(given: list[Output], width: int) -> Array:
    """Returns outputs as rows of numbers; an output of another kind, which was never seen, is a row of zeros."""
    rows = [
        each if len(each) == width and not any(isinstance(part, str) for part in each) else (0.0,) * width
        for each in given
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


def _limits(count: int, size: int, missed: float) -> Enclosure:
    """Encloses a probability by `count` of `size` trials: each end is wrong with at most half of `missed`."""
    counts = np.array([count])
    return Enclosure(float(_lower_limit(counts, size, missed)[0]), float(_upper_limit(counts, size, missed)[0]))


def _lower_limit(counts: NDArray[Any], size: int, missed: float) -> Array:
    found = betaincinv(np.maximum(counts, 1), size - counts + 1, missed / 2)
    return np.where(counts > 0, found, 0.0)


def _upper_limit(counts: NDArray[Any], size: int, missed: float) -> Array:
    found = betaincinv(counts + 1, np.maximum(size - counts, 1), 1 - missed / 2)
    return np.where(counts < size, found, 1.0)


def _log_ratio(low: Array, high: Array, delta: float) -> Array:
    """Returns the least ε with low <= e^ε high + δ."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(low - delta, 0.0)) - np.log(high))
