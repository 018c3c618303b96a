"""The text of a spec: byte order marks, other encodings, and what is no TOML or JSON, each in one line."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.spec import read_spec, sections_of

SPEC = """[model]
kind = "independent"
probabilities = [0.3, 0.5]
[query]
kind = "count"
"""


def test_with_a_byte_order_mark_or_without(tmp_path: Path) -> None:
    """JSON is known by its name, or by its brace."""
    as_json = json.dumps(tomllib.loads(SPEC))
    for name, text in (
        ("a.toml", "\ufeff" + SPEC),
        ("a.json", "\ufeff" + as_json),
        ("a", SPEC),
        ("a", f"\n {as_json}"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_spec(tmp_path / name).model.kind == "independent"


def test_another_encoding_is_said(tmp_path: Path) -> None:
    for encoding, wanted in {"utf-16": "text in UTF-8, which this is not: UTF-16", "latin-1": "text in UTF-8"}.items():
        (tmp_path / "a.toml").write_text("# für alle\n" + SPEC, encoding=encoding)
        with pytest.raises(InputError, match=f"wanted {wanted}$"):
            read_spec(tmp_path / "a.toml")


def test_what_is_broken_names_its_line(tmp_path: Path) -> None:
    for name, text, said in (
        ("a.toml", "a = 1\nb = .9\n", "TOML (invalid value (at line 2, column 5))"),
        ("a.json", '{\n "a": 1,\n "b": }\n', "JSON (expecting value: line 3 column 7"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=re.escape(said)):
            sections_of(tmp_path / name)


def test_what_is_nested_too_deeply(tmp_path: Path) -> None:
    for name, text in (("a.json", "[" * 100_000), ("a.toml", "a = " + "[" * 100_000)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="nested too deeply"):
            sections_of(tmp_path / name)


def test_the_password_of_a_url_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('url = "postgresql://me:secret@host/x" nonsense\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        sections_of(tmp_path / "a.toml")
    assert "secret" not in str(refused.value)
