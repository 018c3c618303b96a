"""`dalenius explain` on a spec with a table: which of its rows are most exposed, in a block for the curator alone.

Leakage by size of household: the numbers are those of the people themselves; both files or none.
"""

import csv
from pathlib import Path

import pytest

from dalenius import (
    Absent,
    Count,
    Geometric,
    Households,
    HouseholdType,
    InferentialPrivacy,
    InformationPrivacy,
    InputError,
    Laplace,
    Release,
    RhoIdentifiability,
    Secrets,
    calibrate,
)
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.reports.leakages import calibration_figure, curve, draw_by_group
from tests.cases import in_turn
from tests.cli.command import Run, complaint, written
from tests.reports.test_explain import COUNT, EPIDEMIC, NOISE, PAIR, cells, explained, section, structure, words

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


TYPES = (
    HouseholdType(count=5, infected=(0.8, 0.2)),
    HouseholdType(count=3, infected=(0.7, 0.1, 0.2)),
    HouseholdType(count=2, infected=(0.6, 0.1, 0.1, 0.2)),
    HouseholdType(count=2, infected=(0.2, 0.1, 0.1, 0.6)),
)
TOWN = Households(types=TYPES)
FIRST = {1: (1,), 2: (6,), 3: (12, 18)}  # somebody of every type, by the size of the household
NOISES: tuple[Noise, ...] = (Geometric(scale=1), Geometric(scale=3), Laplace(scale=2))


def directly(noise: Noise, notion: Notion, size: int) -> float:
    release = Release(TOWN, Count(), noise, Secrets(people=FIRST[size]))
    return notion.leakage(release).upper


@in_turn({"notion": [InformationPrivacy(epsilon=1), InferentialPrivacy(epsilon=1)], "suffix": [".png", ".svg", ".pdf"]})
def test_picture_and_numbers(notion: Notion, suffix: str, tmp_path: Path) -> None:
    curves = [curve(f"method {i}", Release(TOWN, Count(), noise), notion) for i, noise in enumerate(NOISES)]
    written = draw_by_group(curves, notion, tmp_path / f"leakage{suffix}")
    assert written == (tmp_path / f"leakage{suffix}", tmp_path / "leakage.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    with written[1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(NOISES) * len(FIRST)
    for row, (noise, size) in zip(rows, [(noise, size) for noise in NOISES for size in FIRST], strict=True):
        assert (row["noise"], float(row["scale"]), int(row["group_size"])) == (noise.kind, noise.scale, size)
        assert float(row[f"{notion.kind}_leakage_nats"]) == pytest.approx(directly(noise, notion, size), abs=1e-12)
        assert float(row["promised_nats"]) == 1


def test_only_pictures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^plot: .*leakage.txt, wanted a file ending in .png, .svg or .pdf$"):
        draw_by_group([], InformationPrivacy(), tmp_path / "leakage.txt")
    assert not list(tmp_path.iterdir())


def test_who_is_absent_has_no_household_to_draw(tmp_path: Path) -> None:
    release, notion = Release(Absent(answers=(0, 1, 3, 10)), None, Laplace()), RhoIdentifiability(rho=0.6)
    with pytest.raises(InputError, match=r"^plot: model absent, wanted a model of records"):
        calibration_figure(release, notion, calibrate(release, notion), tmp_path / "x.png")
    assert not list(tmp_path.iterdir())
