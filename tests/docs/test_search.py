"""The site finds what users look for, fits its window, and loads nothing from elsewhere, in a browser.

`make site` makes the environment that builds it; without that the tests are skipped.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.page import REPOSITORY
from tests.docs.test_site import SOUGHT
from tests.server.web.browsing import SCHEMES, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow  # building the site takes half a minute

MKDOCS: Final = REPOSITORY / ".venv-site/bin/mkdocs"
FOUND: Final = {
    "docker": "Run the service for your organisation",
    "notebook": "Release answers from a frame in Python",
    "epsilon": "What does your ε (epsilon) mean?",
}
"""The page that is among the first five, for words that one page is about."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MKDOCS.exists():
        pytest.skip(f"{MKDOCS} is not there: make site installs it")
    folder = tmp_path_factory.mktemp("site")
    said = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([MKDOCS, "build", "--quiet", "--site-dir", folder], cwd=REPOSITORY, env=said, check=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.mark.parametrize("word", SOUGHT)
def test_the_search_finds(site: Path, browser: "Browser", word: str) -> None:
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__input").click()
    # Because the index is loaded with the first click, typing before that finds nothing.
    page.wait_for_timeout(3000)
    page.locator(".md-search__input").press_sequentially(word, delay=50)
    page.locator(".md-search-result__item").first.wait_for(timeout=20_000)
    titles = [text.partition("\n")[0] for text in page.locator(".md-search-result__item").all_inner_texts()[:5]]
    assert word not in FOUND or FOUND[word] in titles, titles
    page.close()


def test_the_home_fits_both_sizes_and_loads_nothing_from_elsewhere(site: Path, browser: "Browser") -> None:
    folder = Path(os.environ["DALENIUS_ARTEFACTS"], "site")
    folder.mkdir(parents=True, exist_ok=True)
    asked: list[str] = []
    for scheme in SCHEMES:
        for width in (390, 1400):
            opened = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 1000})
            page = opened.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.goto((site / "index.html").as_uri())
            page.screenshot(path=folder / f"home-{width}-{scheme}.png")
            assert page.evaluate("document.documentElement.scrollWidth") == width
            page.locator("article").get_by_role("link", name="What does your ε mean?").first.click()
            page.get_by_role("link", name="Open the page with sliders").click()
            assert "factor of more than 2.72" in page.locator("#words").inner_text()
            opened.close()
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}


def test_ticks_of_figures_and_code_are_legible(site: Path, browser: "Browser") -> None:
    """At 1,400 px a tick of 10 points in a figure of 160 dots an inch has 8, and a block of code 100 columns."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    small, measured = dict[str, float](), set[str]()
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if "figures/" not in text:
            continue
        page.goto(path.as_uri())
        for name, shown, natural in page.evaluate(
            "[...document.querySelectorAll('article img')].map(img => [img.src, img.clientWidth, img.naturalWidth])"
        ):
            if name.endswith(".png") and "/web_" not in name:
                measured.add(name)
                points = 10 * (shown / 96) / (natural / 160)
                small |= {name: points} if points < 8 else {}
    assert not small
    assert len(measured) > 20
    page.goto((site / "tutorial/one_number.html").as_uri())
    columns = page.evaluate(
        """() => {
            const code = document.querySelector('article pre > code'), style = getComputedStyle(code)
            const context = document.createElement('canvas').getContext('2d')
            context.font = `${style.fontSize} ${style.fontFamily}`
            const room = code.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
            return room / context.measureText('0').width
        }"""
    )
    assert columns >= 100
    page.close()
