"""What a stream of answers leaks of each step's value.

Whatever private mechanisms give them, at most α_t = ε_t + L(α_{t−1}) (Results 9.8, 9.9 and 9.11): L says how far what
is known of one step can tell apart two values of the next, the greatest ratio of two rows.

With Laplace or geometric noise, exactly (Result 9.10). An answer adds the person's contribution to what the adversary
knows. Its noise's likelihoods, as functions of the value, are e^{−|y − c|ε/Δ}, and all of them are mixtures of those
with y at a contribution. A step sends the likelihoods v of what came before to w∘(Bv), w one of these: linearly, so
only extreme rays matter. Logs throughout.

A value of two that is kept with .9 (else drawn anew), and answers of .1 nats: the third says .271 nats of its step.

>>> from dalenius.joints.chain_over_time import persistent
>>> any_losses(persistent((0, 1), 3, 0.9), np.full(3, 0.1)).upper.round(4).tolist()
[0.1, 0.19, 0.2709]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure
from dalenius.joints.chain_over_time import OverTime
from dalenius.laws.law import Array, IntArray

_FARTHEST: Final = 1e9
"""Nats beyond which no limit is looked for."""
_NEARLY: Final = 1e-11
"""How far a matrix may be, in logs, from one that keeps an order; what it is off counts in the error."""
_MOST_RAYS: Final = 1 << 12
"""Rays up to which all are kept."""
_FAINTEST_SHARE: Final = 1e-9
"""Entries, as shares, below which a hull in the plane is too imprecise."""
_SAME: Final = 2.0**-40
"""Rays whose logs are no further apart count as one."""


@final
@dataclass(frozen=True, eq=False)
class StepLosses:
    """Of every step (T,), in nats: lower <= truth <= upper."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.upper)

    def __getitem__(self, step: int) -> Enclosure:
        """Of one step, from 0."""
        return Enclosure(float(self.lower[step]), float(self.upper[step]))

    @property
    def largest(self) -> Enclosure:
        """Of the step about which most leaks."""
        return Enclosure(float(self.lower.max()), float(self.upper.max()))

    def at_most(self, other: "StepLosses") -> "StepLosses":
        """The same, known to be at most another's upper ends."""
        upper = np.minimum(self.upper, other.upper)
        return StepLosses(np.minimum(self.lower, upper), upper)

    def turned(self) -> "StepLosses":
        """The last step first."""
        return StepLosses(self.lower[::-1], self.upper[::-1])


@final
@dataclass(frozen=True, eq=False)
class Contraction:
    """L of one matrix. Logs, by pair of rows and set of states: what the likelier row has `inside` the set and
    `outside` it, and the other (`other_`); error: of L(0); roundings: what each nat adds to it."""

    inside: Array
    outside: Array
    other_inside: Array
    other_outside: Array
    error: float
    roundings: float

    def ends(self, lower: float, upper: float) -> tuple[float, float]:
        """L at two places, from below and from above: 0 <= L(α) <= α."""
        ends = np.array([[lower], [upper]])
        above = np.logaddexp(self.inside + ends, self.outside)
        below = np.logaddexp(self.other_inside + ends, self.other_outside)
        low, high = (above - below).max(axis=1, initial=0.0).tolist()
        slack = self.slack(upper)
        return max(low - slack, 0.0), min(high + slack, upper)

    def slack(self, place: float) -> float:
        return self.error + self.roundings * place

    def limit(self, epsilon: float) -> Enclosure:
        """What α ← ε + L(α) rises to; infinite where it does not end (Result 9.9)."""
        # Sets of states that the other row cannot reach: an answer that says so reveals more with every step.
        never = np.isneginf(self.other_inside)
        certain = bool((never & np.isneginf(self.outside)).any())
        growth = epsilon + (0.0 if certain else float(self.inside[never].max(initial=-inf)))
        if growth >= 0 and (certain or growth > self.slack(epsilon)):
            return Enclosure(inf, inf)
        lower = self._largest_below(epsilon)
        step = 8 * self.slack(lower)
        while lower + step < _FARTHEST and nextafter(epsilon + self.ends(0.0, lower + step)[1], inf) > lower + step:
            step *= 2
        # Growth that rounding cannot tell from none: from above nothing is known.
        doubtful = growth >= -self.slack(epsilon) or lower + step >= _FARTHEST
        return Enclosure(lower, inf if doubtful else lower + step)

    def _largest_below(self, epsilon: float) -> float:
        """A place at which ε + L(α) >= α for certain."""
        low, high = epsilon, 2 * epsilon + 1
        while self._rises(epsilon, high) and high < _FARTHEST:
            low, high = high, 2 * high
        return bisected(lambda place: self._rises(epsilon, place), low, high)[0]

    def _rises(self, epsilon: float, place: float) -> bool:
        return nextafter(epsilon + self.ends(place, place)[0], -inf) >= place


def _contraction(logs: Array, possible: NDArray[np.bool_], error: float) -> Contraction:
    """logs (k, k): a matrix by rows; possible (k,): the rows that count. Of two rows p, q and vectors whose entries
    differ by a factor of at most e^α, p·v/q·v is largest where v is e^α on the states with the largest p/q."""
    first, second = np.nonzero(possible[:, None] & possible & ~np.eye(len(logs), dtype=np.bool_))
    rows, others = logs[first], logs[second]
    with np.errstate(invalid="ignore"):
        order = np.argsort(-np.nan_to_num(rows - others, nan=0.0, posinf=inf, neginf=-inf), axis=-1, kind="stable")
    inside, outside = _split(np.take_along_axis(rows, order, axis=-1))
    other_inside, other_outside = _split(np.take_along_axis(others, order, axis=-1))
    parts = inside, outside, other_inside, other_outside
    largest = max(float(np.abs(part[part > -inf]).max(initial=0.0)) for part in parts)
    roundings = 32 * (len(logs) + 2) * UNIT
    return Contraction(inside, outside, other_inside, other_outside, 4 * error + roundings * (1 + largest), roundings)


def _split(rows: Array) -> tuple[Array, Array]:
    """The logs of what the first 1, .., k − 1 entries have, and of the rest."""
    inside = np.logaddexp.accumulate(rows, axis=-1)[:, :-1]
    outside = np.logaddexp.accumulate(rows[:, ::-1], axis=-1)[:, ::-1][:, 1:]
    return inside.ravel(), outside.ravel()


def any_losses(over: OverTime, epsilons: Array) -> StepLosses:
    """Of each step's value, by the answers up to it, whatever mechanisms give them; 0 where it has one value."""
    several = (over.possible.sum(axis=1) > 1).tolist()
    low = high = float(epsilons[0]) * several[0]
    found = [(low, high)]
    made: dict[tuple[int, bytes], Contraction] = {}
    for step, epsilon in enumerate(epsilons[1:].tolist(), 1):
        if over.backward is None:  # the adversary does not know how steps follow each other
            low = high = 0.0
        else:
            which, possible = int(over.backward.which[step - 1]), over.possible[step]
            key = which, possible.tobytes()
            if key not in made:
                made[key] = _contraction(over.backward.logs[which], possible, over.backward.error)
            low, high = made[key].ends(low, high)
        low, high = max(epsilon, nextafter(epsilon + low, -inf)), nextafter(epsilon + high, inf) if high else epsilon
        # A step at which only one value can occur, as being alive at the start: there is nothing to tell apart.
        low, high = low * several[step], high * several[step]
        found.append((low, high))
    lower, upper = np.array(found).T
    return StepLosses(lower, upper)


def limit(over: OverTime, epsilon: float) -> Enclosure | None:
    """What the losses rise to with the number of steps; None where the steps are not all alike."""
    if over.backward is None:  # nothing of earlier steps reaches this one
        return Enclosure(epsilon, epsilon)
    # Weekdays and Sundays, or a start that rules values out: no one map is applied for ever.
    if not over.backward.only or not (over.possible == over.possible[0]).all():
        return None
    return _contraction(over.backward.logs[0], over.possible[0], over.backward.error).limit(epsilon)


def process_loss(over: OverTime, differences: Array, epsilons: Array) -> Enclosure:
    """The largest Σ_t ε_t·differences(x_t, x′_t) over two possible paths x, x′: of all values together (Result 9.11).

    differences (k, k): how much of ε_t the answers' likelihoods may differ between two values, 0 to 1.
    """
    # Only what a step says of the one before is known: the path is read backwards, and is as long.
    if over.forward is None:
        over, epsilons = over.reversed(), epsilons[::-1]
    known = over.forward
    steps = np.zeros((1, *differences.shape)) if known is None else np.where(np.isneginf(known.logs), -inf, 0.0)
    both = np.where(over.possible[:, :, None] & over.possible[:, None, :], 0.0, -inf)
    found = both[0] + differences * epsilons[0]
    for step in range(1, len(over)):
        onwards = steps[0 if known is None else known.which[step - 1]][:, :, None]
        one = (onwards + found[:, None, :]).max(axis=0)
        found = (onwards + one.T[:, None, :]).max(axis=0).T + both[step] + differences * epsilons[step]
    longest = float(found.max())
    error = (len(epsilons) + 2) * UNIT * longest if len(epsilons) > 1 else 0.0
    return Enclosure(max(longest - error, 0.0), longest + error)


class _Pairs(NamedTuple):
    """lower, upper (T, k, k): the largest log W(y|i)/W(y|j) over outputs y; -inf for impossible values."""

    lower: Array
    upper: Array

    def losses(self) -> StepLosses:
        """Of the worst two values of each step; 0 where there are none."""
        lower, upper = (end.max(axis=(1, 2), initial=0.0) for end in self)
        return StepLosses(np.maximum(lower, 0.0), upper)


class Additive(NamedTuple):
    """What answers with noise of scale Δ/ε_t leak; differences (k, k): how much of ε one answer's likelihoods differ
    between two values."""

    backward: StepLosses
    forward: StepLosses
    total: StepLosses
    differences: Array


def additive_losses(over: OverTime, contributions: Sequence[Fraction], epsilons: Array) -> Additive:
    """contributions (k,): what each value adds to the answers, of which Δ is the widest distance; epsilons (T,)."""
    low, span = min(contributions), max(contributions) - min(contributions)
    places = np.array([float((each - low) / span) for each in contributions])
    backward = _pairs(over, places, epsilons)
    forward = _Pairs(*(end[::-1] for end in _pairs(over.reversed(), places, epsilons[::-1])))
    # Given the step's value, the answers before, its own and those after are independent: for each pair of values the
    # three are largest together, and the own counts once.
    differences = np.abs(np.subtract.outer(places, places))
    lower, upper = (
        one + other - differences * epsilons[:, None, None] for one, other in zip(backward, forward, strict=True)
    )
    size = UNIT * 8 * (1 + np.abs(np.where(np.isfinite(upper), upper, 0.0)))
    return Additive(backward.losses(), forward.losses(), _Pairs(lower - size, upper + size).losses(), differences)


class _Rays(NamedTuple):
    """logs (r, k), the largest of each 0; complete: whether none that matters has been left out; error: how far logs of
    ratios may be off."""

    logs: Array
    complete: bool
    error: float


class _Step(NamedTuple):
    """logs (c, c): of a matrix between classes; sign: 1 if it keeps the order, -1 if it reverses it, 0 if neither;
    error: of logs of ratios, from one application; shrinks: the factor by which it shrinks errors from before."""

    logs: Array
    sign: int
    error: float
    shrinks: float


def _pairs(over: OverTime, places: Array, epsilons: Array) -> _Pairs:
    """By the answers up to each step, its own counted; places (k,): the contributions, from 0 to 1."""
    classes = _classes(over, places)
    first = np.unique(classes, return_index=True)[1]
    levels = places[first]
    noise = -np.abs(np.subtract.outer(np.unique(levels), levels))
    lower, upper = (np.empty((len(over), len(levels), len(levels))) for _ in range(2))
    for step, rays in enumerate(_along(_steps(over, classes, first), noise, epsilons)):
        most = np.max(rays.logs[:, :, None] - rays.logs[:, None, :], axis=0)
        lower[step] = most - rays.error
        upper[step] = most + rays.error if rays.complete else inf
    wide = np.ix_(np.arange(len(over)), classes, classes)
    counts = over.possible[:, :, None] & over.possible[:, None, :] & ~np.eye(len(classes), dtype=np.bool_)
    return _Pairs(np.where(counts, lower[wide], -inf), np.where(counts, upper[wide], -inf))


def _along(steps: Sequence[_Step | None], noise: Array, epsilons: Array) -> Iterator[_Rays]:
    """By step the rays, its own answer counted. Where all matrices keep or reverse the order two are enough, the
    highest and the lowest outputs always; None: the steps before say nothing."""
    ordered = all(step is None or step.sign for step in steps)
    # A week of activities, say, in which what follows the middle one is neither end: outputs between the extremes count
    # too. So many contributions are looked at; with more the loss is between what some outputs leak and what any does.
    all_outputs = not ordered and noise.shape[1] <= 8
    noise = noise if all_outputs else noise[[0, -1]]
    rays = _Rays(noise * epsilons[0], ordered or all_outputs, 4 * UNIT * (1 + float(epsilons[0])))
    yield rays
    for epsilon, step in zip(epsilons[1:].tolist(), steps, strict=True):
        if step is None:  # nothing is known of how steps follow: each begins anew
            rays = _Rays(noise * epsilon, rays.complete, 4 * UNIT * (1 + epsilon))
        else:
            before = np.logaddexp.reduce(rays.logs[:, None, :] + step.logs, axis=2)
            size = 1 + epsilon + float(np.ptp(before, axis=1).max())
            error = rays.error * step.shrinks + step.error + 16 * UNIT * size
            if all_outputs:
                here = (noise[:, None, :] * epsilon + before).reshape(-1, noise.shape[1])
                rays = _pruned(_scaled(here), rays.complete, error)
            else:
                rays = _Rays(_scaled(noise * epsilon + before[:: step.sign or 1]), ordered, error)
        yield rays


def _scaled(logs: Array) -> Array:
    return np.asarray(logs - logs.max(axis=1, keepdims=True))


def _pruned(logs: Array, complete: bool, error: float) -> _Rays:
    """Without those that cannot matter, and where there are still too many, without others too."""
    _, first = np.unique(np.round(logs / _SAME), axis=0, return_index=True)
    error += 2 * _SAME if len(first) < len(logs) else 0.0
    logs = logs[np.sort(first)]
    # Of three values (ill, recovering, well) rays are points of a plane, and corners of their hull are few for ever.
    if logs.shape[1] == 3 and len(logs) > 3:
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        if (faintest := float(shares.min())) > _FAINTEST_SHARE:
            kept, outside = _corners(shares[:, :2])
            logs, error = logs[kept], error + 4 * outside / faintest
    if len(logs) <= _MOST_RAYS:
        return _Rays(logs, complete, error)
    ratios = (logs[:, :, None] - logs[:, None, :]).reshape(len(logs), -1)
    return _Rays(logs[np.unique(ratios.argmax(axis=0))], False, error)


def _corners(points: Array) -> tuple[IntArray, float]:
    """The corners of the convex hull of points in the plane (n, 2), and how far outside it any may be."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:  # all on one line
        return np.arange(len(points)), 0.0
    outside = points @ hull.equations[:, :2].T + hull.equations[:, 2]
    return np.sort(hull.vertices), max(float(outside.max()), 0.0) + 32 * UNIT


def _classes(over: OverTime, places: Array) -> IntArray:
    """Values with one contribution count as one where they also say the same of the step before. Numbered by place."""
    _, classes = np.unique(places, return_inverse=True)
    ranks = np.argsort(np.argsort(places, kind="stable"), kind="stable")
    if over.backward is None or len(set(classes.tolist())) == len(places):
        return classes
    # Values that cannot occur at some step have no row there to compare: nothing is merged.
    if not over.possible.all():
        return ranks
    sums = _merged(over.backward.logs, classes)
    for each in range(classes.max() + 1):
        rows = sums[:, classes == each]
        with np.errstate(invalid="ignore"):
            spread = np.nan_to_num(rows.max(axis=1) - rows.min(axis=1), nan=0.0)
        if spread.max(initial=0.0) > _NEARLY / 8:  # of a single answer there is no step before
            return ranks
    return classes


def _merged(logs: Array, classes: IntArray) -> Array:
    """Columns of one class added up (m, k, c)."""
    columns = [np.logaddexp.reduce(logs[..., classes == each], axis=-1) for each in range(classes.max() + 1)]
    return np.stack(columns, axis=-1)


def _steps(over: OverTime, classes: IntArray, first: IntArray) -> list[_Step | None]:
    """By step from the second on, `first` being one value of each class."""
    if over.backward is None:
        return [None] * (len(over) - 1)
    lumped = _NEARLY * (len(first) < len(classes))
    logs = _merged(over.backward.logs, classes)[:, first]
    made: dict[tuple[int, bytes], _Step] = {}
    found: list[_Step | None] = []
    for which, alive in zip(over.backward.which.tolist(), over.possible[1:, first], strict=True):
        key = which, alive.tobytes()
        if key not in made:
            made[key] = _step(logs[which], alive, 2 * over.backward.error + lumped)
        found.append(made[key])
    return found


def _step(logs: Array, alive: NDArray[np.bool_], error: float) -> _Step:
    """What a matrix between classes does to rays; alive (c,): the classes that can occur after it."""
    low, high = _minors(logs[alive])
    off = {1: max(-low, 0.0), -1: max(high, 0.0)}
    sign = min(off, key=lambda each: (off[each], -each))
    sign, slack = (sign, 4 * off[sign] * len(logs) ** 2) if off[sign] <= _NEARLY else (0, 0.0)
    size = float(np.abs(logs[logs > -inf]).max(initial=0.0))
    widest = max(high, -low, 0.0)
    shrinks = 1.0 if widest > 100 else float(np.tanh(widest / 4)) * (1 + 1e-9)
    return _Step(logs, sign, error + slack + 16 * (len(logs) + 2) * UNIT * (1 + size), min(shrinks, 1.0))


def _minors(logs: Array) -> tuple[float, float]:
    """The least and the largest log P(i,x)P(j,y) − log P(i,y)P(j,x) for rows i < j and columns x < y; 0 where both
    vanish."""
    i, j = np.triu_indices(len(logs), 1)
    with np.errstate(invalid="ignore"):
        ratios = logs[i] - logs[j]
        low = np.fmin.accumulate(ratios, axis=1)[:, :-1] - ratios[:, 1:]
        high = np.fmax.accumulate(ratios, axis=1)[:, :-1] - ratios[:, 1:]
    return float(np.nanmin(low, initial=inf)), float(np.nanmax(high, initial=-inf))
