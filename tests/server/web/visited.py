"""The pages of a service in this process, of a made-up table of households, and somebody who looks at them."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from dalenius.curator import Curator
from dalenius.server import Role, Tokens
from tests.server.served import serving

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
        "description": "Thirty people of a town, and their winter.",
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
    app: Any
    curator: Curator
    made: Tokens
    log: io.StringIO
    tokens: dict[str, str]

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
    with _visiting(folder, sections(**service), people()) as found:
        yield found


@contextmanager
def visiting_table(folder: Path, table: str) -> Iterator[Visited]:
    """The pages of another table, without the measure whose model says how many people there are."""
    given = sections()
    given["data"] = [
        {**each, "measures": [own for own in each["measures"] if own["name"] != "days"]} for each in given["data"]
    ]
    with _visiting(folder, given, table) as found:
        yield found


@contextmanager
def _visiting(folder: Path, given: dict[str, Any], table: str) -> Iterator[Visited]:
    with serving(folder, given, table) as found:
        tokens = {name: found.made.make(Role.analyst, name, NAME)[0] for name in ("ana", "bob", "zoe")}
        tokens |= {name: found.tokens[name] for name in ("olga", "otto")} | {"mona": found.tokens["owner@mumps"]}
        yield Visited(found.client, found.client.app, found.curator, found.made, found.lines, tokens)


def hidden(page: str, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)
    assert found is not None, page
    return unescape(found[1])


def text_of(page: str) -> str:
    """Without marks, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
