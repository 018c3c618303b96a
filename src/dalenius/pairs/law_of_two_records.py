"""The law of one pair of records and the marginals that it implies, and how a spec gives it.

A spec gives conditional rows, a joint table, or the friend–distance law.
"""

import abc
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import Finite, Probabilities, Probability, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.pairs.friend_distance import PAPER, FriendDistance


@final
@dataclass(frozen=True)
class PairsOfRecords:
    """The ordered pairs of records of one type of group, or of people of a network.

    Of a network, one person of each kind of neighbourhood that no other contains is taken, with their pairs.

    Attributes:
        points: The scores (v,), in the query's unit.
        scores: The scores of each record's values (people, s); padded entries of a row repeat the first.
        move: ΔQ_i, how far each record moves the query (people,).
        first: The record i of each pair (pairs,).
        times: How many records j there are like the pair's (pairs,).
        laws: Pr[score_j = points[v] | X_i = s] (pairs, s, v).
    """

    points: Array
    scores: Array
    move: Array
    first: IntArray
    times: Array
    laws: Array


SLACK: Final = 1e-9
"""Probabilities that differ by no more count as the same, as sums of probabilities may be off by it."""


@final
@dataclass(frozen=True, eq=False)
class PairLaw:
    """The law of one pair of records, from both ends.

    A friendship is usually symmetric; the table of a parent and child is turned where the child's end is asked.

    Attributes:
        name: The name by which edges call it.
        forward: Pr[X_second = t | X_first = s] in row s (s, s). The row of a value whose marginal is 0 is not read.
        backward: The rows from the second to the first (s, s).
        first: The first record's marginal (s,); None where several go with the rows.
        second: The second record's marginal (s,); None where several go with the rows.
    """

    name: str
    forward: Array
    backward: Array
    first: Array | None
    second: Array | None

    @property
    def symmetric(self) -> bool:
        """Whether the law is the same from either end."""
        return self.forward is self.backward

    def turned(self) -> "PairLaw":
        """Returns the law with its ends exchanged."""
        return PairLaw(self.name, self.backward, self.forward, self.second, self.first)


def of_table(name: str, table: Array) -> PairLaw:
    """Returns the pair law called `name` of a joint table.

    It has rows from either end, and both marginals. Take couples where both are well with .4, the second alone is ill
    with .1, the first alone with .2:

    >>> pair = of_table("couple", np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> pair.forward.tolist(), pair.backward.round(4).tolist()
    ([[0.8, 0.2], [0.4, 0.6]], [[0.6667, 0.3333], [0.25, 0.75]])

    Args:
        name: The name by which edges call it.
        table: Pr[X_first = s, X_second = t] (s, s).
    """
    return PairLaw(name, _rows(table), _rows(table.T), table.sum(axis=1), table.sum(axis=0))


def _of_rows(name: str, rows: Array, prior: Array | None) -> PairLaw:
    """Returns the law with the same rows either way, and the marginal that is given or the only one there is."""
    found = prior if prior is not None else _reversible_prior(rows)
    return PairLaw(name, rows, rows, found, found)


def _rows(table: Array) -> Array:
    """Divides each row by its sum; a row of a value of probability 0 stays 0, and is not read."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, sums, out=np.zeros_like(table), where=sums > 0))


def _reversible_prior(rows: Array) -> Array | None:
    """Returns the marginal π with π_s rows[s, t] = π_t rows[t, s]; None where there are several.

    Where there is none, `_mismatch` says so. Rows (.9, .1) and (.2, .8) go with (2/3, 1/3): .1 · 2/3 = .2 · 1/3.

    >>> _reversible_prior(np.array([[0.9, 0.1], [0.2, 0.8]])).round(6).tolist()
    [0.666667, 0.333333]
    """
    weights, parts = _weights(rows)
    return weights / weights.sum() if parts == 1 else None


def _mismatch(rows: Array, prior: Array | None) -> tuple[int, int, float] | None:
    """Finds the row s and value t where rows are furthest from one law of a pair either way, and the right entry.

    None where they are one. prior: the marginal, else one that some entries say.
    """
    one_sided = (rows > 0) & (rows.T == 0)
    # If value t may go with s, but never s with t, no law is the same from both ends.
    if prior is None and one_sided.any():
        s, t = (int(each) for each in np.argwhere(one_sided)[0])
        return s, t, 0.0
    weights = prior if prior is not None else _weights(rows)[0]
    flow = weights[:, None] * rows
    off = np.abs(flow - flow.T) * (weights[:, None] > 0)
    if off.max() <= SLACK:
        return None
    s, t = (int(each) for each in np.unravel_index(int(np.argmax(off)), off.shape))
    return s, t, float(flow[t, s] / weights[s])


def _weights(rows: Array) -> tuple[Array, int]:
    """Returns weights that make the rows one law either way, if any do, and the number of connected parts.

    Each part's weights go from 1 down.
    """
    both = (rows > 0) & (rows.T > 0)
    logs, part = np.full(len(rows), np.nan), 0
    found = np.zeros(len(rows))
    while np.isnan(logs).any():
        start = int(np.flatnonzero(np.isnan(logs))[0])
        logs[start], waiting, members = 0.0, [start], [start]
        while waiting:
            s = waiting.pop()
            # Because entries that are positive both ways fix the ratio of two weights; ratios multiply up, hence logs.
            new = np.flatnonzero(both[s] & np.isnan(logs))
            logs[new] = logs[s] + np.log(rows[s, new]) - np.log(rows[new, s])
            waiting += new.tolist()
            members += new.tolist()
        found[members] = np.exp(logs[members] - logs[members].max())
        part += 1
    return found, part


def _plain(given: Any) -> Any:
    """Returns numpy arrays as lists, before pydantic reads them."""
    return given.tolist() if isinstance(given, np.ndarray) else given


ConditionalRows = Annotated[tuple[Probabilities, ...], BeforeValidator(_plain)]
Entries = Annotated[tuple[tuple[Probability, ...], ...], BeforeValidator(_plain)]
Direction = Literal["first to second", "either"]


@final
class Distance(Frozen):
    """The law Pr[X_j = d | X_i = d'] ∝ (distance from d to d' + b)^-c (DDP Eq 26), over the value grid.

    Attributes:
        a: A factor that is not used, as each row sums to 1; by default the paper's.
        b: What is added to a distance, in miles, above 0; by default the paper's.
        c: The exponent, at least 0; by default the paper's.
        points: Each value's place, in miles; by default the values themselves, on a line.
    """

    a: Annotated[Finite, Field(gt=0)] = PAPER.a
    b: Annotated[Finite, Field(gt=0)] = PAPER.b
    c: Annotated[Finite, Field(ge=0)] = PAPER.c
    points: tuple[tuple[Finite, ...], ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Distance":
        """ValueError for points of different dimensions."""
        if self.points is not None and len({len(point) for point in self.points}) > 1:
            raise ValueError("points of as many coordinates each")
        return self

    def rows(self, values: tuple[RecordValue, ...], key: str) -> Array:
        """Returns the friend's law given each value (s, s); InputError where values are no places.

        Args:
            values: The values of a record (s,).
            key: The spec's key, for errors.
        """
        if self.points is not None and len(self.points) != len(values):
            wanted = f"a point for each of the {len(values)} values"
            raise InputError(f"{key}.points", f"{len(self.points)} points", wanted)
        if self.points is None:
            for value in values:
                if isinstance(value, str):
                    raise InputError(f"{key}.points", "missing", f"a point for each value, since {value!r} is no place")
        # Values that are numbers, as kilometres along a road, are their own places.
        places = [[float(value)] for value in values] if self.points is None else self.points
        at = np.array(places, dtype=np.float64)
        return FriendDistance(self.a, self.b, self.c).law(np.sqrt(((at[:, None] - at) ** 2).sum(axis=2)))


class LawGiven(Frozen, abc.ABC):
    """The law of a pair as a spec gives it, by one of three keys.

    Attributes:
        given: Rows (s, s), the same from either end: row s has Pr[X_j = . | X_i = s].
        table: The joint probabilities (s, s), with a row for each value of an edge's first person.
        distance: The friend–distance law.
    """

    given: ConditionalRows | None = None
    table: Entries | None = None
    distance: Distance | None = None

    @property
    def is_given(self) -> int:
        """The number of the three keys that are there."""
        return sum(each is not None for each in (self.given, self.table, self.distance))

    def law(self, key: str, name: str, values: tuple[RecordValue, ...], prior: Array | None) -> PairLaw:
        """Returns the law; InputError where it is no law of a pair of records with these values and this marginal.

        Args:
            key: The spec's key, for errors.
            name: The name by which edges call the law.
            values: The values of a record (s,).
            prior: The marginal of every record (s,); None for what the law implies.
        """
        if self.table is not None:
            return _of_table(f"{key}.table", name, self.table, values, prior)
        if self.given is not None:
            rows = np.array(_square(f"{key}.given", self.given, len(values)), dtype=np.float64)
            shown = f"{key}.given"
        else:
            assert self.distance is not None
            rows, shown = self.distance.rows(values, f"{key}.distance"), f"{key}.distance"
        if (off := _mismatch(rows, prior)) is not None:
            raise _mismatched(shown, rows, off, values, prior)
        return _of_rows(name, rows, prior)


@final
class OnlyLaw(LawGiven):
    """The one law of all edges; none where there are no edges."""


@final
class NamedLaw(LawGiven):
    """One of several laws; name: by which edges call it."""

    name: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> "NamedLaw":
        """ValueError, with the law's name, unless it is given in one way."""
        if self.is_given != 1:
            raise ValueError(f"one of given, table and distance (law {self.name} has {self.is_given} of them)")
        return self


def _square(key: str, rows: tuple[tuple[float, ...], ...], size: int) -> tuple[tuple[float, ...], ...]:
    """Returns the rows as given; InputError where rows, or entries of one, are not as many as values."""
    if len(rows) != size:
        raise InputError(key, f"{len(rows)} rows", f"{size}, one for each value")
    for number, row in enumerate(rows, 1):
        if len(row) != size:
            raise InputError(f"{key} row {number}", f"{len(row)} probabilities", f"{size}, one for each value")
    return rows


def _of_table(
    key: str, name: str, given: tuple[tuple[float, ...], ...], values: tuple[RecordValue, ...], prior: Array | None
) -> PairLaw:
    """Returns the pair's law of a given joint table, scaled to sum to 1.

    InputError for entries that are no law, or off the prior.
    """
    table = np.array(_square(key, given, len(values)), dtype=np.float64)
    for row, col in np.argwhere(~((table >= 0) & np.isfinite(table))):
        raise InputError(f"{key} row {row + 1}", float(table[row, col]), "probabilities of at least 0")
    # Counts of couples instead of shares, the usual mistake, sum to more than 1.
    if abs(table.sum() - 1) > SLACK:
        raise InputError(key, f"a sum of {table.sum():.12g}", "probabilities that sum to 1")
    found = of_table(name, table / table.sum())
    for end, marginal in (("first", found.first), ("second", found.second)):
        assert marginal is not None
        if prior is not None and (off := furthest(marginal, prior)) is not None:
            shown = f"Pr[{end} = {values[off]}] = {marginal[off]:.9g}"
            raise InputError(key, shown, f"{prior[off]:.9g}, as model.prior has it")
    return found


def furthest(one: Array, other: Array) -> int | None:
    """Returns the value whose probability differs most between marginals `one` and `other`; None if equal to 1e-9."""
    off = np.abs(one - other)
    return int(np.argmax(off)) if off.max() > SLACK else None


def _mismatched(
    key: str, rows: Array, off: tuple[int, int, float], values: tuple[RecordValue, ...], prior: Array | None
) -> InputError:
    """Returns the error for rows that are no law of a pair from either end: the odd entry, and what it should be."""
    s, t, wanted = off
    whose = "model.prior" if prior is not None else "the other rows"
    shown = f"Pr[{values[t]} | {values[s]}] = {rows[s, t]:.9g}"
    why = f"{wanted:.9g}, as {whose} and the reverse, Pr[{values[s]} | {values[t]}] = {rows[t, s]:.9g}, have it"
    return InputError(f"{key} row {s + 1}", shown, f"{why} (a pair that is no such: table)")
