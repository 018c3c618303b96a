"""What a spec may not say: the line names the key as it stands in the file, the value, and what was wanted."""

import tomllib
from collections.abc import Sequence
from math import inf, nan
from typing import Any, get_args

import pytest

from dalenius import (
    Epidemic,
    Households,
    Independent,
    InformationPrivacy,
    InputError,
    Laplace,
    Spec,
    Table,
    models,
    noise,
    notions,
    queries,
)
from dalenius.schema import Frozen
from dalenius.spec import spec_from
from tests.cases import in_turn

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


def table(row: object) -> dict[str, Any]:
    return PAIR | {"probabilities": row}


def independent(row: object) -> dict[str, Any]:
    return {"kind": "independent", "values": [0, 1], "probabilities": [[0.5, 0.5], row]}


MODELS = {
    "independent": (independent, "model.probabilities"),
    "table": (table, "model.probabilities"),
    "groups": (
        lambda row: {
            "kind": "groups",
            "types": [{"records": [[0], [1]], "probabilities": p} for p in ([0.5, 0.5], row)],
        },
        "model.types 2.probabilities",
    ),
    "households": (lambda row: {"kind": "households", "count": 2, "infected": row}, "model.infected"),
    "types of households": (
        lambda row: {"kind": "households", "types": [{"count": 2, "infected": row}]},
        "model.types 1.infected",
    ),
    "network": (
        lambda row: {
            "kind": "network",
            "nodes": [{"name": name, "probabilities": p} for name, p in (("a", [0.5, 0.5]), ("b", row))],
        },
        "model.nodes 2.probabilities",
    ),
    "product": (lambda row: {"kind": "product", "parts": [PAIR, table(row)]}, "model.parts 2.probabilities"),
    "any": (lambda row: {"kind": "any", "models": [PAIR, independent(row)]}, "model.models 2.probabilities"),
    "any of a product": (
        lambda row: {"kind": "any", "models": [{"kind": "product", "parts": [table(row)]}]},
        "model.models 1.parts 1.probabilities",
    ),
}
ROWS = [
    ([1.2, -0.2], "probabilities of at least 0 (number 2 is -0.2)"),
    ([nan, 0.5], "probabilities of at least 0 (number 1 is nan)"),
    ([0.5, inf], "probabilities of at least 0 (number 2 is inf)"),
    ([0.5, 0.4], "probabilities that sum to 1 (these sum to 0.9)"),
    ([0.0, 0.0], "probabilities that sum to 1 (these sum to 0)"),
]


@in_turn({"row, wanted": ROWS, "kind": MODELS})
def test_probabilities(kind: str, row: list[float], wanted: str) -> None:
    model, key = MODELS[kind]
    error = refused(GOOD | {"model": model(row)})
    assert error.key == key
    assert error.wanted.removesuffix(" in row 2") == wanted
    given = model(row)
    shown = [[0.5, 0.5], row] if "independent" in (given["kind"], given.get("models", [given])[-1]["kind"]) else row
    assert str(error.value) == str(shown)


@in_turn({"kind": MODELS, "cell": ["0.5", True]})
def test_probabilities_that_are_no_numbers(kind: str, cell: object) -> None:
    model, key = MODELS[kind]
    error = refused(GOOD | {"model": model([cell, 0.5])})
    assert error.key.removesuffix(" row 1") == key
    assert "number" in error.wanted


@pytest.mark.parametrize(("bits", "number"), [([1.2], 1), ([0.5, -0.1], 2), ([nan], 1), ([True], 1), (["a"], 1)])
def test_bits(bits: list[object], number: int) -> None:
    error = refused(GOOD | {"model": {"kind": "independent", "probabilities": bits}})
    wanted = f"probabilities from 0 to 1 (number {number} is {bits[number - 1]})"
    assert (error.key, error.value, error.wanted) == ("model.probabilities", bits, wanted)


@in_turn({"section": ["noise", "notion"], "value": [0, -1.0, inf, -inf, nan, "1", True, [1], {"a": 1}]})
def test_scale_and_epsilon(section: str, value: object) -> None:
    name = {"noise": "scale", "notion": "epsilon"}[section]
    error = refused(GOOD | {section: {**GOOD[section], name: value}})
    assert error.key == f"{section}.{name}"
    assert error.value is value
    wanted = {str: "a number, not a text", bool: "a number, not true or false", list: "a number", dict: "a number"}
    assert error.wanted == wanted.get(type(value), "a finite number above 0")


def test_toml_has_infinity_and_nan() -> None:
    for text in ("inf", "-inf", "nan"):
        sections = tomllib.loads(f'noise = {{ kind = "laplace", scale = {text} }}')
        assert refused(GOOD | sections).key == "noise.scale"


def listed(kinds: Sequence[type[Frozen]]) -> str:
    """What is wanted in place of a kind that is none: those there are, in the order of their classes."""
    names = (name for kind in kinds for name in get_args(kind.model_fields["kind"].annotation))
    return f"one of {', '.join(map(repr, names))}"


KINDS = {
    "model": listed(models.MODELS.own),
    "query": listed(queries.QUERIES.own),
    "noise": listed(noise.NOISES.own),
    "notion": listed(notions.NOTIONS.own),
}


def test_kinds_are_listed() -> None:
    assert KINDS["noise"].startswith("one of 'laplace', 'geometric', 'gaussian', 'none', ")
    assert "'inferential', 'identity', 'dependent', 'information'" in KINDS["notion"]


@pytest.mark.parametrize("section", KINDS)
def test_unknown_kind(section: str) -> None:
    error = refused(GOOD | {section: {"kind": "magic"}})
    assert (error.key, error.value, error.wanted) == (f"{section}.kind", "magic", KINDS[section])
    error = refused(GOOD | {section: {"scale": 1}})
    assert (error.key, error.value, error.wanted) == (f"{section}.kind", "missing", "the name of a kind")


EPIDEMIC = {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.2}}
FILE = {"file": "people.csv", "value": "ill"}
TYPES: dict[str, Any] = {"kind": "groups", "types": [{"records": [[0], [1]], "probabilities": [0.5, 0.5]}]}

NO_SUCH_KEY = "one that is there"
# Sections in place of the good ones, and the key, the value and what was wanted.
CASES: list[tuple[dict[str, Any], str, object, str]] = [
    ({"nosie": 1}, "nosie", 1, NO_SUCH_KEY),
    ({"model": PAIR | {"table": 1}}, "model.table", 1, NO_SUCH_KEY),
    ({"query": {"kind": "count", "vals": [1]}}, "query.vals", [1], NO_SUCH_KEY),
    ({"query": {"kind": "count", "lower": 0}}, "query.lower", 0, NO_SUCH_KEY),
    ({"noise": {"kind": "laplace", "sclae": 1}}, "noise.sclae", 1, NO_SUCH_KEY),
    ({"noise": {"kind": "laplace", "laplace": 1}}, "noise.laplace", 1, NO_SUCH_KEY),
    ({"notion": {"kind": "information", "eps": 1}}, "notion.eps", 1, NO_SUCH_KEY),
    ({"secrets": {"peoples": [1]}}, "secrets.peoples", [1], NO_SUCH_KEY),
    ({"data": FILE | {"housholds": "h"}}, "data.housholds", "h", NO_SUCH_KEY),
    ({"model": {"kind": "any", "models": [PAIR | {"foo": 1}]}}, "model.models 1.foo", 1, NO_SUCH_KEY),
    ({"model": {"kind": "product", "parts": [PAIR, TYPES | {"n": 2}]}}, "model.parts 2.n", 2, NO_SUCH_KEY),
    ({"model": TYPES | {"types": [TYPES["types"][0] | {"cuont": 2}]}}, "model.types 1.cuont", 2, NO_SUCH_KEY),
    (
        {"model": {"kind": "product", "parts": [PAIR, {"kind": "tabel"}]}},
        "model.parts 2.kind",
        "tabel",
        f"{KINDS['model']} (did you mean table?)",
    ),
    ({"model": {"kind": "any", "models": [{"n": 1}]}}, "model.models 1.kind", "missing", "the name of a kind"),
    ({"model": "table"}, "model", "table", "a section of keys"),
    ({"model": {"kind": "product", "parts": [3]}}, "model.parts row 1", 3, "a section of keys"),
    ({"model": {"kind": "product", "parts": []}}, "model.parts", [], "1 or more entries"),
    ({"model": {"kind": "any", "models": []}}, "model.models", [], "1 or more entries"),
    ({"model": {"kind": "network", "nodes": []}}, "model.nodes", [], "1 or more entries"),
    ({"model": {"kind": "network", "file": 3}}, "model.file", 3, "a path"),
    ({"model": {"kind": "network", "file": "a", "bif": 1}}, "model.bif", 1, NO_SUCH_KEY),
    ({"model": {"kind": "groups"}}, "model.types", "missing", "a value"),
    ({"model": {"kind": "groups", "types": []}}, "model.types", [], "1 or more entries"),
    ({"model": {"kind": "groups", "types": "a"}}, "model.types", "a", "a list"),
    ({"model": {"kind": "table", "records": [[0]]}}, "model.probabilities", "missing", "a value"),
    ({"model": PAIR | {"records": [[0, [1]], [1, 1]]}}, "model.records 1 row 2", [1], "a number or a text"),
    ({"model": PAIR | {"records": [[0, 0], [1, inf]]}}, "model.records 2 row 2", inf, "a finite number or a text"),
    ({"model": PAIR | {"records": 3}}, "model.records", 3, "a list"),
    ({"model": EPIDEMIC | {"epidemic": [1]}}, "model.epidemic", [1], "a section of keys"),
    ({"model": EPIDEMIC | {"epidemic": {"household": 0.2}}}, "model.epidemic.community", "missing", "a value"),
    (
        {"model": EPIDEMIC | {"epidemic": {"community": 1.1, "household": 0.2}}},
        "model.epidemic.community",
        1.1,
        "a probability from 0 to 1",
    ),
    (
        {"model": EPIDEMIC | {"epidemic": {"community": True, "household": 0.2}}},
        "model.epidemic.community",
        True,
        "a number, not true or false",
    ),
    (
        {"model": {"kind": "independent", "values": [], "probabilities": [0.5]}},
        "model.values",
        [],
        "distinct values, at least one",
    ),
    (
        {"model": {"kind": "independent", "values": [0, 0], "probabilities": [0.5, 0.5]}},
        "model.values",
        [0, 0],
        "distinct values, at least one",
    ),
    ({"model": {"kind": "independent", "n": 0, "probabilities": [0.5]}}, "model.n", 0, "a number above 0"),
    ({"model": {"kind": "independent", "n": 1.5, "probabilities": [0.5]}}, "model.n", 1.5, "a whole number"),
    ({"model": {"kind": "independent", "n": True, "probabilities": [0.5]}}, "model.n", True, "a whole number"),
    ({"model": {"kind": "independent", "n": "3", "values": [0]}}, "model.n", "3", "a whole number, not a text"),
    (
        {"model": {"kind": "independent", "n": 3, "probabilities": [0.5, 0.1]}},
        "model.probabilities",
        [0.5, 0.1],
        "one row beside n = 3 (there are 2)",
    ),
    ({"query": {"kind": "count", "values": 1}}, "query.values", 1, "a list"),
    ({"query": {"kind": "count", "values": []}}, "query.values", [], "1 or more entries"),
    ({"query": {"kind": "count", "values": [[1]]}}, "query.values row 1", [1], "a number or a text"),
    ({"query": {"kind": "count", "labels": [3]}}, "query.labels row 1", 3, "a text"),
    ({"query": {"kind": "count", "per_label": "yes"}}, "query.per_label", "yes", "true or false"),
    ({"query": {"kind": "count", "per_label": 1}}, "query.per_label", 1, "true or false"),
    ({"query": {"kind": "sum", "upper": inf}}, "query.upper", inf, "a finite number"),
    ({"query": {"kind": "mean", "lower": "0"}}, "query.lower", "0", "a number, not a text"),
    ({"query": {"kind": "max", "values": [1]}}, "query.values", [1], NO_SUCH_KEY),
    ({"query": {"kind": "max", "upper": "9"}}, "query.upper", "9", "a number, not a text"),
    ({"query": {"kind": "min", "per_label": 1}}, "query.per_label", 1, "true or false"),
    (
        {"query": {"kind": "min", "lower": 2, "upper": 1}},
        "query",
        {"kind": "min", "lower": 2, "upper": 1},
        "lower below upper (they are 2.0 and 1.0)",
    ),
    (
        {"noise": {"kind": "none", "scale": 1.0}},
        "noise",
        {"kind": "none", "scale": 1.0},
        "no scale beside kind = none",
    ),
    ({"noise": [1]}, "noise", [1], "a section of keys"),
    ({"notion": {"kind": "identity", "delta": 1.0}}, "notion.delta", 1.0, "a number below 1"),
    ({"notion": {"kind": "identity", "delta": -0.1}}, "notion.delta", -0.1, "a number of at least 0"),
    ({"notion": {"kind": "identity", "delta": "0"}}, "notion.delta", "0", "a number, not a text"),
    ({"notion": {"kind": "noiseless"}}, "notion.delta", "missing", "a value"),
    ({"notion": {"kind": "noiseless", "delta": 0}}, "notion.delta", 0, "a number above 0"),
    ({"notion": {"kind": "noiseless", "delta": 1.0}}, "notion.delta", 1.0, "a number below 1"),
    (
        {"notion": {"kind": "noiseless", "delta": 0.1, "known_fraction": 1}},
        "notion.known_fraction",
        1,
        "a number below 1",
    ),
    (
        {"notion": {"kind": "noiseless", "delta": 0.1, "known_fraction": -0.5}},
        "notion.known_fraction",
        -0.5,
        "a number of at least 0",
    ),
    (
        {"notion": {"kind": "noiseless", "delta": 0.1, "adversary": "passive"}},
        "notion.adversary",
        "passive",
        "'active'",
    ),
    ({"notion": {"kind": "mutual_information", "given": []}}, "notion.given", [], "1 or more entries"),
    (
        {"notion": {"kind": "mutual_information", "given": [0]}},
        "notion.given row 1",
        0,
        "a number of at least 1 or a name",
    ),
    (
        {"notion": {"kind": "g_leakage", "gain": [[1, 0], [1]]}},
        "notion.gain",
        [[1, 0], [1]],
        "rows of one length (row 2 has 1 numbers, row 1 has 2)",
    ),
    ({"notion": {"kind": "g_leakage", "gain": [[0, 0]]}}, "notion.gain", [[0, 0]], "some guess that gains something"),
    (
        {"notion": {"kind": "g_leakage", "gain": [[1, -1]]}},
        "notion.gain",
        [[1, -1]],
        "finite numbers of at least 0 (row 1 has -1)",
    ),
    ({"secrets": {"people": [0]}}, "secrets.people row 1", 0, "a number of at least 1 or a name"),
    ({"secrets": {"people": [1.5]}}, "secrets.people row 1", 1.5, "a number of at least 1 or a name"),
    ({"adversary": {"known": {"1": []}}}, "adversary.known.1", [], "a number or a text"),
    ({"adversary": {"know": {}}}, "adversary.know", {}, NO_SUCH_KEY),
    ({"secrets": {"people": []}}, "secrets.people", [], "1 or more entries"),
    ({"secrets": {"pairs": [[0, 1, 2]]}}, "secrets.pairs row 1", [0, 1, 2], "2 or fewer entries"),
    ({"secrets": {"pairs": [[0, 1], [0]]}}, "secrets.pairs row 2", [0], "2 or more entries"),
    ({"secrets": {"pairs": [0, 1]}}, "secrets.pairs row 1", 0, "a list"),
    ({"data": {"file": "people.csv"}}, "data.value", "missing", "a value"),
    ({"data": FILE | {"file": 3}}, "data.file", 3, "a path"),
    ({"data": FILE | {"value": 3}}, "data.value", 3, "a column's name, or a condition on a column"),
    ({"data": FILE | {"step": 0}}, "data.step", 0, "a finite number above 0"),
    ({"data": FILE | {"lower": "a"}}, "data.lower", "a", "a number, not a text"),
    ({"data": FILE | {"household": 1}}, "data.household", 1, "a text"),
]


@pytest.mark.parametrize(("sections", "key", "value", "wanted"), CASES, ids=[f"{c[1]}-{c[3]}"[:60] for c in CASES])
def test_line(sections: dict[str, Any], key: str, value: object, wanted: str) -> None:
    error = refused(GOOD | sections)
    known = error.wanted.startswith(("one of the keys of ", "one of the sections: "))
    assert (error.key, error.value, NO_SUCH_KEY if known else error.wanted) == (key, value, wanted)


# Where several keys contradict each other, the section is shown.
TOGETHER: list[tuple[dict[str, Any], str, str]] = [
    (table([1.0]), "model", "as many probabilities as records (there are 1 and 2)"),
    (PAIR | {"records": [[0], [1, 1]]}, "model", "records rows of one length (row 2 has 2 values, row 1 has 1)"),
    (PAIR | {"records": [[0, 0], [0, 0]]}, "model", "each row of records once (rows 1 and 2 are equal)"),
    ({"kind": "network"}, "model", "either nodes or file"),
    ({"kind": "households"}, "model", "either count and infected, or types, or by"),
    ({"kind": "households", "count": 3}, "model", "both count and infected"),
    (
        {"kind": "households", "count": 3, "infected": [1.0]},
        "model",
        "infected to have at least two entries: Pr[0] and Pr[1]",
    ),
    ({"kind": "households", "types": [{"infected": [0.5, 0.5]}]}, "model", "a count for every type"),
    (
        {"kind": "households", "types": [{"count": 1, "infected": [0.5, 0.5], "members": {"a": 2}}]},
        "model.types row 1",
        "members that add up to the household's size 1 (not {'a': 2})",
    ),
    (
        {"kind": "households", "by": "home"},
        "model",
        "either epidemic or types (a law for each size) beside by, and no count or infected",
    ),
]


@pytest.mark.parametrize(("model", "key", "wanted"), TOGETHER, ids=[case[2][:40] for case in TOGETHER])
def test_keys_that_contradict(model: dict[str, Any], key: str, wanted: str) -> None:
    error = refused(GOOD | {"model": model})
    assert (error.key, error.wanted) == (key, wanted)


@pytest.mark.parametrize("section", ["model", "query"])
def test_a_missing_section(section: str) -> None:
    error = refused({name: part for name, part in GOOD.items() if name != section})
    assert (error.key, error.value, error.wanted) == (section, "missing", f"a section [{section}]")


@pytest.mark.parametrize("sections", [[1], "text", 3, None], ids=str)
def test_no_sections_at_all(sections: object) -> None:
    error = refused(sections)
    assert (error.key, error.value, error.wanted) == ("spec", sections, "a section of keys")


def test_python_objects_refuse_alike() -> None:
    with pytest.raises(InputError, match=r"^Laplace.scale: -1, wanted a finite number above 0$"):
        Laplace(scale=-1)
    with pytest.raises(InputError, match=r"^InformationPrivacy.epsilon: nan, wanted a finite number above 0$"):
        InformationPrivacy(epsilon=nan)
    with pytest.raises(InputError, match=r"^Table.probabilities: \[0.5, 0.4\], wanted probabilities that sum to 1"):
        Table(records=((0,), (1,)), probabilities=(0.5, 0.4))
    with pytest.raises(InputError, match=r"^Epidemic.community: 2, wanted a probability from 0 to 1$"):
        Epidemic(community=2, household=0)
    with pytest.raises(InputError, match=r"^Households: .*, wanted infected to have at least two entries"):
        Households(count=1, infected=(1.0,))
    with pytest.raises(InputError, match=r"^Independent.values row 2: nan, wanted a finite number or a text$"):
        Independent(values=(0, nan), probabilities=((0.5, 0.5),))
    with pytest.raises(InputError, match=r"^Spec.query: missing, wanted a value$"):
        Spec(model=Independent(probabilities=(0.5,)))


def test_a_long_value_is_cut_and_kept_on_one_line() -> None:
    said = str(refused(GOOD | {"query": {"kind": "a\nb" * 200}}))
    assert len(said) < 250
