"""What is given in place of a release, a section or a number: one clear line, never an error of Python's own."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import dalenius as dl
from dalenius.schema import Frozen

MODEL: Any = dl.Households(count=3, infected=(0.9, 0.04, 0.06))
RELEASE: Any = dl.Release(MODEL, dl.Count(), dl.Laplace(scale=1.0))
NOTION = dl.InformationPrivacy(epsilon=1.0)
WANTED = ", wanted a Release(model, query, noise)"
TEXT: Any = "1"
OF_RELEASES: tuple[Callable[..., object], ...] = (
    dl.tradeoff,
    dl.relations,
    lambda given: dl.accuracy(given, 1.0),
    lambda given: dl.within(given, 0.05),
    dl.bayes_attacks,
    lambda given: dl.posterior(given, [1]),
    lambda given: dl.delta_of(given, 1.0),
    dl.audit,
    lambda given: dl.calibrate(given, "inferential"),
    lambda given: dl.compare(given, "inferential"),
)


def release(*given: Any, **more: Any) -> object:
    return dl.Release(*given, **more)


def any_of(called: Any, *given: Any) -> Any:
    """mypy knows what each takes."""
    return called(*given)


SAID: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: any_of(dl.audit, None), f"release: nothing{WANTED}"),
    (lambda: any_of(dl.compare, pd.DataFrame(), "inferential"), f"release: DataFrame{WANTED}"),
    (lambda: dl.compose(RELEASE, NOTION), "releases: Release, wanted several releases, in "),
    (lambda: dl.compose([TEXT], NOTION), f"release: '1'{WANTED}"),
    (lambda: release(MODEL, dl.Count, dl.Laplace(scale=1.0)), "query: the class Count itself, "),
    (lambda: release(MODEL, dl.Count(), 1.0), "noise: 1.0, wanted a noise: an object, or the name"),
    (lambda: release("chain", dl.Count(), dl.Laplace()), "model."),
    (lambda: release(MODEL, "count", dl.Laplace(), adversary={"known": {1: 1}}), "adversary: dict, wanted an"),
    (lambda: any_of(dl.Laplace, 1.0, 2), "Laplace: 2, wanted fields by their names: scale"),
    (lambda: dl.Laplace(*[1.0], scale=2), "Laplace.scale: 2, wanted it once"),
    (lambda: dl.calibrate(RELEASE, "inferential"), "notion.epsilon: missing, wanted a finite number above 0"),
    (lambda: dl.audit(RELEASE, "inferental"), "notion.kind: inferental, wanted one of "),
    (lambda: any_of(dl.audit, RELEASE, 3), "notion: 3, wanted a notion, such as InferentialPrivacy(epsilon=1.0), or"),
    (lambda: any_of(dl.audit, RELEASE, [3]), "notion: 3, wanted a notion: an object, or the name of its kind"),
    (lambda: dl.compare(RELEASE, NOTION)["exat"], "method: exat, wanted one of "),
    (lambda: dl.within(RELEASE, TEXT), "beta: 1, wanted a number above 0 and below 1"),
    (lambda: dl.delta_of(RELEASE, TEXT), "epsilon: 1, wanted a number, not a text"),
    (lambda: setattr(MODEL, "count", 4), "count: 4, wanted no change: model_copy(update={...}) makes "),
    (lambda: any_of(dl.read_spec, 3), "spec: int, wanted a spec, the path of its file, or its sections by"),
)


def test_one_line_says_it() -> None:
    cases = [*((lambda called=called: called(MODEL), f"release: Households{WANTED}") for called in OF_RELEASES), *SAID]
    for asked, said in cases:
        with pytest.raises(dl.InputError) as raised:
            asked()
        assert str(raised.value).startswith(said)
        assert "\n" not in str(raised.value)


def test_pydantics_own_methods_are_out_of_sight() -> None:
    for shown in (dir(dl.Laplace), dir(dl.Laplace(scale=1.0)), dir(MODEL)):
        assert not {"construct", "parse_obj", "from_orm", "model_dump", "model_fields"} & set(shown)
    assert {"scale", "with_scale", "model_copy"} <= set(dir(dl.Laplace(scale=1.0)))
    assert issubclass(dl.Laplace, Frozen)
