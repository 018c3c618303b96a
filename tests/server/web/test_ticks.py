"""Labels that are ticked, the most that fits, practice, pictures and downloads, as a browser would send them."""

import csv
import io
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path

import pytest

from dalenius.server.answer_picture import Axis, picture_of
from dalenius.spec.practice import PRACTICE
from tests.server.web.visited import DISTRICTS, NAME, Visited, hidden, people, text_of, visiting_table

ASK = "/data/Measles%2C%20winter/ask"
BAD = ("<script>alert(1)</script>", 'O\'Hara "North" & co', "=1+1")
"""Labels that must be shown as they are, and as nothing else."""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    """Pages of the same people, whose districts have other names."""
    text = people()
    for name, other in zip(DISTRICTS, BAD, strict=True):
        quoted = '"' + other.replace('"', '""') + '"'
        text = text.replace(f",{name},", f",{quoted},")
    with visiting_table(tmp_path_factory.mktemp("odd"), text) as found:
        found.sign_in("ana")
        yield found


@pytest.fixture
def ana(pages: Visited) -> Iterator[Visited]:
    pages.sign_in("ana")
    yield pages
    pages.client.cookies.clear()


TICKED = {"measure": "ill", "kind": "count", "per_label": "on", "epsilon": "0.3", "confidence": "0.95"}


def test_labels_are_listed_to_be_ticked_and_stay_ticked(ana: Visited) -> None:
    page = ana.get(ASK).text
    assert re.findall(r'name="label\.\d+" value="([^"]*)"', page) == ["Harbour", "Hill", "Mill"]
    found = ana.send(ASK, {**TICKED, "label.1": "Hill", "do": "cost"}).text
    assert 'value="Hill" checked>' in found
    assert 'value="Mill">' in found
    assert json.loads(hidden(found, "ask"))["query"]["labels"] == ["Hill"]
    assert "95 % interval for Hill" in text_of(found)


def test_a_link_with_a_query_is_shown_in_ticks(ana: Visited) -> None:
    query = '{"kind": "count", "labels": ["Mill"], "per_label": true}'
    page = ana.client.get(ASK, params={"measure": "ill", "query": query}).text
    assert 'value="Mill" checked>' in page
    assert 'id="per_label" name="per_label" value="on" checked>' in page
    assert '{"kind": "count"' not in unescape(re.search(r"<textarea.*?</textarea>", page, re.DOTALL)[0])  # type: ignore[index]


def test_a_label_that_nobody_has_is_refused_at_the_ticks(ana: Visited) -> None:
    found = ana.send(ASK, {**TICKED, "label.0": "Valley", "do": "cost"})
    assert found.status_code == 422
    assert 'id="kind-fault"' in found.text
    assert "wanted one of the people" in text_of(found.text)


def test_names_with_marks_and_quotes_are_shown_as_they_are(odd: Visited) -> None:
    page = odd.get(ASK).text
    assert sorted(unescape(each) for each in re.findall(r'name="label\.\d+" value="([^"]*)"', page)) == sorted(BAD)
    shown = [page]
    ticked = {f"label.{place}": label for place, label in enumerate(BAD)}
    shown.append(odd.send(ASK, {**TICKED, **ticked, "do": "cost"}).text)
    place = odd.send(ASK, {"do": "ask", "ask": hidden(shown[-1], "ask")}, page=ASK).headers["location"]
    shown.append(odd.get(place).text)
    practice = odd.send(ASK, {**TICKED, **ticked, "do": "practise"}).headers["location"]
    shown += [odd.get(practice).text, odd.get(f"{place}/sheet/en").text, odd.get(f"{practice}/sheet/de").text]
    for each in shown:
        assert "<script" not in each
        assert escape(BAD[0], quote=False) in each or escape(BAD[0]) in each
    rows = list(csv.DictReader(io.StringIO(odd.get(f"{place}/csv").text)))
    assert {row["label"] for row in rows} == {BAD[0], BAD[1], "'=1+1"}, "no spreadsheet computes a label"
    assert {row["practice"] for row in rows} == {"no"}


def test_the_most_that_fits_is_said_with_its_precision(ana: Visited) -> None:
    before = ana.debits()
    found = ana.send(ASK, {**TICKED, "epsilon": "", "do": "largest"})
    assert found.status_code == 200
    said = text_of(found.text)
    assert "is the largest that still fits" in said
    assert "95 % interval for Harbour ±" in said
    assert re.search(r'name="epsilon" type="text" value="[\d.]+"', found.text), "and is in the form"
    assert ana.debits() == before


def test_a_spent_budget_has_nothing_that_fits(own: Visited) -> None:
    own.sign_in("ana")
    own.ask(ASK, epsilon="1.5")
    found = own.send(ASK, {**TICKED, "epsilon": "", "do": "largest"})
    assert found.status_code == 402
    assert "nothing fits in what is left of the budget" in text_of(found.text).lower()


def test_too_much_is_refused_with_a_way_on(ana: Visited) -> None:
    found = ana.send(ASK, {**TICKED, "epsilon": "5", "do": "cost"})
    assert found.status_code == 402
    assert "What is the most that fits? below finds what would do." in text_of(found.text)
    assert "finds what would do" not in text_of(ana.send(ASK, {**TICKED, "epsilon": "x", "do": "cost"}).text)


def test_practice_is_said_on_page_csv_and_sheet(ana: Visited) -> None:
    before = ana.debits()
    place = ana.send(ASK, {**TICKED, "do": "practise"}).headers["location"]
    page = ana.get(place).text
    assert "<title>Practice" in page
    assert PRACTICE[1:] in text_of(page)
    assert PRACTICE in unescape(re.search(r"<pre.*?</pre>", page, re.DOTALL)[0]), "in the JSON"  # type: ignore[index]
    rows = list(csv.DictReader(io.StringIO(ana.get(f"{place}/csv").text)))
    assert {row["practice"] for row in rows} == {"yes"}
    assert {row["entry"] for row in rows} == {""}
    # An interval of a count ends at 0, and an answer may be below it.
    assert all(float(row["low"]) <= max(float(row["answer"]), 0.0) for row in rows)
    assert all(float(row["answer"]) <= float(row["high"]) for row in rows)
    sheets = {code: ana.get(f"{place}/sheet/{code}").text for code in ("en", "de")}
    assert "PRACTICE" in sheets["en"]
    assert "ÜBUNG" in sheets["de"]
    assert "Signature" not in sheets["en"], "nobody signs it"
    assert ana.debits() == before
    assert "practice" not in ana.get(f"/data/{NAME}").text.lower().replace("practise", "")
    ana.sign_in("bob")
    assert ana.get(place).status_code == 404, "it is hers"


def test_downloads_are_files_and_list_what_was_told(own: Visited) -> None:
    own.sign_in("bob")
    own.ask(ASK, epsilon="0.21")
    own.sign_in("ana")
    place = own.ask(ASK, query='{"kind": "count", "per_label": true}', epsilon="0.2").headers["location"]
    found = own.get(f"{place}/csv")
    assert found.headers["content-disposition"] == f'attachment; filename="answer-{place.rpartition("/")[2]}.csv"'
    assert found.headers["content-type"] == "text/csv; charset=utf-8"
    assert [row["label"] for row in csv.DictReader(io.StringIO(found.text))] == ["Harbour", "Hill", "Mill"]
    sheet = text_of(own.get(f"{place}/sheet/en").text)
    assert "One earlier release is in the ledger." in sheet
    assert "1 earlier ones are not shown" in sheet, "it was Bob's, and what he asked is not Ana's to read"
    assert "bob" not in sheet
    assert "Asked by ana" in sheet
    for wrong in (f"{place}/sheet/fr", f"{place}/sheet/..%2Fen", "/data/mumps/answers/1/csv", f"{place}0/csv"):
        assert own.get(wrong).status_code == 404
    own.sign_in("bob")
    assert own.get(f"{place}/csv").status_code == own.get(f"{place}/sheet/en").status_code == 404


def test_a_practice_page_that_is_forgotten_says_so(ana: Visited) -> None:
    found = ana.get("/data/Measles%2C%20winter/practice/nonsense")
    assert found.status_code == 404
    assert "practise again, it is free" in text_of(found.text)


def test_too_many_labels_are_written_as_json(tmp_path: Path) -> None:
    head, *rows = people().splitlines()
    many = [f"X{n},D{n},0,1" for n in range(501)]
    with visiting_table(tmp_path, "\n".join([head, *rows, *many]) + "\n") as found:
        found.sign_in("ana")
        said = text_of(found.get(ASK).text)
        assert "There are 504 labels, too many to tick" in said


def test_the_picture_has_every_answer_on_its_axis() -> None:
    release = {"answers": [3, 17], "labels": ["a" * 60, "b"], "interval": [[1, 5], ["-inf", 20]]}
    found = picture_of(release, "people")
    assert found is not None
    assert [row.label[-1] for row in found.rows] == ["…", "b"]
    assert (found.rows[1].open_low, found.rows[1].open_high) == (True, False)
    assert found.rows[1].ends is not None
    assert found.rows[1].ends[0] == "3.000%"
    places = [float(row.dot.rstrip("%")) for row in found.rows]
    marks = [(float(at.rstrip("%")), float(text)) for at, text in found.marks]
    scale = (marks[-1][0] - marks[0][0]) / (marks[-1][1] - marks[0][1])
    assert (places[1] - places[0]) / 14 == pytest.approx(scale, rel=1e-3)
    assert picture_of({"answers": ["yes"], "labels": [""]}, "people") is None
    long = picture_of({"answers": [1] * 130, "labels": [""] * 130}, "people")
    assert long is not None
    assert (len(long.rows), long.left_out, long.has_intervals) == (100, 30, False)


@pytest.mark.parametrize("numbers", [[0.0], [5.0, 5.0], [-1e-7, 3e-7], [1e12, 1.5e12], [-3.0, 17.0, 4.0]])
def test_an_axis_has_a_few_marks_within_its_ends(numbers: list[float]) -> None:
    axis = Axis.over(numbers)
    assert axis.low < min(numbers)
    assert axis.high > max(numbers)
    assert 1 <= len(axis.marks) <= 5
    assert all(axis.low <= mark <= axis.high for mark in axis.marks)
