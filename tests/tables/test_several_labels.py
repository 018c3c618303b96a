"""Labels of several columns: one answer for each combination, also where nobody has it but the owner lists it."""

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalenius.curator import Ask, Curator
from dalenius.curator.policy import read_policy
from dalenius.errors import InputError
from dalenius.models import Independent
from dalenius.queries import Count, Several, Sum
from dalenius.queries.query import Kind
from dalenius.spec import Spec
from dalenius.spec.data_section import Source
from dalenius.spec.spec import canonical
from dalenius.spec.suppositions import hypotheses
from dalenius.tables import true_answer
from dalenius.tables.binding import bound_to_table
from tests.cli.command import Run
from tests.tables.written import opened

RANDOM = Random(3)
ROWS = [(RANDOM.choice(["north", "south"]), RANDOM.choice(["01", "1"]), RANDOM.choice([0, 1])) for _ in range(40)]
COLUMNS: dict[str, list[Any]] = dict(zip(("ward", "age", "ill"), map(list, zip(*ROWS, strict=True)), strict=True))
BOTH = ("ward", "age")


def test_people_are_counted_by_combination(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, COLUMNS, "ill", label=BOTH)
    counts = Counter((f"{ward} / {age}", Fraction(ill)) for ward, age, ill in ROWS)
    assert people.tally() == dict(counts)
    assert people.labelled() == Counter(f"{ward} / {age}" for ward, age, _ in ROWS)


def test_a_cell_with_the_mark_between_two_is_refused(form: str, tmp_path: Path) -> None:
    columns = COLUMNS | {"ward": ["a / b", *COLUMNS["ward"][1:]]}
    with pytest.raises(InputError, match=r"^data\.label: ward, age, wanted labels without ' / '.*: 1 of 40 has it$"):
        opened(tmp_path, form, columns, "ill", label=BOTH)


def test_missing_and_undeclared_cells(form: str, tmp_path: Path) -> None:
    columns = COLUMNS | {"age": [None, *COLUMNS["age"][1:]]}
    with pytest.raises(InputError, match=r"^data\.label: ward, age, wanted a cell in every row, 1 of 40 is missing$"):
        opened(tmp_path, form, columns, "ill", label=BOTH)
    ones = sum(age == "1" for _, age, _ in ROWS)
    declared = {"label": BOTH, "labels": [["north", "south"], ["01"]]}
    with pytest.raises(InputError, match=rf"^data\.label: ward, age, wanted one of .*, {ones} of 40 have another$"):
        opened(tmp_path, form, COLUMNS, "ill", **declared)
    assert opened(tmp_path, form, COLUMNS, "ill", **declared, others="leave_out").size == 40 - ones


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"label": ["a", "a"]}, "each of the columns of labels once"),
        ({"label": ["a"]}, "label as a column's name, or a list of at least two"),
        ({"label": ["a", "b"], "labels": ["x", "y"]}, "labels as 2 lists, one for each column of label"),
        ({"label": ["a", "b"], "labels": [["x"], ["y", "y"]]}, "each of the labels once"),
        ({"label": ["a", "b"], "labels": [["x / y"], ["y"]]}, "labels without ' / '"),
        ({"label": "a", "labels": [["x"], ["y"]]}, "labels as one list of texts"),
        ({"label": ["a", "b"], "labels": [list("abcdefgh") * 1, [str(n) for n in range(200)]]}, "at most 1000 combin"),
    ],
)
def test_labels_that_do_not_fit_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        Source(value="x", **given)
    assert said in refused.value.wanted


def test_a_listed_label_has_an_answer_though_nobody_has_it() -> None:
    strata = [Kind("north", (0, 1), 3), Kind("south", (0, 1), 2)]
    for query in (Count(per_label=True), Sum(per_label=True)):
        columns = query.listing(["west", "south", "north"]).columns(strata)
        assert [column.name for column in columns] == ["north", "south", "west"]
        assert set(columns[2].filled()) == {Fraction(0)}
        assert [column.name for column in query.columns(strata)] == ["north", "south"]
    assert len(Count().listing(["west"]).columns(strata)) == 1
    both = Several(queries=[Count(per_label=True), Count()]).listing(["west"])
    assert [column.name for column in both.columns(strata)] == [
        "count 1 north",
        "count 1 south",
        "count 1 west",
        "count 2",
    ]
    asked = Count(per_label=True, labels=("west",)).listing(["west"]).columns(strata)
    assert [column.name for column in asked] == ["west"]


def test_all_combinations_are_answered_and_the_empty_one_is_nought(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = [("north", "old", 1), ("north", "young", 1), ("south", "old", 0), ("south", "old", 1)]
    path.write_text("ward,age,ill\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), encoding="utf-8")
    names = [f"{ward} / {age}" for ward, age in product(["north", "south"], ["old", "young"])]
    model = Independent(n=4, labels=[f"{a} / {b}" for a, b, _ in rows], probabilities=[0.5])
    source = {"file": str(path), "value": "ill", "label": ["ward", "age"]}
    for labels, expected in ((None, names[:3]), ([["south", "north"], ["old", "young"]], names)):
        data = Source(**source, **({} if labels is None else {"labels": labels}))
        spec = Spec(model=model, query=Count(per_label=True), data=data)
        filled, people = bound_to_table(spec, tmp_path)
        assert people is not None
        release = filled.calibrated()
        assert list(release.names) == expected
        found = dict(zip(release.names, true_answer(release, people), strict=True))
        people.close()
        assert found == {name: sum(c for a, b, c in rows if f"{a} / {b}" == name) for name in expected}
        assert {"everybody's ward is public", "everybody's age is public"} <= set(hypotheses(spec, ()))
        assert canonical(filled.altered({"model": model})) == canonical(spec)


POLICY = """
[[data]]
name = "town"
source = { file = "p.csv", label = ["ward", "age"], labels = [["north", "south"], ["old", "young"]] }
notion = { kind = "inferential", epsilon = 3 }
[[data.measures]]
name = "ill"
value = "ill"
lower = 0
upper = 1
step = 1
model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.2 } }
[[data.analysts]]
name = "ana"
"""


def test_an_analyst_gets_all_combinations(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = "".join(f"{n // 2},{'north' if n < 4 else 'south'},old,{n % 2}\n" for n in range(8))
    Path("p.csv").write_text("home,ward,age,ill\n" + cells, encoding="utf-8")
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    assert run("policy", "check", "policy.toml").code == 0
    session = Curator(read_policy(Path("policy.toml")), tmp_path).session("ana", "town")
    ask = Ask(measure="ill", query=Count(per_label=True), epsilon=1.0)
    quoted = session.estimate(ask)
    names = ["north / old", "north / young", "south / old", "south / young"]
    assert list(quoted.half_widths) == names
    first, again = session.ask(ask), session.ask(ask)
    assert list(first.published.labels) == names
    assert again.published.answers == first.published.answers
