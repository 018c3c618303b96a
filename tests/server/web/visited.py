"""The pages of a service in this process, of a made-up table of households, and somebody who looks at them."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from dalenius.curator import Curator, policy_from
from dalenius.server import Role, Tokens
from dalenius.server.app import make_app
from dalenius.server.errors_and_log import Log

HOMES = 12
DISTRICTS = ("Harbour", "Hill", "Mill")
NAME = "Measles, winter"
"""A name that has to be quoted in URLs."""


def people() -> str:
    """Thirty people in households of one to four, in three districts; who is ill follows no law."""
    rows = [
        f"H{home:03d},{DISTRICTS[home % 3]},{(7 * home + 3 * place) % 11 < 2:d},{(5 * home + place) % 6}"
        for home in range(HOMES)
        for place in range(1 + home % 4)
    ]
    return "\n".join(["home,district,ill,days", *rows]) + "\n"


def sections(**service: Any) -> dict[str, Any]:
    count = len(people().splitlines()) - 1
    epidemic = {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}}
    ill = {
        "name": "ill",
        "description": "Who fell ill between December and March.",
        "value": {"column": "ill", "equals": 1},
        "label": "district",
        "queries": ["count", "histogram", "several"],
        "model": epidemic,
    }
    days = {
        "name": "days",
        "description": "Days at home, of five at most.",
        "value": "days",
        "lower": 0.0,
        "upper": 5.0,
        "step": 1.0,
        "model": {"kind": "independent", "values": [0, 1, 2, 3, 4, 5], "probabilities": [[1 / 6] * 6], "n": count},
        "queries": ["sum", "mean", "count"],
    }
    sick = {"name": "sick", "value": {"column": "days", "above": 0}, "model": epidemic}
    measles = {
        "name": NAME,
        "source": {"file": "people.csv"},
        "notion": {"kind": "inferential", "epsilon": 2.0},
        "measures": [ill, days, sick],
        "analysts": [{"name": "ana", "epsilon": 1.5}, {"name": "bob", "measures": ["ill"], "queries": ["count"]}],
    }
    mumps = {**measles, "name": "mumps", "measures": [ill], "analysts": [{"name": "bob"}]}
    mumps["source"] = {"file": "mumps.csv"}
    return {"data": [measles, mumps], "service": {"requests_per_minute": 100_000, **service}}


@dataclass
class Visited:
    """client: follows no redirects; tokens: their texts, by who holds them; log: its lines."""

    client: TestClient
    app: FastAPI
    curator: Curator
    made: Tokens
    log: io.StringIO
    tokens: dict[str, str] = field(default_factory=dict)

    def sign_in(self, who: str) -> Any:
        return self.send("/login", {"token": self.tokens[who]})

    def get(self, path: str) -> Any:
        return self.client.get(path, follow_redirects=False)

    def send(self, path: str, fields: dict[str, str], page: str | None = None) -> Any:
        """The form of the page, by default at the same path, with these fields."""
        csrf = hidden(self.get(path if page is None else page).text, "csrf")
        return self.client.post(path, data={"csrf": csrf, **fields}, follow_redirects=False)

    def price(self, url: str, **fields: str) -> Any:
        asked = {"measure": "ill", "query": '{"kind": "count"}', "epsilon": "0.5", "confidence": "0.95", "do": "cost"}
        return self.send(url, asked | fields)

    def ask(self, url: str, **fields: str) -> Any:
        return self.send(url, {"do": "ask", "ask": hidden(self.price(url, **fields).text, "ask")})

    def debits(self) -> int:
        return sum(link.kind == "debit" for link in self.curator.ledger.history().links)


@contextmanager
def visiting(folder: Path, **service: Any) -> Iterator[Visited]:
    """service: keys of the policy's section."""
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    (folder / "mumps.csv").write_text(people() + "\n", encoding="utf-8")
    made, lines = Tokens(folder / "policy.tokens.sqlite"), io.StringIO()
    curator = Curator(policy_from(sections(**service), folder), folder)
    app = make_app(curator, made, Log(lines))
    with TestClient(
        app, base_url="http://localhost", raise_server_exceptions=False, client=("127.0.0.1", 50000)
    ) as client:
        found = Visited(client, app, curator, made, lines)
        found.tokens["ana"], _ = made.make(Role.analyst, "ana", NAME)
        found.tokens["bob"], _ = made.make(Role.analyst, "bob", NAME)
        found.tokens["zoe"], _ = made.make(Role.analyst, "zoe", NAME)
        found.tokens["olga"], _ = made.make(Role.owner, "olga", "*")
        found.tokens["mona"], _ = made.make(Role.owner, "mona", "mumps")
        found.tokens["otto"], _ = made.make(Role.auditor, "otto", "*")
        yield found
    curator.close()


def hidden(page: str, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)
    assert found is not None, page
    return unescape(found[1])


def text_of(page: str) -> str:
    """Without marks, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
