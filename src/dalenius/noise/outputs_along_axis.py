"""The outputs of one answer beside others, as two tables: one that says more than the noise does, and one less.

Under any law of the exact answer, the likelihoods of an output between two nodes are a mixture of those at the nodes
(Laplace), or nearly (Gaussian). So the nodes' columns, each with the probability of the outputs that it stands for, say
at least as much as the noise. Outputs that are told by intervals only say less.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, expm1, sqrt, tau
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.errors import InputError, TooLarge
from dalenius.noise.discrete_gaussian_law import log_total
from dalenius.noise.limits import MOST_JOINT_SCALES
from dalenius.noise.noise import Noise
from dalenius.special_functions import ndtr

_FAR: Final = 9
"""Deviations beyond the answers at which nodes end; outputs still farther out have a chance of 1e-19."""
_BOUNDED: Final = "what they leak together at a delta is bounded by `compose`, and so released"


@final
@dataclass(frozen=True)
class Along:
    """The outputs of one coordinate, by exact answers on its box.

    Attributes:
        places: The place of each column, in steps from the first answer; infinite beyond all nodes.
        real: Which columns are those of an output, and not only part of a mixture.
        more: The probabilities of the columns that say at least as much (answers, columns).
        less: The probabilities of intervals, which say at most as much (answers, intervals).
        slack: How far the likelihoods between columns may be from a mixture of theirs, in nats.
    """

    places: Array
    real: NDArray[np.bool_]
    more: Array
    less: Array
    slack: float = 0.0


def along(noise: Noise, step: Fraction, answers: int, nodes: int) -> Along:
    """Returns the outputs of one coordinate.

    Args:
        noise: The coordinate's noise.
        step: The step of its lattice, in the query's unit.
        answers: How many lattice points there are from its least exact answer to its greatest.
        nodes: About how many nodes a noise on the reals may have.

    Raises:
        InputError: For a noise that cannot stand with another.
        TooLarge: For answers that are too many scales apart.
    """
    if noise.shape.adds_nothing:
        every = np.eye(answers)
        return Along(np.arange(answers, dtype=np.float64), np.ones(answers, dtype=bool), every, every)
    if not (noise.shape.exponential or noise.shape.light_tailed):
        wanted = "laplace, geometric, gaussian or none beside another noise on answers about the same people; "
        raise InputError("noise.kind", noise.kind, wanted + _BOUNDED)
    scale = float(Fraction(noise.known_scale()) / step)
    most = MOST_JOINT_SCALES * (20 if noise.shape.exponential else 1)
    # Because likelihoods are doubles here, and none may become 0 that is not.
    if answers > most * scale:
        size = f"{answers:,} answers at a scale of {scale:.3g} steps"
        raise TooLarge("noise beside another noise", size, "use laplace or geometric noise for all", MOST_JOINT_SCALES)
    if noise.shape.gaussian:
        return _gaussian(scale, answers, nodes)
    if not noise.shape.exponential:
        return _discrete_gaussian(scale, answers)
    return _geometric(scale, answers) if noise.shape.needs_lattice else _laplace(scale, answers, nodes)


def _geometric(scale: float, answers: int) -> Along:
    """Returns the lattice points of the box; both ends stand for all beyond, which have the same posterior."""
    places = np.arange(answers, dtype=np.float64)
    found = np.exp(-np.abs(places[:, None] - places) / scale) * np.tanh(1 / (2 * scale))
    # Because Σ of e^{-k/b} over k >= 0 is 1/(1 - e^{-1/b}).
    found[:, [0, -1]] /= -expm1(-1 / scale)
    if answers == 1:
        found[:] = 1.0
    return Along(places, np.ones(answers, dtype=bool), found, found)


def _laplace(scale: float, answers: int, nodes: int) -> Along:
    """Returns nodes on the box, each lattice point among them; both ends stand for all beyond."""
    parts = max(1, nodes // max(answers - 1, 1))
    places = np.arange((answers - 1) * parts + 1) / parts
    own = np.arange(answers, dtype=np.float64)
    # Because W between two nodes is a sum of e^{±y/b}: its integral is that of a chord of hyperbolic sines.
    half = np.tanh(1 / (2 * parts * scale)) if answers > 1 else 0.0
    weights = np.full(len(places), half)
    weights[[0, -1]] = (half + 1) / 2
    if answers == 1:
        weights[:] = 1.0
    more = np.exp(-np.abs(own[:, None] - places) / scale) * weights
    nearest = np.minimum(np.abs(places[:-1] - own[:, None]), np.abs(places[1:] - own[:, None]))
    cells = np.exp(-nearest / scale) * -np.expm1(-1 / (parts * scale)) / 2
    ends = [np.exp(-np.abs(own - places[end]) / scale)[:, None] / 2 for end in (0, -1)]
    return Along(places, np.ones(len(places), dtype=bool), more, np.concatenate([ends[0], cells, ends[1]], axis=1))


def _gaussian(scale: float, answers: int, nodes: int) -> Along:
    """Returns nodes from 9σ below the least answer to 9σ above the greatest, and the tails."""
    middle = (answers - 1) / 2
    places = np.linspace(-_FAR * scale, answers - 1 + _FAR * scale, nodes)
    width = float(places[1] - places[0])
    own = np.arange(answers, dtype=np.float64)
    # Because W over the density about the middle is a sum of exponentials, at most e^{θ²/8} below their chord
    # (Hoeffding's lemma), θ the change of their logs over a cell.
    slack = (width * max(middle, 0.0) / scale**2) ** 2 / 8
    weights = _hats(places, middle, scale)
    u = np.exp((own - middle)[:, None] * (places - middle) / scale**2 - ((own - middle)[:, None] / scale) ** 2 / 2)
    more = u * weights * np.exp(-slack / 2)
    less = _between(np.concatenate([[-np.inf], places, [np.inf]]), own, scale)
    tails = [less[:, :1], less[:, -1:]]
    density = [np.exp(-(((places[end] - own) / scale) ** 2) / 2)[:, None] for end in (0, -1)]
    return _with_tails(places, more, less, tails, density, slack)


def _discrete_gaussian(scale: float, answers: int) -> Along:
    """Returns the lattice points from 9σ below the least answer to 9σ above the greatest, and the tails."""
    far = ceil(_FAR * scale) + 1
    places, own = np.arange(-far, answers + far, dtype=np.float64), np.arange(answers, dtype=np.float64)
    more = np.exp(-(((places - own[:, None]) / scale) ** 2) / 2 - log_total(scale))
    beyond = np.arange(1, ceil(_FAR * scale) + 20, dtype=np.float64)
    away = [own - places[0], places[-1] - own]
    tails = [
        np.exp(-(((each[:, None] + beyond) / scale) ** 2) / 2 - log_total(scale)).sum(axis=1)[:, None] for each in away
    ]
    density = [np.exp(-((each / scale) ** 2) / 2)[:, None] for each in away]
    return _with_tails(places, more, np.concatenate([tails[0], more, tails[1]], axis=1), tails, density, 0.0)


def _with_tails(
    places: Array, more: Array, less: Array, tails: list[Array], density: list[Array], slack: float
) -> Along:
    """Returns the outputs with columns such that all outputs beyond the nodes are mixtures of them.

    Beyond the last node an answer's weight rises in the answer, on top of the node's own likelihoods. So likelihoods
    there are sums of those of the answers from some one on; the last alone is the limit.
    """
    answers = len(more)
    columns = []
    for side, (tail, node) in enumerate(zip(tails, density, strict=True)):
        order = np.arange(answers) if side else np.arange(answers)[::-1]
        ratio = (tail / node)[order, 0]
        steps = np.maximum(np.diff(np.concatenate([[0.0], ratio])), ratio * 1e-300)
        reached = order[:, None] >= order[None] if side else order[:, None] <= order[None]
        column = np.where(reached, node[order] * steps[None], 0.0)
        found = np.empty((answers, answers))
        found[order] = column
        columns.append(found)
    real = np.zeros(answers, dtype=bool)
    real[-1] = True
    return Along(
        np.concatenate([np.full(answers, -np.inf), places, np.full(answers, np.inf)]),
        np.concatenate([real, np.ones(len(places), dtype=bool), real]),
        np.concatenate([columns[0], more, columns[1]], axis=1),
        less,
        slack,
    )


def _hats(places: Array, middle: float, scale: float) -> Array:
    """Returns ∫ φ(y) hat(y) dy of the normal law about `middle`, for the piecewise linear hat of every node."""
    z = (places - middle) / scale
    mass = _masses(z)
    # This is ∫ z φ(z) dz over each cell.
    moment = (np.exp(-(z[:-1] ** 2) / 2) - np.exp(-(z[1:] ** 2) / 2)) / sqrt(tau)
    width = np.diff(z)
    right = np.maximum((moment - z[:-1] * mass) / width, 0.0)
    left = np.maximum(mass - right, 0.0)
    return np.asarray(np.append(left, 0.0) + np.append(0.0, right))


def _between(ends: Array, own: Array, scale: float) -> Array:
    """Returns the probability of each interval between neighbouring `ends` given each answer (answers, intervals)."""
    return np.array([_masses((ends - each) / scale) for each in own.tolist()])


def _masses(z: Array) -> Array:
    """Returns the standard normal probability of each interval, by the tails that do not cancel."""
    low, high = z[:-1], z[1:]
    flipped = low > 0
    one, other = np.where(flipped, -high, low), np.where(flipped, -low, high)
    return np.asarray(ndtr(other) - ndtr(one))
