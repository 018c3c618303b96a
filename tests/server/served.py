"""A service in this process, of two data sets, with tokens of everybody there is."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from dalenius.curator import Curator, policy_from
from dalenius.server import Role, Tokens
from dalenius.server.app import make_app
from dalenius.server.log import Log
from tests.curator.policies import people, sections

ASK: dict[str, Any] = {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.1}


@dataclass
class Served:
    """tokens: their texts by who holds them, as ana@measles or olga."""

    client: TestClient
    curator: Curator
    made: Tokens
    folder: Path
    lines: io.StringIO
    tokens: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, who: str | None = None, **more: Any) -> Any:
        return self.client.get(path, headers=self.headers(who), **more)

    def post(self, path: str, body: Any, who: str | None = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, json=body, headers={**self.headers(who), **named})

    def ask(self, body: Any = None, who: str = "ana@measles", data: str = "measles", **headers: str) -> Any:
        return self.post(f"/api/v1/data/{data}/ask", ASK if body is None else body, who, **headers)

    def headers(self, who: str | None) -> dict[str, str]:
        return {} if who is None else {"Authorization": f"Bearer {self.tokens[who]}"}

    def spent(self, who: str = "ana@measles") -> float:
        found = self.get(f"/api/v1/data/{who.partition('@')[2]}/budget", who).json()
        return float(found["data"]["spent"])

    @property
    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines.getvalue().splitlines()]


def two_data_sets(**service: Any) -> dict[str, Any]:
    """measles, which ana and bob may ask, and mumps, which only bob may."""
    (measles,) = sections()["data"]
    mumps = {**measles, "name": "mumps", "analysts": [{"name": "bob"}]}
    mumps["source"] = {**measles["source"], "file": "mumps.csv"}
    return {"data": [measles, mumps], "service": service}


@contextmanager
def serving(
    folder: Path, given: Mapping[str, Any] | None = None, table: str = people(), **service: Any
) -> Iterator[Served]:
    """given: the policy's sections, by default those of two data sets; table: their people."""
    (folder / "people.csv").write_text(table, encoding="utf-8")
    (folder / "mumps.csv").write_text(table + "\n", encoding="utf-8")
    policy = policy_from(
        two_data_sets(**({"requests_per_minute": 10_000} | service)) if given is None else given, folder
    )
    made, lines = Tokens(folder / "policy.tokens.sqlite"), io.StringIO()
    curator = Curator(policy, folder)
    app = make_app(curator, made, log=Log(lines))
    with TestClient(
        app, base_url="http://localhost", raise_server_exceptions=False, client=("127.0.0.1", 50000)
    ) as client:
        found = Served(client, curator, made, folder, lines)
        for name, data in (("ana", "measles"), ("bob", "measles"), ("bob", "mumps")):
            found.tokens[f"{name}@{data}"], _ = made.make(Role.analyst, name, data)
        found.tokens["olga"], _ = made.make(Role.owner, "olga", "*")
        found.tokens["otto"], _ = made.make(Role.auditor, "otto", "*")
        found.tokens["owner@mumps"], _ = made.make(Role.owner, "mona", "mumps")
        yield found
    curator.close()
