"""A measurement of OpenDP as a release of ours: the statistic as a query, and its noise.

It is read from its constructors, whose law is known: a count, a sum, a mean or a histogram, or several of these, with
Laplace, geometric or Gaussian noise. Whole numbers get noise on the whole numbers, doubles noise on the reals, as
OpenDP draws them. Randomised response takes one record, and every person answers by themselves: all answers go out, in
order.
"""

from collections.abc import Sequence
from typing import Any, Final

from dalenius.channel import Adversary, Release, Secrets
from dalenius.measurements.constructor import Constructor, check_measurement, constructor_of
from dalenius.measurements.statistic import Statistic, records_of
from dalenius.measurements.unread_constructor import Unread
from dalenius.models import Model
from dalenius.noise import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Kernel,
    Laplace,
    Noise,
    NoNoise,
    RandomizedResponse,
    separate,
)
from dalenius.queries import Query, Reports, Several, Sum

_MADE_OF_SEVERAL: Final = ("make_composition", "make_basic_composition")
_NOISY: Final = ("make_laplace", "make_geometric", "make_gaussian")
_CLOSE: Final = 1e-12
"""The nats up to which a loss may be off by roundings of OpenDP's own sums."""
_AT_LEAST: Final = 100
"""The scales of noise between any answer and the end of its type, so that no double tells that it ends there."""


def release_of(
    model: Model, measurement: Any, secrets: Secrets | None = None, adversary: Adversary | None = None
) -> Release:
    """Returns the release that a measurement of OpenDP makes of the records.

    Args:
        model: What the adversary believes about the records.
        measurement: The measurement, an object of OpenDP.
        secrets: What is secret; None, the default, for everybody's record.
        adversary: What the adversary knows besides the model; None, the default, for nothing.

    Raises:
        Unread: For a measurement with a constructor that is not read; it names the constructor and the reason.
        InputError: For an object that is no measurement, and records that the model does not have.
    """
    made = _each(check_measurement(measurement))
    parts = [_part(model, each) for each in made]
    for each, (own, _) in zip(made, parts, strict=True):
        if len(made) > 1 and own.told_apart is not None:
            raise Unread(each.name, "everybody's reports are read alone, and not beside other answers")
    query = parts[0][0] if len(parts) == 1 else Several(queries=tuple(each for each, _ in parts))
    answers = [len(Release(model, own, NoNoise()).names) for own, _ in parts]
    noises = [noise for (_, noise), count in zip(parts, answers, strict=True) for _ in range(count)]
    return Release(model, query, separate(noises), secrets, adversary=adversary)


def _each(made: Constructor) -> Sequence[Constructor]:
    """Returns the single measurements that one is composed of."""
    inner = made.last_word
    if inner.name not in _MADE_OF_SEVERAL:
        return [inner]
    return [each for part in inner.arguments["measurements"] for each in _each(constructor_of(part))]


def _part(model: Model, made: Constructor) -> tuple[Query, Noise]:
    """Returns the query and the noise of a single measurement."""
    if made.name == "make_randomized_response_bool":
        return _response(model, made, (0, 1))
    if made.name == "make_randomized_response":
        return _response(model, made, tuple(made.arguments["categories"]))
    if made.name != "make_chain_mt":
        why = "its input is no data set" if made.name in _NOISY else "the law of what goes out is not read"
        raise Unread(made.name, why)
    noise, data = made.argument("measurement1"), made.argument("transformation0")
    if noise.name not in _NOISY:
        raise Unread(noise.name, "it adds no Laplace, geometric or Gaussian noise")
    statistic = Statistic(model, data)
    return statistic.query, _noise(noise, statistic)


def _noise(made: Constructor, statistic: Statistic) -> Noise:
    """Returns the noise, on whole numbers or on the reals."""
    scale, atom = float(made.arguments["scale"]), made.atom
    # Because these make another law: outputs are rounded to coarser steps, or end at bounds.
    for key in ("k", "bounds"):
        if made.arguments.get(key) is not None:
            raise Unread(made.name, f"it is given {key}")
    if not scale:
        return NoNoise()
    if atom in ("f32", "f64"):
        if atom == "f32":
            raise Unread(made.name, "single-precision outputs are rounded")
        if 2 * statistic.error / scale > _CLOSE:
            raise Unread(made.name, f"sums of doubles are rounded, by up to {statistic.error:.1g}")
        return Gaussian(scale=scale) if made.name == "make_gaussian" else Laplace(scale=scale)
    bits = int(atom[1:]) - (atom[0] == "i") if atom[1:].isdigit() else 63
    # Because sums and outputs that would be beyond the ends of the type stay there.
    if atom[0] == "u" or statistic.largest + _AT_LEAST * scale >= 2.0**bits:
        raise Unread(made.name, f"outputs end at the ends of {atom}")
    return DiscreteGaussian(scale=scale) if made.name == "make_gaussian" else Geometric(scale=scale)


def _response(model: Model, made: Constructor, values: Sequence[Any]) -> tuple[Query, Noise]:
    """Returns everybody's answers in order, each changed by itself; of a single record, its answer and a matrix."""
    own, people = records_of(model)
    keep = float(made.arguments["prob"])
    if people > 1 and set(own) == set(values):
        return Reports(), RandomizedResponse(keep=keep)
    if set(own) - set(values) or any(isinstance(value, str) for value in own):
        raise Unread(made.name, "the model's records have values that are not among its numbers")
    other = (1 - keep) / (len(values) - 1)
    rows = [[keep if each == value else other for each in values] for value in own]
    answers, outputs = tuple(map(float, own)), tuple(map(float, values))
    matrix = Kernel(answers=answers, outputs=outputs, probabilities=rows, each=people > 1)
    return (Reports() if people > 1 else Sum()), matrix
