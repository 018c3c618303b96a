"""Every key of every section wants its type: a text is no number, a number is not true or false, and NaN is neither."""

import importlib
import math
import pkgutil
import tomllib
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import pytest
from pydantic import ValidationError
from pydantic_core import InitErrorDetails

import dalenius
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen, first_problem
from dalenius.spec.spec import read_spec
from tests.first_hour.bases import COUNT, EXTRAS, MODELS, NOISES, NOTION, PROMISES, QUERIES, SMOOTH

NUMBERS: Final = ("3", "yes", True, False, [1], {"a": 1}, math.nan, math.inf, -math.inf)
BITS: Final = ("yes", "true", 1, 0, 1.0, [True], {"a": True}, math.nan)
WRONG: Final[dict[type, tuple[Any, ...]]] = {bool: BITS, int: (*NUMBERS, 2.5), float: NUMBERS, str: (1, True, ["a"])}


def sections(root: type[Frozen] = Frozen) -> Iterator[type[Frozen]]:
    """All sections that the package has, also those of policies and of events of dp_accounting."""
    if root is Frozen:
        for module in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for section in root.__subclasses__():
        if section.__module__.startswith("dalenius."):
            yield section
        yield from sections(section)


def scalar(annotation: Any) -> type | None:
    """The one type that a key has beside None; None where it has several, or holds others."""
    if get_origin(annotation) is Annotated:
        return scalar(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        kinds = [each for each in get_args(annotation) if each is not NoneType]
        return scalar(kinds[0]) if len(kinds) == 1 else None
    return annotation if annotation in WRONG else None


def refusal(section: type[Frozen], key: str, value: Any) -> InputError | None:
    """The refusal of the value under this key, whatever else the section lacks; None where it is taken."""
    try:
        section.model_validate({key: value})
    except ValidationError as error:
        for each in error.errors():
            if each["loc"][0] in (key, section.model_fields[key].alias):
                own = InitErrorDetails(type=each["type"], loc=each["loc"], input=each["input"], ctx=each.get("ctx", {}))
                alone = ValidationError.from_exception_data(section.__name__, [own])
                return first_problem(alone, section.__name__, {key: value})
    return None


KEYS: Final = [
    pytest.param(section, key, kind, id=f"{section.__name__}.{key}")
    for section in sorted(set(sections()), key=lambda each: (each.__module__, each.__name__))
    for key, field in section.model_fields.items()
    if key != "kind" and (kind := scalar(field.annotation)) is not None
]


@pytest.mark.parametrize(("section", "key", "kind"), KEYS)
def test_a_value_of_another_type_is_refused(section: type[Frozen], key: str, kind: type) -> None:
    for value in WRONG[kind]:
        # Because people and stages without names are numbered, a number may be the name of one.
        if key == "stage" and value == 1:
            continue
        found = refusal(section, key, value)
        assert found is not None, value
        said = str(found)
        assert said.startswith(f"{section.__name__}.{section.model_fields[key].alias or key}"), said
        assert "wanted" in said, said
        assert "\n" not in said, said


CASES: Final = {
    'kind = "suppression"\nbelow = 3\nkeep_zero = "yes"': "noise.keep_zero: yes, wanted true or false",
    'kind = "suppression"\nbelow = 3\nkeep_zero = 1': "noise.keep_zero: 1, wanted true or false",
    'kind = "rounding"\nbase = "3"': "noise.base: 3, wanted a whole number, not a text",
    'kind = "rounding"\nbase = true': "noise.base: true, wanted a whole number",
    'kind = "rounding"\nbase = nan': "noise.base: nan, wanted a whole number",
    'kind = "laplace"\nscale = "2"': "noise.scale: 2, wanted a number, not a text",
    'kind = "laplace"\nscale = true': "noise.scale: true, wanted a number, not true or false",
}


@pytest.mark.parametrize("noise", CASES)
def test_the_refusal_names_key_and_value(noise: str) -> None:
    with pytest.raises(InputError) as refused:
        read_spec(tomllib.loads(f"{MODELS['table']}{COUNT}[noise]\n{noise}\n"))
    assert str(refused.value) == CASES[noise]


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all numbers and truth values of a spec, but of records' values."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            if key not in ("values", "records", "cells", "known", "edges", "pairs", "outputs", "equals", "people"):
                yield from places(value, (*path, key))
    elif not isinstance(tree, str):
        yield path


SPECS: Final = {
    **{f"model {name}": model + COUNT + SMOOTH + NOTION for name, model in MODELS.items()},
    **{f"query {place}": MODELS["alike"] + query + SMOOTH + NOTION for place, query in enumerate(QUERIES)},
    **{f"noise {place}": MODELS["alike"] + COUNT + noise + NOTION for place, noise in enumerate(NOISES)},
    **{f"promise {place}": MODELS["alike"] + COUNT + SMOOTH + promise for place, promise in enumerate(PROMISES)},
    **{f"more {place}": MODELS["alike"] + COUNT + SMOOTH + NOTION + more for place, more in enumerate(EXTRAS)},
}


@pytest.mark.parametrize("name", SPECS)
def test_a_number_of_a_spec_is_no_text_and_no_truth(name: str) -> None:
    for path in places(tomllib.loads(SPECS[name])):
        for value in ("3", "yes", True, {"a": 1}, math.nan):
            tree = tomllib.loads(SPECS[name])
            inner = tree
            for key in path[:-1]:
                inner = inner[key]
            if type(inner[path[-1]]) is type(value) and value == value:
                continue
            inner[path[-1]] = value
            with pytest.raises(InputError) as refused:
                read_spec(tree)
            assert "\n" not in str(refused.value), (path, value)
