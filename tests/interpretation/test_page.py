"""The page on what an ε means: its numbers are the package's, and everybody can use it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import pytest

import dalenius as dl
from dalenius.interpretation.page import content_policy, meaning_page
from tests.docs.meaning_page import PAGE
from tests.docs.page import REPOSITORY
from tests.server.web.browsing import CONTRAST, FAULTS, SCHEMES, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS: Final = (390, 1400)
ASKED: Final[tuple[dict[str, Any], ...]] = (
    {"epsilon": 1.0, "delta": 0, "household": 4, "alike": 0.9, "chance": 0.1},
    {"epsilon": 0.01, "delta": 0, "household": 12, "alike": 1, "chance": 0.5},
    {"epsilon": 10.0, "delta": 0, "household": 12, "alike": 0.1, "chance": 0.001},
    {"epsilon": 3.0, "delta": 0, "household": 4, "alike": 0.9, "chance": 0.1},
    {"epsilon": 0.7, "delta": 0, "household": 1, "alike": 0.5, "chance": 0.3},
    {"epsilon": 2.0, "delta": 0, "household": 5, "alike": 0, "chance": 0.02},
    {"epsilon": 1.0, "delta": 1e-6, "household": 4, "alike": 0.9, "chance": 0.1},
    {"epsilon": 0.01, "delta": 1e-12, "household": 12, "alike": 1, "chance": 0.5},
    {"epsilon": 10.0, "delta": 0.01, "household": 12, "alike": 0.99, "chance": 0.001},
    {"epsilon": 0.5, "delta": 1e-9, "household": 2, "alike": 0, "chance": 0.2},
)


def test_the_documentation_has_the_page_of_the_package() -> None:
    assert PAGE.read_text(encoding="utf-8") == meaning_page(), "python -m tests.docs.meaning_page writes it"


def test_the_page_the_site_and_the_service_have_one_logo() -> None:
    logo = (REPOSITORY / "docs/assets/logo.svg").read_text(encoding="utf-8")
    assert (REPOSITORY / "src/dalenius/server/web/icon.svg").read_text(encoding="utf-8") == logo
    assert logo.partition(">")[2].strip() in meaning_page().replace("</svg>\n<span>", "</svg><span>")


def test_the_policy_allows_the_page_itself_and_nothing_else() -> None:
    assert meaning_page().count("<style>") == meaning_page().count("<script>") == 1
    assert content_policy().count("sha256-") == 2
    assert "unsafe" not in content_policy()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    opened = browser.new_context(reduced_motion="reduce")
    made = opened.new_page()
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("request", lambda request: wrong.append(request.url) if not request.url.startswith("file:") else None)
    made.goto(PAGE.as_uri())
    yield made
    assert not wrong, "no error, and nothing from elsewhere"
    opened.close()


def cells(page: "Page") -> list[list[str]]:
    rows = page.evaluate("[...document.querySelectorAll('#rows tr')].map(r => [...r.children].map(c => c.textContent))")
    assert isinstance(rows, list)
    return rows


def text(page: "Page", id: str) -> str:
    return page.locator(f"#{id}").text_content() or ""


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
def test_words_and_table_are_those_of_the_package(page: "Page", asked: dict[str, Any]) -> None:
    page.goto(f"{PAGE.as_uri()}#{urlencode(asked)}")
    page.reload()
    found = dl.meaning(**asked)
    assert text(page, "words") == found.words
    assert text(page, "caption") == found.caption
    assert cells(page) == [list(row.values()) for row in found.shown()]


@pytest.mark.slow
def test_sliders_move_the_sentence_the_picture_and_the_table_by_the_keyboard_alone(page: "Page") -> None:
    bar = "document.querySelectorAll('#picture rect.member')[1].getBoundingClientRect().width"
    for name in ("epsilon", "delta", "household", "alike", "chance"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == name
        style = page.evaluate("(s => [s.outlineStyle, s.outlineWidth])(getComputedStyle(document.activeElement))")
        assert style == ["solid", "3px"]
        before = text(page, "words"), cells(page), page.evaluate(bar), text(page, f"{name}-value")
        page.keyboard.press("ArrowRight")
        after = text(page, "words"), cells(page), page.evaluate(bar), text(page, f"{name}-value")
        assert all(one != other for one, other in zip(before, after, strict=True)), name
        page.keyboard.press("ArrowLeft")
        assert text(page, "words") == before[0]
    page.keyboard.press("Home")
    assert "chance=0.001" in page.url
    page.reload()
    assert text(page, "chance-value") == "0.1 %"


@pytest.mark.slow
def test_everybody_can_read_it_in_both_colours_and_sizes(page: "Page") -> None:
    folder = Path(os.environ["DALENIUS_ARTEFACTS"], "meaning")
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            faults = [each for each in page.evaluate(FAULTS) if "not wanted: <script" not in each]
            assert faults == [], (scheme, width)
            # Because a slider is an input without text, its colour is no contrast of letters.
            least, said = next(each for each in page.evaluate(CONTRAST) if each[1])
            assert least >= 4.5, (scheme, said)
            page.screenshot(path=folder / f"{width}-{scheme}.png", full_page=True)


@pytest.mark.slow
def test_it_prints_on_one_sheet_without_sliders(page: "Page") -> None:
    page.goto(f"{PAGE.as_uri()}#epsilon=3&delta=1e-6")
    page.reload()
    printed = page.pdf(format="A4")
    Path(os.environ["DALENIUS_ARTEFACTS"], "meaning.pdf").write_bytes(printed)
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") == 1
    page.emulate_media(media="print")
    assert page.locator("#epsilon").is_hidden()
    assert page.locator("#epsilon-value").is_visible()
