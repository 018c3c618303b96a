"""Discrete Gaussian noise: mass proportional to e^{-k²/2σ²} on the answer's own lattice (Canonne et al. 2020).

A bit at σ = 1 says (y - 1)²/2 - y²/2 = 1/2 - y nats at the output y, as with Gaussian noise on the reals; but only
whole numbers go out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf, log, sqrt
from typing import Final, Literal, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure, float_up, up_to_digits
from dalenius.errors import InputError, TooLarge
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.integrals.functionals_over_outputs import over_points
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, without_floor
from dalenius.laws.limits import MOST_GAUSSIAN_TERMS
from dalenius.laws.output_chances import AxesOutputs, Outputs
from dalenius.noise.discrete_gaussian_law import FAR, log_tail, log_total, mean_steps, reach
from dalenius.noise.error_law import AddedError, steps_up_to
from dalenius.noise.limits import MOST_DEVIATIONS
from dalenius.noise.mechanism import AddedMechanism
from dalenius.noise.noise import SCALE_DIGITS, ScaledNoise
from dalenius.noise.place_of_given_output import Answer, at_index, cannot_occur, on_lattice, sides_of_point
from dalenius.noise.sampling import with_discrete_gaussian
from dalenius.noise.shape import Shape

_CONVERGED: Final = 40.0
"""Nats by which the outermost answer outweighs all others together: e^-40 is below the rounding of a double."""
_AT_ONCE: Final = 1 << 20


def concentrated_scale(distance: Fraction, epsilon: float, delta: float) -> float:
    """Returns a scale that hides answers at an L2 distance, on a lattice of any step, on any number of coordinates.

    The noise is zero-concentrated with ρ = distance²/2σ² (Canonne et al. 2020, Thm 4), and
    δ <= e^{(α-1)(αρ-ε)} (1 - 1/α)^α / (α-1) for every α > 1 (Prop 12): the largest ρ over some of them is taken.

    Args:
        distance: The L2 distance, in the unit of the scale.
        epsilon: The ε of the promise, in nats.
        delta: The δ of the promise, above 0.

    >>> round(concentrated_scale(Fraction(1), 1.0, 1e-6), 2)  # the least on the reals is 4.22
    4.53
    """
    above = np.geomspace(1e-4, 1e6, 4001)  # α - 1
    alpha = 1 + above
    log_share = np.log(above) - alpha * (np.log(above) - np.log(alpha))
    rho = float(np.max((epsilon + (log(delta) + log_share) / above) / alpha))
    # The case of an epsilon of 10^-5 beside a delta of 10^-30: the orders that prove it are above all of these.
    if not rho > 0:
        raise InputError("notion.delta", delta, "a larger epsilon or delta")
    return up_to_digits(float_up(distance) / sqrt(2 * rho) * (1 + 1e-10), SCALE_DIGITS)


@final
@dataclass(frozen=True)
class DiscreteGaussianMechanism(AddedMechanism):
    """Mechanism for one answer.

    Its outputs are the lattice points from well below the least answer to well above the greatest, and the two limits
    at infinity. Far out the outermost answer that a secret allows outweighs all its others, so that the points beyond
    have the same posterior as the limit, up to rounding.
    """

    def likelihood(self, law: Law) -> Law:
        """Returns the likelihoods of all outputs, from the `law` of the answer given each secret.

        InputError for a scale that is negligible next to the step; TooLarge for too many
        outputs.
        """
        deviation = self._deviation
        logs = law.log_mass()
        if law.floor is not None:
            logs = np.concatenate([logs, (law.base + law.floor)[None]])
        far = _beyond(logs, deviation)
        count = logs.shape[1]
        if count * (count + 2 * far) * len(logs) > MOST_GAUSSIAN_TERMS:
            size = f"{count:,} answers at a scale of {deviation:.3g} steps"
            raise TooLarge(
                "discrete gaussian noise", size, "use geometric noise, or coarser values", MOST_GAUSSIAN_TERMS
            )
        outputs = np.arange(-far, count + far)
        base, inner = _noised(logs, outputs, deviation)
        possible = np.flatnonzero(np.max(logs, axis=0) > -inf)
        # Because an output beyond all points is rarer than any double, a bound of its chance stands for it.
        rest = -(float(far) ** 2) / (2 * deviation**2)
        base = np.concatenate([[rest], base, [rest]])
        inner = np.concatenate([logs[:, possible[:1]], inner, logs[:, possible[-1:]]], axis=1)
        heights = np.max(inner[: law.secrets], axis=0)
        heights = np.where(heights > -inf, heights, 0.0)
        relative = inner - heights
        depth = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
        error = law.error + (4 * depth + 16 * _CONVERGED + 2 * count + 64) * UNIT
        places = np.concatenate([[-inf], outputs + law.start[0], [inf]]) * float(self.lattice.steps[0])
        start = (law.start[0] - far - 1,)
        if law.floor is None:
            return Law(start, base + heights, relative, error, points=places)
        found = Law(start, base + heights, relative[:-1], error, floor=relative[-1], points=places)
        return without_floor(found)

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        return over_points(functional, likelihood)

    def serves(self, points: int, secrets: int) -> bool:
        far = _reach(self._deviation, log(points + 1.0))
        return points * (points + 2 * far) * (secrets + 1) <= MOST_GAUSSIAN_TERMS

    def outputs_of(self, likelihood: Law) -> Outputs:
        return AxesOutputs(likelihood, [Along(None)])

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        (place,) = on_lattice(output, self.lattice, [None])
        index = place - likelihood.start[0]
        # The case of an output that is rarer than e^-800: those beyond the box have its outermost point's posterior.
        inside = min(max(index, 1), likelihood.box[0] - 2)
        there = at_index(likelihood, [inside])
        if inside != index and there.error == inf:
            raise cannot_occur(output, self.lattice.point([inside + likelihood.start[0]]))
        return replace(there, base=there.base - float(abs(index - inside)) ** 2 / (2 * self._deviation**2))

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        return sides_of_point(likelihood, self.lattice, output, log_prior)

    @property
    def _deviation(self) -> float:
        """σ in lattice steps. InputError for one that is negligible next to the step."""
        step = self.lattice.steps[0]
        deviation = Fraction(self.noise.known_scale()) / step
        if deviation < Fraction(1, MOST_DEVIATIONS):
            least = float(step / MOST_DEVIATIONS)
            wanted = f"at least {least:g} on this lattice (or kind = none; limit {MOST_DEVIATIONS.name})"
            raise InputError("noise.scale", self.noise.scale, wanted)
        return float(deviation)


def _reach(deviation: float, lead: float) -> int:
    """Returns the points beyond the outermost answer; its neighbours have at most e^lead times as much mass a step."""
    return ceil(max(FAR * deviation, deviation**2 * (_CONVERGED + max(lead, 0.0)))) + 1


def _beyond(logs: Array, deviation: float) -> int:
    """Returns how many points beyond the answers are listed on either side, for the log-masses (laws, answers).

    An answer d steps inside the outermost one has g nats more mass, and (d² + 2db)/2σ² less chance of an output b
    steps outside.
    """
    lead = 0.0
    for law in (*logs, *logs[:, ::-1]):
        possible = np.flatnonzero(law > -inf)
        if len(possible) > 1:
            inner, last = possible[:-1], possible[-1]
            away = last - inner
            # So that all inner answers together are e^-40 of the outermost one, their number counts too.
            gained = law[inner] - law[last] + _CONVERGED + log(len(inner))
            lead = max(lead, float(np.max(gained / away - away / (2 * deviation**2))) - _CONVERGED)
    return _reach(deviation, lead)


def _noised(logs: Array, outputs: Array, deviation: float) -> tuple[Array, Array]:
    """Returns the part common to all laws (outputs,) and the rest (laws, outputs) of the log-masses of `outputs`.

    `outputs` are in steps from the first answer, and `logs` (laws, answers).
    """
    answers = np.arange(logs.shape[1])
    nearest = np.clip(outputs, 0, logs.shape[1] - 1)
    base = -((outputs - nearest).astype(np.float64) ** 2) / (2 * deviation**2) - log_total(deviation)
    found = np.empty((len(logs), len(outputs)))
    at_once = max(1, _AT_ONCE // len(answers))
    for first in range(0, len(outputs), at_once):
        some = slice(first, first + at_once)
        near, y = nearest[some, None], outputs[some, None]
        # So that no digits are lost far out, squares are subtracted as whole numbers: (y-v)² - (y-near)².
        falls = ((near - answers) * (2 * y - near - answers)).astype(np.float64) / (2 * deviation**2)
        for law, own in enumerate(logs):
            terms = own - falls
            top = np.max(terms, axis=1)
            level = np.where(top > -inf, top, 0.0)
            with np.errstate(divide="ignore"):
                found[law, some] = np.log(np.sum(np.exp(terms - level[:, None]), axis=1)) + level
    return base, found


@final
class DiscreteGaussian(ScaledNoise):
    """Discrete Gaussian noise: adds to each answer k steps of its lattice, k any whole number.

    The probability of k is proportional to e^{-(k step)²/2 scale²}. A count stays a whole number.

    Args:
        scale: The parameter σ, a finite number above 0 in the query's unit; from one step on, it is the standard
            deviation to eight digits. None (the default) leaves it open, for `calibrate` and `compare`.

    Example:
        >>> import dalenius as dl
        >>> noise = dl.DiscreteGaussian(scale=1.0)
        >>> round(noise.error(Fraction(1)).expected, 6)  # mean distance from an exact count
        0.727582

    Notes:
        Canonne, Kamath and Steinke 2020. As with Gaussian noise, no scale is differentially private without a delta.
        No theorem says that more noise never leaks more: a calibrated scale keeps the promise, and a smaller one was
        found to exceed it.
    """

    kind: Literal["discrete_gaussian"] = "discrete_gaussian"

    @property
    def shape(self) -> Shape:
        return Shape(additive=True, log_concave=True, light_tailed=True)

    def mechanism(self, lattice: Lattice) -> AddedMechanism:
        if lattice.axes == 1:
            return DiscreteGaussianMechanism(self, lattice)
        from dalenius.noise.joint_mechanism import JointMechanism  # which is made of this noise, too

        return JointMechanism(self, lattice)

    def error(self, step: Fraction) -> AddedError:
        """Returns how far the output of one coordinate is from its exact answer.

        Args:
            step: The step of the coordinate's lattice, in the query's unit.
        """
        deviation = float(Fraction(self.known_scale()) / step)

        def tail(distance: Fraction) -> Enclosure:
            return log_tail(steps_up_to(distance, step), deviation)

        return AddedError(step, mean_steps(deviation) * float(step), lambda rest: reach(deviation, rest) * step, tail)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        # Because the log-ratio of two answers has no bound at the outermost outputs.
        if delta > 0:
            return concentrated_scale(distance, epsilon, delta)
        raise InputError("noise.kind", self.kind, "laplace or geometric: pure differential privacy needs a delta here")

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(
            with_discrete_gaussian([index], Fraction(self.known_scale()) / step)[0] * step
            for index, step in zip(answer, lattice.steps, strict=True)
        )
