"""What is written is read back."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, strategies as st

from dalenius.fitting.command import toml_section

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = scalars | st.lists(scalars, max_size=3) | st.lists(st.lists(scalars, max_size=3), max_size=3)
plain = st.dictionaries(texts, values, max_size=3)
sections = st.dictionaries(texts, values | plain | st.lists(plain, min_size=1, max_size=3), max_size=4)


@given(sections, st.lists(texts, max_size=2))
def test_what_is_written_is_read_back(section: dict[str, Any], comments: list[str]) -> None:
    assert tomllib.loads(toml_section("model", section, comments)) == {"model": section}


def test_as_a_person_would_write_it() -> None:
    section = {"kind": "x", "rows": [[0.5, 1e-05], [1, 2]], "nodes": [{"name": "a b"}, {"name": "c", "of": {"d": []}}]}
    assert toml_section("model", section, ["two\nlines"]) == (
        '# two lines\n[model]\nkind = "x"\nrows = [\n    [0.5, 1e-05],\n    [1, 2],\n]\n\n'
        '[[model.nodes]]\nname = "a b"\n\n[[model.nodes]]\nname = "c"\n\n[model.nodes.of]\nd = []\n'
    )


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^TOML has no form for None here"):
        toml_section("model", {"a": None})
