"""The Markov quilt mechanism with influences bounded by the chain's spectral gap (Song, Wang, Chaudhuri 2017, §4.4).

A hundred days of which each is like the one before it with probability .8, at ε = 1: g = .4 and π_min = ½, so that the
records 10 before and 10 after leak at most e = .220 nats of a day in the middle, and the scale is 23.98, where the
exact influences of `markov_quilt` allow 13.08.

>>> from dalenius.models import Chain
>>> chain = Chain(n=100, transition=((0.8, 0.2), (0.2, 0.8)), initial=(0.5, 0.5)).joints()[0].chain
>>> quilts = ApproximateInfluences(chain).around(50, 10)
>>> round(float(quilts.both[9, 9]), 4)
0.2199
"""

from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.calibration.method import Calibration, Method
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.joints.chain import MarkovChain
from dalenius.joints.chain_law import stationary
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray
from dalenius.notions import Notion
from dalenius.theorems.markov_quilt import Influences, Quilts, by_quilts

_REVERSIBLE: Final = 16 * UNIT


@final
class ApproximateMarkovQuiltMethod(Method):
    """As `markov_quilt`, with e = 2 ln((1+D_a)/(1-D_a)) + ln((1+D_b)/(1-D_b)), D_a = e^{-ga}/π_min.

    For one irreducible, aperiodic transition matrix P of stationary law π, whatever the first record's law:
    |P^a(x,y)/π(y) - 1| <= λ^a/√(π(x)π(y)) <= D_a. For a reversible chain λ = |λ₂|, the second largest of the
    eigenvalues, and g = 1 - |λ₂| (the spectral theorem); otherwise λ² = λ₂(PP*) and g = (1 - λ₂(PP*))/2 (Fill 1991). So
    Pr(X_{i+b}=x|s) is within 1 ± D_b of π(x), which gives the last term, and with Bayes' rule Pr(X_i=s|x_{i-a}) and
    Pr(X_i=s), a mixture of such, are within 1 ± D_a of π(s), which gives the first. Hence sound on such chains.
    """

    name: ClassVar[str] = "markov_quilt_approximate"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        why = "the spectral gap bounds what each record's quilt leaks of it, and the noise hides all nearer records"
        return by_quilts(self.name, why, ApproximateInfluences, release, notion)


@final
class ApproximateInfluences(Influences):
    """InputError unless the chain has one transition matrix, irreducible and aperiodic."""

    def __init__(self, chain: MarkovChain) -> None:
        self.people = len(chain)
        self._open = np.asarray(chain.possible.sum(axis=1) > 1)
        self._gap, self._log_least = (1.0, 0.0) if self.people == 1 else _mixing(chain)

    def secret(self) -> NDArray[np.bool_]:
        return self._open

    def cells(self, reach: int) -> float:
        return float(reach) * (reach + self.people)

    def around(self, place: int, reach: int) -> Quilts:
        once = self._once(np.arange(1, reach + 1))
        return Quilts(np.flatnonzero(self._open), 2 * once, once, 2 * once[:, None] + once[None, :])

    def influence(self, left: int, right: int) -> Array:
        place, (one, other) = np.arange(self.people), self._once(np.array([max(left, 1), max(right, 1)]))
        both = (2 * one if left else 0.0) + (other if right else 0.0)
        return np.asarray(np.where((place >= left) & (place + right < self.people), both, np.inf))

    def _once(self, distance: IntArray) -> Array:
        """ln((1+D)/(1-D)), rounded up."""
        rounding = (32 + 4 * self._gap * distance - 4 * self._log_least) * UNIT
        decay = np.exp(np.minimum(-self._gap * distance - self._log_least, 1.0)) * (1 + rounding)
        near = decay < 1
        return np.where(
            near, 2 * np.arctanh(np.where(near, decay, 0.0)) * (1 + 32 * UNIT) + 64 * distance * UNIT, np.inf
        )


def _mixing(chain: MarkovChain) -> tuple[float, float]:
    """(g, log π_min), rounded down. InputError for a chain of several matrices, and for one that does not mix."""
    step = chain.one_step
    if step is None:  # seasons: what mixes in summer need not in winter
        raise InputError("method", ApproximateMarkovQuiltMethod.name, "a chain with one transition matrix")
    states = len(step)
    # Irreducible and aperiodic: some power has no zeros, at the latest the ((k-1)² + 1)th (Wielandt).
    reach = step.solid
    for _ in range((2 * states * states).bit_length()):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    # Home, work, home, work: the parity of a step is remembered for ever.
    if not reach.all():
        wanted = "a chain in which every value comes back after every large number of steps (irreducible, aperiodic)"
        raise InputError("method", ApproximateMarkovQuiltMethod.name, wanted)
    law = stationary(step)
    least = float(law.logs().min())
    return max(_gap(step, law), 0.0), least * (1 + 4 * UNIT) - 16 * states * UNIT


def _gap(step: Masses, law: Masses) -> float:
    """g, rounded down; matrices in the basis in which a reversible chain is symmetric, of norm 1."""
    states = len(step)
    doubt = 64 * states**2 * UNIT
    # One value only: nothing is remembered.
    if states == 1:
        return 1.0
    flow = law.with_last_axis().times(step)
    # Two values always, and steps that look the same backwards: the faster of the two rates.
    if states == 2 or _symmetric(flow):
        roots = np.sqrt(step.doubles())
        values = np.sort(np.abs(np.linalg.eigvalsh(roots * roots.T)))
        return 1 - float(values[-2]) - doubt
    logs, possible = law.logs(), step.solid
    # A log of size w resolves its exponential to w roundings; none of these is above 1.
    moved = (logs[:, None] - logs) / 2 + np.where(possible, step.logs(), 0.0)
    doubt += 4 * states * float(np.max(np.abs(logs))) * UNIT
    values = np.linalg.svd(np.where(possible, np.exp(np.minimum(moved, 0.0)), 0.0), compute_uv=False)
    return (1 - (float(values[1]) + doubt) ** 2) / 2


def _symmetric(flow: Masses) -> bool:
    """Whether the flow is symmetric, up to rounding."""
    if not np.array_equal(flow.solid, flow.turned().solid):
        return False
    ratio = np.where(flow.solid, flow.over(flow.turned()).doubles(), 1.0)
    return bool(np.all(np.abs(ratio - 1) <= _REVERSIBLE * len(flow)))
