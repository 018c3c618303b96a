"""`dalenius explain`: what the page says, that its numbers are those of the other commands, and what it refuses."""

import re
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from math import exp
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dalenius.bounds import Enclosure
from dalenius.pages import judged, page
from dalenius.pages.judged import exposed
from dalenius.pages.numbers import folds
from dalenius.pages.revealed import SELDOM, Outputs, read
from dalenius.spec import canonical, read_spec
from tests.cli.command import EXAMPLES, complaint, dalenius, dalenius_once, here

OUTBREAK = EXAMPLES / "outbreak" / "outbreak.toml"
KEYS = ["published", "assumed", "promises", "revealed", "tail", "exposed", "rests"]
VOID = {"meta", "link", "br", "hr", "img"}
COUNT = '[query]\nkind = "count"\n'
PAIR = '[model]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n'
CHAIN = '[model]\nkind = "chain"\nn = 30\ninitial = [0.5, 0.5]\ntransition = [[0.9, 0.1], [0.2, 0.8]]\n'
TWO_LAWS = """
[model]
kind = "any"
models = [{kind = "independent", n = 20, values = [0, 1], probabilities = [0.5, 0.5]},
          {kind = "independent", n = 20, values = [0, 1], probabilities = [0.9, 0.1]}]
"""
NORMAL = '[model]\nkind = "gaussian"\nmean = [1, 0]\ncovariance = [[1, 0.5], [0.5, 1]]\n[query]\nkind = "sum"\n'
MOMENTS = '[model]\nkind = "moments"\nn = 9\nrange = 1.0\nvariance = 0.2\n[query]\nkind = "sum"\nlower = 0\nupper = 1\n'


class Structure(HTMLParser):
    """Every element closed where it was opened; the anchors, links and attributes there are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def written(folder: Path, *parts: str) -> Path:
    path = folder / "spec.toml"
    path.write_text("".join(parts), encoding="utf-8")
    return path


def explained(spec: Path) -> str:
    return page(judged(read_spec(spec), spec.read_text(encoding="utf-8"), spec.parent))


def structure(html: str) -> Structure:
    found = Structure()
    found.feed(html)
    assert not found.open
    return found


def words(html: str) -> str:
    """What is read, one cell or paragraph a line."""
    shown = re.sub(r"<svg.*?</svg>", "", html[html.index("<main>") :], flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "\n", unescape(re.sub(r"<[^>]+>", "\n", shown)))


def section(html: str, key: str) -> str:
    start = html.index(f'<section id="{key}"')
    return words("<main>" + html[start : html.index("</section>", start)])


def rows(html: str, key: str) -> dict[str, list[str]]:
    """The cells of a section's tables, but for those in a frame, by their row's first; the last table has its way."""
    start = html.index(f'<section id="{key}"')
    return cells(re.sub(r"<aside.*?</aside>", "", html[start : html.index("</section>", start)], flags=re.DOTALL))


def cells(part: str) -> dict[str, list[str]]:
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)]
    return {unescape(row[0]): [unescape(each) for each in row[1:]] for row in found}


def number(value: Any) -> float:
    return float(value)


@pytest.fixture(scope="module")
def outbreak() -> str:
    return explained(OUTBREAK)


def test_the_command_writes_one_page(tmp_path: Path, outbreak: str) -> None:
    done = dalenius("explain", OUTBREAK, "--out", tmp_path / "page.html")
    assert (done.code, done.out, done.err) == (0, f"wrote {tmp_path / 'page.html'}\n", "")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == outbreak
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_nothing_from_elsewhere_and_nothing_that_runs(outbreak: str) -> None:
    found = structure(outbreak)
    assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "foreignobject"}
    for _, name, value in found.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "srcset", "style", "data", "action", "xlink:href")
        assert name != "href" or value.startswith("#")
    bare = outbreak.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|url\(|@import|@font-face|javascript:", bare)


def test_anchors_and_headings_agree(outbreak: str) -> None:
    found = structure(outbreak)
    assert len(found.ids) == len(set(found.ids))
    links = [value.removeprefix("#") for _, name, value in found.attributes if name == "href"]
    assert links == KEYS
    labels = [value.split() for _, name, value in found.attributes if name == "aria-labelledby"]
    assert {each for label in labels for each in label} <= set(found.ids)
    assert {value for tag, name, value in found.attributes if (tag, name) == ("th", "scope")} == {"row", "col"}


def test_pictures_are_xml_with_words(outbreak: str) -> None:
    pictures = re.findall(r"<svg.*?</svg>", outbreak, re.DOTALL)
    assert len(pictures) == 2
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        space = "{http://www.w3.org/2000/svg}"
        assert [each.tag for each in root[:2]] == [f"{space}title", f"{space}desc"]
        assert all(each.text for each in root[:2])
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for each in root.iter():
            for place in re.findall(r"([-\d.]+),([-\d.]+)", each.attrib.get("points", "")):
                assert 0 <= float(place[0]) <= width
                assert 0 <= float(place[1]) <= height


def test_both_colours_and_paper(outbreak: str) -> None:
    assert "prefers-color-scheme: dark" in outbreak
    assert "@media print" in outbreak
    assert 'name="viewport"' in outbreak


def test_numbers_are_those_of_calibrate(outbreak: str) -> None:
    found = dalenius_once("calibrate", OUTBREAK, "--json").json
    first = section(outbreak, "published")
    assert f"scale {found['noise']['scale']:.6g}" in first
    assert f"{found['expected_error']:.4g} on average" in first
    told = section(outbreak, "promises")
    assert found["in_words"] in told
    assert found["leakage"]["in_words"] in told
    table = rows(outbreak, "promises")
    leaks = table["information"]
    assert leaks[0] == "1"
    assert number(leaks[1]) == pytest.approx(number(found["leakage"]["upper"]), rel=1e-3)
    assert leaks[2] == "kept"
    for name in ("differential", "bayesian"):
        assert number(found[name]) * (1 - 1e-8) <= number(table[name][1]) <= number(found[name]) * 1.001


def test_numbers_are_those_of_audit(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, '[noise]\nkind = "geometric"\nscale = 1.0\n')
    html = explained(spec)
    found = dalenius("audit", spec, "--how-likely", "--json").json
    assert "Nothing is promised" in section(html, "promises")
    table = rows(html, "promises")
    for kind in ("information", "inferential", "differential"):
        upper = number(found["leakage"][kind]["upper"])
        assert upper * (1 - 1e-7) <= number(table[kind][1]) <= upper * 1.001
    assert found["leakage"]["information"]["in_words"] in section(html, "promises")
    tail, shown = found["tail"], rows(html, "tail")
    named = {"half of all outputs": "median", "99 in 100 outputs": "q99", "all outputs but one in a million": "q999999"}
    for name, key in named.items():
        upper = number(tail[key]["upper"])
        assert upper * (1 - 1e-7) <= number(shown[name][1]) <= upper * 1.001
        assert shown[name][0] == f"at most {folds(Enclosure(upper, upper))}-fold"
    assert number(shown["all outputs"][1]) == pytest.approx(number(found["leakage"]["information"]["upper"]), rel=1e-3)


def test_posteriors_are_those_of_posterior(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, '[noise]\nkind = "laplace"\nscale = 1.0\n')
    found = judged(read_spec(spec), "", tmp_path)
    shown = read(found, exposed(found)[0])
    assert (shown.value, shown.answer, shown.separate) == ("1", "", False)
    assert shown.prior == pytest.approx(0.1, abs=1e-15)
    for output, after in zip(shown.outputs, shown.posteriors, strict=True):
        one, none = exp(-abs(output - 2)), exp(-abs(output))
        exact = 0.1 * one / (0.1 * one + 0.9 * none)
        assert after.lower - 1e-15 <= exact <= after.upper + 1e-15
        assert after.upper - after.lower < 1e-12


def test_outputs_from_one_quantile_to_the_other(tmp_path: Path) -> None:
    """Of .9 Lap(0) + .1 Lap(2), below -6 lies .9·e^-6/2 + .1·e^-8/2 = .00113; below -7 .0004."""
    spec = written(tmp_path, PAIR, COUNT, '[noise]\nkind = "laplace"\nscale = 1.0\n')
    found = judged(read_spec(spec), "", tmp_path)
    channel = exposed(found)[0].channel(found.release)
    values = [each.value for each in Outputs(channel, 1).occurring()]
    assert 0.9 * exp(-6) / 2 + 0.1 * exp(-8) / 2 > SELDOM > 0.9 * exp(-7) / 2 + 0.1 * exp(-9) / 2
    assert values[0] == -7
    above = [0.9 * exp(-at) / 2 + 0.1 * exp(-(at - 2)) / 2 for at in (7, 8)]
    assert values[-1] == (7 if above[0] <= SELDOM else 8)
    assert len(values) == len(set(values)) > 100
    assert set(range(-7, int(values[-1]) + 1)) <= set(values)


@pytest.mark.slow
def test_exact_answers_have_ends(tmp_path: Path) -> None:
    """Of three fair bits no answer is rarer than .001: all four are shown."""
    model = '[model]\nkind = "independent"\nn = 3\nvalues = [0, 1]\nprobabilities = [0.5, 0.5]\n'
    found = judged(read_spec(written(tmp_path, model, COUNT, '[noise]\nkind = "none"\n')), "", tmp_path)
    shown = read(found, exposed(found)[0])
    assert shown.outputs == (0, 1, 2, 3)
    assert [each.upper for each in shown.posteriors] == pytest.approx([1, 2 / 3, 1 / 3, 0])
    html = page(found)
    assert "Whoever knows all other records learns this one." in section(html, "promises")
    assert rows(html, "promises")["differential"][1] == "∞"


def test_answers_that_stay_exact(tmp_path: Path) -> None:
    """A kernel that says 2 of nothing but 2."""
    rows_ = "answers = [0, 1, 2]\noutputs = [0, 2]\nprobabilities = [[1, 0], [1, 0], [0, 1]]\n"
    html = explained(written(tmp_path, PAIR, COUNT, '[noise]\nkind = "kernel"\n', rows_))
    assert "Some possible answers go out exactly as they are" in section(html, "published")


def test_every_promise(tmp_path: Path) -> None:
    promises = (
        '[[promises]]\nkind = "inferential"\nodds = 3\n[[promises]]\nkind = "mutual_information"\nepsilon = 0.01\n'
    )
    spec = written(tmp_path, CHAIN, COUNT, promises)
    html = explained(spec)
    found = dalenius("calibrate", spec, "--json").json
    told, table = section(html, "promises"), rows(html, "promises")
    assert "2 promises are made" in told
    for each in found["promises"]:
        kind, upper = each["notion"]["kind"], number(each["leakage"]["upper"])
        assert each.get("in_words", "") in told
        assert each["leakage"].get("in_words", "") in told
        assert upper * (1 - 1e-7) <= number(table[kind][1]) <= upper * 1.001
        assert table[kind][2] == "kept"


def test_a_broken_promise_is_called_so(tmp_path: Path) -> None:
    noise = '[noise]\nkind = "geometric"\nscale = 1.0\n[notion]\nkind = "inferential"\nepsilon = 0.5\n'
    html = explained(written(tmp_path, PAIR, COUNT, noise))
    assert "This promise is NOT KEPT." in section(html, "promises")
    assert "more than the promised 1.649-fold is at most" in section(html, "tail")


def test_laws_are_all_looked_at(tmp_path: Path) -> None:
    found = judged(
        read_spec(written(tmp_path, TWO_LAWS, COUNT, '[noise]\nkind = "laplace"\nscale = 1.0\n')), "", tmp_path
    )
    worst = exposed(found)[0]
    assert worst.subject.log_prior.min() == pytest.approx(-2.302585, abs=1e-6)
    html = page(found)
    assert "It holds for each of the listed models." in section(html, "assumed")
    assert "is 10 % under law 2 of the model's 2" in section(html, "revealed")


def test_what_cannot_be_shown_is_left_out_with_a_word(tmp_path: Path) -> None:
    for text, keys in (
        (NORMAL + '[noise]\nkind = "gaussian"\nscale = 1.0\n', ["revealed", "exposed"]),
        (NORMAL + '[noise]\nkind = "laplace"\nscale = 1.0\n', ["revealed", "tail", "exposed"]),
        ((EXAMPLES / "absent.toml").read_text(encoding="utf-8"), ["revealed", "exposed"]),
        (
            PAIR + '[query]\nkind = "histogram"\ncells = [[0], [1]]\n[noise]\nkind = "laplace"\nscale = 1.0\n',
            ["revealed"],
        ),
    ):
        html = explained(written(tmp_path, text))
        structure(html)
        assert [key for key in KEYS if "Left out: " in section(html, key)] == keys


def test_a_page_made_from_the_table_is_confidential() -> None:
    assert "not for publication" in section(explained(EXAMPLES / "absent.toml"), "published")


def test_classes_are_counted(outbreak: str) -> None:
    told, table = section(outbreak, "exposed"), rows(outbreak, "exposed")
    assert "Most exposed are 54 people (member of a household of 6)" in told
    assert "4 more classes are below these" in told
    assert len(table) == 21
    assert table["1104"] == ["member of a household of 6", "Harbour", "18", "6", "1", "at most 2.719-fold"]


def test_the_page_has_no_digest_of_the_data(tmp_path: Path) -> None:
    """By which whoever knows all of the table but one value could find that value."""
    (tmp_path / "people.csv").write_text("home,ill\n1,0\n1,1\n2,0\n", encoding="utf-8")
    model = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.1, household = 0.3}\n'
    rest = '[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = 1.0\n[data]\nfile = "people.csv"\n'
    spec = written(tmp_path, model, rest, 'value = "ill"\n')
    html, people = explained(spec), tmp_path / "people.csv"
    assert sha256(people.read_bytes()).hexdigest()[:12] not in html
    question = canonical(read_spec(spec)).encode()
    assert sha256(question).hexdigest() in html


def test_the_model_and_the_condition_are_in_words(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("home,Erkrankt?\n1,ja\n1,nein\n2,nein\n", encoding="utf-8")
    model = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.04, household = 0.15}\n'
    rest = '[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = 1.0\n[data]\nfile = "people.csv"\n'
    html = explained(written(tmp_path, model, rest, 'value = {column = "Erkrankt?", equals = "ja"}\n'))
    assumed = section(html, "assumed")
    assert (
        "a person is taken to catch it from outside with 4 %, and from each housemate who has it with 15 %" in assumed
    )
    assert "a record is 1 where Erkrankt? = ja, else 0" in section(html, "published")
    assert "the chance that Erkrankt? = ja is" in section(html, "revealed")
    assert "<title" in html
    for key in ("promises", "revealed"):
        assert not re.search(r"record (is|=) [01]", html[html.index(f'<section id="{key}"') :].split("</section>")[0])


def test_hostile_names(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'&"
    rows_ = "".join(
        f"{home},{ill},{label}\n" for home, ill, label in ((1, 0, "</svg><b>"), (1, 1, "</svg><b>"), (2, 0, "b&"))
    )
    header = ",".join(['"' + each.replace('"', '""') + '"' for each in ("home", evil, "who")])
    (tmp_path / "people.csv").write_text(f"{header}\n{rows_}", encoding="utf-8")
    quoted = evil.replace("\\", "\\\\").replace('"', '\\"')
    model = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.1, household = 0.3}\n'
    query = '[query]\nkind = "count"\nper_label = true\n[noise]\nkind = "geometric"\nscale = 1.0\n'
    data = f'[data]\nfile = "people.csv"\nvalue = "{quoted}"\nlabel = "who"\n# \x7f </pre><script>\n'.replace(
        "\x7f", ""
    )
    html = explained(written(tmp_path, model, query, data))
    assert "script" not in structure(html).tags
    assert "b" not in structure(html).tags
    assert evil in section(html, "published")
    for picture in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(picture)


def test_characters_that_no_document_may_have(tmp_path: Path) -> None:
    labels = '[model]\nkind = "table"\nrecords = [[0], [1]]\nprobabilities = [0.9, 0.1]\nlabels = ["a\\u0001b"]\n'
    per_label = '[query]\nkind = "count"\nper_label = true\n[noise]\nkind = "geometric"\nscale = 1.0\n'
    html = explained(written(tmp_path, labels, per_label))
    assert "\x01" not in html
    assert "output (a\ufffdb)" in html


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (PAIR + COUNT, "spec: neither noise nor promise, wanted a section [noise], or a [notion] with an epsilon"),
        (PAIR + COUNT + '[notion]\nkind = "inferential"\n', "notion.epsilon: missing, wanted a finite number above 0"),
        (MOMENTS, "model.kind: moments, wanted a model that gives the law of the records"),
    ],
)
def test_specs_that_explain_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, wanted: str
) -> None:
    spec = written(tmp_path, text)
    assert complaint(here(capsys, monkeypatch, "explain", spec, "--out", tmp_path / "page.html")) == wanted
    assert list(tmp_path.iterdir()) == [spec]


def test_arguments_that_are_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, pdf, missing = EXAMPLES / "pair.toml", tmp_path / "page.pdf", tmp_path / "none" / "page.html"
    for arguments, wanted in (
        ((), "Missing option '--out'."),
        (("--out", pdf), f"--out: {pdf}, wanted a file ending in .html"),
        (("--out", tmp_path / "p.html", "--confidence", "1"), "--confidence: 1.0, wanted a number above 0 and below 1"),
    ):
        assert complaint(here(capsys, monkeypatch, "explain", spec, *arguments)) == wanted
    said = complaint(here(capsys, monkeypatch, "explain", spec, "--out", missing))
    assert said.startswith(f"file: {missing}"[:40])
    assert list(tmp_path.iterdir()) == []


def test_confidence(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, '[noise]\nkind = "geometric"\nscale = 1.0\n')
    done = dalenius("explain", spec, "--out", tmp_path / "page.html", "--confidence", "0.5")
    assert done.code == 0, done.err
    published = rows((tmp_path / "page.html").read_text(encoding="utf-8"), "published")
    assert published["the answer"][:2] == ["0 to 0", "± 1"]
