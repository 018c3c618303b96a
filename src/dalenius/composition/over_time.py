"""Answers about one person, step by step: what each promises, and what all of them leak (Theory §9).

The law of the whole sequence of values is given at once, as a chain; nothing is read while it arrives.

Suppose that a value is kept with probability 0.9 from step to step, else drawn anew from two, and that there are three
answers of ε = 0.1 each. The answers up to each step leak 0.1, 0.190 and 0.271 nats of that step's value. All three leak
0.280 nats of the middle value, and 0.3 of the three values together. If the answers go on for ever, the value of one
step leaks up to 1.692 nats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite
from typing import final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.composition.limits import LARGEST_ANSWER, MOST_STEPS, MOST_TRIPLES
from dalenius.composition.losses_over_time import StepLosses, any_losses, limit, process_loss
from dalenius.errors import InputError, TooLarge
from dalenius.joints.chain_over_time import OverTime, persistent
from dalenius.models import Model
from dalenius.named_values import NamedValues
from dalenius.tabular import Cell, Tabular


@final
@dataclass(frozen=True, eq=False)
class LeakedOverTime:
    """The leakage of a stream of answers about each step's value, in nats.

    Attributes:
        backward: What the answers up to each step leak of its value, shape (T,).
        forward: What the answers from each step on leak of its value, shape (T,).
        total: What all answers leak of each step's value, shape (T,).
        process: What all answers leak of all values together.
    """

    backward: StepLosses
    forward: StepLosses
    total: StepLosses
    process: Enclosure


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stream(Tabular):
    """A stream of answers about one person, one answer a step; make it with `stream`.

    Each answer is ε_t-differentially private in that step's value alone. `len` gives the number of steps T.

    Attributes:
        over: The law of the person's values over time.
        epsilons: ε_t of each answer in nats, shape (T,).

    Example:
        >>> days = stream(persistence=0.9, steps=3, epsilon=0.1)  # a Stream
        >>> len(days), round(days.worst.total.largest.upper, 4), days.naive
        (3, 0.28, 0.1)

    Notes:
        Results 9.8 and 9.9 of Theory §9.
    """

    over: OverTime
    epsilons: Array

    def __len__(self) -> int:
        return len(self.over)

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"What {len(self)} answers leak of each step's value, in nats, from above"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each step: its number from 1, its ε, and the most that leaks of its value, in nats.

        `backward` is by the answers up to it, `forward` by those from it on, `total` by all.
        """
        worst = self.worst
        columns = (self.epsilons, worst.backward.upper, worst.forward.upper, worst.total.upper)
        numbers = zip(*(column.tolist() for column in columns), strict=True)
        names = ("epsilon", "backward", "forward", "total")
        return [{"step": step, **dict(zip(names, map(float, row), strict=True))} for step, row in enumerate(numbers, 1)]

    @property
    def naive(self) -> float:
        """The largest ε_t in nats, which is often claimed to be what leaks."""
        return float(self.epsilons.max())

    @property
    def summed(self) -> Enclosure:
        """Σε_t in nats: the bound of sequential composition, whatever the person's values do."""
        total = fsum(self.epsilons.tolist())
        off = UNIT * (len(self) > 1)
        return Enclosure(total * (1 - off), total * (1 + off))

    @cached_property
    def worst(self) -> LeakedOverTime:
        """The most that any such mechanisms can leak, in nats, from above (Result 9.8)."""
        backward = any_losses(self.over, self.epsilons)
        forward = any_losses(self.over.reversed(), self.epsilons[::-1]).turned()
        total = _total(backward, forward, self.epsilons)
        return LeakedOverTime(backward, forward, total, process_loss(self.over, self.epsilons))

    @cached_property
    def limits(self) -> dict[str, Enclosure | None]:
        """The limits in nats of `worst` as the stream goes on for ever, by the names backward, forward and total.

        A limit is None where the steps are not all alike, and infinite where the losses rise without end (Result 9.9).
        """
        # Because a budget that changes from step to step has no one number to rise to.
        names = ("backward", "forward", "total")
        if (self.epsilons != self.epsilons[0]).any():
            return NamedValues("limit", dict.fromkeys(names))
        epsilon = float(self.epsilons[0])
        backward, forward = limit(self.over, epsilon), limit(self.over.reversed(), epsilon)
        total = None if backward is None or forward is None else _together(backward, forward, epsilon)
        return NamedValues("limit", dict(zip(names, (backward, forward, total), strict=True)))


def stream(
    model: Model | None = None,
    epsilon: float | Sequence[float] = 1.0,
    *,
    steps: int | None = None,
    reversed: bool = False,
    persistence: float | None = None,
    values: int = 2,
) -> Stream:
    """Make a stream of answers about one person's values, one answer a step.

    Give either a model or a persistence.

    Args:
        model: A chain of the person's values, one record a step. None, the default, where `persistence` is given.
        epsilon: ε in nats of every answer, above 0 and at most 1e6, or a list of T of them.
        steps: The number T of answers, at most 2,000. None means as many as the list `epsilon` has, or else the model's
            own number. One `epsilon` beside a `persistence` needs it.
        reversed: Whether the model is given from the last step to the first; False by default. It plays no part beside
            a `persistence`.
        persistence: The probability that the value is kept from step to step. Otherwise it is drawn anew, from `values`
            equally likely ones. None, the default, where a model is given.
        values: How many values there are beside a `persistence`, at least 2, the default.

    Returns:
        The stream. Nothing of it is computed yet.

    Raises:
        InputError: For a number that is out of range or missing, a model that is no chain, both or neither of model and
            persistence, and more than 2,000 steps.
        TooLarge: Where the number of steps times the cube of the number of values is above 2^23.

    Example:
        >>> found = stream(persistence=0.9, steps=3, epsilon=0.1)
        >>> [round(each.upper, 4) for each in (found.worst.total.largest, found.summed, found.limits["total"])]
        [0.28, 0.3, 1.6917]
    """
    if (model is None) == (persistence is None):
        raise InputError("stream", "missing" if model is None else "both", "one of a model and a persistence")
    epsilons = _checked(epsilon)
    # With one ε and no model the number of answers has to be given; a list of ε has one, and a model has its n.
    if steps is not None and (isinstance(steps, bool) or steps < 1):
        raise InputError("steps", steps, "a whole number of at least 1")
    length = steps or (len(epsilons) if len(epsilons) > 1 else None)
    # The adversary knows a law of all values, or a habit of keeping them.
    over = _persistent(persistence, values, length) if model is None else _of_model(model, length, reversed)
    if len(epsilons) not in (1, len(over)):
        raise InputError("epsilon", f"{len(epsilons)} numbers", f"one, or {len(over)}: one a step")
    _check_size(len(over), len(over.values))
    return Stream(over, np.broadcast_to(epsilons, (len(over),)))


def _check_size(steps: int, values: int) -> None:
    """Raises InputError for too many steps, TooLarge for too many values in so many steps."""
    if steps > MOST_STEPS:
        raise InputError("steps", steps, f"at most {MOST_STEPS:,} answers (limit {MOST_STEPS.name})")
    # Because each step multiplies matrices of all pairs, as of a town's streets, triples of values count in each step.
    if steps * values**3 > MOST_TRIPLES:
        size = f"{steps:,} steps of {values:,} values"
        raise TooLarge("a stream", size, "ask for fewer steps or values", MOST_TRIPLES)


def _checked(epsilon: float | Sequence[float]) -> Array:
    """Returns one number or several, each in nats; InputError for none, and for one out of range."""
    numbers = [epsilon] if isinstance(epsilon, int | float | np.number) else list(epsilon)
    for each in numbers:
        if isinstance(each, bool) or not (isfinite(each) and 0 < each <= LARGEST_ANSWER):
            raise InputError(
                "epsilon", each, f"a number above 0, at most {LARGEST_ANSWER:g} (limit {LARGEST_ANSWER.name})"
            )
    if not numbers:
        raise InputError("epsilon", "missing", "a number above 0, or one a step")
    return np.array(numbers, dtype=np.float64)


def _of_model(model: Model, steps: int | None, reversed: bool) -> OverTime:
    """Returns a chain's values over time; InputError for a model whose records are not one person's."""
    over = model.over_time(steps)
    # Because records of households and tables are of different people, and have no order in time.
    if over is None:
        raise InputError("model.kind", model.kind, "chain: one person's values, a record for each step")
    return over.reversed() if reversed else over


def _persistent(persistence: float | None, values: int, steps: int | None) -> OverTime:
    """Returns values from 0 that are kept with this probability; InputError for numbers out of range."""
    if steps is None:
        raise InputError("steps", "missing", "how many answers there are")
    if persistence is None or not 0 <= persistence <= 1:
        raise InputError("persistence", persistence, "a number from 0 to 1")
    if isinstance(values, bool) or values < 2:
        raise InputError("values", values, "a whole number of at least 2")
    # So that the matrix of a million values is not made first.
    _check_size(steps, values)
    return persistent(range(values), steps, persistence)


def _total(backward: StepLosses, forward: StepLosses, epsilons: Array) -> StepLosses:
    """Adds up the loss about each step's value by all answers: the step's own answer counts once."""
    size = 4 * UNIT * (backward.upper + forward.upper + epsilons)
    lower = np.maximum(backward.lower + forward.lower - epsilons - size, 0.0)
    secret = backward.upper > 0
    return StepLosses(
        np.where(secret, lower, 0.0), np.where(secret, backward.upper + forward.upper - epsilons + size, 0.0)
    )


def _together(backward: Enclosure, forward: Enclosure, epsilon: float) -> Enclosure:
    """Adds up the loss about one step's value for ever before and after: the step's own ε counts once.

    It is infinite where a side is.
    """
    error = 4 * UNIT * (backward.lower + forward.lower + epsilon) if isfinite(backward.lower + forward.lower) else 0.0
    lower, upper = backward.lower + forward.lower - epsilon, backward.upper + forward.upper - epsilon
    return Enclosure(lower - error, upper + error)
