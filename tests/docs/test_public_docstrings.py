"""Every public name explains its parameters in sections that tools read, and shows an example that runs."""

import inspect

import pytest

import dalenius
from tests.docs.public_names import methods_of, named_in, public_names, sections_of, undocumented

WITHOUT_EXAMPLE = frozenset({"Noise", "Notion", "Model", "Query", "Method", "CompositeModel", "Belief", "Joint"})
"""Bases that nobody makes an object of; `docs/how-to/extend.md` shows them."""


@pytest.mark.parametrize("name", public_names())
def test_every_parameter_is_explained(name: str) -> None:
    named = getattr(dalenius, name)
    if callable(named):
        assert not undocumented(named)


@pytest.mark.parametrize("name", public_names())
def test_every_name_has_an_example_that_runs(name: str) -> None:
    named = getattr(dalenius, name)
    if callable(named) and name not in WITHOUT_EXAMPLE and not _is_error(named):
        assert ">>> " in sections_of(named).get("Example", "")


def _is_error(named: object) -> bool:
    return inspect.isclass(named) and issubclass(named, Exception)


@pytest.mark.parametrize("name", public_names())
def test_every_method_explains_its_parameters(name: str) -> None:
    named = getattr(dalenius, name)
    found = {} if not inspect.isclass(named) else {each: undocumented(method) for each, method in methods_of(named)}
    assert not {each: missing for each, missing in found.items() if missing}


def test_a_parameter_that_is_only_mentioned_is_not_explained() -> None:
    assert named_in("    scale: The scale, in the answer's unit.\n        of: continued\n") == {"scale"}
