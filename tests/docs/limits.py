"""Writes the tables of all limits into a page: python -m tests.docs.limits

A limit is a constant of a module: `MOST_STATES: Final = Limit("joints.states", ...)`. A room has its table in its own
`limits.py`; one or two limits may stand in the file that uses them.
"""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path

import dalenius
from dalenius.limits import Limit
from tests.docs.page import REPOSITORY

HOUSE = Path(dalenius.__file__).parent
PAGE = REPOSITORY / "docs" / "explanation" / "any_size.md"
HEADING = "## How large\n"
OFTEN_ASKED = (
    ("`n` and `count` of every model", "{fields.largest_count}"),
    ("a whole law", "{channel.points_of_one} numbers: points of the law times values of the secret"),
    ("a chain", "{joints.step_cells} / k² records of k values"),
    ("a network with known pairs", "{pairs.people} people"),
    ("a stream", "{composition.steps} answers"),
    (
        "a chain by windows",
        "{joints.classes} records unlike the others; values times sums of the window at most {channel.chain_cells}",
    ),
    ("a network by windows", "{channel.nodes} nodes; cliques of {channel.clique_states} states"),
    (
        "min-entropy, g-leakage, δ, tails of another long network",
        "nodes times answers at most {channel.quick_laws}",
    ),
    ("min-entropy, g-leakage, δ, tails of another long chain", "refused, with the name of the limit"),
    ("mutual information of the same two", "any size: enclosed by 0 and the largest divergence"),
    ("the optimum with many kinds of people", "{optimum.numbers} points of all windows"),
    ("several answers, known answers, secrets of several people", "the size of a whole law"),
    ("records of several people of one long chain, under exponential noise", "as a chain by windows"),
)
"""What is asked for most, and up to where it is answered, with the names of limits in braces."""


@dataclass(frozen=True)
class Row:
    """A limit, the file and the constant that it is, and the first line of what the file says of itself."""

    limit: Limit
    path: Path
    constant: str
    about: str

    @property
    def module(self) -> str:
        """Where it is imported from."""
        return ".".join(("dalenius", *self.path.relative_to(HOUSE).with_suffix("").parts))

    @property
    def room(self) -> str:
        """The folder of the core or a wing; of a file beside these its own name."""
        return self.path.relative_to(HOUSE).with_suffix("").parts[0]


def _constants(tree: ast.Module) -> list[str]:
    """The names of limits among a module's constants."""
    return [
        node.target.id
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and node.value.func.id == "Limit"
    ]


@cache
def rows() -> tuple[Row, ...]:
    """Every limit there is, room by room."""
    found = []
    for path in sorted(HOUSE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if "Limit(" in text else "")
        if constants := _constants(tree):
            module = import_module(".".join(("dalenius", *path.relative_to(HOUSE).with_suffix("").parts)))
            about = (ast.get_docstring(tree) or "").split("\n")[0] if path.name == "limits.py" else ""
            found += [Row(getattr(module, name), path, name, about) for name in constants]
    return tuple(sorted(found, key=lambda row: row.room))


def _number(limit: Limit) -> str:
    return f"{int(limit):,}" + (r"\*" if limit.memory else "")


def section() -> str:
    """What the page says below its heading."""
    every = rows()
    numbers = {row.limit.name: f"{int(row.limit):,}" for row in every}
    asked = [
        f"| {what} | {re.sub(r'{([a-z_.]+)}', lambda name: numbers[name[1]], answer)} |" for what, answer in OFTEN_ASKED
    ]
    parts = ["\n".join(["| what | up to |", "|---|---|", *asked])]
    parts.append(
        "The tables below have every limit, grouped by the part of the program that has it. A refusal ends\n"
        "with the name of its limit: look for that name here. A number with a star holds for the default\n"
        "memory of 4 GiB, and grows with `--memory`. Each row says what is counted and why there is a limit.\n"
        "The program refuses what exceeds a limit, unless the row says what it does instead."
    )
    about: defaultdict[str, str] = defaultdict(str)
    for row in every:
        about[row.room] = about[row.room] or row.about
    for room, several in groupby(every, key=lambda row: row.room):
        table = [
            f"| `{row.limit.name}` | {_number(row.limit)} {row.limit.unit} | {row.limit.reason} |" for row in several
        ]
        lines = ["| limit | number | what is counted, and why |", "|---|--:|---|", *table]
        parts += [f"### {room}", *([about[room]] if about[room] else []), "\n".join(lines)]
    return "\n" + "\n\n".join(parts) + "\n"


def written() -> str:
    """The page, with the tables as they are now."""
    before, heading, _ = PAGE.read_text(encoding="utf-8").partition(HEADING)
    if not heading:
        raise ValueError(f"{PAGE} has no heading {HEADING.strip()}")
    return before + heading + section()


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
