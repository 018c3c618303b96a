"""Cell keys: counts are moved by whole numbers, with the probabilities of a perturbation table."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.fields import Positive, Whole
from dalenius.laws.lattice import Lattice
from dalenius.noise.maximum_entropy import maximum_entropy
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.perturbation_table import PerturbationTable, read_perturbation_table
from dalenius.noise.rule import OutputChances, Repeats, Rule, RuleRows, common_period
from dalenius.noise.rule_error import RuleError
from dalenius.noise.rule_mechanism import RuleMechanism
from dalenius.noise.shared_keys import SharedKeysMechanism
from dalenius.sentences.sentence import Figure, Name, said
from dalenius.text_files import read_text

_TOLERANCE = 5e-4
"""The published tool compares variances by three digits."""


@final
class CellKey(Rule):
    """Moves a count by a whole number, at random, with the probabilities of a perturbation table.

    Offices draw the move from a key of the cell's people. So answers of one release about the same people have the same
    move: a cell that is published twice, or a total with people in one cell only. Sets are compared in the records
    themselves. A negative answer moves as its absolute value does, the other way.

    Args:
        d: The most by which a count moves, a whole number of at least 1. None (the default) where a table says it.
        v: The variance of the moves, above 0; a count whose moves cannot have it is refused. None (the default) where
            a table says it.
        js: No positive count of `js` or below goes out; 0 (the default) allows all, and the most is `d`. Only beside
            `d`.
        table: The file of a perturbation table, as R's ptable or the ONS writes it. A relative path is relative to
            the spec's folder, or to where you are. None (the default) for the table of greatest entropy.
        rows: A table itself: for each count from 0 on, its moves, each with a weight in proportion to its probability.
            None (the default) where `d` or a file says it.
        period: How many rows at the end of `rows` repeat for larger counts; by default the last one.
        scale: None, always: a rule has no scale to choose.

    Example:
        A count of 1 becomes 0 to 3, a large count moves by -2 to 2, and 0 stays:

        >>> import dalenius as dl
        >>> rule = dl.CellKey(d=2, v=0.9)
        >>> for count in (0, 1, 100):
        ...     print({int(output): round(float(chance), 4) for output, chance in rule.row(Fraction(count)).items()})
        {0: 1.0}
        {0: 0.3625, 1: 0.3625, 2: 0.1875, 3: 0.0875}
        {98: 0.0515, 99: 0.2438, 100: 0.4093, 101: 0.2438, 102: 0.0515}

    Notes:
        The table is that of the R package ptable: mean 0, at most the variance `v`, greatest entropy, the probabilities
        of moves below 0 not falling towards 0, eight digits. The package also returns tables with less variance than
        was asked for. Here they are refused, except for the counts 1 to `js`, where the package does not look at it
        either.
    """

    kind: Literal["cell_key"] = "cell_key"
    d: Annotated[Whole, Field(ge=1, le=100)] | None = None
    v: Positive | None = None
    js: Annotated[Whole, Field(ge=0)] = 0
    table: Path | None = None
    rows: tuple[tuple[tuple[Whole, Positive], ...], ...] | None = Field(default=None, min_length=1)
    period: Annotated[Whole, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _check(self) -> "CellKey":
        if self.scale is not None:
            raise ValueError("no scale beside kind = cell_key")
        given = [name for name, value in (("d", self.d), ("table", self.table), ("rows", self.rows)) if value]
        if len(given) != 1 or (self.d is None) != (self.v is None):
            raise ValueError("d and v, or a table" + (f" (there are {' and '.join(given)})" if len(given) > 1 else ""))
        # Because these keys would have no effect beside the others.
        if self.js and self.d is None:
            raise ValueError("js beside d and v only: the rows of a table say which counts go out")
        if self.period > 1 and self.rows is None:
            raise ValueError("a period beside rows only")
        if self.rows is not None and self.period > len(self.rows):
            raise ValueError(f"a period of at most {len(self.rows)}, the number of rows")
        if self.rows is not None and any(not row or len(dict(row)) < len(row) for row in self.rows):
            raise ValueError("one move or more in each row, each once")
        if self.rows is not None and len(self.rows[0]) > 1:
            raise ValueError("exactly one move for the count 0")
        # Because a published count is no such number, and the word of a suppression takes the place of -1.
        for count, row in enumerate(self.rows or ()):
            if count + min(dict(row)) < 0:
                raise ValueError(f"no count below 0 after a move (row {count + 1} moves {count} by {min(dict(row))})")
        if self.d is None or self.v is None:
            return self
        if self.js > self.d:
            raise ValueError(f"js of at most d = {self.d}: no count of 1 could go out as more than {self.js}")
        _table(self.d, self.v, self.js)
        return self

    def in_folder(self, folder: Path) -> "CellKey":
        return self if self.table is None else self.altered({"table": folder / self.table})

    def self_contained(self) -> "CellKey":
        if self.table is None:
            return self
        found = self._read
        return self.altered({"table": None, "rows": found.rows, "period": found.period})

    @cached_property
    def _read(self) -> PerturbationTable:
        """The table of the file, or the one that was given. InputError (noise.table) for a fault in the file."""
        if self.table is None:
            return PerturbationTable(self.rows or (), self.period)
        return read_perturbation_table(read_text(self.table, "noise.table"), self.table.name)

    @cached_property
    def _moves(self) -> tuple[Sequence[Mapping[int, Fraction]], int]:
        """The moves of each count up to the last that differs, and how many rows at the end repeat."""
        if self.d is not None and self.v is not None:
            return [dict(row) for row in _table(self.d, self.v, self.js)], 1
        rows, period = self._read
        exact = [{move: Fraction(str(weight)) for move, weight in row} for row in rows]
        return [{move: each / sum(row.values()) for move, each in row.items()} for row in exact], period

    def row(self, answer: Fraction) -> OutputChances:
        if answer.denominator != 1:
            raise InputError("noise.kind", self.kind, f"whole answers (an answer is {answer})")
        (rows, period), side, count = self._moves, -1 if answer < 0 else 1, abs(int(answer))
        first = len(rows) - period
        place = count if count < first else first + (count - first) % period
        return {answer + side * move: chance for move, chance in rows[place].items()}

    def repeats(self, step: Fraction) -> Repeats:
        rows, period = self._moves
        return Repeats(Fraction(len(rows) - period), common_period(Fraction(period), step))

    def unit(self, step: Fraction) -> Fraction:
        return Fraction(1)

    @property
    def farthest(self) -> Fraction:
        return Fraction(max(abs(move) for row in self._moves[0] for move in row))

    @property
    def by_people(self) -> RuleRows:
        return self

    def mechanism(self, lattice: Lattice) -> Mechanism:
        self.row(lattice.steps[0])
        # Because answers about the same people are moved alike, several answers are not independent.
        return RuleMechanism(self, lattice, self) if lattice.axes == 1 else SharedKeysMechanism(self, lattice, self)

    def error(self, step: Fraction) -> RuleError:
        return RuleError(self, step)

    @property
    def words(self) -> str:
        if self.d is None or self.v is None:
            if self.table is None:
                return said("cell_keys_given")
            return said("cell_keys_table", table=Name(self.table.name))
        moves = said("cell_keys", most=Figure(f"{self.d}"), variance=Figure(f"{self.v:g}"))
        return said("cell_keys_above", moves=moves, last=Figure(f"{self.js}")) if self.js else moves


def _last(d: int, js: int) -> int:
    """Returns the count from which on all counts have the same moves."""
    return d + js + 1 if js else d


@lru_cache(maxsize=16)
def _table(d: int, v: float, js: int) -> Sequence[tuple[tuple[int, Fraction], ...]]:
    """Returns the moves of each count up to the last that differs, with their probabilities.

    InputError where a count cannot have moves of this variance.
    """
    rows: list[tuple[tuple[int, Fraction], ...]] = [((0, Fraction(1)),)]
    for count in range(1, _last(d, js) + 1):
        moves = [to - count for to in range(max(count - d, 0), count + d + 1) if to == 0 or to > js]
        found = maximum_entropy(moves, v)
        if found is None:
            raise ValueError(f"a larger v: count {count} has no moves of mean 0 within ±{d} and of variance {v:g}")
        if count > js and found.variance < v - _TOLERANCE:
            most = int(found.variance * 1000) / 1000
            raise ValueError(f"v of at most {most:g}: count {count} has no more variance within ±{d}")
        rows.append(tuple((move, chance) for move, chance in zip(moves, found.chances, strict=True) if chance))
    return rows
