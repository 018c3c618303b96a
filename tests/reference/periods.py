"""The loss about one period's value, by a list of all courses that a person's values can take."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, product
from math import exp, inf, log, prod

Matrix = Sequence[Sequence[float]]


def loss(law: Sequence[float], transition: Matrix, answers: Sequence[Sequence[float]]) -> float:
    """The largest log-ratio of the answers' likelihoods between two values of one period.

    Args:
        law: The law of the first period's value.
        transition: The probabilities of the next value, by rows.
        answers: For each period the likelihood of its answers, by value.
    """
    values, worst = range(len(law)), -inf
    for period in range(len(answers)):
        mass, joint = [0.0] * len(law), [0.0] * len(law)
        for course in product(values, repeat=len(answers)):
            chance = law[course[0]] * prod(transition[a][b] for a, b in pairwise(course))
            mass[course[period]] += chance
            joint[course[period]] += chance * prod(row[at] for row, at in zip(answers, course, strict=True))
        given = [part / whole for part, whole in zip(joint, mass, strict=True)]
        worst = max(worst, *(log(one / other) for one, other in permutations(given, 2)))
    return worst


def kept(law: Sequence[float], persistence: float) -> Matrix:
    """The matrix of values that stay with a probability, or else are drawn anew from their law."""
    return [[persistence * (a == b) + (1 - persistence) * law[b] for b in range(len(law))] for a in range(len(law))]


def extreme(losses: Sequence[float], values: int) -> Iterator[list[tuple[float, ...]]]:
    """All answers whose likelihoods are 1 or, in the period, the exponential of its loss: others are mixtures."""
    yield from map(
        list,
        product(*([tuple(exp(loss * up) for up in ups) for ups in product((0, 1), repeat=values)] for loss in losses)),
    )
