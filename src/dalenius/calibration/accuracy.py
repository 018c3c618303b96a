"""The accuracy of a release: (α, β)-accuracy, whatever the exact answers are (DDP Def 5; Blum, Ligett and Roth 2008).

It says how likely outputs are α or more from the exact answers. The file also has the numbers that are reported with
every promise: the loss to an adversary who knows all other records, or any of them, the expected error, and the
promise that would add noise, where the one that was made adds none.

A count with Laplace noise of scale 2 is off by 5 or more with probability e^(-5/2), whatever the exact answer is:

>>> from dalenius.models import Households
>>> from dalenius.noise import Laplace
>>> from dalenius.queries import Count
>>> count = Release(Households(count=2, infected=(0.9, 0.05, 0.05)), Count(), Laplace(scale=2.0))
>>> round(accuracy(count, 5).beta.upper, 6), round(within(count, 0.05).upper, 5)
(0.082085, 5.99146)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, fsum, inf, isfinite, log, log1p, nan
from typing import Final, final

import numpy as np

from dalenius import wings
from dalenius.arrays import Array
from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure, around, down_to_digits, largest
from dalenius.calibration.method_base import Calibration
from dalenius.calibration.usual_noise import default_noise
from dalenius.channel import Release, checked, leaves_exact, possible_answers
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.laws.leakage_tail import probability
from dalenius.laws.sums import Sums
from dalenius.noise import ROUNDED, Noise, is_complete, mean_error
from dalenius.noise.error_law import gamma_tail, geometric_tail
from dalenius.notions import Notion, differential_loss

_BAYESIAN_LOSS: Final = wings.Part[Callable[[Release], Enclosure | None]]("bayesian loss")

_FAINT: Final = -40.0
"""Log of a probability whose square is lost beside it in doubles."""


@final
@dataclass(frozen=True)
class Accuracy:
    """The probability that answers are off by α or more.

    Attributes:
        within: The distance α, in the query's unit.
        log_largest: log Pr[some answer is off by α or more], at the exact answers for which that is likeliest.
        log_total: The log of the probability that the errors of all answers, ‖A(D) - Q(D)‖₁, add up to α or more; for
            one answer it is the same number. None for several answers where the noise depends on the answer.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> found = dl.accuracy(release, 5)
        >>> found.within, round(found.beta.upper, 6)
        (5, 0.082085)
    """

    within: float
    log_largest: Enclosure
    log_total: Enclosure | None

    @property
    def beta(self) -> Enclosure:
        """The probability β that some answer is off by `within` or more."""
        return probability(self.log_largest)

    @property
    def total(self) -> Enclosure | None:
        """The probability that the errors of all answers add up to `within` or more; None where it is not known."""
        return None if self.log_total is None else probability(self.log_total)


def accuracy(release: Release, within: float) -> Accuracy:
    """Returns how accurate a release is: how likely its noise moves an answer by α or more.

    It is about the release's noise only. Queries that clip, sample or round before it lose accuracy besides.

    Args:
        release: The model, the query and the noise, with its scale.
        within: The distance α, in the query's unit, a finite number above 0.

    Returns:
        The probabilities, for the exact answers for which they are largest.

    Raises:
        InputError: `within` is no finite number above 0, the scale was left open, or the noise does not say how far off
            it is.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.accuracy(release, 5).beta.upper, 6)
        0.082085

    Notes:
        DDP Def 5; Blum, Ligett and Roth 2008.
    """
    checked(release)
    if isinstance(within, str) or not (isfinite(within) and within > 0):
        raise InputError("within", within, "a finite number above 0")
    return _accuracy(release, within, Fraction(str(within)))


def within(release: Release, beta: float, total: bool = False) -> Enclosure:
    """Returns the least α that an answer's error exceeds with probability at most β.

    Args:
        release: The model, the query and the noise, with its scale.
        beta: The probability β, above 0 and below 1.
        total: Whether the sum of all answers' errors counts; False (the default) for the largest of them.

    Returns:
        An enclosure of α, in the query's unit; infinite where no distance is exceeded so rarely.

    Raises:
        InputError: beta is out of range, the scale was left open, or the noise does not say how far off it is.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.within(release, 0.05).upper, 5)
        5.99146
    """
    checked(release)
    if isinstance(beta, str) or not 0 < beta < 1:
        raise InputError("beta", beta, "a number above 0 and below 1")
    level = log(beta)

    def logs(distance: float) -> Enclosure:
        """Encloses log Pr of an error of that distance or more: of the largest answer's, or of the sum."""
        found = _accuracy(release, distance, Fraction(distance))
        if not total:
            return found.log_largest
        if found.log_total is None:
            raise InputError("total", total, "false, or noise that is added to the answer")
        return found.log_total

    return Enclosure(
        _least(lambda distance: logs(distance).lower <= level)[0],
        _least(lambda distance: logs(distance).upper <= level)[1],
    )


_FARTHEST: Final = 1e30
"""Distance, in the query's unit, beyond which no error is looked for."""


def _least(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Returns two numbers between which a condition begins to hold, which then holds for all larger ones."""
    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, 2 * high
        # The case of noise with tails so heavy that no distance, in the query's unit, is exceeded rarely enough.
        if high > _FARTHEST:
            return inf, inf
    # Because a distance is known well enough at a relative width of 1e-12, the search ends there.
    high, low = bisected(holds, high, low, relative=1e-12, absolute=1e-30)
    # The case of noise that adds nothing: the condition holds at every distance above 0, and so the least is 0.
    return (low, high) if high > 2e-30 else (0.0, 0.0)


def _accuracy(release: Release, shown: float, distance: Fraction) -> Accuracy:
    """Computes both logs, the worst over possible answers.

    shown: the distance as it was given; distance: the same, exactly.
    """
    noise, lattice = release.noise, release.lattice
    parts = [noise.on([axis]) for axis in range(lattice.axes)]
    # Because a spec may leave the scale to a method: the error of `known_scale` says that there is none yet.
    if not is_complete(noise):
        noise.known_scale()
    worst = [_NEVER] * lattice.axes
    for axis, answers, step in _possible(release):
        found = parts[axis].error(step).beyond(distance, answers)
        # The case of randomised response, whose outputs are words: no output is nearer to the answer than another.
        if found is None:
            raise InputError("noise.kind", noise.kind, "a noise whose outputs are numbers, and that says how far off")
        worst[axis] = largest(worst[axis], found)
    together = Enclosure(_any([each.lower for each in worst])[0], _any([each.upper for each in worst])[1])
    if not noise.shape.additive:
        # Because each answer has its own worst case; whether all can have it together is not known.
        together = Enclosure(max(each.lower for each in worst), together.upper)
    return Accuracy(shown, together, _total(parts, lattice, distance, together))


def _possible(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    """Yields each coordinate, the answers it may have (None: any) and its step.

    Added noise does not depend on the answers.
    """
    # Because a kernel or a clamped answer errs by the answer, each possible one is tried. Added noise errs alike on
    # all.
    known = [] if release.noise.shape.additive else list(possible_answers(release))
    axes = {axis for axis, _, _ in known}
    yield from known
    yield from ((axis, None, step) for axis, step in enumerate(release.lattice.steps) if axis not in axes)


_NEVER: Final = Enclosure(-inf, -inf)
"""The log of a probability of 0."""


def _any(logs: Sequence[float]) -> Enclosure:
    """Returns log Pr[at least one] of independent events, given the logs of their probabilities."""
    most = max(logs)
    # The case of one answer, of noise that never goes so far, or of an answer that is surely off: nothing to add up.
    if most == -inf or len(logs) == 1 or most == 0:
        return Enclosure(most, most)
    # Because 1 - (1 - p)(1 - q) would round to 0 for answers of little noise, asked about far away.
    if most < _FAINT:
        # The probability is between the sum of all, and that less all pairs.
        found = most + log(sum(exp(each - most) for each in logs))
        return around(found, (len(logs) + 8) * UNIT * (1 + abs(found)) + len(logs) * exp(_FAINT))
    # The case of a log just below 0, whose exponential is 1 in doubles: some answer is all but surely off.
    if any(exp(each) == 1 for each in logs):
        return Enclosure(around(most, 0.0).lower, 0.0)
    none = sum(log1p(-exp(each)) for each in logs)
    # The case of thousands of answers, each likely off: no double holds the probability that none is.
    found = log(-expm1(none)) if none > -700 else 0.0
    ends = around(found, (len(logs) + 8) * 4 * UNIT * (1 + abs(most) + abs(found)))
    return Enclosure(ends.lower, min(ends.upper, 0.0))


def _total(parts: Sequence[Noise], lattice: Lattice, distance: Fraction, single: Enclosure) -> Enclosure | None:
    """Encloses the log of the tail of the sum of all errors.

    It is exact for several answers under one Laplace or geometric noise. Else it lies between that of the largest and a
    union bound: k errors that add up to the distance have one of at least its k-th part.
    """
    if len(parts) == 1:
        return single
    # Because a kernel's error depends on the answer, and the joint answers are not computed.
    if not all(part.shape.additive for part in parts):
        return None
    noisy = [(part, step) for part, step in zip(parts, lattice.steps, strict=True) if not part.shape.adds_nothing]
    # The case of at most one answer with noise: its error is the sum.
    if len(noisy) < 2:
        return single
    first, step = noisy[0]
    if all(part == first for part, _ in noisy) and first.shape.exponential:
        if not first.shape.needs_lattice:
            tail = gamma_tail(len(noisy), float(distance / Fraction(first.known_scale())))
            # Because the output is rounded: the log of a gamma law's tail falls by at most 1 a scale.
            doubt = len(noisy) * ROUNDED
            return Enclosure(tail.lower - doubt, min(tail.upper + doubt, 0.0))
        # The case of geometric noise on one lattice: a sum of geometric numbers. For several lattices only a bound is
        # known.
        if all(other == step for _, other in noisy):
            return geometric_tail(len(noisy), -(-distance // step), float(step / Fraction(first.known_scale())))
    each = [part.error(own).beyond(distance / len(noisy), None) for part, own in noisy]
    return Enclosure(single.lower, _any([0.0 if found is None else found.upper for found in each])[1])


def with_companion_losses(calibration: Calibration, release: Release) -> Calibration:
    """Adds the differential and Bayesian losses of the noise under `release` to a calibration.

    It also adds whether some answer goes out exactly. A promise for any background knowledge has computed the
    Bayesian loss.
    """
    chosen = release.with_noise(calibration.noise)
    loss = differential_loss(chosen)
    known = [each.leakage for each in calibration.promises if each.notion.properties.any_knowledge]
    bayesian = Enclosure(known[0].lower, known[0].upper) if known else _BAYESIAN_LOSS.function(chosen)
    return replace(calibration, differential_ends=loss, bayesian=bayesian, exact=leaves_exact(chosen))


def expected_error(release: Release) -> float:
    """Returns E|output - answer| of `release`, averaged over the coordinates, in the query's unit.

    It is the largest over the laws of the model; nan where outputs are words.
    """
    noise, lattice = release.noise, release.lattice
    if noise.shape.additive:
        return mean_error(noise, lattice)
    # The case of noise that depends on the answer, for records that are real numbers: no law of answers is listed.
    if not release.worlds.is_finite:
        return nan
    return max(fsum(_by_coordinate(noise, world)) / lattice.axes for world in release.worlds.finite)


def _by_coordinate(noise: Noise, world: RecordWorld) -> Iterator[float]:
    """Yields E|output - answer| of each coordinate under one law of the model, in the query's unit."""
    for law in world.marginals():
        yield _mean(noise, law.masses, law.start, law.step)
    for column, how, step in zip(world.scores.indices.T, world.scores.combine, world.scores.lattice.steps, strict=True):
        if not column.any() or (how != "sum" and np.ptp(column) == 0):  # nobody's record touches it
            yield _mean(noise, np.ones(1), int(column[0]), step)


def _mean(noise: Noise, masses: Array, start: int, step: Fraction) -> float:
    """Returns E|output - answer| over answers of these masses, the first of which is `start` steps."""
    there = np.flatnonzero(masses)
    return float(masses[there] @ noise.error(step).mean_moves(start + there) / np.sum(masses)) * float(step)


def noised_by(release: Release, notion: Notion, calibration: Calibration) -> str:
    """Names the cheapest promise under which no answer goes out exactly.

    It is one of the same notion at less than the leakage of the exact answer, where noise is calibrated and it leaks
    at all. Else it is the differential one of the same epsilon, whose noise is never none.

    Args:
        release: The release whose answers would go out exactly.
        notion: The promise that was made.
        calibration: The noise for it, which is none.
    """
    epsilon = notion.epsilon or 1.0
    noise = default_noise(release.lattice)
    scale = noise.scale_for(release.sensitivity, epsilon)
    differential = f"differential epsilon = {epsilon:g} ({noise.kind}, scale {scale:.6g})"
    # So that any promise below it needs noise, the leakage in nats is rounded down.
    own = down_to_digits(calibration.leakage.lower, 6)
    # The case of a spec with a noise without a scale, such as none: a promise cannot calibrate it.
    if is_complete(release.noise):
        return f"the cheapest promise that adds noise, without that section [noise], is {differential}"
    # Because a constant query leaks nothing: no promise of this notion adds noise to it, whatever its epsilon.
    if own <= 0:
        return f"the cheapest promise that adds noise is {differential}"
    return f"the cheapest promise that adds noise is {notion.kind} epsilon below {own:g}, or {differential}"
