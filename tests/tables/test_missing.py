"""Missing answers: refused, a value of their own, left out, or read as another cell; alike on every engine."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalenius.absent.one_absent_model import Absent
from dalenius.errors import InputError
from dalenius.models import Independent
from dalenius.queries import Count
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.spec.spec import Spec, canonical, question_words, read_spec
from dalenius.spec.suppositions import hypotheses
from dalenius.tables.binding import bound_to_table
from dalenius.tables.check import check_spec
from tests.cli.command import Run, complaint
from tests.tables.written import opened

RANDOM = Random(5)
ANSWERS: list[Any] = [RANDOM.choice(["ja", "nein", None]) for _ in range(60)]
DAYS: list[Any] = [RANDOM.choice([0, 2, 7, 9, None]) for _ in range(60)]
COLUMNS: dict[str, list[Any]] = {"home": [f"h{k // 4}" for k in range(60)], "ill": ANSWERS, "days": DAYS}
ILL = Condition(column="ill", equals="ja")


def expected(cells: list[Any]) -> dict[tuple[str, Fraction | str], int]:
    """How many people have each value, counted in Python."""
    return {("", value): count for value, count in Counter(cells).items()}


def test_a_value_of_its_own(form: str, tmp_path: Path) -> None:
    bits = [("missing" if each is None else Fraction(each == "ja")) for each in ANSWERS]
    assert opened(tmp_path, form, COLUMNS, ILL, missing="value").tally() == expected(bits)
    texts = [("missing" if each is None else each) for each in ANSWERS]
    assert opened(tmp_path, form, COLUMNS, "ill", missing="value").tally() == expected(texts)
    found = opened(tmp_path, form, COLUMNS, "days", missing="value", lower=0, upper=6, step=2).tally()
    rounded = ["missing" if each is None else Fraction(2 * int(Fraction(min(each, 6) + 1, 2))) for each in DAYS]
    assert found == expected(rounded)


def test_read_as_another_cell(form: str, tmp_path: Path) -> None:
    bits = [Fraction(each == "ja") for each in ANSWERS]
    assert opened(tmp_path, form, COLUMNS, ILL, missing={"as": "nein"}).tally() == expected(bits)
    numbers = [Fraction(7 if each is None else each) for each in DAYS]
    assert opened(tmp_path, form, COLUMNS, "days", missing={"as": 7}).tally() == expected(numbers)


def test_left_out_with_the_households_of_those_who_answered(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, COLUMNS, ILL, household="home", missing="leave_out")
    there = [each for each in ANSWERS if each is not None]
    assert people.size == len(there)
    assert [each.words for each in people.omitted] == [
        f"{60 - len(there)} of the 60 rows of data.value were left out: {60 - len(there)} without an answer"
    ]
    sizes = Counter(Counter(home for home, each in zip(COLUMNS["home"], ANSWERS, strict=True) if each).values())
    assert people.compositions() == {(("", size),): count for size, count in sizes.items()}


@pytest.mark.parametrize(
    ("value", "missing", "said"),
    [
        (ILL, None, r"a cell in every row, \d+ of 60 are missing \(missing in \[data\] says what else"),
        (ILL, {"as": "Nein"}, r"^data\.missing: ill, wanted \"Nein\" as the column spells it"),
        (ILL, {"as": 0}, r"^data\.missing: { as = 0 }, wanted a cell that column ill can hold: its cells are texts$"),
        ("days", {"as": "none"}, r"^data\.missing: { as = \"none\" }, wanted a cell that column days can hold"),
        ("days", {"as": 0.5}, r"^data\.missing: { as = 0\.5 }, wanted a cell that column days can hold"),
    ],
)
def test_what_cannot_be_is_refused(form: str, tmp_path: Path, value: Any, missing: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        opened(tmp_path, form, COLUMNS, value, missing=missing)


def test_an_answer_that_is_called_missing_is_not_mixed_up(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no cell "missing": that is the value of records without an answer'):
        opened(tmp_path, form, {"ill": ["missing", None, "ja"]}, "ill", missing="value")


@pytest.mark.parametrize("given", ["skip", {"of": "nein"}, {"as": "a", "or": "b"}, {"as": None}, 3])
def test_a_rule_that_there_is_not_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"^Source\.missing"):
        Source(value="ill", missing=given)


def test_the_default_has_the_text_of_no_rule() -> None:
    model = Independent(n=3, probabilities=[0.5])
    plain, written = (Spec(model=model, query=Count(), data=Source(value="ill", missing=m)) for m in (None, "refuse"))
    assert canonical(plain) == canonical(written)
    texts = {
        canonical(plain.altered({"data": Source(value="ill", missing=m)})) for m in ({"as": 0}, {"as": 1}, "value")
    }
    assert len(texts | {canonical(plain)}) == 4
    read = read_spec(
        {**plain.model_dump(mode="json", exclude_none=True), "data": {"value": "ill", "missing": {"as": 0}}}
    )
    assert read.data is not None
    assert read.data.missing == {"as": 0}


def test_the_certificate_states_the_choice() -> None:
    model, words = Independent(n=3, probabilities=[0.5]), {}
    for name, missing in (("as", {"as": "nein"}), ("value", "value"), ("leave_out", "leave_out")):
        spec = Spec(model=model, query=Count(), data=Source(value=ILL, missing=missing))
        words[name] = question_words(spec), [each for each in hypotheses(spec, ()) if "answer" in each]
    assert words["as"][0].endswith("; where ill is missing, it is read as nein")
    assert words["as"][1] == ["a missing answer is read as nein, and the model is of records so read"]
    assert words["value"][0].endswith(", and 'missing' where that is not known")
    assert words["leave_out"][0].endswith("; people whose ill is not known are left out")
    assert words["leave_out"][1] == ["it is public who answered"]


def test_a_model_without_that_value_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('ill\nja\nnein\n""\n', encoding="utf-8")
    data = {"file": str(path), "value": {"column": "ill", "equals": "ja"}, "missing": "value"}
    spec = read_spec(
        {"model": {"kind": "independent", "n": 3, "probabilities": [0.5]}, "query": {"kind": "count"}, "data": data}
    )
    with pytest.raises(InputError, match=r'^data\.missing: value, wanted a model whose records can be "missing"'):
        bound_to_table(spec, tmp_path)
    row = {"kind": "independent", "n": 3, "values": [0, 1, "missing"], "probabilities": [[0.5, 0.3, 0.2]]}
    bound, people = bound_to_table(spec.altered({"model": Independent(**row)}), tmp_path)
    assert people is not None
    people.close()
    found = check_spec(spec.altered({"model": bound.model}), tmp_path)
    assert [(each.severity, each.words) for each in found.findings] == [
        ("warning", "1 of 3 cells of column ill (value) is missing: each is a value of its own")
    ]
    absent = spec.altered({"model": Absent()})
    with pytest.raises(InputError, match=r"^data\.missing: value, wanted refuse, leave_out or"):
        bound_to_table(absent, tmp_path)


DAYS_ALIKE: dict[str, Any] = {"kind": "chain", "n": 2, "initial": [0.5, 0.5], "transition": [[0.9, 0.1], [0.1, 0.9]]}


@pytest.mark.parametrize("model", [DAYS_ALIKE, {"kind": "any", "models": [DAYS_ALIKE]}])
def test_no_day_is_left_out_of_a_chain(tmp_path: Path, model: dict[str, Any]) -> None:
    path = tmp_path / "p.csv"
    path.write_text('ill\nja\n""\nnein\n', encoding="utf-8")
    data = {"file": str(path), "value": {"column": "ill", "equals": "ja"}, "missing": "leave_out"}
    spec = read_spec({"model": model, "query": {"kind": "count"}, "data": data})
    with pytest.raises(InputError, match=r"^data\.missing: leave_out, wanted refuse, .* neighbours that are not$"):
        bound_to_table(spec, tmp_path)


POLICY = """
[[data]]
name = "town"
source = {{ file = "p.csv" }}
notion = {{ kind = "inferential", epsilon = 1 }}

[[data.measures]]
name = "ill"
value = {{ column = "ill", equals = "ja" }}
missing = {missing}
model = {{ kind = "independent", n = {n}, {law} }}

[[data.analysts]]
name = "ana"
"""
THREE = 'values = [0, 1, "missing"], probabilities = [[0.5, 0.3, 0.2]]'


@pytest.mark.parametrize(
    ("missing", "n", "law", "said"),
    [
        ('"value"', 4, THREE, None),
        ('{ as = "nein" }', 4, "probabilities = [0.3]", None),
        ('"leave_out"', 3, "probabilities = [0.3]", None),
        ('"leave_out"', 4, "probabilities = [0.3]", "wanted 3, as many as the table has"),
        ('"value"', 4, "probabilities = [0.3]", 'wanted a model whose records can be "missing"'),
        ('"refuse"', 4, "probabilities = [0.3]", "wanted a cell in every row, 1 of 4 is missing"),
        ('{ as = "nein" }', 4, THREE, "a model of the values that the measure declares"),
    ],
)
def test_a_policy_has_the_same_rules(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, n: int, law: str, said: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text('ill\nja\nnein\n""\nja\n', encoding="utf-8")
    Path("policy.toml").write_text(POLICY.format(missing=missing, n=n, law=law), encoding="utf-8")
    done = run("policy", "check", "policy.toml")
    if said is None:
        assert done.code == 0, done.err
    else:
        assert said in complaint(done)


def test_init_proposes_to_read_it_as_no(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = ["ja", "nein", "", "nein", "ja", "nein"]
    Path("p.csv").write_text("home,ill\n" + "".join(f"h{k // 2},{each}\n" for k, each in enumerate(cells)), "utf-8")
    done = run("init", "p.csv")
    assert "1 cell of column ill is missing, and is read as nein: see missing" in done.err
    assert 'missing = { as = "nein" }' in Path("spec.toml").read_text(encoding="utf-8")
    assert run("release", "spec.toml", "--json").json["answers"]


PLACED: dict[str, list[Any]] = {
    **COLUMNS,
    "ill": [RANDOM.choice(["ja", "nein"]) for _ in range(60)],
    "place": [RANDOM.choice(["north", "south", "abroad", None]) for _ in range(60)],
    "weight": [RANDOM.choice([0.5, 1.5, None]) for _ in range(60)],
}


def rows_of(column: str) -> list[tuple[bool, bool]]:
    """For each person: whether they are ill, and whether the cell of the column is empty."""
    return [(each == "ja", cell is None) for each, cell in zip(PLACED["ill"], PLACED[column], strict=True)]


@pytest.mark.parametrize("column", ["place", "days", "weight"])
def test_rows_with_an_empty_cell_are_left_out_where_a_condition_says_so(form: str, tmp_path: Path, column: str) -> None:
    empty = {"column": column, "missing": True}
    for where, kept in (
        (empty, [ill for ill, none in rows_of(column) if none]),
        ({"column": column, "missing": False}, [ill for ill, none in rows_of(column) if not none]),
        ({"any": [empty, {"column": "ill", "equals": "ja"}]}, [ill for ill, none in rows_of(column) if none or ill]),
    ):
        found = opened(tmp_path, form, PLACED, ILL, where=[where]).tally()
        assert found == expected([Fraction(ill) for ill in kept])


def test_a_condition_on_the_same_column_may_follow(form: str, tmp_path: Path) -> None:
    where = [{"column": "days", "missing": False}, {"column": "days", "at_least": 7}]
    count = sum(each is not None and each >= 7 for each in PLACED["days"])
    assert opened(tmp_path, form, PLACED, ILL, where=where).size == count


def test_rows_without_a_label_are_left_out_with_those_of_others(form: str, tmp_path: Path) -> None:
    places = PLACED["place"]
    others, empty = places.count("abroad"), places.count(None)
    people = opened(tmp_path, form, PLACED, ILL, label="place", labels=["north", "south"], others="leave_out")
    assert people.size == 60 - others - empty
    assert [each.words for each in people.omitted] == [
        f"{others + empty} of the 60 rows of data.label were left out: {others} with a label that is not declared, "
        f"{empty} without a label"
    ]
    with pytest.raises(
        InputError, match=rf"^data\.label: place, wanted a cell in every row, {empty} of 60 are missing"
    ):
        opened(tmp_path, form, PLACED, ILL, label="place", labels=["north", "south", "abroad"])


def test_who_did_not_answer_can_be_counted(form: str, tmp_path: Path) -> None:
    found = opened(tmp_path, form, COLUMNS, Condition(column="ill", missing=True)).tally()
    assert found == expected([Fraction(each is None) for each in ANSWERS])


@pytest.mark.parametrize("given", [{"missing": "yes"}, {"missing": True, "equals": "ja"}])
def test_a_condition_that_an_empty_cell_cannot_have_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="Condition"):
        Condition(column="ill", **given)
