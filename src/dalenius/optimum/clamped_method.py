"""Geometric noise clamped to a range: scale and range of the least expected error (Result 8.2).

For one scale all ranges are compared at once. With y = answer + noise, clamped to lo..hi, the expected error is,
counting the half-integers between answer and output,

    sum_{k <= lo} Pr[f < k] + sum_{lo < k <= hi} Pr[f and y on different sides of k - 1/2] + sum_{k > hi} Pr[f >= k]:

a term for each end. A promise constrains the output lo, the output hi and those in between separately, or bounds a sum
over the three. So the best of all ranges is found in one pass.

For twelve households of four, ill as [0.9, 0.04, 0, 0, 0.06], and ε = 1, the exact geometric errs by 3.613. Clamped to
1 .. 5 with scale 3.08 it errs by 1.955, and no mechanism by less than 0.4888.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, inf, log, log1p, tanh
from typing import ClassVar, Final, TypeVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from dalenius.arrays import Array, IntArray
from dalenius.bisection import bisected
from dalenius.bounds import near_to_digits, up_to_digits
from dalenius.calibration.method_base import Calibration, Kept, Method, Optimum, kept_by, promised, scale_hiding
from dalenius.channel import Release
from dalenius.errors import DaleniusError, InputError
from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.law import Law
from dalenius.noise import Geometric, Noise, NoNoise
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.notions import Leakage, Notion
from dalenius.optimum.answer_laws import ON_LAWS, AnswerLaws, PersonLaws
from dalenius.optimum.clamped_noise import Clamped
from dalenius.optimum.constraint_generation import quick_bound
from dalenius.optimum.laws_of_release import check_law, laws_of
from dalenius.optimum.program import as_constraint, promise_of

_LEAST: Final = 0.03
"""The least scale, in lattice steps: geometric noise of this scale is nonzero once in 10^14."""
_MARGINS: Final = (1e-10, 1e-8, 1e-6, 1e-5, 1e-4)
"""The shares of epsilon by which the search stays below it, for the roundings that an audit must count."""
_SAME: Final = 1e-12
"""The relative distance at which errors are equal, and the first range is taken."""
_Attempt = TypeVar("_Attempt")
_More = TypeVar("_More")


@final
@dataclass(frozen=True)
class _Range:
    """A range: indices into the answers' range, and the expected error in lattice steps (the models' average)."""

    low: int
    high: int
    error: float


@final
@dataclass(frozen=True)
class _Limits:
    """The ranges that are allowed; low, high: which ends are; first: the least low end allowed with each high end."""

    low: NDArray[np.bool_]
    high: NDArray[np.bool_]
    first: IntArray


@final
class ClampedMethod(Method):
    """The method that takes, for each scale, the best of all ranges, exactly.

    The scales tried are 0, a grid up to noise that hides a whole group, finer ones where the error was least, and for
    the best range the least. More noise may leak more once clamped within the answers' range, so the leakage cannot be
    bisected and the scale is not proven least. With the answers' whole range it falls (Gupte and Sundararajan 2010),
    and the least scale for that range is among those tried, so that the error is never above the exact geometric's.
    With several models (`any`) all keep the promise, their average error guides the search, and the largest is
    reported. `lower_bound`: no mechanism of any kind has a smaller expected error.
    """

    name: ClassVar[str] = "clamped"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        return self.calibrate_all(release, [notion])

    def calibrate_all(self, release: Release, notions: Sequence[Notion]) -> Calibration:
        """Returns a noise for `release` that keeps all `notions`, audited, with a bound on any mechanism's error."""
        constraints = [as_constraint(release, notion) for notion in notions]
        # Only constraints on the laws of the output given the secret.
        constrained = [each for each in constraints if each.properties.linear in ON_LAWS]
        # No promise decides over ranges: then the least scale is that of `exact`.
        if not constrained:
            wanted = "inferential or information, among others, with this method"
            raise InputError("notion.kind", constraints[0].kind, wanted)
        check_law(release)
        bare = [notion.leakage(release.with_noise(NoNoise())) for notion in notions]
        kept_bare = all(each.upper <= promised(notion) for each, notion in zip(bare, notions, strict=True))
        laws = laws_of(release)
        # Nobody has a secret that the query reads, or the exact answer says little enough: no noise at all.
        if laws is None or kept_bare:
            return nothing_needed(self.name, notions, bare)
        every, laws = laws, laws.likely
        floor = _floor(release, [each for each in constraints if each not in constrained]) / laws.step
        # Ranges are sought for the classes of people of whom the exact answer says most: a chain has one for each day.
        classes = sorted(laws.each, key=lambda each: -_violated(each, constrained))
        margins = laws.affordable(_MARGINS, notions)
        attempts = [(few, margins[0]) for few in (4, 32, 256) if few < len(classes)]
        attempts += [(len(classes), margin) for margin in margins]

        def choose(attempt: tuple[int, float]) -> tuple[Noise, float]:
            few, margin = attempt
            some = replace(laws, each=tuple(classes[:few]))
            tighter = [each.altered({"epsilon": promised(each) * (1 - margin)}) for each in constrained]
            best, ends = _searched(some, tighter, release, floor * (1 + margin))
            scale = up_to_digits(best * some.step, SCALE_DIGITS) / some.step
            return _noise(some, scale, ends), _error(every, scale, laws.start + ends.low, laws.start + ends.high)

        noise, error, kept = confirmed(release, notions, attempts, choose)
        why = "the leakage itself was computed, for the best range at each scale tried"
        optimum = Optimum(min((quick_bound(laws, constraints) or 0.0) * laws.step, error))
        leakage, details = kept[0].leakage, optimum.as_json()
        return Calibration(self.name, True, why, noise, error, leakage, details, optimum=optimum, promises=kept)


def nothing_needed(
    name: str, notions: Sequence[Notion], bare: Sequence[Leakage], optimum: Optimum | None = None
) -> Calibration:
    """Returns the calibration where the exact answer goes out; bare: what it leaks of each of `notions`.

    It has the `name` of the method, and the `optimum` if there is one.
    """
    why, kept = "the exact answer already keeps the promise under this model", kept_by(notions, bare)
    details = {} if optimum is None else optimum.as_json()
    return Calibration(name, True, why, NoNoise(), 0.0, bare[0], details, optimum=optimum, promises=kept)


def _floor(release: Release, notions: Sequence[Notion]) -> float:
    """Returns the scale above which the other promises hold whatever the range: clamping is post-processing.

    InputError where noise for a record, or a whole group, proves nothing about them.
    """
    scale = 0.0
    geometric = release.with_noise(Geometric())
    for notion in notions:
        if notion.properties.implied_by not in ("record", "group", "inferential"):
            raise InputError("notion.kind", notion.kind, "a notion that noise for a record or a group keeps")
        of_record = notion.properties.implied_by == "record"
        distance = release.sensitivity if of_record else release.worlds.group_sensitivity[0]
        scale = max(scale, scale_hiding(geometric, distance, notion)) if distance else scale
    return scale


def _error(laws: AnswerLaws, scale: float, low: int, high: int) -> float:
    """Returns the largest expected error of the models, in the query's unit; low, high: lattice indices of the ends."""
    means = error_of(laws, scale, low - laws.start, high - laws.start)
    return (float(np.max(means)) + laws.beyond(1)) * laws.step


def _noise(laws: AnswerLaws, scale: float, found: _Range) -> Clamped:
    (low,), (high,) = (laws.lattice.point([laws.start + end]) for end in (found.low, found.high))
    return Clamped(scale=near_to_digits(scale * laws.step, SCALE_DIGITS), lower=low, upper=high)


def _searched(laws: AnswerLaws, notions: Sequence[Notion], release: Release, floor: float) -> tuple[float, _Range]:
    """Returns the scale, in lattice steps, and the range of the least error tried, from the scale `floor` on."""
    least_epsilon = min(map(promised, notions))
    widest = max(float(release.worlds.reach) / laws.step / least_epsilon, 2 * _LEAST, 2 * floor) * (1 + 1e-9)
    tried: dict[float, _Range] = {}
    # Scales over all sizes at first, then between the two neighbours of the best one.
    scales = [floor, *np.geomspace(max(_LEAST, floor), widest, 24).tolist()]
    for _ in range(3):
        tried |= {scale: best_range(laws, notions, scale) for scale in scales if scale not in tried}
        best, known = _first_of_the_best(tried), sorted(tried)
        place = known.index(best)
        scales = np.linspace(known[max(place - 1, 0)], known[min(place + 1, len(known) - 1)], 8).tolist()
    # The best range is tried with its least scale, and so is the widest one, with which it is never above `exact`.
    for low, high, scale in ((tried[best].low, tried[best].high, best), (0, laws.count - 1, widest)):
        least = _least(laws, notions, low, high, scale, floor)
        error = float(np.mean(error_of(laws, least, low, high)))
        if keeps(laws, notions, least, low, high) and (least not in tried or error < tried[least].error):
            tried[least] = _Range(low, high, error)
    best = _first_of_the_best(tried)
    return best, tried[best]


def _first_of_the_best(tried: dict[float, _Range]) -> float:
    """Returns the least scale whose error is the least, up to rounding."""
    least = min(found.error for found in tried.values())
    return min(scale for scale, found in tried.items() if found.error <= least * (1 + _SAME))


def _least(laws: AnswerLaws, notions: Sequence[Notion], low: int, high: int, scale: float, floor: float) -> float:
    """Searches down from a scale at which the range keeps the promise, to just above one at which it does not."""
    if scale == floor or keeps(laws, notions, floor, low, high):
        return floor
    # Nearly the same scale; where the law is known on a window only, each step takes longer.
    near = 1e-9 if laws.complete else 1e-6
    return bisected(lambda tried: keeps(laws, notions, tried, low, high), scale, floor, relative=near)[0]


def _violated(subject: PersonLaws, notions: Sequence[Notion]) -> float:
    """Returns how much of a law is told from another by more than the promises allow, if answers go out as they are."""
    return max(
        float(np.sum(np.maximum(np.exp(own) - np.exp(np.minimum(promised(notion) + other, 700.0)), 0.0)))
        for notion in notions
        for own, other in subject.against(notion.properties.linear)
    )


def confirmed(
    release: Release,
    notions: Sequence[Notion],
    attempts: Iterable[_Attempt],
    choose: Callable[[_Attempt], tuple[Noise, _More]],
) -> tuple[Noise, _More, tuple[Kept, ...]]:
    """Returns the first noise whose audit keeps all promises, what else was chosen with it, and what it leaks.

    Args:
        release: The release, whose noise is replaced.
        notions: The promises.
        attempts: What to try, one after the other.
        choose: Makes a noise of an attempt, and whatever else belongs to it.

    Raises:
        DaleniusError: If no attempt has such a noise.
    """
    for attempt in attempts:
        noise, more = choose(attempt)
        kept = kept_by(notions, [notion.leakage(release.with_noise(noise)) for notion in notions])
        broken = [(each.notion, each.leakage) for each in kept if each.leakage.upper > promised(each.notion)]
        if not broken:
            return noise, more, kept
    shown = [f"{notion.kind} {notion.epsilon:g} nats: the last shows {leakage.upper:g}" for notion, leakage in broken]
    raise DaleniusError(f"no audit confirms {'; '.join(shown)}")


def best_range(laws: AnswerLaws, notions: Sequence[Notion], scale: float) -> _Range:
    """Returns the range of least expected error among all that keep the promises `notions` under these `laws`.

    scale: in lattice steps; 0 is no noise. A range of one point always keeps the promises.
    """
    below, above = _costs_under(np.mean(np.exp(laws.models), axis=0), scale)
    limits = _limits(laws, notions, scale)
    point = int(np.argmax(below + above <= np.min(below + above) * (1 + _SAME)))
    found = _Range(point, point, float(below[point] + above[point]))
    lows = np.where(limits.low, below, inf)
    highs = np.flatnonzero(limits.high & (limits.first < np.arange(len(below))))
    least = _least_over(lows, limits.first[highs], highs)
    errors = least + above[highs]
    if not np.min(errors, initial=inf) < found.error * (1 - _SAME):
        return found
    place = int(np.argmax(errors <= np.min(errors) * (1 + _SAME)))
    first, high = int(limits.first[highs[place]]), int(highs[place])
    low = first + int(np.argmax(lows[first:high] <= least[place] + _SAME * abs(least[place])))
    return _Range(low, high, float(below[low] + above[high]))


def keeps(laws: AnswerLaws, notions: Sequence[Notion], scale: float, low: int, high: int) -> bool:
    """Says whether the range `low` to `high` (indices) with this `scale` keeps `notions` under `laws`."""
    limits = _limits(laws, notions, scale)
    return low == high or bool(limits.low[low] and limits.high[high] and limits.first[high] <= low)


def error_of(laws: AnswerLaws, scale: float, low: int, high: int) -> Array:
    """Returns the expected error under each model of `laws` (models,), in lattice steps; arguments as in `keeps`.

    scale: in lattice steps; low, high: indices of the ends.
    """
    each = [_costs_under(np.exp(model), scale) for model in laws.models]
    return np.array([below[low] + above[high] for below, above in each])


def _costs_under(mass: Array, scale: float) -> tuple[Array, Array]:
    """Returns both ends' terms of the expected error, by where the end is (answers,) each, in lattice steps.

    mass (answers,): Pr[f = k].
    """
    fall = exp(-1 / scale) if scale > 0 else 0.0
    under = np.concatenate([[0.0], np.cumsum(mass)[:-1]])  # Pr[f < k]
    over = np.cumsum(mass[::-1])[::-1]  # Pr[f >= k]
    upwards = np.concatenate([[0.0], _faded(mass, fall)[:-1]])
    downwards = _faded(mass[::-1], fall)[::-1]
    crossed = (upwards + downwards) * fall / (1 + fall)
    crossed[0] = over[0] = 0.0
    between = np.cumsum(crossed)
    beyond = np.concatenate([np.cumsum(over[::-1])[::-1][1:], [0.0]])
    return np.cumsum(under) - between, between + beyond


def _faded(mass: Array, fall: float) -> Array:
    """Returns Σ_{j <= k} fall^{k - j} mass_j at each k: what solves x_k - fall·x_{k-1} = mass_k."""
    return np.asarray(solve_banded((1, 0), [np.ones(len(mass)), np.full(len(mass), -fall)], mass))


def _limits(laws: AnswerLaws, notions: Sequence[Notion], scale: float) -> _Limits:
    """Returns which ranges keep all promises, to all classes of people."""
    count = laws.count
    found = _Limits(np.ones(count, dtype=np.bool_), np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.int64))
    for subject in laws.each:
        outputs = _outputs(subject.logs, scale)
        for notion in notions:
            own = _limits_of(subject, notion, outputs)
            found = _Limits(found.low & own.low, found.high & own.high, np.maximum(found.first, own.first))
    return found


def _limits_of(subject: PersonLaws, notion: Notion, outputs: Sequence[Array]) -> _Limits:
    """Returns which ranges keep one promise to one class of people; outputs: as `_outputs` gives them."""
    (epsilon, delta), count = promise_of(notion), subject.logs.shape[1]
    pairs = [replace(subject, logs=logs).against(notion.properties.linear) for logs in outputs]
    # A delta is shared by all outputs; without one each output keeps the promise by itself.
    if delta > 0:
        return _by_sum(pairs, count, epsilon, delta)
    return _separately([_leak(each, count) <= epsilon for each in pairs])


def _leak(pairs: Sequence[tuple[Array, Array]], outputs: int) -> Array:
    """Returns the worst log-ratio at each output (outputs,), of the first to the second law of each pair."""
    found = np.full(outputs, -inf)
    for one, other in pairs:
        with np.errstate(invalid="ignore"):
            found = np.maximum(found, np.where(one > -inf, one - other, -inf))
    return found


def _separately(keeps: Sequence[NDArray[np.bool_]]) -> _Limits:
    """Returns, for each output, whether it keeps the promise inside the range, at its low and its high end."""
    inner, low, high = keeps
    bad = np.concatenate([[-1], np.where(inner, -1, np.arange(len(inner)))[:-1]])
    return _Limits(low, high, np.maximum(np.maximum.accumulate(bad), 0))


def _outputs(logs: Array, scale: float) -> tuple[Array, Array, Array]:
    """Returns log W(y|s) (secrets, answers) of the output y inside the range, at its low end, and at its high end."""
    if scale > 0:
        ground = np.max(logs, axis=0)
        ground = np.where(ground > -inf, ground, 0.0)
        decay = 1 / Fraction(scale)
        logs = smoothed(Law((0,), ground, logs - ground, 0.0), [decay]).log_mass() + log(tanh(float(decay) / 2))
    ends = logs.copy()
    ends[:, [0, -1]] -= log1p(-exp(-1 / scale)) if scale > 0 else 0.0
    return logs, _accumulated(ends), _accumulated(ends[:, ::-1])[:, ::-1]


_LONG: Final = 1 << 13
"""Answers from which on sums of probabilities take less than sums by logs."""


def _accumulated(logs: Array) -> Array:
    """Returns the logs of the sums up to each answer."""
    top = np.max(logs, axis=1, keepdims=True)
    # Long sums go by probabilities, where none is e^-600 of the largest.
    if logs.shape[1] < _LONG or not np.min(logs) > np.max(top) - 600.0:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.logaddexp.accumulate(logs, axis=1))
    return np.asarray(np.log(np.cumsum(np.exp(logs - top), axis=1)) + top)


def _by_sum(outputs: Sequence[Sequence[tuple[Array, Array]]], count: int, epsilon: float, delta: float) -> _Limits:
    """Returns the limits by hockey-stick divergence: it falls as outputs are merged, so a high end has a least low end.

    outputs: inside the range, at its low and at its high end, the pairs of likelihoods in logs.
    """
    first, everywhere = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
    for places in zip(*outputs, strict=True):
        # Past e^700 only the sign of a difference matters.
        inner, low, high = (np.maximum(np.exp(a) - np.exp(np.minimum(epsilon + b, 700.0)), 0.0) for a, b in places)
        passed = np.cumsum(inner)
        # The most that a low end before each answer saves so far, and the cost that a high end there adds.
        left, right = np.minimum.accumulate(low - passed), high + np.concatenate([[0.0], passed[:-1]])
        first = np.maximum(first, np.searchsorted(-left, right - delta))
    return _Limits(everywhere, everywhere, np.maximum.accumulate(first))


def _least_over(values: Array, first: IntArray, stop: IntArray) -> Array:
    """Returns min values[first[i]:stop[i]] for each i (runs,); no run is empty."""
    found = np.empty(len(first))
    # Two runs of a power of 2, which may overlap, cover any other.
    level = np.frexp((stop - first).astype(np.float64))[1] - 1
    table = values
    for power in range(int(np.max(level, initial=0)) + 1):
        here = np.flatnonzero(level == power)
        found[here] = np.minimum(table[first[here]], table[stop[here] - (1 << power)])
        table = np.minimum(table[: -(1 << power)], table[1 << power :])
    return found
