"""Every number that a user can meet as a limit has a name: it is a row of a table, and a refusal says it."""

import ast
import copy
import pickle
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from dalenius.errors import TooLarge
from dalenius.limits import Limit
from dalenius.memory_budget import DEFAULT, spelled
from tests.docs.limits import HOUSE, rows

LARGE = 1000
"""From here on a number in a comparison is likely a limit."""
BARE = {
    "channel/choice_of_engine.py": (2, "how a number and a time are written"),
    "notions/promises_in_words.py": (2, "how a number is written"),
    "channel/sensitivity.py": (1, "machine integers end at 2^63"),
    "laws/box.py": (1, "machine integers end at 2^63"),
    "server/json_values.py": (1, "JSON's numbers are of 64 bits"),
    "server/api.py": (1, "entries are counted in doubles of browsers"),
    "tables/conditions.py": (2, "machine integers end at 2^63; doubles of 15 digits are whole"),
    "left_out.py": (1, "doubles hold all whole numbers up to 2^53"),
    "exact_integers.py": (1, "doubles hold all decimals of 15 digits"),
    "gaussian/channel_of_one_record.py": (1, "doubles hold all decimals of 15 digits"),
    "gaussian/quantities.py": (1, "the end of the doubles"),
    "laws/leakage_tail.py": (1, "the end of the doubles"),
    "laws/extremes.py": (1, "a product of so many bits is exact"),
    "laws/gaussian_leakage_tail.py": (1, "so far out a double does not resolve a cell"),
    "laws/integrals/gaussian_likelihood_enclosures.py": (1, "so far out a double does not resolve a cell"),
    "conversion/group_linear_program.py": (1, "a slope that the solver takes for infinite"),
}
"""By file how many comparisons with a large number it has that no user meets as a limit, and what these numbers are."""
UNNAMED = {
    "channel/finite_secret_posterior.py": "a window has no law of what is outside of it",
    "channel/large/channel_of_one_class.py": "a window has no law of what is outside of it",
    "noise/bound_from_group_part.py": "a group's part has no law of the whole answer",
    "optimum/laws_of_release.py": "a group's part has no law of all; models that lie far apart have no window",
}
"""By file why a `TooLarge` names no limit."""
CAPS = frozenset({"le", "lt", "max_length"})


def number(node: ast.expr) -> float | None:
    """What an expression of nothing but numbers comes to, at most 1e300; None for any other."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(max(-1e300, min(value, 1e300)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return None if (found := number(operand)) is None else -found
        case ast.BinOp(left=left, op=operation, right=right):
            one, other = number(left), number(right)
            if one is None or other is None:
                return None
            if isinstance(operation, ast.Pow | ast.LShift):
                base = 2.0 if isinstance(operation, ast.LShift) else abs(one)
                return 1e300 if base > 1 and other > 300 else base**other
            return max(abs(one), abs(other))
        case _:
            return None


def has_large(node: ast.AST) -> bool:
    """Whether a large number stands in it, wherever."""
    if isinstance(node, ast.expr) and (found := number(node)) is not None:
        return abs(found) >= LARGE
    return any(map(has_large, ast.iter_child_nodes(node)))


def compared(tree: ast.AST) -> list[str]:
    """The comparisons, ranges and bounds of fields in which a large number stands, as code."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                parts = [left, *others]
            case ast.Call(func=ast.Name(id="range" | "islice"), args=args):
                parts = args
            case ast.keyword(arg=str(arg), value=value) if arg in CAPS:
                parts = [value]
            case _:
                continue
        if any(map(has_large, parts)):
            found.append(ast.unparse(node))
    return found


@cache
def _trees() -> dict[str, ast.Module]:
    return {
        str(path.relative_to(HOUSE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(HOUSE.rglob("*.py"))
    }


def test_a_comparison_with_a_large_number_names_it() -> None:
    found = {name: lines for name, tree in _trees().items() if (lines := compared(tree))}
    unknown = {name: lines for name, lines in found.items() if len(lines) > BARE.get(name, (0, ""))[0]}
    assert not unknown, "a limit is a row of a table (dalenius.limits); another number has a name"
    assert {name: len(lines) for name, lines in found.items()} == {name: count for name, (count, _) in BARE.items()}


def test_large_numbers_in_comparisons_are_seen() -> None:
    seen = ("n > 4096", "1 << 14 < a.b(c)", "x * 2 >= 10**9", "f(x) == -5e7", "range(20_000)", "Field(ge=1, le=10**15)")
    assert all(len(compared(ast.parse(text))) == 1 for text in seen)
    passed = ("n > 999", "x > MOST_ROWS", "y = 1 << 20", "a < 2.0**-1000", "f(x, n // 4096)", "x == 2**3", "a == 'b'")
    assert not [text for text in passed if compared(ast.parse(text))]


def test_a_limit_is_named_after_its_room_and_its_constant() -> None:
    for row in rows():
        assert row.limit.name == f"{row.room}.{row.constant.strip('_').removeprefix('MOST_').lower()}", row.path
        assert row.limit.reason
        assert row.limit.unit
    assert max(Counter(row.limit.name for row in rows()).values()) == 1


def _loaded(tree: ast.Module) -> set[str]:
    """The names that code reads."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


@pytest.mark.lengthy
def test_every_limit_is_used() -> None:
    used: set[tuple[str, str]] = set()
    for name, tree in _trees().items():
        own, loaded = ".".join(("dalenius", *Path(name).with_suffix("").parts)), _loaded(tree)
        used |= {(own, each) for each in loaded}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                used |= {(str(node.module), each.name) for each in node.names if each.name in loaded}
    assert not [row.limit.name for row in rows() if (row.module, row.constant) not in used]


@pytest.mark.lengthy
def test_a_refusal_of_what_is_too_large_names_the_limit() -> None:
    without: dict[str, list[str]] = {}
    for name, tree in _trees().items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="TooLarge"), args=args, keywords=[]) if len(args) < 4:
                    without.setdefault(name, []).append(ast.unparse(node))
    assert without.keys() == UNNAMED.keys(), without


@pytest.mark.lengthy
def test_a_limit_counts_as_its_number() -> None:
    limit = Limit("house.rooms", 4, "rooms", "so few", memory=True)
    assert (limit + 1, limit * 2.5, f"{limit:,}", limit == 4, [0, 1, 2, 3, 4][limit]) == (5, 10.0, "4", True, 4)
    assert type(pickle.loads(pickle.dumps(limit))) is int
    assert copy.deepcopy({"a": limit}) == {"a": 4}
    assert str(TooLarge("a house", "5 rooms", "build two", limit)) == (
        "a house: 5 rooms is too large, build two (limit house.rooms: 4 rooms in 4 GiB)"
    )
    assert spelled(DEFAULT) == "4G"


def test_tables_are_where_they_are_looked_for() -> None:
    assert {row.path.name for row in rows() if row.path.parent == HOUSE} == {"fields.py"}
    tables = [path for path in HOUSE.rglob("limits.py") if path.parent != HOUSE]
    assert {row.path for row in rows()} >= set(tables)
    assert all(isinstance(row.path, Path) for row in rows())
