"""Every key that the service answers is on its page, and so are statuses, routes and the words of its counts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import here
from tests.docs.page import REPOSITORY
from tests.docs.test_json_keys import documented
from tests.server.process import policy_in
from tests.server.served import ASK, Served

PAGE: Final = REPOSITORY / "docs/reference/service.md"
ELSEWHERE: Final = ("certificate", "notion", "noise")
"""Keys whose value has a page of its own."""


def keys(found: Any) -> Iterator[str]:
    if isinstance(found, list):
        for each in found:
            yield from keys(each)
    if isinstance(found, dict):
        for key, value in found.items():
            yield key
            if key not in ELSEWHERE:
                yield from keys(value)


def everything(served: Served) -> Iterator[Any]:
    """What every route answers, also where it refuses."""
    ana = "ana@measles"
    yield served.post("/api/v1/data/measles/estimate", ASK, ana).json()
    done = served.ask().json()
    yield done
    yield served.ask({**ASK, "epsilon": 0.9}).json()
    yield served.ask({**ASK, "epsilon": -1}).json()
    for who in (ana, "olga", None):
        for path in ("", "/measles", "/measles/budget", "/measles/history", f"/measles/releases/{done['entry']}"):
            yield served.get(f"/api/v1/data{path}", who).json()
        for path in ("/api/v1/ledger", "/api/v1/ledger/verify", "/health", "/nowhere"):
            yield served.get(path, who).json()


def test_every_key_is_documented(served: Served) -> None:
    found = {key for answer in everything(served) for key in keys(answer)}
    assert len(found) > 40
    assert sorted(found - documented("service.md")) == []


def test_every_route_and_status_is_documented(standing: Served) -> None:
    page = PAGE.read_text(encoding="utf-8")
    described = standing.get("/openapi.json").json()["paths"]
    for path, methods in described.items():
        for method, route in methods.items():
            assert f"`{method.upper()} {path}`" in page
            for status in route["responses"]:
                assert re.search(rf"^\| [\d, ]*\b{status}\b", page, re.MULTILINE) or status == "200", status


def test_every_word_of_the_counts_is_documented() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "src/dalenius/server").glob("*.py"))
    words = re.findall(r'Problem\(\s*(?:\d{3}|status), .*?, "(\w+)"[,)]', source)
    assert {"budget", "token", "rate"} <= set(words)
    assert set(words) <= documented("service.md")


def test_the_keys_of_tokens_are_documented(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, own = policy_in(tmp_path), documented("commands.md", ["token"])
    made = here(capsys, monkeypatch, "token", "make", policy, "--owner", "olga", "--json").json
    listed = here(capsys, monkeypatch, "token", "list", policy, "--json").json
    assert sorted({*keys(made), *keys(listed)} - own) == []
