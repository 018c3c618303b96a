"""Bayesian networks in the Interchange Format (BIF), as the repositories of the field publish them.

The reader knows the standard subset: network, variable with `type discrete`, and probability with a table, rows by
parent assignment or a default row. It skips comments, commas and properties. A name in quotes may have blanks, commas
and brackets; so may an interval without quotes, as R's `cut` names them: (0,20]. A file of one variable and another
that depends on it:

    variable rain { type discrete [ 2 ] { yes, no }; }
    variable wet { type discrete [ 2 ] { 1, 0 }; }
    probability ( rain ) { table 0.2, 0.8; }
    probability ( wet | rain ) { (yes) 0.9, 0.1; default 0.0, 1.0; }

The second variable has the values 1 and 0, as numbers that can be summed. Its rows are (0.9, 0.1) where it rains and
(0, 1) where it does not. Values stay texts where some are no numbers, or where two would be the same number:

>>> _read(("1", "0")), _read(("0.5", "2")), _read(("1", "1.0"))
((1, 0), (0.5, 2), ('1', '1.0'))
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as assignments
from math import fsum
from pathlib import Path
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.errors import InputError
from dalenius.text_files import read_text

_NUMBER: Final = r"\s*[-+]?(?:\d[\d.eE+-]*|[iI]nf)\s*"
# Because a property's text may have anything in quotes, braces and semicolons too. An interval has a square bracket at
# least at one end: (0, 1) is a pair of values.
_MARKED: Final = re.compile(
    r'(?P<skipped>//[^\n]*|/\*.*?\*/|\bproperty\b(?:[^;"]|"[^"]*")*;)|"(?P<quoted>[^"\n]*)"'
    rf"|(?P<interval>\({_NUMBER},{_NUMBER}\]|\[{_NUMBER},{_NUMBER}[)\]])",
    re.DOTALL,
)
_SHIELD: Final = {code: 0x10FF00 + code for code in map(ord, ' \t,|(){}[];"/')}
"""Characters that mean something in BIF, and private ones that stand for them within a name."""
_BARE: Final = {shield: code for code, shield in _SHIELD.items()}
# The case of text that begins no known block: it is `other`, and refused.
_BLOCK: Final = re.compile(
    r"network\b[^{}]*\{[^{}]*\}"
    r"|variable\s+(?P<name>[^\s{}]+)\s*\{\s*type\s+discrete\s*\[\s*(?P<count>\d+)\s*\]\s*\{(?P<values>[^{}]*)\}\s*;\s*\}"
    r"|probability\s*\((?P<nodes>[^(){}]*)\)\s*\{(?P<rows>[^{}]*)\}"
    r"|(?P<other>\S+)"
)
_ROW: Final = re.compile(r"(?:\((?P<key>[^()]*)\)|(?P<word>table|default)\b)(?P<numbers>[^;()]*);|(?P<other>\S+)")

_Row: TypeAlias = tuple[float, ...]
_Key: TypeAlias = tuple[str, ...]
"""The values of a variable's parents."""


@final
@dataclass(frozen=True)
class BifNode:
    """A variable of a BIF file.

    Attributes:
        name: The variable's name.
        values: The values that it can have.
        parents: The names of the variables that it depends on.
        rows: Its probabilities: a row per assignment of the parents, the last parent's value changing fastest.
    """

    name: str
    values: tuple[int | float | str, ...]
    parents: tuple[str, ...]
    rows: tuple[_Row, ...]


def read_bif(path: Path) -> tuple[BifNode, ...]:
    """Reads the variables of the BIF file `path`, in order.

    Raises:
        InputError: If the file has a fault; the message names the file, the line, the block and what is wanted.
    """
    plain = _MARKED.sub(_shielded, read_text(path, "model.file"))
    values: dict[str, tuple[str, ...]] = {}
    nodes: dict[str, BifNode] = {}
    for block in _BLOCK.finditer(plain):
        try:
            if block["other"] is not None:
                raise ValueError(_instead_of(plain[block.start() :]))
            if block["name"] is not None:
                values[block["name"].translate(_BARE)] = _values(block, values)
            if block["nodes"] is not None:
                node = _node(block, values, nodes)
                nodes[node.name] = node
        except ValueError as error:
            line = plain.count("\n", 0, block.start()) + 1
            shown = " ".join(block[0].partition("{")[0].split()).translate(_BARE)
            raise InputError(f"model.file {path.name} line {line}", shown, str(error)) from None
    # The case of a declared variable whose probabilities were cut off at the end of the file.
    lacking = [name for name in values if name not in nodes]
    if lacking or not values:
        wanted = f"a probability block for each variable ({lacking[0] if lacking else 'none is there'})"
        raise InputError(f"model.file {path.name}", "the end of the file", wanted)
    return tuple(nodes[name] for name in values)


def _shielded(found: re.Match[str]) -> str:
    """Takes a name out of its quotes and masks the characters in it that would end a word.

    Skipped text leaves its line breaks, so that a message has the right line.
    """
    name = found["quoted"] if found["quoted"] is not None else found["interval"]
    return " " + "\n" * found[0].count("\n") if name is None else f" {name.translate(_SHIELD)} "


def _instead_of(rest: str) -> str:
    """Says what is wanted in place of text that no block begins with."""
    if re.match(r"variable[^{}]*\{\s*type\s+(?!discrete)\w", rest):
        return "a variable with finitely many values: type discrete [ k ] { .. }"
    if rest.startswith("<"):
        return "BIF, not XML"
    return "network { }, variable { type discrete [ k ] { .. }; } or probability ( .. ) { }"


def _words(text: str, count: int | None = None) -> _Key:
    """Splits at blanks, commas and bars; at commas alone where that gives as many words as are wanted."""
    if '"' in text:
        raise ValueError("names whose quotes are closed in the same line")
    found = re.findall(r"[^\s,|]+", text)
    if count is not None and len(found) != count:
        parts = [" ".join(part.split()) for part in text.strip().rstrip(",").split(",")]
        found = parts if len(parts) == count and all(parts) else found
    return tuple(word.translate(_BARE) for word in found)


def _values(block: re.Match[str], known: dict[str, _Key]) -> _Key:
    """Returns a variable's values; ValueError if it is there twice, or has not as many values as it says."""
    name, count = block["name"].translate(_BARE), int(block["count"])
    found = _words(block["values"], count)
    if name in known or not count == len(set(found)) == len(found):
        raise ValueError("each variable once, with type discrete [ k ] { so many values, each once };")
    return found


def _node(block: re.Match[str], values: dict[str, _Key], nodes: dict[str, BifNode]) -> BifNode:
    """Returns a variable with its parents and rows.

    Raises:
        ValueError: If a variable is not declared above or has probabilities already, or if an assignment of its parents
            has no row.
    """
    name, *parents = _words(block["nodes"]) or ("",)
    known = {name, *parents} <= values.keys() and len({name, *parents}) == 1 + len(parents)
    if not known or name in nodes:
        raise ValueError("one probability ( a variable | its parents ) for each variable declared above it")
    keys = list(assignments(*(values[parent] for parent in parents)))
    rows = _rows(block["rows"], keys, len(values[name]))
    for key in keys:
        if key not in rows:
            raise ValueError(f"a row for every assignment of its parents ({', '.join(key) or 'it'} has none)")
    return BifNode(name, _read(values[name]), tuple(parents), tuple(rows[key] for key in keys))


def _rows(text: str, keys: Sequence[_Key], size: int) -> dict[_Key, _Row]:
    """Returns rows by the parents' values; assignments without one have the table's row, or the default."""
    rows, spare, known = dict[_Key, _Row](), dict[_Key, _Row](), {*keys}
    for row in _ROW.finditer(text):
        if row["other"] is not None or (row["word"] and spare):
            raise ValueError(f"rows of probabilities, one table or one default (there is {row[0]})")
        if row["word"] == "table":
            spare = dict(zip(keys, _chances(row["numbers"], len(keys), size), strict=True))
        elif row["word"] == "default":
            spare = dict.fromkeys(keys, _chances(row["numbers"], 1, size)[0])
        else:
            key = _words(row["key"], len(keys[0]))
            if key not in known or key in rows:
                raise ValueError(f"values of its parents, each row once (here {', '.join(key)})")
            rows[key] = _chances(row["numbers"], 1, size)[0]
    return spare | rows


def _chances(text: str, count: int, size: int) -> list[_Row]:
    """Reads `count` rows from a statement's numbers, rescaled to sum to 1; a table's first variable is the slowest.

    Raises:
        ValueError: If numbers are too few or many, negative, or far from a sum of 1.
    """
    texts = _words(text)
    # The case of a word among the numbers: there are none then, and the count below refuses them.
    try:
        numbers = np.array(texts, dtype=np.float64)
    except ValueError:
        numbers = np.array([])
    if len(numbers) != size * count or not (numbers >= 0).all():
        raise ValueError(f"{size * count} probabilities here (there is {' '.join(texts)})")
    rows = numbers.reshape(size, count).T.tolist()
    for total in map(fsum, rows):
        # Because published files round to six digits or more, a row's sum may be so far from 1 for each entry.
        if abs(total - 1) > 1e-6 * size:
            raise ValueError(f"probabilities that sum to 1 (a row sums to {total:.12g})")
    return [tuple(p / fsum(row) for p in row) for row in rows]


def _read(values: tuple[str, ...]) -> tuple[int | float | str, ...]:
    """Reads the values as numbers, so that they can be summed, if all are whole or decimal; else as texts."""
    if not all(re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", value) for value in values):
        return values
    numbers = tuple(float(value) if "." in value else int(value) for value in values)
    return numbers if len(set(numbers)) == len(numbers) else values
