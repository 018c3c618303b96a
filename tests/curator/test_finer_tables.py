"""After a table of districts, districts by age are refused in words that say what would have cost nothing."""

from pathlib import Path

import pytest

from tests.cli.command import Run

HOMES = """model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }
query = { kind = "count", per_label = true }
notion = { kind = "inferential", epsilon = 1.0986 }
data = { file = "p.csv", value = "ill", label = "%s" }
"""
SAID = "entry 3 asked the same by the label district. Answers of one table may be sums of the other's"


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{home},{'ab'[home % 2]},{'ab'[home % 2]} {'child' if place else 'adult'},{int(home == place)}"
            for home in range(30) for place in range(4)]  # fmt: skip
    Path("p.csv").write_text("\n".join(["home,district,cell,ill", *rows, ""]), encoding="utf-8")
    for name in ("district", "cell"):
        Path(f"{name}.toml").write_text(HOMES % name, encoding="utf-8")


def test_the_refusal_says_that_districts_are_sums_of_cells(run: Run) -> None:
    assert run("release", "district.toml", "--budget", "2.2").code == 0
    done = run("release", "cell.toml", "--budget", "2.2")
    assert done.code == 1
    assert SAID in done.err
    assert "[[derived]]" in done.err
    assert "[[questions]]" in done.err


def test_the_advice_answers_both_tables_at_the_price_of_one(run: Run) -> None:
    sums = "".join(
        f'[[derived]]\nname = "{one}"\nweights = {{ "{one} adult" = 1, "{one} child" = 1 }}\n' for one in "ab"
    )
    Path("both.toml").write_text(HOMES % "cell" + sums, encoding="utf-8")
    done = run("release", "both.toml", "--budget", "2.2", "--json").json
    answers = dict(zip(done["labels"], done["answers"], strict=True))
    assert done["derived"] == {one: answers[f"{one} adult"] + answers[f"{one} child"] for one in "ab"}
    assert done["budget"]["spent"] == pytest.approx(1.0986)


def test_another_question_gets_no_such_advice(run: Run) -> None:
    assert run("release", "district.toml", "--budget", "2.2").code == 0
    plain = (HOMES % "cell").replace(", per_label = true", "")
    Path("plain.toml").write_text(plain.replace("1.0986", "1.9"), encoding="utf-8")
    done = run("release", "plain.toml", "--budget", "2.2")
    assert done.code == 1
    assert "too much" in done.err
    assert "by the label" not in done.err
