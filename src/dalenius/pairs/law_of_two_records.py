"""The law of one pair of records and the marginals that it implies; and how a spec gives it: conditional rows, a joint
table, or the friend–distance law."""

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
    """The records of one type of group, and the ordered pairs of them; or people of a network, one of each kind of
    neighbourhood that no other contains, and the pairs of theirs.

    points (v,): scores, in the query's unit. scores (people, s): of each record's values; padded entries of a row
    repeat the first. move (people,): ΔQ_i. first (pairs,): which record i; times (pairs,): how many records j there are
    like this one; laws (pairs, s, v): Pr[score_j = points[v] | X_i = s].
    """

    points: Array
    scores: Array
    move: Array
    first: IntArray
    times: Array
    laws: Array


SLACK: Final = 1e-9
"""Probabilities that differ by no more are the same, as sums of probabilities may be off by it."""


@final
@dataclass(frozen=True, eq=False)
class PairLaw:
    """forward (s, s): Pr[X_second = t | X_first = s] in row s; backward (s, s): the same from the second to the first.

    first, second (s,): their marginals; None where several go with the two. A row of a value whose marginal is 0 is not
    read. name: what edges call it.

    A friendship is usually symmetric, of parent and child the table is turned where the child's end is asked.
    """

    name: str
    forward: Array
    backward: Array
    first: Array | None
    second: Array | None

    @property
    def symmetric(self) -> bool:
        """Whether it is the same law from either end."""
        return self.forward is self.backward

    def turned(self) -> "PairLaw":
        """The same with its ends exchanged."""
        return PairLaw(self.name, self.backward, self.forward, self.second, self.first)


def of_table(name: str, table: Array) -> PairLaw:
    """table (s, s): Pr[X_first = s, X_second = t].

    Rows of the pair's law from either end, and both marginals. Of couples where both are well with .4, the second alone
    ill with .1, the first alone with .2:

    >>> pair = of_table("couple", np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> pair.forward.tolist(), pair.backward.round(4).tolist()
    ([[0.8, 0.2], [0.4, 0.6]], [[0.6667, 0.3333], [0.25, 0.75]])
    """
    return PairLaw(name, _rows(table), _rows(table.T), table.sum(axis=1), table.sum(axis=0))


def _of_rows(name: str, rows: Array, prior: Array | None) -> PairLaw:
    """The same conditional law either way, with the marginal given or the only one there is."""
    found = prior if prior is not None else _reversible_prior(rows)
    return PairLaw(name, rows, rows, found, found)


def _rows(table: Array) -> Array:
    """Each row over its sum; a row of a value of probability 0 stays 0, and is not read."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, sums, out=np.zeros_like(table), where=sums > 0))


def _reversible_prior(rows: Array) -> Array | None:
    """The marginal π with π_s rows[s, t] = π_t rows[t, s]; None where several are so. What it is where none is so, says
    `_mismatch`. Rows (.9, .1) and (.2, .8) go with (2/3, 1/3): .1 · 2/3 = .2 · 1/3.

    >>> _reversible_prior(np.array([[0.9, 0.1], [0.2, 0.8]])).round(6).tolist()
    [0.666667, 0.333333]
    """
    weights, parts = _weights(rows)
    return weights / weights.sum() if parts == 1 else None


def _mismatch(rows: Array, prior: Array | None) -> tuple[int, int, float] | None:
    """The row s and value t where rows are most off being one law of a pair either way, and what the entry should be;
    None where they are one. prior: the marginal, else one that some entries say."""
    one_sided = (rows > 0) & (rows.T == 0)
    # Value t may go with s, but never s with t: that is no law which is the same from both ends.
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
    """Weights that make the rows one law either way, if any do, each connected part's from 1 down; how many parts."""
    both = (rows > 0) & (rows.T > 0)
    logs, part = np.full(len(rows), np.nan), 0
    found = np.zeros(len(rows))
    while np.isnan(logs).any():
        start = int(np.flatnonzero(np.isnan(logs))[0])
        logs[start], waiting, members = 0.0, [start], [start]
        while waiting:
            s = waiting.pop()
            # Along entries that are positive both ways the ratio of two weights is fixed; logs, as ratios multiply up.
            new = np.flatnonzero(both[s] & np.isnan(logs))
            logs[new] = logs[s] + np.log(rows[s, new]) - np.log(rows[new, s])
            waiting += new.tolist()
            members += new.tolist()
        found[members] = np.exp(logs[members] - logs[members].max())
        part += 1
    return found, part


def _plain(given: Any) -> Any:
    """numpy arrays as lists, before pydantic reads them."""
    return given.tolist() if isinstance(given, np.ndarray) else given


ConditionalRows = Annotated[tuple[Probabilities, ...], BeforeValidator(_plain)]
Entries = Annotated[tuple[tuple[Probability, ...], ...], BeforeValidator(_plain)]
Direction = Literal["first to second", "either"]


@final
class Distance(Frozen):
    """Pr[X_j = d | X_i = d'] ∝ (distance from d to d' + b)^-c (DDP Eq 26), over the value grid.

    a, b, c: by default the paper's; `a` is not used, as each row sums to 1. points: each value's place, in miles; by
    default the values themselves, on a line.
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
        """InputError where values are no places."""
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
    """One of: given (row s: Pr[X_j = . | X_i = s], the same from either end), table (the joint probabilities, a row for
    each value of an edge's first person), distance."""

    given: ConditionalRows | None = None
    table: Entries | None = None
    distance: Distance | None = None

    @property
    def is_given(self) -> int:
        """How many of the three are there."""
        return sum(each is not None for each in (self.given, self.table, self.distance))

    def law(self, key: str, name: str, values: tuple[RecordValue, ...], prior: Array | None) -> PairLaw:
        """InputError where it is no law of a pair of records with these values, or not with this marginal."""
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
    """That of all edges; none where there are no edges."""


@final
class NamedLaw(LawGiven):
    """name: what edges call it."""

    name: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> "NamedLaw":
        """ValueError, with the law's name, unless it is given in one way."""
        if self.is_given != 1:
            raise ValueError(f"one of given, table and distance (law {self.name} has {self.is_given} of them)")
        return self


def _square(key: str, rows: tuple[tuple[float, ...], ...], size: int) -> tuple[tuple[float, ...], ...]:
    """The rows as given. InputError for another number of rows, or of entries of one, than there are values."""
    if len(rows) != size:
        raise InputError(key, f"{len(rows)} rows", f"{size}, one for each value")
    for number, row in enumerate(rows, 1):
        if len(row) != size:
            raise InputError(f"{key} row {number}", f"{len(row)} probabilities", f"{size}, one for each value")
    return rows


def _of_table(
    key: str, name: str, given: tuple[tuple[float, ...], ...], values: tuple[RecordValue, ...], prior: Array | None
) -> PairLaw:
    """The pair's law of a given joint table, scaled to sum to 1. InputError for entries that are no law, or off the
    prior."""
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
    """The value of which two marginals differ most; None where they are the same to 1e-9."""
    off = np.abs(one - other)
    return int(np.argmax(off)) if off.max() > SLACK else None


def _mismatched(
    key: str, rows: Array, off: tuple[int, int, float], values: tuple[RecordValue, ...], prior: Array | None
) -> InputError:
    """What to say of rows that are no law of a pair from either end: the entry that is off, and what it should be."""
    s, t, wanted = off
    whose = "model.prior" if prior is not None else "the other rows"
    shown = f"Pr[{values[t]} | {values[s]}] = {rows[s, t]:.9g}"
    why = f"{wanted:.9g}, as {whose} and the reverse, Pr[{values[s]} | {values[t]}] = {rows[t, s]:.9g}, have it"
    return InputError(f"{key} row {s + 1}", shown, f"{why} (a pair that is no such: table)")
