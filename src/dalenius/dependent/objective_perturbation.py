"""Objective perturbation: the minimiser of a loss with a random tilt, and next to no noise on it (Result 17.3).

Chaudhuri, Monteleoni and Sarwate 2011 publish the exact minimiser of J(w) + ⟨b, w⟩/n. A computer has neither that
minimiser nor that b; both are known to within a stated distance, and noise on a lattice hides the rest. So nearly all
of ε₀ goes to b, whose effect on the weights is divided by the curvature of the whole objective, not by Λ alone.
"""

from fractions import Fraction
from math import expm1, isqrt, log1p
from typing import Final, NamedTuple

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import float_up
from dalenius.dependent.arguments import BadArgument
from dalenius.dependent.guarantee import Drawn
from dalenius.dependent.radial_noise import MOST_NUMBERS, SLACK, longest, radial, radial_error
from dalenius.dependent.regularised_minimiser import Loss, Task, most_bend
from dalenius.sentences.sentence import said

_HIDDEN: Final = 64
"""One part in so many of ε₀ hides that minimiser and tilt are not exact."""
_FINENESS: Final = 1024
"""How much finer the lattice is than what is hidden on it."""
_MOVED: Final = 2
"""How far another record moves the sum of gradients of rows of length 1, whose slopes are at most 1."""


class Perturbed(NamedTuple):
    """Minimisers of tilted objectives on a lattice (tasks, D), before noise on it.

    `tilt` says how they were tilted, and `drawn` what noise hides the rest."""

    places: IntArray
    tilt: Drawn
    drawn: Drawn


def least_weight(loss: Loss, people: int, epsilon: Fraction, tasks: int) -> float:
    """Returns the least Λ such that its curvature costs at most half of what each of the tasks may spend.

    Args:
        loss: The loss.
        people: How many rows there are.
        epsilon: ε₀ of all tasks together, in nats.
        tasks: How many there are.
    """
    own = float(epsilon * Fraction(_HIDDEN - 1, _HIDDEN) / tasks)
    # At a thousand nats next to no Λ is enough, and e^1000 is no double.
    return most_bend(loss) / (people * expm1(min(own / 2, 30.0))) * (1 + 2.0**-40)


def tilt_of(loss: Loss, weight: float, people: int, epsilon: Fraction, tasks: int) -> Drawn:
    """Finds the noise that tilts each objective.

    Args:
        loss: The loss.
        weight: Λ, at least `least_weight`.
        people: How many rows there are.
        epsilon: ε₀ of all tasks together, in nats.
        tasks: How many there are.
    """
    own = epsilon * Fraction(_HIDDEN - 1, _HIDDEN) / tasks
    # Result 17.3: of neighbours' Hessians one is at most 1 + c/(nΛ) times the other, as determinants.
    curved = Fraction(float_up(Fraction(log1p(most_bend(loss) / (people * weight))))) * (1 + SLACK) + SLACK
    left = own - curved
    if left <= 0:
        raise BadArgument("epsilon", float(epsilon), "a larger one, for so many classes")
    moved = Fraction(_MOVED)
    return Drawn(said("on_gradient"), moved / left, Fraction(1), moved, tasks, kind="radial", besides=curved)


def perturbed(signed: list[Array], loss: Loss, weight: float, epsilon: Fraction) -> Perturbed:
    """Tilts the objectives, finds their minimisers, and the noise that hides how inexact these are.

    Args:
        signed: The rows (n, D), of length at most 1, times the labels ±1 of each task.
        loss: The loss.
        weight: Λ, at least `least_weight`.
        epsilon: ε₀ of all tasks together, in nats.
    """
    people, size = signed[0].shape
    if size > MOST_NUMBERS:
        raise BadArgument("X", f"{size - 1} columns", f"at most {MOST_NUMBERS - 1} columns (limit {MOST_NUMBERS.name})")
    tilt = tilt_of(loss, weight, people, epsilon, len(signed))
    most = longest(tilt.scale, size) / people
    tasks = [Task(rows, loss, weight, radial(tilt.scale, size) / people, most) for rows in signed]
    distance = (tasks[0].longest + radial_error(tilt.scale, size) / people) / Fraction(weight)
    root = Fraction(isqrt(size * 4**40) + 1, 2**40)  # above √D
    step = Fraction(1)
    while step > distance / (_FINENESS * root):
        step /= 2
    # Between neighbours, what is hidden is passed twice: from one's minimiser to the ideal one, and back.
    moved = 2 * (int(root * distance / step) + size) * len(tasks)
    places = np.array([np.rint(task.minimiser() / float(step)) for task in tasks]).astype(np.int64)
    return Perturbed(places, tilt, Drawn(said("on_weights"), moved * _HIDDEN / epsilon, step, Fraction(moved)))
