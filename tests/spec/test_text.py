"""The text of a spec: byte order marks, other encodings, and what is no TOML or JSON, each in one line."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.spec import read_spec, sections_of
from tests.cases import in_turn

SPEC = """[model]
kind = "independent"
probabilities = [0.3, 0.5]
[query]
kind = "count"
"""


@in_turn({"name": ["a.toml", "a.json", "a"], "mark": ["", "\ufeff"]})
def test_with_a_byte_order_mark_or_without(tmp_path: Path, name: str, mark: str) -> None:
    text = json.dumps(tomllib.loads(SPEC)) if name.endswith("json") else SPEC
    (tmp_path / name).write_text(mark + text, encoding="utf-8")
    assert read_spec(tmp_path / name).model.kind == "independent"


def test_json_is_known_by_its_brace(tmp_path: Path) -> None:
    (tmp_path / "spec").write_text("\n " + json.dumps(tomllib.loads(SPEC)), encoding="utf-8")
    assert read_spec(tmp_path / "spec").model.kind == "independent"


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_is_said(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.toml").write_text("# für alle\n" + SPEC, encoding=encoding)
    wanted = "text in UTF-8, which this is not: UTF-16" if encoding == "utf-16" else "text in UTF-8"
    with pytest.raises(InputError, match=f"wanted {wanted}$"):
        read_spec(tmp_path / "a.toml")


LINES = [
    ("a = 1\nb = .9\n", "invalid value at the ^ in line 2: b = ^.9; a number begins with a digit: 0.9"),
    (
        "a = 0,9\n",
        "expected newline or end of document after a statement at the ^ in line 1: a = 0^,9; a decimal point: 0.9",
    ),
    ("b = True\n", "invalid value at the ^ in line 1: b = ^True; true"),
    ("[model\n", "expected ']' at the end of a table declaration at the ^ in line 1: [model^"),
    ("a = " + "[1, " * 40 + "}\n", "[1, [1, ^}"),
]


@pytest.mark.parametrize(("text", "said"), LINES, ids=[text[:12] for text, _ in LINES])
def test_broken_toml_shows_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)) as refused:
        sections_of(tmp_path / "a.toml")
    assert len(refused.value.wanted) < 220


def test_broken_json_shows_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{\n "a": 1,\n "b": }\n', encoding="utf-8")
    with pytest.raises(InputError, match=re.escape('JSON (expecting value at the ^ in line 3: "b": ^})')):
        sections_of(tmp_path / "a.json")


@pytest.mark.parametrize(("name", "text"), [("a.json", "[" * 100_000), ("a.toml", "a = " + "[" * 100_000)])
def test_what_is_nested_too_deeply(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="nested too deeply"):
        sections_of(tmp_path / name)


def test_the_password_of_a_url_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('url = "postgresql://me:secret@host/x" nonsense\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        sections_of(tmp_path / "a.toml")
    assert "secret" not in str(refused.value)
