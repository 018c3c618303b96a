"""What the two ends of a Markov quilt tell of the record between them, exactly (Song, Wang, Chaudhuri 2017)."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.calibration.quilts import Influences, Quilts
from dalenius.laws.law import Array, IntArray
from dalenius.models.markov import MarkovChain

ALIKE = 1e-11


@final
class ExactInfluences(Influences):
    """e = ln max_{s,t} [max_x Pr(X_{i+b}=x|s)/Pr(X_{i+b}=x|t)] · [max_x Pr(X_{i-a}=x|s)/Pr(X_{i-a}=x|t)], over values
    s, t and x that can occur: given X_i the two ends are independent.

    Influences fall in a and in b, since what is further away is a randomised function of what is nearer.
    """

    def __init__(self, chain: MarkovChain) -> None:
        self.people, self.states = (int(n) for n in chain.marginals.shape)
        self._marginals = chain.marginals
        steps = chain.steps
        self._even = len({id(step) for step in steps}) == 1 and bool((chain.marginals > 0).all())
        self._steps = np.array(steps[:1] if self._even else steps).reshape(-1, self.states, self.states)
        self._left: list[Array] = []
        self._right: list[Array] = []
        self._ahead: Array | None = None
        # Rounding of the marginals, which are sums and quotients from the first record on.
        self._doubt = (4 * self.people * (2 * self.states + 4) + 16) * UNIT
        with np.errstate(divide="ignore"):
            self._logs = np.log(self._marginals)

    def secret(self) -> NDArray[np.bool_]:
        return np.asarray((self._marginals > 0).sum(axis=1) > 1)

    def cells(self, reach: int) -> float:
        return float(reach) * self.states**2 * (2.0 * len(self._steps) + reach)

    def around(self, place: int, reach: int) -> Quilts:
        self._extend(reach)
        here = 0 if self._even else place
        left, right = (np.array([each[here] for each in side[:reach]]) for side in (self._left, self._right))
        return self._of(self._alike(place), left, right)

    def told(self, left: int, right: int) -> Array:
        total = np.zeros((self.people, self.states, self.states))
        with np.errstate(invalid="ignore"):
            shift = self._logs[:, None, :] - self._logs[:, :, None] + self._doubt
            total = total + (self._left[left - 1] + shift if left else 0.0)
            total = total + (self._right[right - 1] if right else 0.0)
        possible = self._marginals > 0
        pairs = possible[:, :, None] & possible[:, None, :] & ~np.eye(self.states, dtype=bool)
        worst = np.max(np.where(pairs, total, 0.0), axis=(1, 2))
        place = np.arange(self.people)
        return np.asarray(np.where((place >= left) & (place + right < self.people), worst, np.inf))

    def _alike(self, place: int) -> IntArray:
        """Places whose records have the same law as this one, where all else is the same too."""
        if not self._even:
            return np.array([place])
        apart = np.abs(self._logs - self._logs[place]).max(axis=1)
        return np.flatnonzero(apart <= ALIKE)

    def _of(self, places: IntArray, left: Array, right: Array) -> Quilts:
        """left, right (reach, k, k): log-ratios, the left ones still without Pr(X_i=t)/Pr(X_i=s)."""
        states = np.flatnonzero(self._marginals[places[0]] > 0)
        reach = len(left)
        one_left, one_right, both = np.zeros(reach), np.zeros(reach), np.zeros((reach, reach))
        for s in states:
            for t in states:
                if s != t:
                    shift = float(np.max(self._logs[places, t] - self._logs[places, s])) + self._doubt
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
                self._ahead = self._ahead @ self._steps
            else:
                self._ahead = self._steps[: self.people - distance] @ self._ahead[1:]
            doubt = 4 * distance * (self.states + 3) * UNIT
            right = _log_ratios(self._ahead, doubt)
            possible = self._marginals[: self.people - distance, None, :] > 0
            turned = self._ahead.transpose(0, 2, 1)
            left = _log_ratios(turned if self._even else np.where(possible, turned, 0.0), doubt)
            if not self._even:
                missing = np.full((distance, self.states, self.states), np.inf)
                left, right = np.concatenate([missing, left]), np.concatenate([right, missing])
            self._left.append(left)
            self._right.append(right)


def _log_ratios(laws: Array, doubt: float) -> Array:
    """laws (m, s, x): max over x of log laws[s, x]/laws[t, x], where laws[s, x] > 0; (m, s, t). Rounded up; doubt: how
    far off the laws make it."""
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    found = np.full((len(laws), laws.shape[1], laws.shape[1]), -np.inf)
    for t in range(laws.shape[1]):
        with np.errstate(invalid="ignore"):
            apart = np.where(logs > -np.inf, logs - logs[:, t : t + 1], -np.inf)
        found[:, :, t] = apart.max(axis=2)
    rounding = 8 * UNIT * np.abs(np.where(np.isfinite(found), found, 0.0))
    return np.asarray(found + rounding + doubt)
