"""The pages in a real browser: Chromium of the system, without a screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import pytest
import uvicorn

from tests.server.web.visited import Visited, visiting, visiting_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = ("--no-sandbox", "--disable-dev-shm-usage")
SCHEMES: Final = ("light", "dark")
WIDTHS: Final = (390, 1400)


@contextmanager
def chromium() -> "Iterator[Browser]":
    """Skips where there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"no browser: {CHROMIUM} is not installed")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(folder: Path, at: int = 0, table: str | None = None, **service: Any) -> "Iterator[tuple[Visited, str]]":
    """The pages, and the address where they are; at: the port; table: another one; service: the policy's section."""
    with visiting(folder, **service) if table is None else visiting_table(folder, table) as pages:
        server = uvicorn.Server(uvicorn.Config(pages.app, port=at, log_config=None, lifespan="off"))
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        until = monotonic() + 20
        while not server.started:
            assert monotonic() < until, "the server has not started"
            sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield pages, f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(20)


@dataclass
class Somebody:
    """Who looks at the pages; asked: the addresses that the browser went to."""

    page: "Page"
    pages: Visited
    base: str
    asked: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def sign_in(self, who: str) -> None:
        self.go("/login")
        self.page.get_by_label("Token").fill(self.pages.tokens[who])
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("button", name="Sign out").wait_for()

    def price(self, epsilon: str = "0.1", measure: str = "days", query: str = '{"kind": "mean"}') -> None:
        self.go(f"/data/Measles%2C%20winter/ask?{urlencode({'measure': measure, 'query': query})}")
        self.page.get_by_label("Privacy to spend").fill(epsilon)
        self.page.get_by_role("button", name="What would it cost?").click()

    def seen(self, script: str) -> Any:
        return self.page.evaluate(script)

    def tab_to(self, name: str, most: int = 80) -> None:
        """By the tabulator alone, to what has that text, label or id."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if name in self.seen(NAMED):
                return
        raise AssertionError(f"the keyboard does not get to {name!r}")


NAMED: Final = """() => { const e = document.activeElement;
  return [e.id, e.textContent, e.name, ...[...(e.labels || [])].map(l => l.innerText)].map(t => (t || '').trim()); }"""


@contextmanager
def looking(browser: "Browser", pages: Visited, base: str, **context: Any) -> Iterator[Somebody]:
    """context: of the browser, such as its colours."""
    opened = browser.new_context(**context)
    opened.set_default_timeout(20_000)
    page = opened.new_page()
    found = Somebody(page, pages, base)
    page.on("request", lambda request: found.asked.append(request.url))
    try:
        yield found
    finally:
        opened.close()


FAULTS: Final = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
"""What is wrong with a page for whoever does not see it, or has a small window."""

CONTRAST: Final = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
"""Of each text the contrast to what is behind it, the least first."""
