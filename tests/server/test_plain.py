"""A body means one thing; an answer is JSON."""

import json
from fractions import Fraction
from math import inf, nan

import pytest

from dalenius.server.problems import DEPTH, NotJson, parsed, plain


def test_an_object_is_read() -> None:
    text = '{"a": [1, -2.5, true, null, "é", {"b": 9223372036854775807}]}'
    assert parsed(text.encode()) == json.loads(text)


def test_anything_else_is_not() -> None:
    for raw, wanted in (
        (b"{", "JSON"),
        (b"\xff\xfe", "text in UTF-8"),
        (b"[1]", "an object of keys and values"),
        (b'{"a": NaN}', "finite numbers"),
        (b'{"a": 1e999}', "finite numbers"),
        (b'{"a": ' + b"9" * 5000 + b"}", "whole numbers of at most 64 bits"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', "each key once"),
        (b'{"\\ud800": 1}', "texts of whole characters, without NUL"),
        (b'{"a": "x\\u0000"}', "texts of whole characters, without NUL"),
        (b'{"a": ' * DEPTH + b"1" + b"}" * DEPTH, f"at most {DEPTH} levels of nesting"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "JSON"),
        (b'{"a": 1} x', "JSON"),
    ):
        with pytest.raises(NotJson) as refused:
            parsed(raw)
        assert str(refused.value) == wanted


def test_what_json_cannot_hold() -> None:
    given = {"a": (inf, -inf, nan, 0.5), 2: Fraction(3, 2), "c": {"d": Fraction(4)}}
    assert plain(given) == {"a": ["inf", "-inf", None, 0.5], "2": 1.5, "c": {"d": 4}}
    json.dumps(plain(given), allow_nan=False)
