"""The pages in a browser: with a mouse, with the keyboard alone, without scripts, in both colours, small and large."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.server.web.browsing import CONTRAST, FAULTS, SCHEMES, WIDTHS, Somebody, chromium, looking, served
from tests.server.web.visited import Visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow  # a browser takes seconds to begin

DATA = "/data/Measles%2C%20winter"


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visited, str]]:
    with served(tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def ana(browser: "Browser", place: tuple[Visited, str]) -> Iterator[Somebody]:
    with looking(browser, *place) as found:
        found.sign_in("ana")
        yield found
        assert {url for url in found.asked if not url.startswith(found.base)} == set(), "nothing leaves the origin"


def test_cost_then_ask_and_a_reload_asks_nothing(ana: Somebody) -> None:
    ana.price("0.11")
    cost = ana.page.locator("#quote")
    cost.wait_for()
    assert "0.11 nats, if nothing else" in cost.inner_text()
    before = ana.pages.debits()
    ana.page.get_by_role("button", name="Ask, and pay").dblclick()
    ana.page.wait_for_url("**/answers/*")
    answer = ana.page.locator(".big").inner_text()
    ana.page.reload()
    assert ana.page.locator(".big").inner_text() == answer
    assert ana.pages.debits() == before + 1
    where = urlsplit(ana.page.url)
    assert (where.query, where.fragment) == ("", ""), "an address is not where an answer is"
    assert where.path.rpartition("/")[2] == str(len(ana.pages.curator.ledger.history().links))
    ana.page.get_by_role("link", name="Data set", exact=True).click()
    assert answer in ana.page.locator("main").inner_text()


def test_by_the_keyboard_alone(browser: "Browser", place: tuple[Visited, str]) -> None:
    with looking(browser, *place) as somebody:
        somebody.go("/login")
        keys = somebody.page.keyboard
        keys.press("Tab")
        assert "Skip to the content" in somebody.page.locator(":focus").inner_text()
        assert somebody.page.locator(":focus").bounding_box()["y"] >= 0, "it is seen"  # type: ignore[index]
        keys.press("Enter")
        assert somebody.seen("document.activeElement.id") == "main"
        somebody.tab_to("token")
        keys.type(place[0].tokens["ana"])
        keys.press("Enter")
        somebody.page.wait_for_url(f"**{DATA}")
        somebody.tab_to("mean of days")
        keys.press("Enter")
        somebody.page.wait_for_url("**/ask?*")
        somebody.tab_to("epsilon")
        keys.type("0.12")
        keys.press("Enter")
        somebody.page.locator("#quote").wait_for()
        before = place[0].debits()
        somebody.tab_to("Ask, and pay")
        keys.press("Enter")
        somebody.page.wait_for_url("**/answers/*")
        assert place[0].debits() == before + 1
        somebody.tab_to("Sign out")
        keys.press("Enter")
        somebody.page.wait_for_url("**/login")


def test_without_scripts_and_with_focus_that_is_seen(browser: "Browser", place: tuple[Visited, str]) -> None:
    with looking(browser, *place, java_script_enabled=False) as somebody:
        somebody.sign_in("ana")
        somebody.price("0.13")
        somebody.page.get_by_role("button", name="Ask, and pay").click()
        somebody.page.wait_for_url("**/answers/*")
    with looking(browser, *place, reduced_motion="reduce") as somebody:
        somebody.sign_in("ana")
        somebody.go(f"{DATA}/ask")
        for _ in range(20):
            somebody.page.keyboard.press("Tab")
            style = somebody.seen(
                "(s => [s.outlineStyle, parseFloat(s.outlineWidth)])(getComputedStyle(document.activeElement))"
            )
            name = somebody.seen("document.activeElement.tagName")
            assert name in ("BODY", "MAIN") or (style[0] == "solid" and style[1] >= 2), name
        moves = somebody.seen("[...document.querySelectorAll('*')].map(e => getComputedStyle(e).transitionDuration)")
        assert set(moves) == {"0s"}


def test_every_page_is_usable_in_both_colours_and_sizes(browser: "Browser", tmp_path: Path) -> None:
    """Labels, headings, landmarks, contrast, width; and a picture of each."""
    folder = Path(os.environ["DALENIUS_ARTEFACTS"], "pages")
    folder.mkdir(parents=True, exist_ok=True)
    with served(tmp_path) as place, looking(browser, *place) as somebody:
        for name in walked(somebody):
            for scheme in SCHEMES:
                looked_at(somebody, name, scheme, folder)
        assert all(url.startswith(somebody.base) for url in somebody.asked)
    assert len(list(folder.glob("*.png"))) >= 4 * 12


def test_ticks_and_practice_by_the_keyboard_alone(browser: "Browser", place: tuple[Visited, str]) -> None:
    with looking(browser, *place) as somebody:
        somebody.sign_in("ana")
        before = place[0].debits()
        somebody.go(f"{DATA}/ask?measure=ill")
        somebody.page.get_by_label("Confidence").fill("0.9")
        somebody.seen("document.activeElement.blur()")
        for label in ("Hill", "One answer for each label"):
            somebody.tab_to(label)
            somebody.page.keyboard.press("Space")
        somebody.tab_to("epsilon")
        somebody.page.keyboard.type("0.2")
        somebody.tab_to("Practise")
        somebody.page.keyboard.press("Enter")
        somebody.page.wait_for_url("**/practice/*")
        said = somebody.page.locator("main").inner_text()
        assert "about nobody" in said
        assert "90 % INTERVAL" in said.upper()
        somebody.tab_to("Practise the same again")
        first = somebody.page.url
        somebody.page.keyboard.press("Enter")
        somebody.page.wait_for_url(lambda url: url != first)
        with somebody.page.expect_download() as kept:
            somebody.tab_to("Download practice CSV")
            somebody.page.keyboard.press("Enter")
        assert kept.value.suggested_filename.startswith("practice-")
        assert place[0].debits() == before


def test_pictures_are_printed_black_on_white(browser: "Browser", place: tuple[Visited, str]) -> None:
    """On paper, whatever colours the reader's screen has; the picture fits A4, and practice is said."""
    with looking(browser, *place, color_scheme="dark") as somebody:
        somebody.sign_in("ana")
        somebody.go(f"{DATA}/ask?measure=ill&kind=count&per_label=on")
        somebody.page.get_by_label("Privacy to spend").fill("0.2")
        somebody.page.get_by_role("button", name="Practise").click()
        somebody.page.wait_for_url("**/practice/*")
        somebody.page.emulate_media(media="print", color_scheme="dark")
        somebody.page.set_viewport_size({"width": 718, "height": 1000})
        style = "getComputedStyle(document.querySelector"
        colours = somebody.seen(f"[{style}('body')).backgroundColor, {style}('.plot .label')).fill]")
        assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
        right, window = somebody.seen("[document.querySelector('.plot svg').getBoundingClientRect().right, innerWidth]")
        assert right <= window
        assert "about nobody" in somebody.page.locator(".notice.practice").inner_text()
        assert not somebody.page.get_by_role("button", name="Practise the same again").is_visible()
        folder = Path(os.environ["DALENIUS_ARTEFACTS"], "pages")
        folder.mkdir(parents=True, exist_ok=True)
        somebody.page.screenshot(path=folder / "practice-print.png", full_page=True)
        assert somebody.page.pdf(format="A4").startswith(b"%PDF")


def looked_at(somebody: Somebody, name: str, scheme: Any, folder: Path) -> None:
    somebody.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for width in WIDTHS:
        somebody.page.set_viewport_size({"width": width, "height": 800})
        assert somebody.seen(FAULTS) == [], (name, scheme, width)
        least, text = somebody.seen(CONTRAST)[0]
        assert least >= 4.5, (name, scheme, text)
        somebody.page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)


def walked(somebody: Somebody) -> Iterator[str]:
    """One page after another, by name."""
    page = somebody.page
    somebody.go("/login")
    yield "login"
    page.get_by_label("Token").fill("dal_nonsense")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    yield "login-wrong"
    somebody.sign_in("ana")
    yield "data"
    somebody.price("much")
    yield "ask-wrong"
    somebody.price("5", "ill", '{"kind": "count"}')
    yield "ask-too-much"
    somebody.price("0.3", "ill", '{"kind": "count"}')
    page.locator("#quote").wait_for()
    yield "cost"
    page.get_by_role("button", name=re.compile("^(Ask|Get)")).click()
    page.wait_for_url("**/answers/*")
    yield "answer"
    page.get_by_text("The certificate as JSON").click()
    yield "answer-json"
    somebody.price("0.2", "ill", '{"kind": "histogram", "cells": [[0], [1]]}')
    page.get_by_role("button", name="Ask, and pay").click()
    page.wait_for_url("**/answers/*")
    yield "answers-several"
    somebody.go(f"{DATA}/ask?measure=ill")
    for label in ("Harbour", "Mill", "One answer for each label"):
        page.get_by_label(label).check()
    page.get_by_role("button", name="What is the most that fits?").click()
    page.locator("#quote").wait_for()
    yield "most-that-fits"
    page.get_by_role("button", name="Practise").click()
    page.wait_for_url("**/practice/*")
    yield "practice"
    for name, path in (("data-asked", DATA), ("missing", f"{DATA}/answers/999")):
        somebody.go(path)
        yield name
    somebody.sign_in("olga")
    somebody.go("/ledger")
    yield "ledger"
    somebody.sign_in("otto")
    yield "ledger-auditor"
    somebody.go(DATA)
    yield "forbidden"
