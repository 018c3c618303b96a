"""What is served: which epsilons, scales and numbers of answers. What is beyond would take long to compute, and tell or
promise nothing. It hangs on the policy and the ask alone, so it is refused before anything is computed."""

from collections.abc import Iterator
from typing import Final

from dalenius.curator.policy.ask import Ask
from dalenius.curator.policy.data_set import DataSet
from dalenius.curator.policy.kinds_of import settings
from dalenius.curator.policy.measure import Measure
from dalenius.errors import InputError

FINEST: Final = 1e-9
"""Of a measure's step: a mean over a billion people moves by so much when one of them does."""
WIDEST: Final = 1e9
"""Times the measure's range: noise beside which no sum over that many people is seen."""


def check_served(data: DataSet, measure: Measure, ask: Ask) -> None:
    """InputError where the noise or the distance is finer or wider than answers of the measure can be, or where noise
    is Gaussian and nothing that it leaks can be counted: its losses have no bound without a delta."""
    if ask.within is not None:
        _check_length("ask.within", ask.within, measure)
    for scale in _scales(ask):
        _check_length("ask.noise.scale", scale, measure)
    if not data.notion.promised_delta and _is_gaussian(ask):
        wanted = "laplace or geometric: Gaussian noise leaks without bound but for a delta, and this data set has none"
        raise InputError("ask.noise", "gaussian", wanted)


def _check_length(key: str, length: float, measure: Measure) -> None:
    step = 1.0 if measure.step is None else measure.step
    bounds = None if measure.lower is None or measure.upper is None else measure.upper - measure.lower
    least, most = FINEST * step, WIDEST * max(step, bounds or 1.0)
    if not least <= length <= most:
        raise InputError(key, length, f"a number from {least:g} to {most:g}, in units of the answers")


def _noise(ask: Ask) -> dict[str, object]:
    return {} if ask.noise is None else ask.noise.model_dump(mode="json")


def _scales(ask: Ask) -> Iterator[float]:
    """Of the noise, and of those it is made of."""
    yield from (each for each in settings(_noise(ask), ("scale",)) if isinstance(each, float))


def _is_gaussian(ask: Ask) -> bool:
    return "gaussian" in settings(_noise(ask), ("kind",))
