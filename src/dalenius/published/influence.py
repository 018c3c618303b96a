"""What the two ends of a Markov quilt reveal of the record between them, exactly (Song, Wang, Chaudhuri 2017)."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.joints.chain.chain import MarkovChain
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.published.search import Influences, Quilts

ALIKE = 1e-11


@final
class ExactInfluences(Influences):
    """e = ln max_{s,t} [max_x Pr(X_{i+b}=x|s)/Pr(X_{i+b}=x|t)] · [max_x Pr(X_{i-a}=x|s)/Pr(X_{i-a}=x|t)], over values
    s, t and x that can occur: given X_i the two ends are independent.

    Influences fall in a and in b, since what is further away is a randomised function of what is nearer.
    """

    def __init__(self, chain: MarkovChain) -> None:
        self._possible = chain.possible
        self.people, self.states = (int(n) for n in chain.possible.shape)
        self._even = chain.one_step is not None and bool(chain.possible.all())
        self._steps = chain.steps[:1] if self._even else chain.steps
        self._left: list[Array] = []
        self._right: list[Array] = []
        self._ahead: Masses | None = None
        # Rounding of the marginals, which are sums and quotients from the first record on.
        self._doubt = (4 * self.people * (2 * self.states + 4) + 16) * UNIT
        self._logs = chain.log_marginals
        # log Pr(X_i=t)/Pr(X_i=s) at (i, s, t), rounded up; -inf where either cannot be.
        both = chain.possible[:, :, None] & chain.possible[:, None, :]
        shift = _logs_of(chain.masses[:, None, :], chain.masses.with_last_axis())
        self._shift = np.where(both, shift + 8 * UNIT * np.abs(np.where(both, shift, 0.0)) + self._doubt, -np.inf)

    def secret(self) -> NDArray[np.bool_]:
        return np.asarray(self._possible.sum(axis=1) > 1)

    def cells(self, reach: int) -> float:
        return float(reach) * self.states**2 * (2.0 * len(self._steps) + reach)

    def around(self, place: int, reach: int) -> Quilts:
        self._extend(reach)
        here = 0 if self._even else place
        left, right = (np.array([each[here] for each in side[:reach]]) for side in (self._left, self._right))
        return self._of(self._alike(place), left, right)

    def influence(self, left: int, right: int) -> Array:
        total = np.zeros((self.people, self.states, self.states))
        possible = self._possible
        with np.errstate(invalid="ignore"):
            total = total + (self._left[left - 1] + self._shift if left else 0.0)
            total = total + (self._right[right - 1] if right else 0.0)
        pairs = possible[:, :, None] & possible[:, None, :] & ~np.eye(self.states, dtype=bool)
        worst = np.max(np.where(pairs, total, 0.0), axis=(1, 2))
        place = np.arange(self.people)
        return np.asarray(np.where((place >= left) & (place + right < self.people), worst, np.inf))

    def _alike(self, place: int) -> IntArray:
        """Places whose records have the same marginal law as this one, in a chain of one transition matrix."""
        if not self._even:
            return np.array([place])
        apart = np.abs(self._logs - self._logs[place])
        return np.flatnonzero((apart <= ALIKE).all(axis=1))

    def _of(self, places: IntArray, left: Array, right: Array) -> Quilts:
        """left, right (reach, k, k): log-ratios, the left ones still without Pr(X_i=t)/Pr(X_i=s)."""
        states = np.flatnonzero(self._possible[places[0]])
        reach = len(left)
        one_left, one_right, both = np.zeros(reach), np.zeros(reach), np.zeros((reach, reach))
        for s in states:
            for t in states:
                if s != t:
                    shift = float(np.max(self._shift[places, s, t]))
                    one_left = np.maximum(one_left, left[:, s, t] + shift)
                    one_right = np.maximum(one_right, right[:, s, t])
                    both = np.maximum(both, (left[:, s, t] + shift)[:, None] + right[:, s, t][None, :])
        return Quilts(places, one_left, one_right, both)

    def _extend(self, reach: int) -> None:
        """By distance, the log-ratios of each place (only one, where all are the same)."""
        while len(self._left) < reach:
            distance = len(self._left) + 1
            if self._ahead is None:
                self._ahead = self._steps
            elif self._even:
                self._ahead = self._ahead.matmul(self._steps)
            else:
                self._ahead = self._steps[: self.people - distance].matmul(self._ahead[1:])
            doubt = 4 * distance * (self.states + 3) * UNIT
            right = _log_ratios(self._ahead, doubt)
            # Only from values of the record before that can occur.
            there = self._possible[: self.people - distance, None, :]
            turned = self._ahead.turned()
            left = _log_ratios(turned if self._even else turned.where(there), doubt)
            if not self._even:
                missing = np.full((distance, self.states, self.states), np.inf)
                left, right = np.concatenate([missing, left]), np.concatenate([right, missing])
            self._left.append(left)
            self._right.append(right)


def _log_ratios(laws: Masses, doubt: float) -> Array:
    """laws (m, s, x): max over x of log laws[s, x]/laws[t, x], where laws[s, x] > 0; (m, s, t). Rounded up; doubt: the
    error due to the laws."""
    states = laws.mantissa.shape[1]
    found = np.full((len(laws), states, states), -np.inf)
    for t in range(states):
        found[:, :, t] = _logs_of(laws, laws[:, t : t + 1]).max(axis=2)
    rounding = 8 * UNIT * np.abs(np.where(np.isfinite(found), found, 0.0))
    return np.asarray(found + rounding + doubt)


def _logs_of(some: Masses, others: Masses) -> Array:
    """Of the quotients: zeros are distinguished by structure, not by size. -inf for 0 over anything, inf for anything
    else over 0."""
    logs = np.where(some.solid, np.inf, -np.inf)
    both = some.solid & others.solid
    ratio = np.divide(some.mantissa, others.mantissa, out=np.ones(both.shape), where=both)
    return np.where(both, np.log(ratio) + np.log(2.0) * (some.exponent - others.exponent), logs)
