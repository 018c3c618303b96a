"""Cells that narrowly miss a condition, as `check`, `policy check` and the start of a service say them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import dalenius as dl
from tests.cli.command import Run

SPEC = """model = { kind = "independent", n = 6, probabilities = [0.3] }
query = { kind = "count" }
notion = { kind = "information", factor = 2 }
data = { file = "p.csv", value = VALUE }
"""
POLICY = """ledger = "l.sqlite"
[[data]]
name = "town"
source = { file = "p.csv" }
notion = { kind = "information", epsilon = 1 }
analysts = [{ name = "ana" }]
"""
MEASURE = """[[data.measures]]
name = "NAME"
value = VALUE
model = { kind = "independent", n = 6, probabilities = [0.3] }
"""
IS_YES = '{ column = "ill", equals = "yes" }'


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def _table(cells: Sequence[str], column: str = "ill") -> None:
    Path("p.csv").write_text("\n".join([f"n,{column}", *(f"{n},{cell}" for n, cell in enumerate(cells)), ""]))


def _found(value: str) -> list[tuple[str, str, int, tuple[int, ...]]]:
    Path("s.toml").write_text(SPEC.replace("VALUE", value), encoding="utf-8")
    return [(each.severity, each.kind, each.count, each.rows) for each in dl.check("s.toml").findings]


# All cells of the first two are words for yes and no, and no two texts of the fourth are alike.
@pytest.mark.parametrize(
    ("cells", "value", "found"),
    [
        (["yes", "Yes", "no", "no", "no", "no"], IS_YES, [("warning", "missed", 1, (2,))]),
        (["yes", "Yes", "YES", "Yes", "yes", "Yes"], IS_YES, [("warning", "missed", 4, (2, 3, 4, 6))]),
        (
            ["ja", "Ja", "Ja", "nein", "ja", "ja"],
            '{ column = "ill", equals = "ja" }',
            [("warning", "missed", 2, (2, 3))],
        ),
        (
            ["Ja", "krank", "\uff4a\uff41", "nein", "krank", "krank"],
            '{ column = "ill", one_of = ["ja", "krank"] }',
            None,
        ),
        (["yes", "no", "no", "no", "no", "no"], IS_YES, []),
    ],
)
def test_check_of_a_spec_says_cells_that_narrowly_miss_its_condition(
    cells: Sequence[str], value: str, found: list[tuple[str, str, int, tuple[int, ...]]] | None
) -> None:
    _table(cells)
    if found is None:
        # Where no row has the text of the condition, the table is refused, and the rows are said beside.
        assert _found(value) == [("error", "unusable", 1, ()), ("warning", "missed", 2, (1, 3))]
    else:
        assert _found(value) == found


def test_policy_check_says_them_for_each_measure_and_each_once(run: Run) -> None:
    _table(["yes", "Yes", "no", "no", "no", "NO"])
    measures = [("one", "yes"), ("two", "yes"), ("three", "no")]
    made = [
        MEASURE.replace("NAME", name).replace("VALUE", IS_YES.replace('"yes"', f'"{word}"')) for name, word in measures
    ]
    Path("policy.toml").write_text(POLICY + "".join(made), encoding="utf-8")
    done = run("policy", "check", "policy.toml")
    assert done.code == 0, done.err
    said = "dalenius: advice: data town: 1 cell in column ill differs from a text of its condition only in capitals (1)"
    wanted = "and does not fulfil it: mend it, or name both in one_of"
    assert [line for line in done.err.splitlines() if "condition" in line] == [
        f"{said}, {wanted} (row 2)",
        f"{said}, {wanted} (row 6)",
    ]
    assert "Yes" not in done.err
