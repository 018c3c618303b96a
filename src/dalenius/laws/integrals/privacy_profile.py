"""The privacy profile of two exact laws, at any number of ε (Result 7.2).

    δ(ε) = Σ_y max(P(y) - e^ε Q(y), 0) = Σ_{y: L(y) > ε} P(y) (1 - e^(ε - L(y))),     L = log P/Q.

With outputs sorted by L, δ(ε) is a sum over a prefix; all terms are positive, so that a δ of 1e-200 keeps its digits.

A bit that is reported as it is with probability 3/4: δ(0) = 3/4 - 1/4, δ(log 2) = 3/4 - 2/4, and from log 3 on nothing.

>>> profile = Profile(Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0), 0, 1)
>>> [round(profile.at(epsilon).upper, 9) for epsilon in np.log([1, 2, 3])]
[0.5, 0.25, 0.0]
"""

from functools import cached_property
from math import exp, expm1, inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Law

FAINTEST_LOG: Final = -690.0
"""Log of the least mass that is summed: smaller ones are bounded, together they are below 1e-290."""


@final
class Profile:
    """The profile of W(·|secret) against W(·|against).

    `missing` bounds the mass that the law leaves out under either.
    """

    def __init__(self, law: Law, secret: int, against: int, missing: float = 0.0) -> None:
        """Sorts the outputs by their log-ratio, once for every ε that is looked at."""
        self._error = law.error
        logs = law.relative.reshape(law.secrets, -1)
        base = law.base.ravel()
        masses = base + logs[secret]
        with np.errstate(invalid="ignore"):
            ratio = np.where(logs[against] > -inf, logs[secret] - logs[against], inf)
        kept = masses > FAINTEST_LOG
        faint = int(np.count_nonzero(masses > -inf)) - int(np.count_nonzero(kept))
        # Because the part of P that is not summed adds at most itself.
        self._faint = faint * exp(FAINTEST_LOG)
        self._missing = missing
        if law.floor is not None:
            # Because no tilt resolved this mass, a bound of it counts.
            floor = law.floor.ravel()
            open_ = floor > -inf
            self._missing += float(np.sum(np.exp(base[open_] + floor[open_]) + 2 * np.exp(masses[open_])))
            kept &= ~open_
        places = np.flatnonzero(kept)
        order = np.argsort(-ratio[places], kind="stable")
        self._against = -ratio[places][order]
        self._masses = np.exp(masses[places][order])
        self._rounding = (576 + 4 * float(np.max(np.abs(base[places]), initial=0.0))) * UNIT

    @cached_property
    def _tails(self) -> Array:
        """The running sums of P's masses, the largest ratios first: (outputs + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self._masses)])

    def at(self, epsilon: float) -> Enclosure:
        """Encloses δ(ε) for `epsilon` in nats; at ∞, how much of P lies where Q is 0."""
        above = int(np.searchsorted(self._against, -epsilon, side="left"))
        # Because an answer without noise may be possible given one secret only: that much is lost at any ε.
        if epsilon == inf:
            above = int(np.searchsorted(self._against, -inf, side="right"))
            value, slack = float(np.sum(self._masses[:above])), 0.0
            slack = expm1(self._error) * value
        else:
            terms = self._masses[:above] * -np.expm1(self._against[:above] + epsilon)
            value, slack = float(np.sum(terms)), self._slack(epsilon)
        error = slack + self._rounding * value
        # Because mass missing of Q counts e^ε times.
        lost = 0.0 if self._missing == 0 else self._missing * exp(min(max(epsilon, 0.0), 700.0))
        return Enclosure(max(0.0, value - error - lost), min(1.0, value + error + self._missing + self._faint))

    def _slack(self, epsilon: float) -> float:
        """Bounds the effect of logs off by `error`: P - e^ε Q moves by at most expm1(error)·(P + e^ε Q).

        e^ε Q is about P or less there.
        """
        either = 2 * self._error + (8 + 4 * abs(epsilon)) * UNIT
        near = int(np.searchsorted(self._against, either - epsilon, side="left"))
        # Because the running sum rounds once per term.
        return 1.01 * expm1(either / 2) * (1 + exp(either)) * float(self._tails[near])


def leads(law: Law, secret: int, against: int, epsilon: float) -> NDArray[np.bool_]:
    """Returns the mask of the points of `law`'s box at which W(y|secret) > e^ε W(y|against), for `epsilon` in nats."""
    one, other = law.relative[secret], law.relative[against]
    with np.errstate(invalid="ignore"):
        return np.asarray((one > -inf) & ((other == -inf) | (one - other > epsilon)))
