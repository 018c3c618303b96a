"""Perturbation tables of statistics offices, read from their files: how likely a count moves by how much.

There are two formats. R's ptable writes a row for each count `i` and each number `j` that may go out instead, with the
probability `p`. The cell-key tool of the ONS has a row for each count `pcv` and each key `ckey`, with the move
`pvalue`; all keys are as likely.

>>> table = read_perturbation_table("i;j;p;v\\n0;0;1;0\\n1;0;.4;-1\\n1;1;.3;0\\n1;2;.3;1\\n", "ptable.csv")
>>> [dict(row) for row in table.rows], table.period
([{0: 1.0}, {-1: 0.4, 0: 0.3, 1: 0.3}], 1)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias, final

from dalenius.errors import InputError, listed
from dalenius.separated_text import separated

Moves: TypeAlias = tuple[tuple[int, float], ...]
"""The moves of one count, each with a weight in proportion to its probability."""

_KEY: Final = "noise.table"
_R: Final = ("i", "j", "p")
_R_FURTHER: Final = ("v", "p_int_lb", "p_int_ub", "kum_p_u", "kum_p_o", "type")
_ONS: Final = ("pcv", "ckey", "pvalue")
_ONS_COUNTS: Final = 750
"""The last count of a table of the ONS."""
_ONS_PERIOD: Final = 250
"""The last counts of such a table, whose rows the tool uses for all larger counts."""
_TOLERANCE: Final = Fraction(1, 10**6)
"""How far the sum of a row may be from 1: R writes eight digits."""


@final
class PerturbationTable(NamedTuple):
    """A perturbation table.

    Attributes:
        rows: The moves of the counts 0, 1, .., in order.
        period: How many rows at the end repeat for larger counts.
    """

    rows: tuple[Moves, ...]
    period: int


def read_perturbation_table(text: str, name: str) -> PerturbationTable:
    """Reads the text of a file in either format.

    Args:
        text: The file's text; its first row has the names of the columns.
        name: The file's name, for messages.

    Raises:
        InputError: If a column is unknown or missing, a cell is no number, a count has no row, or the probabilities of
            a count do not sum to 1.
    """
    lines = separated(text, _KEY, name).rows()
    header = [cell.strip() for cell in next(lines, (0, []))[1]]
    wanted = _ONS if "pcv" in header else _R
    for column in wanted:
        if column not in header:
            raise _fault(name, f"the columns i, j, p of R's ptable, or pcv, ckey, pvalue of the ONS (no {column})")
    # Because R writes the numbers of rows under an empty name, or under none.
    known = {*wanted, *(_R_FURTHER if wanted is _R else ()), ""}
    for column in header:
        if column not in known:
            raise _fault(name, f"no other columns than {listed(sorted(known - {''}))} (there is {column})")
    found = []
    for line, cells in lines:
        shift = len(cells) - len(header)
        if shift not in (0, 1) or (shift == 1 and "" in header):
            raise _fault(name, f"{len(header)} cells in line {line}, as in the first")
        found.append((line, dict(zip(header, (cell.strip() for cell in cells[shift:]), strict=True))))
    return _of_keys(found, name) if wanted is _ONS else _of_probabilities(found, name)


def _of_probabilities(lines: Sequence[tuple[int, Mapping[str, str]]], name: str) -> PerturbationTable:
    counts: dict[int, dict[int, Fraction]] = {}
    for line, cells in lines:
        # Because tables of magnitudes have rows of even and of odd ones.
        if cells.get("type", "all") != "all":
            raise _fault(name, f"a table of counts, of type all (line {line} has another type)")
        count, output = (_whole(cells[column], column, line, name) for column in ("i", "j"))
        chance = _number(cells["p"], "p", line, name)
        if chance < 0 or output < 0:
            raise _fault(name, f"a probability and a j of at least 0 in line {line}")
        if "v" in cells and _whole(cells["v"], "v", line, name) != output - count:
            raise _fault(name, f"a v that is j - i in line {line}")
        row = counts.setdefault(count, {})
        if output in row:
            raise _fault(name, f"one row for each i and j (line {line} repeats one)")
        row[output] = chance
    _check_counts(counts, name, None)
    for count, row in counts.items():
        total = sum(row.values(), Fraction(0))
        if abs(total - 1) > _TOLERANCE:
            raise _fault(name, f"probabilities that sum to 1 for each i (for i = {count} the sum is {float(total):g})")
    rows = [
        tuple((output - count, float(chance)) for output, chance in sorted(counts[count].items()) if chance)
        for count in range(len(counts))
    ]
    return _checked(rows, 1, name)


def _of_keys(lines: Sequence[tuple[int, Mapping[str, str]]], name: str) -> PerturbationTable:
    counts: dict[int, dict[int, int]] = {}
    for line, cells in lines:
        count, key, move = (_whole(cells[column], column, line, name) for column in _ONS)
        row = counts.setdefault(count, {})
        if key in row:
            raise _fault(name, f"one row for each pcv and ckey (line {line} repeats one)")
        if count + move < 0 or key < 0:
            raise _fault(name, f"a ckey, and a count after the move, of at least 0 in line {line}")
        row[key] = move
    keys = max((key for row in counts.values() for key in row), default=0) + 1
    # Because nobody has key 0: the tool moves an empty cell as that key says.
    counts[0] = {key: counts.get(0, {}).get(0, 0) for key in range(keys)}
    _check_counts(counts, name, _ONS_COUNTS)
    for count, row in counts.items():
        if len(row) != keys:
            raise _fault(name, f"a row for each ckey from 0 to {keys - 1} (pcv {count} has {len(row)} of {keys})")
    rows = [
        tuple((move, float(times)) for move, times in sorted(Counter(counts[count].values()).items()))
        for count in range(len(counts))
    ]
    return _checked(rows, _ONS_PERIOD, name)


def _check_counts(counts: Mapping[int, object], name: str, last: int | None) -> None:
    """Raises InputError unless every count from 0 to the last has a row."""
    end = max(counts, default=0) if last is None else last
    missing = next((count for count in range(end + 1) if count not in counts), None)
    if missing is not None or not counts:
        raise _fault(name, f"rows for every count from 0 to {end} (count {missing or 0} has none)")
    beyond = [count for count in counts if not 0 <= count <= end]
    if beyond:
        raise _fault(name, f"rows for the counts from 0 to {end} only (there is {beyond[0]})")


def _checked(rows: Sequence[Moves], period: int, name: str) -> PerturbationTable:
    # Because all empty cells have the same people, namely nobody: their move would be one number for ever.
    if len(rows[0]) > 1:
        raise _fault(name, "one output for the count 0")
    return PerturbationTable(tuple(rows), period)


def _number(cell: str, column: str, line: int, name: str) -> Fraction:
    try:
        # Because a double ends what a few letters may say, such as 1e999999999.
        return Fraction(float(cell))
    except (ValueError, OverflowError):
        raise _fault(name, f"a number as {column} in line {line}") from None


def _whole(cell: str, column: str, line: int, name: str) -> int:
    found = _number(cell, column, line, name)
    if found.denominator != 1:
        raise _fault(name, f"a whole number as {column} in line {line}")
    return int(found)


def _fault(name: str, wanted: str) -> InputError:
    return InputError(_KEY, name, wanted)
