"""The types that the core calls wings by are those of the wings' own functions."""

import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

import dalenius
from dalenius import wings


def _modules() -> Iterator[str]:
    """The core's modules that call a part."""
    for each in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
        if not each.ispkg and not each.name.endswith("__main__"):
            yield each.name


def parts() -> Iterator[tuple[str, Any]]:
    """Each declared part, by its name, with the type it is declared by."""
    for name in _modules():
        spec = importlib.util.find_spec(name)
        assert spec is not None
        if spec.origin is None or "wings.Part[" not in Path(spec.origin).read_text(encoding="utf-8"):
            continue
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, wings.Part):
                (declared,) = get_args(vars(value)["__orig_class__"])
                yield value.name, declared


DECLARED = dict(parts())


def test_every_part_is_declared() -> None:
    assert sorted(DECLARED) == sorted(wings.PARTS)


def is_narrower(given: Any, wanted: Any) -> bool:
    """Whether a value of one type may stand where the other is wanted, as far as names of classes tell."""
    given, wanted = (each.__origin__ if get_origin(each) is Annotated else each for each in (given, wanted))
    if given == wanted or wanted in (object, Any) or given is Any or (given, wanted) == (NoneType, None):
        return True
    if isinstance(given, type) and isinstance(wanted, type):
        return issubclass(given, wanted) or getattr(wanted, "_is_protocol", False)
    origins = getattr(given, "__origin__", given), getattr(wanted, "__origin__", wanted)
    if all(isinstance(each, type) for each in origins) and issubclass(*origins):
        pairs = zip(get_args(given), get_args(wanted), strict=False)
        return all(is_narrower(one, other) for one, other in pairs)
    union = get_args(wanted)
    return bool(union) and all(any(is_narrower(one, other) for other in union) for one in get_args(given) or (given,))


@pytest.mark.parametrize("name", sorted(wings.PARTS))
def test_a_wing_s_function_takes_and_returns_what_the_core_believes(name: str) -> None:
    function = wings.found(wings.PARTS[name])
    hints = get_type_hints(function)
    taken, returned = get_args(DECLARED[name])
    parameters = [hints[each] for each in inspect.signature(function).parameters]
    assert len(parameters) == len(taken)
    assert all(is_narrower(given, wanted) for given, wanted in zip(taken, parameters, strict=True))
    assert is_narrower(hints["return"], returned)


@pytest.mark.parametrize(
    ("given", "wanted", "held"),
    [(bool, int, True), (str, int, False), (NoneType, int | None, True), (list[int], list[str], False)],
)
def test_narrower_types_are_told(given: Any, wanted: Any, held: bool) -> None:
    assert is_narrower(given, wanted) is held


def test_a_part_of_another_type_is_found_out() -> None:
    """The comparison can fail: a function of one text is none of a release."""
    taken, _ = get_args(DECLARED["bayesian loss"])
    assert not is_narrower(taken[0], str)
