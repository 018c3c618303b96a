"""The loss about one period's values by the answers of all periods, where a person's values are kept or drawn anew.

Each month answers read that month's values alone. A group's values (a person's, where nobody depends on others) stay
with probability p from one month to the next; else they are drawn anew, from any law. If knowledge of one month tells
two of its values apart by α, it tells two values of the next month apart by at most L(α) = log(1 + p (e^α − 1)).
Answers that lose l_t between two values of month t so lose at most b_t + l_t + f_t of it: b_1 = 0, b_{t+1} = L(b_t +
l_t), and f_t likewise from the last month back. The law of rare values comes as close to it as one likes.

Ten months of 0.1 nats, kept with 0.9, lose 0.803 nats of one month's value; with 1 they lose all ten, 1 nat.

>>> kept_loss([0.1] * 10, 0.9).upper.__round__(3), kept_loss([0.1] * 10, 1.0).upper.__round__(3)
(0.803, 1.0)
"""

from collections.abc import Sequence
from math import exp, expm1, fsum, inf, isinf, log, log1p

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.composition.over_time import stream
from dalenius.errors import InputError
from dalenius.models import Chain


def kept_loss(losses: Sequence[float], persistence: float) -> Enclosure:
    """Returns what the answers of all periods lose of the values of the worst one, in nats, under the worst law.

    A gap between two periods counts as none, which is no less: L(L(α)) is at most L(α).

    Args:
        losses: The loss of each period's answers between two values of that period, in nats, in their order.
        persistence: The probability that values stay from one period to the next.
    """
    before, after = _carried(losses, persistence), _carried(losses[::-1], persistence)[::-1]
    totals = [past + own + to_come for past, own, to_come in zip(before, losses, after, strict=True)]
    most = max(totals, default=0.0)
    if isinf(most):
        return Enclosure(inf, inf)
    # Each step of either recursion rounds a few times, in parts of at most the total.
    off = 16 * UNIT * (len(losses) + 1) * (1 + most) if len(losses) > 1 else 0.0
    return Enclosure(max(most - off, 0.0), most + off)


def _carried(losses: Sequence[float], persistence: float) -> list[float]:
    """Returns what the answers before each period lose of its values."""
    found, carried = [], 0.0
    for loss in losses:
        found.append(carried)
        carried = _faded(carried + loss, persistence)
    return found


def _faded(loss: float, persistence: float) -> float:
    """Returns L, the part of a loss that is left a period later."""
    if persistence in (0.0, 1.0) or isinf(loss):
        return loss if persistence else 0.0
    if loss <= 1:
        return log1p(persistence * expm1(loss))
    return loss + log(persistence + (1 - persistence) * exp(-loss))


def changing_loss(losses: Sequence[float], transition: Sequence[Sequence[float]]) -> Enclosure:
    """Returns what the answers of all periods lose of one person's value in the worst one, in nats, by a matrix.

    The person's value has the matrix's own law in every period. It is exact for two values, and a bound for more
    (Result 9.8).

    Args:
        losses: The loss of each period's answers, in nats, in their order.
        transition: The probabilities of the next value, by rows of the value before.

    Raises:
        InputError: Where the matrix has no one law that it keeps.
    """
    asked = [loss for loss in losses if loss > 0]  # an answer that says nothing is no answer
    if not asked or any(isinf(loss) for loss in asked):
        return Enclosure(inf, inf) if asked else Enclosure(0.0, 0.0)
    if len(transition) == 2:
        law_kept(transition)
        return _of_two(asked, transition)
    chain = Chain(n=len(asked), transition=[list(row) for row in transition], initial=law_kept(transition))
    return stream(chain, asked).worst.total.largest


def _of_two(losses: Sequence[float], transition: Sequence[Sequence[float]]) -> Enclosure:
    """Returns the loss of a chain of two values in its own law, which is the same chain from the last period back.

    What is known of a period is a log-ratio of likelihoods of its two values; a step of the chain is monotone in it.
    """
    # Where an answer of the period before is known, the farthest log-ratios are those of its two extremes.
    (stay, leave), (back, again) = [[log(chance) if chance else -inf for chance in row] for row in transition]

    def step(ratio: float) -> float:
        return float(np.logaddexp(back, again + ratio) - np.logaddexp(stay, leave + ratio))

    def ends(told: Sequence[float]) -> list[tuple[float, float]]:
        found, low, high = [], 0.0, 0.0
        for loss in told:
            found.append((low, high))
            low, high = sorted((step(low - loss), step(high + loss)))
        return found

    before, after = ends(losses), ends(losses[::-1])[::-1]
    most = max(
        max(past[1] + own + to_come[1], own - past[0] - to_come[0])
        for past, own, to_come in zip(before, losses, after, strict=True)
    )
    size = fsum(losses) - min(min(logs for logs in row if logs > -inf) for row in ((stay, leave), (back, again)))
    off = 16 * UNIT * (len(losses) + 1) * (1 + size) if len(losses) > 1 else 0.0
    return Enclosure(max(most - off, 0.0), most + off)


def law_kept(transition: Sequence[Sequence[float]]) -> list[float]:
    """Returns the law that one step of a matrix keeps, which sums to 1; InputError where there are several.

    Args:
        transition: The probability of each value after each value (k, k); its rows sum to 1.

    >>> [round(each, 6) for each in law_kept([[0.9, 0.1], [0.3, 0.7]])]
    [0.75, 0.25]
    """
    rows = np.array(transition, dtype=np.float64)
    size = len(rows)
    equations = np.vstack([rows.T - np.eye(size), np.ones(size)])
    found, _, rank, _ = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=1e-12)
    if rank < size or found.min() < -1e-12:
        shown = [list(row) for row in transition]
        raise InputError("transition", shown, "a matrix that keeps one law only: every value leads to every other")
    law = np.maximum(found, 0.0)
    return [float(each) for each in law / law.sum()]
