"""A coordinate that copies an answer, and how likely the answers make one output of several such coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, pi, sqrt, tanh
from typing import final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise.discrete_gaussian_law import log_total
from dalenius.noise.noise import Noise, rate_of
from dalenius.noise.place_of_given_output import Answer, cannot_occur, number_of


@final
@dataclass(frozen=True)
class Copy:
    """A coordinate whose exact answer is multiple · (the answer on its axis) + shift, in the query's unit.

    Attributes:
        axis: The axis of the answer that it copies.
        multiple: The number that the answer on the axis is multiplied by.
        shift: The constant that is added, in the query's unit.
        step: The step of the coordinate's own lattice.
    """

    axis: int
    multiple: Fraction
    shift: Fraction
    step: Fraction

    def of(self, answer: Fraction) -> Fraction:
        return self.multiple * answer + self.shift


@final
@dataclass(frozen=True)
class Copies:
    """Coordinates that each copy the answer on one axis, and add a noise of their own.

    Attributes:
        parts: The noise of each coordinate.
        each: The axis that each coordinate copies, and how.
        lattice: The lattice of the axes.

    A bit goes out twice, with Laplace noise of scale 1: two outputs of 1 tell its values apart by two nats.

    >>> import dalenius as dl
    >>> once = Copy(axis=0, multiple=Fraction(1), shift=Fraction(0), step=Fraction(1))
    >>> twice = Copies((dl.Laplace(scale=1.0),) * 2, (once, once), Lattice((Fraction(1),)))
    >>> bit = Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), 0.0)
    >>> found = twice.likelihood(bit, (1, 1))
    >>> (found.relative[1] - found.relative[0]).round(6).tolist(), twice.outputs([Fraction(1)])
    ([2.0], (1.0, 1.0))
    """

    parts: tuple[Noise, ...]
    each: tuple[Copy, ...]
    lattice: Lattice

    def outputs(self, answers: Sequence[Fraction]) -> tuple[float, ...]:
        """Returns the exact answer of each coordinate, given the `answers` on the axes."""
        return tuple(float(copy.of(answers[copy.axis])) for copy in self.each)

    def likelihood(self, law: Law, output: Sequence[Answer]) -> Law:
        """Returns the likelihood of one output, by the sum over all exact answers.

        Args:
            law: The law of the exact answers on the axes.
            output: The output, one number for each coordinate.

        Raises:
            InputError: No exact answer has that output.
        """
        rows = law.relative if law.floor is None else np.concatenate([law.relative, law.floor[None]])
        logs, depth = law.base + rows, 0.0
        for part, copy, each in zip(self.parts, self.each, output, strict=True):
            step, shape = self.lattice.steps[copy.axis], [1] * len(law.box)
            shape[copy.axis] = law.box[copy.axis]
            exact = [copy.of((law.start[copy.axis] + i) * step) for i in range(law.box[copy.axis])]
            weights, deep = _log_weights(part, number_of(each), exact, copy.step)
            logs, depth = logs + weights.reshape(shape), depth + deep
        with np.errstate(divide="ignore"):
            found = np.logaddexp.reduce(logs.reshape(len(rows), -1), axis=1)
        found, unresolved = found[: law.secrets], found[law.secrets :]
        base = float(np.max(found))
        # The case of two copies that contradict each other, as 3 and 4 of one exact number: nobody gives both.
        if not base > -inf:
            first = np.unravel_index(int(np.argmax(np.max(law.relative, axis=0) > -inf)), law.box)
            point = [
                (int(i) + start) * step for i, start, step in zip(first, law.start, self.lattice.steps, strict=True)
            ]
            raise cannot_occur(output, [str(each) for each in self.outputs(point)])
        roundings = 64 + law.base.size + 8 * (depth + float(np.max(np.abs(law.base))) + abs(base))
        # Because unresolved mass may be there after all, given one secret and not another.
        missing = float(np.logaddexp(0.0, np.max(unresolved - np.min(found)))) if len(unresolved) else 0.0
        error = law.error + roundings * UNIT + missing
        return Law((0,), np.array([base]), (found - base).reshape(-1, 1), error)


def _log_weights(part: Noise, output: Fraction, exact: Sequence[Fraction], step: Fraction) -> tuple[Array, float]:
    """Returns the log of one coordinate's output's probability, or density, given each exact answer; and its size."""
    offsets = np.array([float(abs(output - each)) for each in exact])
    # Because geometric noise never leaves its lattice: half a person is no output.
    if part.shape.needs_lattice and (output / step).denominator != 1:
        return np.full(len(exact), -inf), 0.0
    if part.shape.adds_nothing:
        with np.errstate(divide="ignore"):
            return np.log((offsets == 0).astype(np.float64)), 0.0
    # The case of discrete Gaussian noise.
    if part.shape.light_tailed and part.shape.needs_lattice:
        deviation = part.known_scale() / float(step)
        found = -((offsets / part.known_scale()) ** 2) / 2 - log_total(deviation)
    elif part.shape.gaussian:
        found = -((offsets / part.known_scale()) ** 2) / 2 - log(part.known_scale() * sqrt(2 * pi))
    else:
        share = 1 / (2 * part.known_scale()) if not part.shape.needs_lattice else tanh(float(step) * rate_of(part) / 2)
        found = -offsets * rate_of(part) + log(share)
    return found, float(np.max(np.abs(found)))
