"""`dalenius sheet`: the page that is signed has what the ledger has, in each language, on one page of A4."""

import re
import tomllib
from dataclasses import replace
from html import unescape
from math import inf
from pathlib import Path
from typing import Final

import pytest

from dalenius.curator import Ask, Ledger, Policy, Session
from dalenius.errors import InputError
from dalenius.notions.promises_in_words import becomes, folds
from dalenius.queries import Count
from dalenius.reports.language import Language, language
from dalenius.reports.printed import browser, pages_of
from dalenius.reports.sheet import EARLIER, LISTED, html, sheet_of
from dalenius.reports.sheet_facts import facts_of_entry
from dalenius.sentences.sentence import FOLDER, English, said, semicolons, value_phrase
from tests.cli.command import EXAMPLES, Run, complaint, dalenius
from tests.reports.test_explain import structure

LANGUAGES: Final = sorted(path.stem for path in FOLDER.glob("*.toml"))
PEOPLE: Final = (EXAMPLES / "outbreak" / "people.csv").read_text(encoding="utf-8")
SPEC: Final = (EXAMPLES / "outbreak" / "outbreak.toml").read_text(encoding="utf-8")
HASH: Final = re.compile(r"[0-9a-f]{64}")


def released(run: Run, folder: Path, *specs: str, people: str = PEOPLE) -> Path:
    """A ledger of releases of these specs, in their order."""
    written(folder, "people.csv", people)
    ledger = folder / "ledger.sqlite"
    for number, spec in enumerate(specs):
        path = written(folder, f"spec{number}.toml", spec)
        done = run("release", path, "--ledger", ledger, "--budget", "90", "--quiet")
        assert done.code == 0, done.err
    return ledger


def written(folder: Path, name: str, text: str) -> Path:
    """A file of that name there."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def text_of(page: str) -> str:
    """The words of a page, in one line."""
    body = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub("<[^>]+>", " ", body)).replace("\xa0", " ").split())


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheet")
    return released(dalenius, folder, SPEC, SPEC.replace("information", "inferential"))


@pytest.mark.parametrize("name", LANGUAGES)
def test_sheet_has_what_the_entry_has(ledger: Path, name: str) -> None:
    history, words = Ledger(str(ledger)).history(), language(name)
    page = html(sheet_of(facts_of_entry(history, 6), words, "a study of 2025"))
    found = structure(page)
    assert not found.tags & {"script", "link", "iframe", "img", "object"}
    text, link = text_of(page), history.links[5]
    assert HASH.findall(text) == [link.hash], "its own hash, and no fingerprint of the data"
    for label, (numerator, _), (low, high) in zip(
        link.body["labels"], link.body["answers"], link.body["certificate"]["interval"], strict=True
    ):
        ends = words.say("from_to", low=low, high=high)
        assert f"{label} {numerator} {ends}" in text
    before, after = becomes(True, 1.0)
    for number in (folds(1.0), before, after):
        assert words.number(number).replace("\xa0", " ") in text
    # The second promise counts both releases: their losses of a whole group, and of one record given all others.
    for key in ("group_loss", "differential"):
        both = sum(history.links[debit].body[key] for debit in (2, 4)) / 1e9
        assert words.number(folds(both)) in text
        assert words.number(folds(history.links[4].body[key] / 1e9)) not in text
    assert "A study of 2025." in text
    assert "1104" not in text, "nobody is named"


@pytest.mark.parametrize("name", LANGUAGES)
def test_sheet_says_what_went_out_before(ledger: Path, name: str) -> None:
    history, words = Ledger(str(ledger)).history(), language(name)
    first, second = (text_of(html(sheet_of(facts_of_entry(history, entry), words))) for entry in (4, 6))
    assert str(words.say("none_before")) in first
    assert str(words.say("one_since")) in first
    assert str(words.say("one_before")) in second
    assert str(words.say("one_since")) not in second
    assert str(words.say("reason_open")) in first


@pytest.mark.parametrize("name", LANGUAGES)
def test_first_release_counts_itself_and_one_of_unknown_sum_says_so(ledger: Path, name: str) -> None:
    history, words = Ledger(str(ledger)).history(), language(name)
    first = text_of(html(sheet_of(facts_of_entry(history, 4), words)))
    assert words.number(folds(history.links[2].body["group_loss"] / 1e9)) in first
    facts = facts_of_entry(history, 6)
    assert facts.together is not None
    unknown = replace(facts, together=replace(facts.together, group_loss=inf, differential=inf))
    text, alone = text_of(html(sheet_of(unknown, words))), {"en": "This answer alone", "de": "Diese Antwort allein"}
    assert text.count(alone[name]) == 2
    assert alone[name] not in text_of(html(sheet_of(facts, words)))


def test_answers_of_other_data_sets_are_counted(run: Run, tmp_path: Path) -> None:
    written(tmp_path, "others.csv", PEOPLE.replace("1104", "1105"))
    book = released(run, tmp_path, SPEC, SPEC.replace("people.csv", "others.csv"))
    history = Ledger(str(book)).history()
    entries = sorted(link.number for link in history.drawn.values())
    for name in LANGUAGES:
        for entry in entries:
            said = text_of(html(sheet_of(facts_of_entry(history, entry), language(name))))
            assert str(language(name).say("none_before")) in said
            assert str(language(name).say("one_elsewhere")) in said


@pytest.mark.parametrize("name", LANGUAGES)
def test_sheet_says_that_other_data_sets_are_not_counted(ledger: Path, name: str) -> None:
    entry = facts_of_entry(Ledger(str(ledger)).history(), 4)
    assert said("other_data_sets") in entry.certificate["hypotheses"]
    words = language(name)
    there = str(words.of(said("other_data_sets")))
    assert f"{there[0].upper()}{there[1:]}." in text_of(html(sheet_of(entry, words)))


def test_first_release_has_none_before_it(ledger: Path) -> None:
    history = Ledger(str(ledger)).history()
    said = {"en": "Nothing else has gone out", "de": "nichts anderes veröffentlicht worden"}
    for name, sentence in said.items():
        first, second = (text_of(html(sheet_of(facts_of_entry(history, each), language(name)))) for each in (4, 6))
        assert sentence in first
        assert sentence not in second
    one = {"en": "One earlier release is in the ledger.", "de": "Eine frühere Veröffentlichung steht im Verzeichnis."}
    assert all(
        sentence in text_of(html(sheet_of(facts_of_entry(history, 6), language(n)))) for n, sentence in one.items()
    )


@pytest.mark.parametrize("public", [("people",), ("people", "households")])
def test_policy_that_hides_households_hides_their_size(tmp_path: Path, public: tuple[str, ...]) -> None:
    written(tmp_path, "people.csv", "home,ill\n" + "".join(f"{n // 3},{n % 4 // 3}\n" for n in range(30)))
    homes = {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}}
    value = {"column": "ill", "equals": 1}
    ill = {"name": "ill", "description": "1 for <mumps> in March", "value": value, "model": homes}
    town = {"name": "town", "source": {"file": str(tmp_path / "people.csv")}, "measures": [ill], "public": public}
    promise = {"kind": "inferential", "epsilon": 1.0}
    policy = Policy.model_validate({"data": [{**town, "analysts": [{"name": "ana"}], "notion": promise}]})
    book = str(tmp_path / "ledger.sqlite")
    recorded = Session(None, policy, ledger=book).ask(Ask(measure="ill", query=Count(), epsilon=0.5))
    page = html(sheet_of(facts_of_entry(Ledger(book).history(), recorded.entry), language("de")))
    assert ("Solange höchstens 3 Angaben" in page) == ("households" in public)
    assert "Ohne das Modell" in page
    assert '<i lang="en">' not in page
    assert "ana" in page
    assert "<dt>Was ein Datensatz sagt</dt><dd>1 for &lt;mumps&gt; in March</dd>" in page


def test_noise_without_a_promise_promises_nothing(run: Run, tmp_path: Path) -> None:
    model = '[model]\nkind = "independent"\nn = 30\nprobabilities = [[0.9, 0.1]]\n'
    spec = written(tmp_path, "s.toml", f'{model}[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = 2\n')
    assert run("explain", spec, "--out", tmp_path / "page.html").code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    sheet = text_of(text[text.index("<article") : text.index("</article>")])
    assert "What is promised Nothing is promised. Noise: geometric, scale 2." in sheet
    assert "None" not in sheet


def test_german_has_words_for_the_examples(ledger: Path) -> None:
    page = html(sheet_of(facts_of_entry(Ledger(str(ledger)).history(), 4), language("de")))
    assert '<i lang="en">' not in page
    assert "Haushalte hängen nicht voneinander ab" in page


def test_words_without_a_translation_are_marked() -> None:
    german = language("de")
    own = English("what a plug-in says <here>")
    assert str(german.of(semicolons([said("how_many", values=value_phrase(1)), own]))) == (
        'bei wie vielen Personen der Wert 1 ist; <i lang="en">what a plug-in says &lt;here&gt;</i>'
    )
    assert str(language("en").of(own)) == "what a plug-in says &lt;here&gt;"


@pytest.mark.parametrize("name", LANGUAGES)
def test_languages_have_the_same_sentences(name: str) -> None:
    files = [tomllib.loads((FOLDER / f"{each}.toml").read_text(encoding="utf-8")) for each in ("en", name)]
    for section in ("form", "sheet", "sentences"):
        assert list(files[0][section]) == list(files[1][section])
    assert language(name).code == name


def test_a_third_language_is_a_file(tmp_path: Path, ledger: Path) -> None:
    english = (FOLDER / "en.toml").read_text(encoding="utf-8")
    french = written(tmp_path, "fr.toml", english.replace('code = "en"', 'code = "fr"').replace('"Name"', '"Nom"'))
    words = language(str(french))
    assert isinstance(words, Language)
    page = html(sheet_of(facts_of_entry(Ledger(str(ledger)).history(), 4), words))
    assert '<html lang="fr">' in page
    assert ">Nom<" in page


@pytest.mark.parametrize(
    ("was", "becomes_", "said"),
    [
        ('hash = "Hash of the entry"', "", "a text sheet.hash"),
        ("{low} to {high}", "{low}", "['high', 'low'] in braces in sheet.from_to"),
        ("{times}-fold, one {example}", "{times}-fold", "['example', 'times'] in braces in sentences.chance_grows"),
        ("[form]", "[form", "a file like en.toml"),
        ('decimal = "."', "decimal = 1", "a text form.decimal"),
    ],
)
def test_a_file_with_a_gap_is_refused(tmp_path: Path, was: str, becomes_: str, said: str) -> None:
    english = (FOLDER / "en.toml").read_text(encoding="utf-8")
    assert was in english
    path = written(tmp_path, "xx.toml", english.replace(was, becomes_, 1))
    with pytest.raises(InputError, match=re.escape(said)):
        language(str(path))


def test_bad_input_is_refused(run: Run, ledger: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.html"
    for arguments, wanted in (
        (("--entry", "3", "--out", out), "--entry: 3, wanted an entry with answers: 4, 6"),
        (("--entry", "4", "--out", tmp_path / "sheet.doc"), "wanted a file ending in .html or .pdf"),
        (("--entry", "4", "--out", out, "--language", "xx"), "--language: xx, wanted one of de, en, or a .toml file"),
    ):
        done = run("sheet", ledger, *arguments)
        assert done.code == 2
        assert wanted in done.err
    assert "wanted a file that is there" in complaint(
        run("sheet", tmp_path / "none.sqlite", "--entry", "1", "--out", out)
    )
    assert not list(tmp_path.iterdir())


def test_pdf_without_a_browser_is_refused(
    run: Run, ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DALENIUS_BROWSER", "no-such-browser")
    done = run("sheet", ledger, "--entry", "4", "--out", tmp_path / "sheet.pdf")
    assert done.code == 2
    assert "to print from a browser" in done.err


def test_the_qr_code_is_of_the_hash(ledger: Path) -> None:
    import segno

    history = Ledger(str(ledger)).history()
    page = html(sheet_of(facts_of_entry(history, 4), language("en")))
    drawn = re.search(r'd="(M[^"]*)"', page)
    assert drawn is not None
    assert drawn[1] in segno.make(history.links[3].hash, error="m", micro=False).svg_inline(border=2, omitsize=True)
    assert drawn[1] not in segno.make(history.links[2].hash, error="m", micro=False).svg_inline(border=2, omitsize=True)


@pytest.mark.slow
def test_printed_sheet_is_one_page(run: Run, tmp_path: Path) -> None:
    if browser() is None:
        pytest.skip("no browser that prints is installed")
    # The most that a sheet can hold: answers for 40 districts, and more earlier releases than are listed.
    rows = [f"{n // 2},District number {n // 4},{n % 3 // 2}" for n in range(160)]
    people = "\n".join(["household,district,ill", *rows]) + "\n"
    specs = [SPEC.replace("epsilon = 1.0", f"epsilon = {1 + each / 10}") for each in range(EARLIER + 2)]
    book = released(run, tmp_path, *specs, people=people)
    history = Ledger(str(book)).history()
    entry = max(link.number for link in history.drawn.values())
    for name in LANGUAGES:
        out = tmp_path / f"{name}.pdf"
        done = run("sheet", book, "--entry", f"{entry}", "--out", out, "--language", name)
        assert done.code == 0, done.err
        assert "more than one page" not in done.err
        assert pages_of(out.read_bytes()) == 1
        text = text_of(html(sheet_of(facts_of_entry(history, entry), language(name))))
        assert str(language(name).say("more_answers", count=40 - LISTED)) in text
        assert str(language(name).say("more_before", count=1)) in text
