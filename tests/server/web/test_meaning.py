"""The page on what an ε means needs no token, and runs under its own strict policy."""

import pytest

from dalenius.interpretation.page import content_policy, meaning_page
from tests.server.web.browsing import chromium, looking, served
from tests.server.web.visited import Visited


def test_everybody_may_see_it(own: Visited) -> None:
    found = own.get("/meaning")
    assert (found.status_code, found.text) == (200, meaning_page())
    assert found.headers["content-security-policy"] == content_policy()
    assert "set-cookie" not in found.headers
    assert 'href="/meaning"' in own.get("/login").text


@pytest.mark.slow
def test_a_browser_runs_it_and_loads_nothing_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    with (
        chromium() as browser,
        served(tmp_path_factory.mktemp("served")) as place,
        looking(browser, *place) as somebody,
    ):
        refused: list[str] = []
        somebody.page.on("console", lambda message: refused.append(message.text))
        somebody.go("/meaning")
        assert "factor of more than 2.72" in somebody.page.locator("#words").inner_text()
        somebody.page.locator("#household").press("Home")
        assert "In a household of 1" in somebody.page.locator("#words").inner_text()
        assert somebody.seen("getComputedStyle(document.querySelector('.panel')).borderRadius") != "0px"
        assert {url.removeprefix(somebody.base) for url in somebody.asked} <= {"/meaning", "/favicon.ico"}
        assert not [each for each in refused if "favicon" not in each and "404" not in each]
