"""What a spec may not say: the line names the key as it stands in the file, the value, and what was wanted."""

import re
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any, get_args

import pytest

from dalenius import Households, Independent, InputError, Laplace, Spec, Table, models, noise, notions, queries
from dalenius.frozen_section import Frozen
from dalenius.spec import spec_from

JARGON = ("Input should", "Value error", "valid tuple", "Tuple", "dictionary", "instance of", "parse", "validation")
PAIR = {"kind": "table", "records": [[0, 0], [1, 1]], "probabilities": [0.5, 0.5]}
GOOD: dict[str, Any] = {
    "model": PAIR,
    "query": {"kind": "count"},
    "noise": {"kind": "laplace", "scale": 1.0},
    "notion": {"kind": "information", "epsilon": 1.0},
}


def refused(sections: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        spec_from(sections)
    said = str(caught.value)
    assert "\n" not in said
    assert not any(word in said for word in JARGON), said
    return caught.value


def test_the_good_one_is_good() -> None:
    assert spec_from(GOOD).model.kind == "table"


def independent(row: object) -> dict[str, Any]:
    return {"kind": "independent", "values": [0, 1], "probabilities": [[0.5, 0.5], row]}


def nodes(row: object) -> list[dict[str, Any]]:
    return [{"name": name, "probabilities": p} for name, p in (("a", [0.5, 0.5]), ("b", row))]


MODELS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "model.probabilities row 2": independent,
    "model.types 1.infected": lambda row: {"kind": "households", "types": [{"count": 2, "infected": row}]},
    "model.nodes 2.probabilities": lambda row: {"kind": "network", "nodes": nodes(row)},
    "model.models 1.parts 1.probabilities": lambda row: {
        "kind": "any",
        "models": [{"kind": "product", "parts": [PAIR | {"probabilities": row}]}],
    },
}
ROWS = [
    ([1.2, -0.2], "probabilities of at least 0 (number 2 is -0.2)"),
    ([nan, 0.5], "probabilities of at least 0 (number 1 is nan)"),
    ([0.5, 0.4], "probabilities that sum to 1 (these sum to 0.9)"),
]


def test_probabilities() -> None:
    for key, model in MODELS.items():
        for row, wanted in ROWS:
            error = refused(GOOD | {"model": model(row)})
            assert error.key == key
            assert (error.wanted, str(error.value)) == (wanted, str(row))
        error = refused(GOOD | {"model": model([True, 0.5])})
        assert error.key in (f"{key} row 1", key.replace(" row 2", " 2 row 1"))
        assert "number" in error.wanted
    bits = [0.5, -0.1]
    error = refused(GOOD | {"model": {"kind": "independent", "probabilities": bits}})
    wanted = "probabilities from 0 to 1 (number 2 is -0.1)"
    assert (error.key, error.value, error.wanted) == ("model.probabilities", bits, wanted)


def test_scale_and_epsilon() -> None:
    texts = {str: "a number, not a text", bool: "a number, not true or false", list: "a number", dict: "a number"}
    for section, name in (("noise", "scale"), ("notion", "epsilon")):
        for value in (0, inf, nan, "1", True, [1], {"a": 1}):
            error = refused(GOOD | {section: {**GOOD[section], name: value}})
            assert error.key == f"{section}.{name}"
            assert error.value is value
            assert error.wanted == texts.get(type(value), "a finite number above 0")


def listed(kinds: Sequence[type[Frozen]]) -> str:
    """What is wanted in place of a kind that is none: those there are, in the order of their classes."""
    names = (name for kind in kinds for name in get_args(kind.model_fields["kind"].annotation))
    return f"one of {', '.join(map(repr, names))}"


KINDS = {
    "models": listed(models.MODELS.own),
    "queries": listed(queries.QUERIES.own),
    "noise": listed(noise.NOISES.own),
    "notions": listed(notions.NOTIONS.own),
}
SECTIONS = {"model": "models", "query": "queries", "noise": "noise", "notion": "notions"}


def test_kinds_and_sections() -> None:
    for section, room in SECTIONS.items():
        error = refused(GOOD | {section: {"kind": "magic"}})
        assert (error.key, error.value, error.wanted) == (f"{section}.kind", "magic", KINDS[room])
        error = refused(GOOD | {section: {"scale": 1}})
        assert (error.key, error.value, error.wanted) == (f"{section}.kind", "missing", "the name of a kind")
    for section in ("model", "query"):
        error = refused({name: part for name, part in GOOD.items() if name != section})
        assert (error.key, error.value, error.wanted) == (section, "missing", f"a section [{section}]")
    for sections in ([1], "text", None):
        error = refused(sections)
        assert (error.key, error.value, error.wanted) == ("spec", sections, "a section of keys")


FILE = {"file": "people.csv", "value": "ill"}
COUNT = {"kind": "count"}
NOISELESS = {"kind": "noiseless", "delta": 0.1}
HOMES = {"kind": "households", "by": "home", "epidemic": {"community": 1.1, "household": 0.2}}
TYPES: dict[str, Any] = {"kind": "groups", "types": [{"records": [[0], [1]], "probabilities": [0.5, 0.5], "cuont": 2}]}
BITS: dict[str, Any] = {"kind": "independent", "probabilities": [0.5]}
GAIN = {"kind": "g_leakage"}
LAWS = {"kind": "any", "models": []}
PARTS = {"kind": "product", "parts": [PAIR, {"kind": "tabel"}]}
SIZED = {"kind": "households", "count": 3}
OF_A_LABEL = {"count": 1, "infected": [0.5, 0.5], "members": {"a": 2}}
KNOWN_KEYS = "one that is there"
# By section: what stands in place of the good one, the key, and what was wanted: one line for each reason.
CASES: dict[str, list[tuple[object, str, str]]] = {
    "nosie": [(1, "nosie", KNOWN_KEYS)],
    "model": [
        (PAIR | {"table": 1}, "model.table", KNOWN_KEYS),
        (TYPES, "model.types 1.cuont", KNOWN_KEYS),
        (PARTS, "model.parts 2.kind", f"{KINDS['models']} (did you mean table?)"),
        ("table", "model", "a section of keys"),
        (
            {"kind": "chain", "n": 10**13, "initial": [0.5, 0.5], "transition": [[0.5, 0.5], [0.5, 0.5]]},
            "model.n",
            "a number of at most 1,000,000,000,000 (limit fields.largest_count)",
        ),
        ({"kind": "product", "parts": [3]}, "model.parts row 1", "a section of keys"),
        (LAWS, "model.models", "1 or more entries"),
        ({"kind": "network", "file": 3}, "model.file", "a path"),
        ({"kind": "groups"}, "model.types", "a value"),
        ({"kind": "groups", "types": "a"}, "model.types", "a list"),
        (PAIR | {"records": [[0, [1]], [1, 1]]}, "model.records 1 row 2", "a number or a text"),
        (PAIR | {"records": [[0, 0], [1, inf]]}, "model.records 2 row 2", "a finite number or a text"),
        (HOMES, "model.epidemic.community", "a probability from 0 to 1"),
        (BITS | {"values": [0, 0]}, "model.values", "distinct values, at least one"),
        (BITS | {"n": 0}, "model.n", "a number above 0"),
        (BITS | {"n": 1.5}, "model.n", "a whole number"),
        (BITS | {"n": "3"}, "model.n", "a whole number, not a text"),
        (BITS | {"n": 3, "probabilities": [0.5, 0.1]}, "model.probabilities", "one row beside n = 3 (there are 2)"),
        # Where several keys contradict each other, the section is shown.
        (PAIR | {"probabilities": [1.0]}, "model", "as many probabilities as records (there are 1 and 2)"),
        (PAIR | {"records": [[0], [1, 1]]}, "model", "records rows of one length (row 2 has 2 values, row 1 has 1)"),
        (PAIR | {"records": [[0, 0], [0, 0]]}, "model", "each row of records once (rows 1 and 2 are equal)"),
        ({"kind": "network"}, "model", "either nodes or file"),
        ({"kind": "households"}, "model", "either count and infected, or types, or by"),
        (SIZED, "model", "both count and infected"),
        (SIZED | {"infected": [1.0]}, "model", "infected to have at least two entries: Pr[0] and Pr[1]"),
        ({"kind": "households", "types": [{"infected": [0.5, 0.5]}]}, "model", "a count for every type"),
        (
            {"kind": "households", "types": [OF_A_LABEL]},
            "model.types row 1",
            "members that add up to the household's size 1 (not {'a': 2})",
        ),
        (
            {"kind": "households", "by": "home"},
            "model",
            "either epidemic or types (a law for each size) beside by, and no count or infected",
        ),
    ],
    "query": [
        (COUNT | {"lower": 0}, "query.lower", KNOWN_KEYS),
        (COUNT | {"labels": [3]}, "query.labels row 1", "a text"),
        (COUNT | {"per_label": 1}, "query.per_label", "true or false"),
        ({"kind": "sum", "upper": inf}, "query.upper", "a finite number"),
        ({"kind": "min", "lower": 2, "upper": 1}, "query", "lower below upper (they are 2.0 and 1.0)"),
    ],
    "noise": [
        ({"kind": "none", "scale": 1.0}, "noise", "no scale beside kind = none"),
        ({"kind": "rounding", "base": "3"}, "noise.base", "a whole number, not a text"),
        ({"kind": "rounding", "base": True}, "noise.base", "a whole number"),
        (
            {"kind": "rounding", "base": 3, "ties": "down"},
            "noise.ties",
            'none beside how = "unbiased", which draws one of the two multiples',
        ),
        ({"kind": "cell_key", "d": 2.0, "v": 0.5}, "noise.d", "a whole number"),
        ({"kind": "steps", "steps": [{"kind": "rounding", "base": 0}]}, "noise.steps 1.base", "a number of at least 1"),
        ({"kind": "steps", "steps": []}, "noise.steps", "1 or more entries"),
    ],
    "notion": [
        ({"kind": "identity", "delta": 1.0}, "notion.delta", "a number below 1"),
        ({"kind": "identity", "delta": -0.1}, "notion.delta", "a number of at least 0"),
        (NOISELESS | {"delta": 0}, "notion.delta", "a number above 0"),
        (NOISELESS | {"known_fraction": 1}, "notion.known_fraction", "a number below 1"),
        (NOISELESS | {"adversary": "passive"}, "notion.adversary", "'active'"),
        (
            {"kind": "mutual_information", "given": [0]},
            "notion.given row 1",
            "a number of at least 1 or a name (people are numbered from 1)",
        ),
        (GAIN | {"gain": [[1, 0], [1]]}, "notion.gain", "rows of one length (row 2 has 1 numbers, row 1 has 2)"),
        (GAIN | {"gain": [[0, 0]]}, "notion.gain", "some guess that gains something"),
        (GAIN | {"gain": [[1, -1]]}, "notion.gain", "finite numbers of at least 0 (row 1 has -1)"),
    ],
    "secrets": [
        ({"people": [1.5]}, "secrets.people row 1", "a number of at least 1 or a name (people are numbered from 1)"),
        ({"pairs": [[0, 1, 2]]}, "secrets.pairs row 1", "2 or fewer entries"),
        ({"pairs": [[0, 1], [0]]}, "secrets.pairs row 2", "2 or more entries"),
    ],
    "adversary": [
        ({"known": {"1": []}}, "adversary.known.1", "a number or a text"),
        (
            {"answers": [{"query": COUNT, "value": "3"}]},
            "adversary.answers 1.value",
            "a finite number, or a list of one for each answer",
        ),
    ],
    "data": [
        (FILE | {"value": 3}, "data.value", "a column's name, or a condition on a column"),
        (FILE | {"step": 0}, "data.step", "a finite number above 0"),
    ],
}


def at(given: Any, key: str) -> Any:
    """What stands there: lists are counted from 1."""
    for part in re.findall(r"[^. ]+", key.replace(" row ", " ")):
        given = given[int(part) - 1] if isinstance(given, list) else given.get(part, "missing")
    return given


def test_one_line_for_each_reason() -> None:
    for section, cases in CASES.items():
        for given, key, wanted in cases:
            error = refused(GOOD | {section: given})
            known = error.wanted.startswith(("one of the keys of ", "one of the sections: "))
            assert (error.key, KNOWN_KEYS if known else error.wanted) == (key, wanted)
            assert error.value == at({section: given}, key)


def test_python_objects_refuse_alike() -> None:
    with pytest.raises(InputError, match=r"^Laplace.scale: -1, wanted a finite number above 0$"):
        Laplace(scale=-1)
    with pytest.raises(InputError, match=r"^Table.probabilities: \[0.5, 0.4\], wanted probabilities that sum to 1"):
        Table(records=((0,), (1,)), probabilities=(0.5, 0.4))
    with pytest.raises(InputError, match=r"^Households: .*, wanted infected to have at least two entries"):
        Households(count=1, infected=(1.0,))
    with pytest.raises(InputError, match=r"^Independent.values row 2: nan, wanted a finite number or a text$"):
        Independent(values=(0, nan), probabilities=((0.5, 0.5),))
    with pytest.raises(InputError, match=r"^Spec.query: missing, wanted a value$"):
        Spec(model=Independent(probabilities=(0.5,)))
