"""In a real browser: no other site's form asks anything, and nothing that is stored or sent becomes markup."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import pytest

from tests.server.web.browsing import Somebody, chromium, looking, served
from tests.server.web.visited import Visited, people

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow  # a browser takes seconds to begin
DATA: Final = "/data/Measles%2C%20winter"
SCRIPT: Final = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.fixture
def place(tmp_path: "Path") -> Iterator[tuple[Visited, str]]:
    with served(tmp_path) as found:
        yield found


@contextmanager
def elsewhere(page: str) -> Iterator[str]:
    """Another site, which has this one page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, format: str, *given: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Page)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        # By another name than the service's, so that it is another site to the browser.
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def form(action: str, fields: dict[str, str]) -> str:
    """A page that sends this form as soon as it is open."""
    inputs = "".join(f'<input name="{name}" value="{quote_attribute(value)}">' for name, value in fields.items())
    return f'<form id="f" method="post" action="{action}">{inputs}</form><script>f.submit()</script>'


def quote_attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;")


def visit_elsewhere(somebody: Somebody, page: str) -> str:
    """What the browser shows after it."""
    with elsewhere(page) as address:
        somebody.page.goto(address)
        somebody.page.wait_for_load_state("networkidle")
        return somebody.page.locator("body").inner_text()


def test_a_form_of_another_site_asks_nothing_and_ends_no_visit(browser: "Browser", place: tuple[Visited, str]) -> None:
    pages, base = place
    with looking(browser, pages, base) as somebody:
        somebody.sign_in("ana")
        ask = json.dumps({"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.5})
        for csrf in ({}, {"csrf": "guessed"}):
            said = visit_elsewhere(somebody, form(f"{base}{DATA}/ask", {"do": "ask", "ask": ask, **csrf}))
            assert "Spent" not in said
            visit_elsewhere(somebody, form(f"{base}/logout", csrf))
        assert pages.debits() == 0
        somebody.go(DATA)
        assert somebody.page.get_by_role("button", name="Sign out").is_visible(), "the visit goes on"


def test_another_site_cannot_read_or_frame_a_page(browser: "Browser", place: tuple[Visited, str]) -> None:
    pages, base = place
    page = f"""<p id="said">nothing</p><iframe id="inner" src="{base}{DATA}"></iframe><script>
        fetch("{base}{DATA}", {{credentials: "include"}}).then(r => r.text()).then(t => said.textContent = t)
          .catch(e => said.textContent = "refused");
    </script>"""
    with looking(browser, pages, base) as somebody:
        somebody.sign_in("ana")
        with elsewhere(page) as address:
            somebody.page.goto(address)
            somebody.page.wait_for_function("said.textContent != 'nothing'")
            assert somebody.page.locator("#said").inner_text() == "refused"
            inner = [frame for frame in somebody.page.frames if frame.url.startswith(base)]
            assert not any("Measles" in frame.content() for frame in inner)


def test_what_is_sent_or_stored_never_runs(browser: "Browser", place: tuple[Visited, str]) -> None:
    """In the address, in a field, in the name of an answer that the ledger keeps."""
    pages, base = place
    named = {"kind": "several", "queries": [{"kind": "count"}], "names": [SCRIPT]}
    pages.sign_in("ana")
    where = pages.ask(f"{DATA}/ask", query=json.dumps(named)).headers["location"]
    with looking(browser, pages, base) as somebody:
        somebody.sign_in("ana")
        paths = [where, DATA, f"{DATA}/ask?measure={quote(SCRIPT)}&query={quote(SCRIPT)}", f"/data/{quote(SCRIPT)}"]
        for path in paths:
            somebody.go(path)
            assert somebody.page.title() != "broken", path
            assert somebody.seen("document.querySelectorAll('img, script').length") == 0, path
        assert "onerror" in somebody.page.content() or "onerror" in pages.get(where).text, "it is shown as text"
        somebody.price("0.1", measure=SCRIPT)
        assert somebody.page.title() != "broken"
        assert all(url.startswith(base) for url in somebody.asked)


def test_a_label_that_is_ticked_never_runs(browser: "Browser", tmp_path: "Path") -> None:
    """On the form, the price, the practice page, the answer and the sheets, with quotes in it too."""
    label = f'{SCRIPT}\' "North"'
    cell = '"' + label.replace('"', '""') + '"'
    with served(tmp_path, table=people().replace(",Hill,", f",{cell},")) as place, looking(browser, *place) as ana:
        ana.sign_in("ana")
        ana.go(f"{DATA}/ask?measure=ill")
        ana.page.get_by_label(label).check()
        ana.page.get_by_label("One answer for each label").check()
        ana.page.get_by_label("Privacy to spend").fill("0.2")
        seen = []
        for button in ("Practise", "What would it cost, asked of the data?", "Ask, and pay"):
            ana.page.get_by_role("button", name=button, exact=True).click()
            ana.page.wait_for_load_state("networkidle")
            assert label in ana.page.locator("main").inner_text(), button
            assert ana.page.title() != "broken", button
            assert ana.seen("document.querySelectorAll('img, script').length") == 0, button
            seen.append(ana.page.url)
        for path, name in ((seen[0], "Practice sheet"), (seen[2], "Sheet to sign")):
            ana.page.goto(path)
            with ana.page.expect_download() as kept:
                ana.page.get_by_role("link", name=name, exact=True).click()
            sheet = tmp_path / kept.value.suggested_filename
            kept.value.save_as(sheet)
            ana.page.goto(sheet.as_uri())
            assert label in ana.page.locator("article").inner_text()
            assert ana.page.title() != "broken"
            assert ana.seen("document.querySelectorAll('img, script').length") == 0


def test_a_cookie_is_kept_from_scripts_and_other_sites(browser: "Browser", place: tuple[Visited, str]) -> None:
    pages, base = place
    with looking(browser, pages, base) as somebody:
        somebody.sign_in("ana")
        assert somebody.seen("document.cookie") == ""
        (cookie,) = [each for each in somebody.page.context.cookies() if each.get("name") == "dalenius"]
        assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
        kept = cookie.get("value", "")
        somebody.page.get_by_role("button", name="Sign out").click()
        somebody.page.wait_for_url("**/login")
        somebody.page.context.add_cookies([{"name": "dalenius", "value": kept, "url": base}])
        somebody.go(DATA)
        assert "/login" in somebody.page.url, "a cookie of a visit that ended opens nothing"
