"""Signing in at a provider in a real browser, whose cookies know one site from another."""

import os
import socket
from pathlib import Path

import pytest

from tests.server.provider import AUDIENCE, CLIENT, standing
from tests.server.web.browsing import chromium, looking, served


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@pytest.mark.lengthy
def test_somebody_signs_in_at_the_provider_and_stays_signed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    port = free_port()
    base = f"http://localhost:{port}"
    with chromium() as browser, standing() as provider:
        provider.address = base  # another site than the provider's, 127.0.0.1
        provider.person = {"sub": "1", "preferred_username": "ana"}
        section = {"issuer": provider.issuer, "audience": AUDIENCE, "claim": "preferred_username"}
        section |= {"client": CLIENT, "address": base}
        with served(tmp_path, port, sign_on=section) as (pages, _), looking(browser, pages, base) as ana:
            ana.go("/login")
            folder = Path(os.environ["DALENIUS_ARTEFACTS"], "pages")
            ana.page.screenshot(path=folder / "sign_on.png")
            ana.page.get_by_role("link", name="Sign in with your organisation").click()
            ana.page.get_by_role("link", name="It is me").click()
            ana.page.get_by_text("ana, analyst").wait_for()
            assert ana.page.url == f"{base}/data/Measles%2C%20winter"
            ana.page.reload()
            ana.page.get_by_role("button", name="Sign out").click()
            ana.page.get_by_role("heading", name="Sign in").wait_for()
