"""`dalenius explain`: what the page says, that its numbers are those of the other commands, and what it refuses."""

import re
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from math import exp
from pathlib import Path

import pytest

from dalenius.reports.judged_spec import judge
from dalenius.reports.most_exposed import exposed, read
from dalenius.reports.page import page
from dalenius.reports.printed import browser, print_pdf
from dalenius.spec import canonical, read_spec
from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, written

OUTBREAK = EXAMPLES / "outbreak" / "outbreak.toml"
KEYS = ["published", "assumed", "promises", "revealed", "exposed", "rests"]
FROM_ELSEWHERE = {"script", "link", "iframe", "svg", "img", "object", "embed", "form", "base", "foreignobject"}
VOID = {"meta", "link", "br", "hr", "img"}
NOISE = '[noise]\nkind = "geometric"\nscale = 1.0\n'
COUNT = '[query]\nkind = "count"\n'
EPIDEMIC = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.1, household = 0.6}\n'
PAIR = '[model]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n'
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


def explained(spec: Path) -> str:
    return page(judge(read_spec(spec), spec.read_text(encoding="utf-8"), spec.parent))


def structure(html: str) -> Structure:
    found = Structure()
    found.feed(html)
    assert not found.open
    return found


def words(html: str) -> str:
    """What is read, one cell or paragraph a line."""
    return re.sub(r"\s*\n\s*", "\n", unescape(re.sub(r"<[^>]+>", "\n", html[html.index("<main>") :])))


def section(html: str, key: str) -> str:
    start = html.index(f'<section id="{key}"')
    return words("<main>" + html[start : html.index("</section>", start)])


def rows(html: str, key: str) -> dict[str, list[str]]:
    """The cells of a section's tables by their row's first; the last table has its way."""
    start = html.index(f'<section id="{key}"')
    part = html[start : html.index("</section>", start)]
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)]
    return {unescape(row[0]): [unescape(each) for each in row[1:]] for row in found}


@pytest.fixture(scope="module")
def outbreak() -> str:
    return explained(OUTBREAK)


@pytest.mark.lengthy
def test_the_command_writes_one_page(tmp_path: Path, outbreak: str) -> None:
    done = dalenius("explain", OUTBREAK, "--out", tmp_path / "page.html")
    assert (done.code, done.out, done.err) == (0, f"wrote {tmp_path / 'page.html'}\n", "")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text[text.index("<nav") :] == outbreak[outbreak.index("<nav") :]
    found = structure(text)
    assert not FROM_ELSEWHERE & found.tags
    # Its first page is the sheet, without what there is only after the release.
    sheet = text[text.index("<article") : text.index("</article>")]
    assert "What is to be released" in sheet
    assert "not yet" in sheet
    assert "± 8" in sheet
    assert "Hash" not in sheet
    assert "Signature" in sheet
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_nothing_from_elsewhere_and_nothing_that_runs(outbreak: str) -> None:
    found = structure(outbreak)
    assert not found.tags & FROM_ELSEWHERE
    for _, name, value in found.attributes:
        assert not name.startswith("on")
        assert name not in ("srcset", "style", "data", "action", "xlink:href")
        assert name != "src"
        assert name != "href" or value.startswith("#")
    links = [value.removeprefix("#") for _, name, value in found.attributes if name == "href"]
    assert links == KEYS
    assert len(found.ids) == len(set(found.ids))
    assert set(links) <= set(found.ids)
    assert not re.search(r"https?:|url\(|@import|@font-face|javascript:", outbreak)


def test_chances_before_and_after(outbreak: str) -> None:
    said = section(outbreak, "revealed")
    assert "The chance that this record is 1, of that person" in said
    listed = rows(outbreak, "revealed")
    assert len(listed) == 12, "the names of the columns, and eleven outputs"
    assert {before for before, _ in list(listed.values())[1:]} == {"24.4 %"}


def test_numbers_are_those_of_calibrate(outbreak: str) -> None:
    found = dalenius_once("calibrate", OUTBREAK, "--json").json
    first = section(outbreak, "published")
    assert "4 numbers are published, each a noised answer." in first
    assert f"scale {found['noise']['scale']:.6g}" in first
    assert f"{found['expected_error']:.4g} on average" in first
    told = section(outbreak, "promises")
    assert found["in_words"] in told
    assert found["leakage"]["in_words"] in told
    table = rows(outbreak, "promises")
    leaks = table["information"]
    assert leaks[0] == "1"
    assert float(leaks[1]) == pytest.approx(float(found["leakage"]["upper"]), rel=1e-3)
    assert leaks[2] == "kept"
    for name in ("differential", "bayesian"):
        assert float(found[name]) * (1 - 1e-8) <= float(table[name][1]) <= float(found[name]) * 1.001


def test_numbers_are_those_of_audit(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, NOISE)
    html = explained(spec)
    found = dalenius("audit", spec, "--json").json
    assert "Nothing is promised" in section(html, "promises")
    table = rows(html, "promises")
    for kind in ("information", "inferential", "differential"):
        upper = float(found["leakage"][kind]["upper"])
        assert upper * (1 - 1e-7) <= float(table[kind][1]) <= upper * 1.001
    assert found["leakage"]["information"]["in_words"] in section(html, "promises")


def test_posteriors_are_those_of_posterior(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, '[noise]\nkind = "laplace"\nscale = 1.0\n')
    found = judge(read_spec(spec), "", tmp_path)
    shown = read(found, exposed(found)[0])
    assert shown.value == "1"
    assert shown.prior == pytest.approx(0.1, abs=1e-15)
    for output, after in zip(shown.outputs, shown.posteriors, strict=True):
        one, none = exp(-abs(output - 2)), exp(-abs(output))
        exact = 0.1 * one / (0.1 * one + 0.9 * none)
        assert after.lower - 1e-15 <= exact <= after.upper + 1e-15
        assert after.upper - after.lower < 1e-12


def test_answers_that_stay_exact(tmp_path: Path) -> None:
    """A kernel that says 2 of nothing but 2."""
    rows_ = "answers = [0, 1, 2]\noutputs = [0, 2]\nprobabilities = [[1, 0], [1, 0], [0, 1]]\n"
    html = explained(written(tmp_path, PAIR, COUNT, '[noise]\nkind = "kernel"\n', rows_))
    assert "Some possible answers are published exactly" in section(html, "published")
    assert "One number is published, an output of the kernel." in section(html, "published")
    assert rows(html, "promises")["differential"][1] == "∞"


def test_what_cannot_be_shown_is_left_out_with_a_word(tmp_path: Path) -> None:
    for text, keys in (
        (NORMAL + '[noise]\nkind = "gaussian"\nscale = 1.0\n', ["revealed", "exposed"]),
        ((EXAMPLES / "absent.toml").read_text(encoding="utf-8"), ["revealed", "exposed"]),
        (
            PAIR + '[query]\nkind = "histogram"\ncells = [[0], [1]]\n[noise]\nkind = "laplace"\nscale = 1.0\n',
            ["revealed"],
        ),
    ):
        html = explained(written(tmp_path, text))
        structure(html)
        assert ("not for publication" in section(html, "published")) == ("absent" in text), "made from the table"
        assert [key for key in KEYS if "Left out: " in section(html, key)] == keys


def test_the_page_has_no_digest_of_the_data(tmp_path: Path) -> None:
    """By which whoever knows all of the table but one value could find that value."""
    (tmp_path / "people.csv").write_text("home,ill\n1,0\n1,1\n2,0\n", encoding="utf-8")
    rest = '[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = 1.0\n[data]\nfile = "people.csv"\n'
    spec = written(tmp_path, EPIDEMIC, rest, 'value = "ill"\n')
    html, people = explained(spec), tmp_path / "people.csv"
    assert sha256(people.read_bytes()).hexdigest()[:12] not in html
    question = canonical(read_spec(spec)).encode()
    assert sha256(question).hexdigest() in html


def test_hostile_names(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\"'&"
    rows_ = "1,0,</svg><b>\n1,1,</svg><b>\n2,0,b&\n"
    header = ",".join(['"' + each.replace('"', '""') + '"' for each in ("home", evil, "who")])
    (tmp_path / "people.csv").write_text(f"{header}\n{rows_}", encoding="utf-8")
    quoted = evil.replace("\\", "\\\\").replace('"', '\\"')
    query = COUNT + "per_label = true\n" + NOISE
    data = f'[data]\nfile = "people.csv"\nvalue = "{quoted}"\nlabel = "who"\n#  </pre><script>\n'
    html = explained(written(tmp_path, EPIDEMIC, query, data))
    assert "script" not in structure(html).tags
    assert "b" not in structure(html).tags
    assert evil in section(html, "published")


def test_what_explains_nothing(tmp_path: Path, run: Run) -> None:
    pair, pdf, page_ = EXAMPLES / "pair.toml", tmp_path / "page.pdf", tmp_path / "page.html"
    for arguments, wanted in (
        ((), "Missing option '--out'."),
        (("--out", pdf), f"--out: {pdf}, wanted a file ending in .html"),
        (("--out", page_, "--confidence", "1"), "--confidence: 1.0, wanted a number above 0 and below 1"),
    ):
        assert complaint(run("explain", pair, *arguments)) == wanted
    for text, wanted in (
        (PAIR + COUNT, "spec: neither noise nor promise, wanted a section [noise], or a [notion] with an epsilon"),
        (MOMENTS, "model.kind: moments, wanted a model that gives the law of the records"),
    ):
        assert complaint(run("explain", written(tmp_path, text), "--out", page_)) == wanted
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]


def test_confidence(tmp_path: Path) -> None:
    spec = written(tmp_path, PAIR, COUNT, NOISE)
    done = dalenius("explain", spec, "--out", tmp_path / "page.html", "--confidence", "0.5")
    assert done.code == 0, done.err
    published = rows((tmp_path / "page.html").read_text(encoding="utf-8"), "published")
    assert published["the answer"][:2] == ["0 to 0", "± 1"]


def test_one_class_more_is_one() -> None:
    html = explained(EXAMPLES / "pair.toml")
    assert "2 people (a record of the table, and 1 more class)" in section(html, "exposed")


def test_a_broken_promise_is_called_so(tmp_path: Path) -> None:
    html = explained(written(tmp_path, PAIR, COUNT, NOISE, '[notion]\nkind = "inferential"\nepsilon = 0.5\n'))
    assert "This promise is NOT KEPT." in section(html, "promises")


def test_another_table_than_the_specs_own(tmp_path: Path, run: Run) -> None:
    table = '[data]\nfile = "people.csv"\nvalue = "ill"\n'
    (tmp_path / "people.csv").write_text("ill\n0\n0\n", encoding="utf-8")
    spec, other, out = written(tmp_path, PAIR, COUNT, NOISE, table), tmp_path / "other.csv", tmp_path / "page.html"
    other.write_text("ill\n0\n1\n", encoding="utf-8")
    done = run("explain", spec, "--out", out, "--data", other)
    assert (done.code, done.err) == (0, "")
    assert "the 2 rows of other.csv" in section(out.read_text(encoding="utf-8"), "published")


@pytest.mark.slow
def test_a_page_of_48_answers_prints_on_five(run: Run, tmp_path: Path) -> None:
    """One page is signed; the appendix has four."""
    if browser() is None:
        pytest.skip("no browser that prints is installed")
    rows = [
        f"h{home},d{home % 48:02},{(home + member) % 9 == 0:d}" for home in range(432) for member in range(home % 4 + 1)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["home,district,ill", *rows]) + "\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    data = '[data]\nfile = "people.csv"\nvalue = "ill"\nhousehold = "home"\nlabel = "district"\n'
    promise = '[notion]\nkind = "information"\nfactor = 2\n'
    spec.write_text(f"{EPIDEMIC}{COUNT}per_label = true\n{NOISE}{promise}{data}", encoding="utf-8")
    assert run("explain", spec, "--out", tmp_path / "page.html").code == 0
    assert print_pdf((tmp_path / "page.html").read_text(encoding="utf-8"), tmp_path / "page.pdf") <= 5
