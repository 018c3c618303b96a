"""`dalenius explain` on a spec with a table: which of its rows are most exposed, in a block for the curator alone."""

from pathlib import Path

from tests.cli.command import EXAMPLES, Run, complaint, written
from tests.reports.test_explain_command import COUNT, EPIDEMIC, NOISE, PAIR, cells, explained, section, structure, words

DATA = '[data]\nfile = "people.csv"\nvalue = "ill"\n'
LABELLED = DATA + 'label = "place"\n'
PEOPLE = """home,place,ill
7,Hill,0
8,Mill,0
9,Hill,1
7,Hill,0
9,Mill,0
10,Hill,0
10,Mill,0
9,Hill,0
"""
"""Household 9, of three, is the largest: rows 3, 5 and 8."""
SECRET = "not for publication"


def table(folder: Path, text: str = PEOPLE) -> None:
    (folder / "people.csv").write_text(text, encoding="utf-8")


def frame(html: str) -> str:
    """The only one, in the section of who is exposed."""
    assert html.count("<aside") == 1
    start = html.index('<aside class="secret"')
    assert html.index('<section id="exposed"') < start < html.index('<section id="rests"')
    return html[start : html.index("</aside>")]


def block(html: str) -> str:
    return words("<main>" + frame(html))


def rows(html: str) -> dict[str, list[str]]:
    return cells(frame(html))


def test_the_rows_of_the_largest_household(tmp_path: Path) -> None:
    table(tmp_path)
    html = explained(written(tmp_path, EPIDEMIC, COUNT, NOISE, DATA))
    structure(html)
    assert rows(html)["none"] == ["of 3", "3", "3, 5, 8"]
    told = block(html)
    assert SECRET in told
    assert "the line of column names and blank lines are not" in told
    assert "Rows of people.csv that the most exposed people are" in told
    assert "3, 5, 8" not in html.replace(frame(html), "")


def test_by_household_and_label(tmp_path: Path) -> None:
    """Of the household of three, those who are counted."""
    table(tmp_path, PEOPLE.replace("7,Hill,0\n8", "7,Mill,0\n8"))
    query = '[query]\nkind = "count"\nlabels = ["Hill"]\n'
    found = rows(explained(written(tmp_path, EPIDEMIC, query, NOISE, LABELLED)))
    assert found["Hill"] == ["of 3 (2 Hill, 1 Mill)", "2", "3, 8"]


MIXED = """
model = { kind = "groups", types = [
    { count = 2, records = [[0], [1]], probabilities = [0.9, 0.1], labels = ["Hill"] },
    { records = [[0, 0], [1, 1]], probabilities = [0.9, 0.1], labels = ["Mill", "Mill"] },
    { records = [[0, 0, 0, 0], [1, 1, 1, 1]], probabilities = [0.9, 0.1], labels = ["Hill", "Hill", "Hill", "Mill"] },
] }
"""
"""The four who are alike are three of five on the Hill and one of three at the Mill."""
UNSAID = "Which rows of the table these are, the table does not say: the model numbers people itself."


def test_labels_alone(tmp_path: Path) -> None:
    """A model that reads no households: a class that is all of a label has that label's rows."""
    table(tmp_path)
    alone = '[model]\nkind = "independent"\nprobabilities = [0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5]\n'
    labels = 'labels = ["Hill", "Hill", "Hill", "Hill", "Hill", "Mill", "Mill", "Mill"]\n'
    found = rows(explained(written(tmp_path, alone + labels, COUNT, NOISE, LABELLED)))
    assert found["Hill"] == ["not read by the model", "5", "1, 3, 4, 6, 8"]


def test_a_model_that_numbers_people_itself(tmp_path: Path) -> None:
    table(tmp_path)
    html = explained(written(tmp_path, MIXED, COUNT, NOISE, LABELLED))
    assert UNSAID in section(html, "exposed")
    assert "<aside" not in html
    assert "curator alone" not in html


def test_a_household_of_whom_somebody_is_known(tmp_path: Path) -> None:
    """The model knows somebody in one of two equal households; the table does not say in which."""
    table(tmp_path, "home,ill\n1,0\n1,0\n2,0\n2,0\n")
    known = "[adversary]\nknown = {1 = 1}\n"
    assert UNSAID in section(explained(written(tmp_path, EPIDEMIC, COUNT, NOISE, DATA, known)), "exposed")


def test_laws_that_part_people_otherwise(tmp_path: Path) -> None:
    """Two of three under one law, two others under the next: not four, nor all."""
    table(tmp_path, "ill\n0\n0\n0\n")
    ends = '{{kind = "independent", probabilities = [{}, {}, {}]}}'
    models = ", ".join(ends.format(*each) for each in ((0.5, 0.5, 0.9), (0.9, 0.5, 0.5)))
    model = f'[model]\nkind = "any"\nmodels = [{models}]\n'
    assert UNSAID in section(explained(written(tmp_path, model, COUNT, NOISE, DATA)), "exposed")


def test_without_a_table_there_is_no_block(tmp_path: Path) -> None:
    for spec in (written(tmp_path, PAIR, COUNT, NOISE), EXAMPLES / "absent.toml"):
        html = explained(spec)
        assert "<aside" not in html
        assert "frame below" not in html
        assert "curator alone" not in html


def test_another_table_than_the_specs_own(tmp_path: Path, run: Run) -> None:
    spec, other, page = written(tmp_path, PAIR, COUNT, NOISE, DATA), tmp_path / "other.csv", tmp_path / "page.html"
    other.write_text("ill\n0\n1\n", encoding="utf-8")
    done = run("explain", spec, "--out", page, "--data", other)
    assert (done.code, done.err) == (0, "")
    html = page.read_text(encoding="utf-8")
    assert rows(html)["none"] == ["not read by the model", "2", "1, 2"]
    assert "Rows of other.csv" in block(html)
    bare = written(tmp_path, PAIR, COUNT, NOISE)
    said = complaint(run("explain", bare, "--out", page, "--data", other))
    assert said == "data: missing, wanted a section [data] that names the columns to read"
    other.write_text("ill\n0\n", encoding="utf-8")
    said = complaint(run("explain", written(tmp_path, PAIR, COUNT, NOISE, DATA), "--out", page, "--data", other))
    assert said == "data: 1 people, wanted 2, as many as the model has"
