"""Specs, tables and options as somebody might mistype them, or a program garble them: a case for every seed."""

import json
import math
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from tests.first_hour.bases import COUNT, EXTRAS, MODELS, NOISES, PEOPLE, PROMISES, QUERIES, WHOLE

Tree: TypeAlias = Any


@dataclass(frozen=True)
class Case:
    """Files of a folder, by name, and the arguments that a command is given there."""

    files: dict[str, bytes]
    arguments: list[str]

    def __str__(self) -> str:
        shown = [f"--- {name}\n{text.decode('utf-8', 'backslashreplace')}" for name, text in self.files.items()]
        return "\n".join([f"$ dalenius {' '.join(map(repr, self.arguments))}", *shown])


STRANGE: Final[tuple[Tree, ...]] = (
    *(None, True, False, 0, 1, 2, 3, -1, -0.0, 0.5, 1.5, 1e-300, 5e-324, 1e-16, 1e300, math.inf, -math.inf, math.nan),
    *(7, 1000, 10**6, 10**9, 10**12, 10**18, 10**30, -(10**9), 2**53 + 1, 2**63, "", " ", "a", "b", "1", "true", "yes"),
    *("inf", "NaN", "no such thing", "ß ∞ Θ 漢", "x" * 500, "a\nb", "tab\there"),
    *("\x1b[31mred", "nul\0", "../..", "/", "-"),
    *([], {}, [[]], [0], [1], [0, 1], [1, 0], [[0, 1]], [0.5, 0.5], [[0.5, 0.5]], [None], {"a": 1}, {"kind": "count"}),
    *({"kind": None}, {"": ""}, [[[[[[1]]]]]], [1] * 300, ["a", "a"], {"1": 1}, {"min": 0, "max": 1}),
)
WORDS: Final = (
    *("kind", "count", "epsilon", "delta", "scale", "n", "values", "labels", "probabilities", "records", "kinds", ""),
    *("file", "value", "label", "equals", "above", "weights", "confidence", "known", "people", "per_label", "__init__"),
)
BITS: Final = (
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xff", b"\r", b"\r\n", b"\n\n", b'"', b"'", b"[", b"]", b"=", b"{", b","),
    *(b";", b"#", b"\t", b" ", b"-", b"1e999", b"\xc3", "ß".encode(), "\u2028".encode(), "\u202e".encode(), b".5"),
    *(b"NA", b"NaN", b"nan", b"inf", b"Yes", b"1,5", b"0", b"1861-11-26", b"TRUE", b"=1+1"),
)
OPTIONS: Final = {
    "audit": (["--epsilon", "0.5"], ["--how-likely"], ["--relations"], ["--within", "3"]),
    "calibrate": (["--method", "group"], ["--method", "exact"], ["--within", "2"], ["--method", "optimal"]),
    "compare": (["--all"], ["--within", "2"]),
    "release": (["--ledger", "l.sqlite"], ["--budget", "3"], ["--cost"], ["--allow-exact"], ["--data", "people.csv"]),
    "identify": (
        ["--ledger", "l.sqlite"],
        ["--cost"],
        ["--share", "0.5"],
        ["--rest"],
        ["--query", "max"],
        ["--value", "age"],
    ),
    "posterior": (["--answers", "1"], ["--answers", "1,2"], ["--answers", "no,0"], ["--all"]),
    "attack": ([], ["--all"], ["--known", "0.5"]),
    "compose": (["spec.toml"], ["--adaptive"], ["--delta", "0.01"]),
    "convert": (["--neighbours", "replace", "--epsilon", "1"], ["--gdp", "1", "--neighbours", "add_remove"]),
    "stream": (["--epsilon", "0.5"], ["--steps", "3"]),
    "meaning": (
        ["--epsilon", "1", "--household", "3"],
        ["--epsilon", "0.1", "--infected", "0.9,0,0.1"],
        ["--delta", "1e-6", "--epsilon", "2"],
    ),
    "check": (["--household", "home"], ["--person", "age"], ["--label", "place"]),
    "fit": (
        ["--data", "people.csv", "--model", "moments", "--value", "age", "--lower", "0", "--upper", "100"],
        ["--data", "people.csv", "--model", "households", "--value", "ill", "--household", "home"],
        ["--data", "people.csv", "--model", "network", "--columns", "ill,place"],
        ["--data", "people.csv", "--model", "linked", "--value", "ill", "--order", "age", "--sequence", "home"],
        ["--data", "people.csv", "--model", "dependence", "--columns", "ill,place"],
    ),
}
NUMBERS: Final = ("0", "-1", "nan", "inf", "1e-320", "1e308", "abc", "", "1_0", "٣", "10" * 9)
SPECLESS: Final = ("fit", "meaning")


def case_of(seed: int) -> Case:
    """The same for the same seed."""
    random = Random(seed)
    command = random.choice([*OPTIONS, "audit", "audit", "calibrate", "compare", "release", "release"])
    tables = random.random() < 0.25 or command in ("release", "fit")
    text = _spec(random, tables)
    name, garbled = _garbled(random, text)
    people = _table(random) if tables and random.random() < 0.6 else PEOPLE.encode()
    options = [option for option in OPTIONS[command] if random.random() < 0.4]
    if command == "release":
        options.append(["--ledger", "l.sqlite"])
    arguments = [each for option in options or list(OPTIONS[command][:1]) for each in option]
    if random.random() < 0.1 and arguments:
        arguments[random.randrange(len(arguments))] = random.choice(NUMBERS)
    if command == "audit" and random.random() < 0.05:
        arguments += ["--robust", "0.5"]
    if random.random() < 0.2:
        arguments.append("--json")
    spec = [] if command in SPECLESS else [name]
    named = [name if each == "spec.toml" else each for each in arguments]
    return Case({name: garbled, "people.csv": people}, [command, *spec, *named])


def _spec(random: Random, tables: bool) -> str:
    if tables or random.random() < 0.2:
        return random.choice(WHOLE)
    usual = random.random() < 0.5
    query, noise = (COUNT, random.choice(NOISES[:2])) if usual else (random.choice(QUERIES), random.choice(NOISES))
    return random.choice(list(MODELS.values())) + query + noise + random.choice(PROMISES) + random.choice(EXTRAS)


def _garbled(random: Random, text: str) -> tuple[str, bytes]:
    """The file's name, and what is in it: half of them mistyped as text, half changed as trees and written as JSON."""
    if random.random() < 0.35:
        return "spec.toml", _bytes(random, text.encode())
    tree = tomllib.loads(text)
    for _ in range(random.choice((0, 0, 0, 1, 1, 1, 1, 2, 4))):
        _change(random, tree)
    return "spec.json", json.dumps(tree).encode()


def _change(random: Random, tree: Tree) -> None:
    """One place of the tree becomes another, goes, comes twice, or gets another name."""
    holder, key = random.choice(list(_places(tree)))
    changes = (_replace, _replace, _remove, _rename, _take, _near)
    random.choice(changes)(random, holder, key, tree)


def _places(tree: Tree) -> Iterator[tuple[Tree, Any]]:
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in list(keys):
        yield tree, key
        yield from _places(tree[key])


def _replace(random: Random, holder: Tree, key: Any, tree: Tree) -> None:
    holder[key] = deepcopy(random.choice(STRANGE))


def _remove(random: Random, holder: Tree, key: Any, tree: Tree) -> None:
    if len(tree) > 1 or holder is not tree:
        del holder[key]


def _rename(random: Random, holder: Tree, key: Any, tree: Tree) -> None:
    if isinstance(holder, dict):
        holder[random.choice((*WORDS, f"{key}s", str(key)[1:]))] = holder.pop(key)
    else:
        holder.insert(key, deepcopy(holder[key]))


def _take(random: Random, holder: Tree, key: Any, tree: Tree) -> None:
    """A copy from elsewhere in the same spec."""
    other, place = random.choice(list(_places(tree)))
    holder[key] = deepcopy(other[place])


def _near(random: Random, holder: Tree, key: Any, tree: Tree) -> None:
    """A number somewhat off, a text with a letter less."""
    value = holder[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = random.choice((value + 1, value * (1 + 1e-9), -value, value * 2, value + 1e-12, str(value)))
    elif isinstance(value, str):
        holder[key] = random.choice((value[:-1], value.upper(), value + " ", value[::-1]))


def _bytes(random: Random, text: bytes) -> bytes:
    """A few places of a file overwritten, cut, doubled or moved."""
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 1, 1, 3, 20)))
        bit = random.choice((random.choice(BITS), b"", text[start:end] * 2, bytes([random.randrange(256)])))
        text = text[:start] + bit + text[end:]
    return text


def _table(random: Random) -> bytes:
    match random.randrange(5):
        case 0:
            return PEOPLE.encode(random.choice(("utf-16", "utf-16-le", "utf-8-sig", "cp1252", "utf-32")))
        case 1:
            rows = [line.split(",") for line in PEOPLE.splitlines()]
            row = random.choice(rows)
            strange = (
                *("", "NA", "Yes", "1", "-1", "1e400", "nan", "∞", '"'),
                *("'", "a,b", " yes ", "true", "x" * 10**4, "\0"),
            )
            row[random.randrange(len(row))] = random.choice(strange)
            return "\n".join(map(",".join, rows)).encode()
        case 2:
            lines = PEOPLE.splitlines()[random.choice((0, 1)) : random.choice((0, 1, 2, 8))]
            return random.choice(("\n", "\r", "\r\n", "")).join(lines).encode()
        case 3:
            return PEOPLE.replace(",", random.choice((";", "\t", "|", " ", ",,"))).encode()
        case _:
            return _bytes(random, PEOPLE.encode())
