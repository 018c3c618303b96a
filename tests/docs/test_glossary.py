"""The glossary has a line for all that an audit prints, and its words are in order."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from dalenius.notions import NOTIONS
from tests.cli.command import here
from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/reference/glossary.md"
PAIR: Final = REPOSITORY / "examples/pair.toml"
ABSENT: Final = REPOSITORY / "examples/absent.toml"
EVERYWHERE: Final = {"epsilon", "lower", "upper", "in_words", "witness"}
"""Keys of every leakage."""


def explained() -> set[str]:
    """The first cells of the page's tables; of several names in one, each."""
    cells = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.strip("` ") for cell in cells for name in (cell, *cell.split(", "))}


def test_every_line_and_column_of_an_audit_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = re.findall(r"[\w, ]*\w(?= +┃)", here(capsys, monkeypatch, "audit", PAIR).out.split("┡")[0])
    columns = [name.strip() for name in columns]
    assert "probability, near" in columns
    rho = ABSENT.read_text(encoding="utf-8")
    absent = tmp_path / "absent.toml"
    absent.write_text(rho.replace('kind = "rho"\nrho = 0.2', 'kind = "identifiability"\nalpha = 0.5\nbeta = 1.0'))
    companions = set()
    for spec in (PAIR, ABSENT, absent):
        found = json.loads(here(capsys, monkeypatch, "audit", spec, "--json").out)["leakage"]
        companions |= {name for leakage in found.values() for name in leakage} - EVERYWHERE
    assert {"two_sided", "reverse", "raised", "lowered", "posterior"} <= companions
    kinds = {str(kind.model_fields["kind"].default) for kind in NOTIONS.own}
    assert {*columns, *kinds, *companions, "nat"} - explained() == set()


def test_the_words_are_in_order_and_there_once() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    words = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)
    assert len(set(words)) == len(words)
