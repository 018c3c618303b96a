"""What is given in place of a release, a section or a number: one clear line, never an error of Python's own."""

from collections.abc import Callable
from typing import Any

import pytest

import dalenius as dl

MODEL = dl.Households(count=3, infected=(0.9, 0.04, 0.06))
RELEASE = dl.Release(MODEL, dl.Count(), dl.Laplace(scale=1.0))
NOTION = dl.InformationPrivacy(epsilon=1.0)
WANTED = ", wanted a Release(model, query, noise)"
NOTHING: Any = None
A_RELEASE: Any = RELEASE
A_CLASS: Any = dl.Count
THREE: Any = 3
A_MODEL: Any = MODEL
A_DICT: Any = {"known": {1: 1}}
A_TEXT: Any = "1"
SAID: dict[str, tuple[Callable[[], object], str]] = {
    "tradeoff": (lambda: dl.tradeoff(A_MODEL), f"release: Households{WANTED}"),
    "relations": (lambda: dl.relations(A_MODEL), f"release: Households{WANTED}"),
    "accuracy": (lambda: dl.accuracy(A_MODEL, 1.0), f"release: Households{WANTED}"),
    "within": (lambda: dl.within(A_MODEL, 0.05), f"release: Households{WANTED}"),
    "attack": (lambda: dl.bayes_attacks(A_MODEL), f"release: Households{WANTED}"),
    "posterior": (lambda: dl.posterior(A_MODEL, [1]), f"release: Households{WANTED}"),
    "delta": (lambda: dl.delta_of(A_MODEL, 1.0), f"release: Households{WANTED}"),
    "nothing": (lambda: dl.audit(NOTHING), f"release: nothing{WANTED}"),
    "one release": (
        lambda: dl.compose(A_RELEASE, NOTION),
        "releases: Release, wanted several releases, in ",
    ),
    "texts": (lambda: dl.compose([A_TEXT], NOTION), f"release: '1'{WANTED}"),
    "a class": (
        lambda: dl.Release(MODEL, A_CLASS, dl.Laplace(scale=1.0)),
        "query: the class Count itself, ",
    ),
    "a dict": (
        lambda: dl.Release(MODEL, dl.Count(), dl.Laplace(scale=1.0), adversary=A_DICT),
        "adversary: dict, wanted an",
    ),
    "a text for a share": (lambda: dl.within(RELEASE, A_TEXT), "beta: 1, wanted a number above 0 and below 1"),
    "a text for epsilon": (lambda: dl.delta_of(RELEASE, A_TEXT), "epsilon: 1, wanted a number, not a text"),
    "a change": (lambda: setattr(A_MODEL, "count", 4), "count: 4, wanted no change: model_copy(update={...}) makes "),
    "a number": (lambda: dl.read_spec(THREE), "spec: int, wanted a spec, the path of its file, or its sections by"),
}


@pytest.mark.parametrize("case", SAID)
def test_one_line_says_it(case: str) -> None:
    asked, said = SAID[case]
    with pytest.raises(dl.InputError) as raised:
        asked()
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)
