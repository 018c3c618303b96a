"""Several conditions, of which all or any must hold: on every engine as Python says, row by row."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.spec.condition import Conditions
from dalenius.spec.data_section import Source
from dalenius.spec.spec import read_spec
from tests.cli.command import Run
from tests.tables.written import opened

RANDOM = Random(8)
ROWS = [(RANDOM.choice(["ja", "nein"]), RANDOM.randrange(90), RANDOM.choice([0, 1])) for _ in range(80)]
COLUMNS: dict[str, list[Any]] = {
    "ill": [a for a, _, _ in ROWS],
    "age": [b for _, b, _ in ROWS],
    "frail": [c for _, _, c in ROWS],
}
ILL = {"column": "ill", "equals": "ja"}
OLD = {"column": "age", "at_least": 65}
FRAIL = {"column": "frail", "equals": 1}
Holds = Callable[[str, int, int], bool]
CASES: list[tuple[dict[str, Any], Holds]] = [
    ({"all": [ILL, OLD]}, lambda ill, age, frail: ill == "ja" and age >= 65),
    ({"any": [ILL, OLD, FRAIL]}, lambda ill, age, frail: ill == "ja" or age >= 65 or frail == 1),
    ({"all": [ILL, {"any": [OLD, FRAIL]}]}, lambda ill, age, frail: ill == "ja" and (age >= 65 or frail == 1)),
    (
        {"any": [{"all": [ILL, FRAIL]}, {"all": [OLD, {"column": "age", "below": 80}]}]},
        lambda ill, age, frail: (ill == "ja" and frail == 1) or 65 <= age < 80,
    ),
]


@pytest.mark.parametrize(("value", "holds"), CASES)
def test_a_record_is_1_where_they_hold(form: str, tmp_path: Path, value: dict[str, Any], holds: Holds) -> None:
    ones = sum(holds(*row) for row in ROWS)
    found = opened(tmp_path, form, COLUMNS, Conditions(**value)).tally()
    assert found == {("", Fraction(1)): ones, ("", Fraction(0)): len(ROWS) - ones}
    among = opened(tmp_path, form, COLUMNS, "frail", where=[value])
    assert among.size == ones


def test_a_missing_cell_of_any_of_them_is_missing(form: str, tmp_path: Path) -> None:
    gaps = COLUMNS | {"age": [None, *COLUMNS["age"][1:]], "ill": [*COLUMNS["ill"][:-1], None]}
    value = Conditions(any=[ILL, OLD])
    with pytest.raises(InputError, match=r"^data\.value: ill, age, wanted a cell in every row, 2 of 80 are missing"):
        opened(tmp_path, form, gaps, value)
    assert opened(tmp_path, form, gaps, value, missing="leave_out").size == 78
    assert opened(tmp_path, form, gaps, value, missing="value").tally()["", "missing"] == 2
    with pytest.raises(InputError, match=r"^data\.where row 1: ill, age, wanted a cell in every row, 2 of 80"):
        opened(tmp_path, form, gaps, "frail", where=[{"any": [ILL, OLD]}])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"all": [ILL]}, "2 or more entries (condition.all)"),
        (
            {"all": [ILL, OLD], "any": [ILL, OLD]},
            "either all or any, a list of at least two",
        ),
        ({"all": [ILL, 3]}, "a condition on a column, or several"),
        ({"all": [ILL, {"column": "age"}]}, "exactly one of equals, one_of, below"),
        ({"all": [ILL, OLD], "not": FRAIL}, "one of the keys of Conditions: all, any"),
    ],
)
def test_what_is_no_list_of_conditions_is_refused(value: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        Source(value=value)
    assert refused.value.key == "Source.value"
    assert refused.value.wanted.startswith(said)


def test_a_cell_of_several_columns_cannot_be_read_as_one() -> None:
    with pytest.raises(InputError, match=r"wanted missing as refuse, value or leave_out: the value is made of several"):
        Source(value={"all": [ILL, OLD]}, missing={"as": "nein"})


def test_a_column_that_is_not_there_and_a_text_that_nobody_has_are_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^data\.value column 2: ages, wanted one of the columns"):
        opened(tmp_path, form, COLUMNS, Conditions(all=[ILL, {"column": "ages", "at_least": 65}]))
    with pytest.raises(InputError, match=r"^data\.value: ill, wanted \"Ja\" as the column spells it"):
        opened(tmp_path, form, COLUMNS, Conditions(all=[{"column": "ill", "equals": "Ja"}, OLD]))


SPEC = """
model = {kind = "independent", n = 4, probabilities = [0.3]}
query = {kind = "count"}
noise = {kind = "geometric", scale = 2.0}
notion = {kind = "information", epsilon = 1.0}
[data]
file = "p.csv"
value = { all = [{ column = "ill", equals = "ja" }, { column = "age", at_least = 65 }] }
"""


def test_a_release_checks_and_says_all_of_them(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("ill,age\nja,70\nnein,80\nja,20\nnein,30\n", encoding="utf-8")
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    assert run("check", "s.toml").code == 0
    found = run("release", "s.toml", "--json").json["certificate"]
    assert "a record is 1 where ill = ja and age at least 65, else 0" in str(found)
    again = read_spec(read_spec(Path("s.toml")).model_dump(mode="json", exclude_none=True))
    assert again == read_spec(Path("s.toml"))
