"""Sums over all outputs of Laplace noise on several axes, in boxes. The boxes with the widest enclosures are cut first.

Inside a box every W is linear in θ of each axis (Result 3.4), so it is a mixture of the corners'. φ is convex and
homogeneous. So the corners' values bound its integral from above, and φ of the box's whole mass bounds it from below.
If φ is analytic, Gauss's rule, one axis at a time, with Trefethen's bound (see `laplace_cells`) is closer. If φ is the
larger of two combinations of likelihoods, so is the closed form along one axis (see `crossed_boxes`).

Two answers under Laplace noise of scale 1 about twins, who are both 0 or both 1 with probability 1/2 (one such answer
alone says 0.0885 nats):

>>> from fractions import Fraction
>>> from dalenius.laws.integrals.convex_functionals import Information
>>> from dalenius.laws.laplace_smoothing import smoothed
>>> twins = np.full((2, 2, 2), -np.inf)
>>> twins[0, 0, 0] = twins[1, 1, 1] = 0.0
>>> law = smoothed(Law((0, 0), np.zeros((2, 2)), twins, error=0.0), [Fraction(1), Fraction(1)])
>>> lower, upper, error = over_boxes(Information(np.log([0.5, 0.5])), law, [1.0, 1.0])
>>> round(lower, 6), round(upper, 6), error < 1e-12
(0.16236, 0.16236, True)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.integrals.convex_functionals import NARROW, Functional
from dalenius.laws.integrals.crossed_boxes import above_zero
from dalenius.laws.integrals.laplace_cells import Pointwise
from dalenius.laws.law import Law
from dalenius.laws.limits import MOST_BOX_VALUES, MOST_RULE_VALUES

_BOX_NODES: Final = 10
"""Most nodes along an axis: a box that needs more is cut first."""
_AT_ONCE: Final = 400
"""Least number of boxes cut in one round, as far as they are worth it: numpy takes as long for one."""
_VALUES_AT_ONCE: Final = 1 << 15
"""Most likelihoods at nodes that are computed at once: they stay in a processor's cache."""


def _over_box(
    at: Pointwise, ellipse: "_Ellipse", corners: Array, widths: Array, nodes: IntArray
) -> tuple[Array, Array]:
    """Returns ∫ φ over boxes no wider than b along any axis, per unit of 2b of each, with a bound on its error.

    Both are (boxes,). corners: log W (secrets, corners, boxes); widths: in b, (axes, boxes), 0 for a tail, along
    which nothing changes but a common factor. nodes: how many along each axis (axes, boxes). With I the mean over an
    axis and G its rule, I₁I₂ - G₁G₂ is (I₁ - G₁)I₂ + G₁(I₂ - G₂): the axes' errors add.
    """
    area, off = np.zeros(corners.shape[2]), np.zeros(corners.shape[2])
    kinds, which = np.unique(nodes, axis=1, return_inverse=True)
    for kind, counts in enumerate(kinds.T.tolist()):
        own = np.flatnonzero(which.ravel() == kind)
        area[own], off[own] = _by_nodes(at, ellipse.of(own), corners[..., own], widths[:, own], counts)
    return area, off


@final
@dataclass(frozen=True)
class _Ellipse:
    """An ellipse around each box, with a bound of |φ| where one coordinate is on it and the others are in the box.

    height: over b, (boxes,); largest: the bound (boxes,).
    """

    height: Array
    largest: Array

    def of(self, which: IntArray) -> "_Ellipse":
        """Returns those of the boxes `which`."""
        return _Ellipse(self.height[which], self.largest[which])

    def radius(self, widths: Array) -> Array:
        """Returns the sum of half-axes, where boxes of `widths` over b have 1, along each axis; both (axes, boxes)."""
        reach = np.minimum(2 * self.height / np.maximum(widths, 1e-6), 1e6)
        return np.asarray(reach + np.sqrt(reach**2 + 1))

    def nodes(self, widths: Array, allowed: Array) -> Array:
        """Returns how many nodes a rule needs along each axis (axes, boxes) for an error of at most `allowed`.

        On three axes narrow boxes need a hundredth of the nodes of wide ones. Along a tail it is one.

        Args:
            widths: The widths of the boxes over b, 0 for a tail (axes, boxes).
            allowed: The largest error of a rule (boxes,), on the scale of `largest`.
        """
        doubt = np.clip(allowed / np.maximum(self.largest, 1e-300), 1e-300, 1.0)
        wanted = np.ceil((3 - np.log(doubt)) / (2 * np.log(self.radius(widths))))
        return np.where(widths > 0, np.maximum(wanted, 2.0), 1.0)


def _cheapest(functional: Functional, corners: Array, widths: Array, allowed: Array) -> tuple[_Ellipse, Array] | None:
    """Returns the ellipse of each box that asks for the fewest nodes, and these; None where φ is not analytic.

    A high ellipse is far from the box, but φ is large on it: each height serves boxes of other widths.
    """
    found: tuple[_Ellipse, Array] | None = None
    for height in functional.heights:
        largest = functional.largest_near(corners, height)
        if largest is None:
            return None
        ellipse = _Ellipse(np.full(len(largest), height), largest)
        nodes = ellipse.nodes(widths, allowed)
        if found is None:
            found = ellipse, nodes
            continue
        best, fewest = found
        fewer = np.prod(nodes, axis=0) < np.prod(fewest, axis=0)
        chosen = (np.where(fewer, one, other) for one, other in ((height, best.height), (largest, best.largest)))
        found = _Ellipse(*chosen), np.where(fewer, nodes, fewest)
    return found


def _by_nodes(
    at: Pointwise, ellipse: _Ellipse, corners: Array, widths: Array, nodes: Sequence[int]
) -> tuple[Array, Array]:
    """Does `_over_box` with the given numbers of nodes along each axis."""
    rules = [_rule(count) for count in nodes]
    total, deepest = np.zeros(corners.shape[2]), np.zeros(corners.shape[2])
    hats = [_hats(width, (1 + rule[0][:, None]) / 2) for width, rule in zip(widths, rules, strict=True)]
    shares = (prod(each) for each in product(*((rule[1] / 2).tolist() for rule in rules)))
    for logs in _at_nodes(corners[:, None], hats):
        value = at(logs)
        for own in value:
            total += next(shares) * own
        deepest = np.maximum(deepest, np.max(np.abs(value), axis=0))
    radius, largest = ellipse.radius(widths), ellipse.largest
    bounds = np.where(widths > 0, 64 / 15 * radius ** (-2.0 * np.array(nodes)[:, None]) / (1 - radius**-2.0), 0.0)
    size = np.prod(np.where(widths > 0, widths / 2, 0.5), axis=0)
    rounded = (128 * UNIT) * (deepest + UNIT * largest) * len(widths)
    return total * size, (largest * np.sum(bounds, axis=0) + rounded) * size


@cache
def _rule(nodes: int) -> tuple[Array, Array]:
    """Returns Gauss's rule on (-1, 1): places and shares."""
    places, shares = np.polynomial.legendre.leggauss(nodes)
    return np.asarray(places), np.asarray(shares)


def _at_nodes(corners: Array, hats: Sequence[tuple[Array, Array]]) -> Iterator[Array]:
    """Yields log W (secrets, nodes, boxes), some nodes at once, the last axis first to change.

    The part of the first axes is worked out once for all nodes of the others. corners (secrets, nodes so far,
    corners, boxes).
    """
    if not hats:
        yield corners[:, :, 0]
        return
    secrets, nodes, count, boxes = corners.shape
    (near, far), half = hats[0], count // 2
    # So that few boxes have several nodes at once, because numpy takes as long for one.
    step = max(1, _VALUES_AT_ONCE // (secrets * nodes * boxes * prod(len(each) for each, _ in hats[1:])))
    for first in range(0, len(near), step):
        some = slice(first, first + step)
        low, high = (each[:, :, None] for each in (corners[:, :, :half], corners[:, :, half:]))
        mixed = np.logaddexp(low + near[some, None], high + far[some, None])
        yield from _at_nodes(mixed.reshape(secrets, -1, half, boxes), hats[1:])


def _hats(width: Array, place: Array) -> tuple[Array, Array]:
    """Returns the logs of sinh((1 - place)·width)/sinh(width) and of place alike; a tail's two equal ends share."""
    there = np.where(width > 0, width, 1.0)
    found = [
        np.where(width > 0, np.log(np.sinh(part * there) / np.sinh(there)), np.log(part)) for part in (1 - place, place)
    ]
    return found[0], found[1]


def over_boxes(functional: Functional, law: Law, decays: Sequence[float | None]) -> tuple[float, float, float] | None:
    """Returns lower and upper bounds of ∫ φ, of the relative width NARROW where possible, and their error.

    It is possible as far as MOST_VALUES allow. None where there are too many boxes or axes to begin with.

    Args:
        functional: The function φ of the likelihoods of one output.
        law: The likelihoods, smoothed along every axis.
        decays: By axis, the width of a cell in b; None for an axis whose outputs are points.
    """
    axes = len([decay for decay in decays if decay is not None])
    count = prod(length + (decay is not None) for length, decay in zip(law.box, decays, strict=True))
    # Because a rule on more axes has too many nodes to cut boxes that often.
    if axes > 3 or law.secrets * count * 2**axes > MOST_BOX_VALUES / 2:
        return None
    boxes = _Boxes(functional, *_first(law, decays))
    # Because both bounds are of the same sum, cutting the widest boxes first brings them together soonest.
    for _ in range(200):
        # Because an enclosure's width matters in proportion to the sum.
        enough = NARROW * float(np.sum(boxes.upper))
        settled = functional.settles(float(np.sum(boxes.lower)), float(np.sum(boxes.upper)))
        if settled or boxes.made * law.secrets * 2**axes > MOST_BOX_VALUES:
            break
        wide = boxes.widest(enough)
        # Because bounds may be that close although `settles` asks for closer ones: cutting would not tell more.
        if not len(wide):
            break
        boxes.cut(wide)
    # Because cutting may have moved any log W, by some roundings of its depth in each round: the slack counts them.
    depth = float(np.max(np.abs(law.base)))
    slack = functional.slack(boxes.corners, law.error + (64 + 4 * depth) * UNIT * (axes + boxes.rounds))
    error = float(np.sum(_corner_weights(boxes.widths) * np.sum(slack, axis=0)))
    error += float(np.sum(boxes.upper)) * (512 + 4 * depth + len(boxes.upper)) * UNIT
    return float(np.sum(boxes.lower)), float(np.sum(boxes.upper)), error


def _first(law: Law, decays: Sequence[float | None]) -> tuple[Array, Array]:
    """Returns the corners of all boxes (secrets, corners, boxes), and their widths in b, (axes, boxes).

    Beyond the outermost points all likelihoods fall alike, and the width of a tail is written 0.
    """
    real = [axis for axis, decay in enumerate(decays) if decay is not None]
    logs = np.moveaxis(law.log_mass(), [axis + 1 for axis in real], range(1, len(real) + 1))
    points = prod(logs.shape[len(real) + 1 :])
    padded = np.pad(logs.reshape(*logs.shape[: len(real) + 1], points), [(0, 0), *[(1, 1)] * len(real), (0, 0)], "edge")
    ends = [(slice(0, -1), slice(1, None))] * len(real)
    corners = [padded[(slice(None), *chosen)].reshape(law.secrets, -1) for chosen in product(*ends)]
    widths = [np.full(law.box[axis] + 1, decays[axis]) for axis in real]
    for each in widths:
        each[[0, -1]] = 0.0
    grid = np.meshgrid(*widths, np.ones(points), indexing="ij")[:-1]
    return np.stack(corners, axis=1), np.stack([each.ravel() for each in grid])


@final
class _Boxes:
    """All outputs in boxes with an enclosure of each one's integral; none is ever lost, only cut.

    corners: in the order of `itertools.product`, the last axis first to change.
    """

    def __init__(self, functional: Functional, corners: Array, widths: Array) -> None:
        self._functional = functional
        self._analytic = functional.largest_near(corners[..., :1]) is not None
        self._least: float | None = None
        self.corners, self.widths = corners, widths
        self.rounds, self.made = 0, corners.shape[2]
        self.lower, self.upper, self._axis = self._bounds(corners, widths)

    def widest(self, enough: float) -> IntArray:
        """Returns the boxes worth cutting; enough: how far the bounds of the sum may be apart in the end."""
        gaps = np.where(np.max(self.widths, axis=0) > 0, self.upper - self.lower, 0.0)
        # Because one by one would take as many rounds as boxes, all with a twentieth of the widest enclosure are cut at
        # once. A box that is a tail along every axis has no width to cut.
        least = enough / (2 * len(gaps))
        # Because so many at once take no longer than a few.
        some = float(np.partition(gaps, -_AT_ONCE)[-_AT_ONCE]) if len(gaps) > _AT_ONCE else 0.0
        wanted = gaps > max(min(0.05 * float(np.max(gaps)), some), least)
        # Because all boxes too wide for Gauss's rule are cut sooner or later: at once takes a fifth of the rounds.
        if self._analytic:
            wanted |= (np.max(self.widths, axis=0) > 1.0) & (gaps > least)
        return np.flatnonzero(wanted)

    def cut(self, which: IntArray) -> None:
        """Cuts the boxes `which` in halves, along the axis that narrows their bounds most."""
        self.rounds += 1
        # Because bounds may be furthest apart along any axis, boxes are grouped by it; the rest stay as they are.
        halves = []
        for axis in range(len(self.widths)):
            own = which[self._axis[which] == axis]
            if len(own):
                halves.append(_halves(self.corners[..., own], self.widths[:, own], axis))
        stay = np.ones(self.widths.shape[1], dtype=bool)
        stay[which] = False
        corners = np.concatenate([each for each, _ in halves], axis=2)
        widths = np.concatenate([each for _, each in halves], axis=1)
        bounds = zip((self.lower, self.upper, self._axis), self._bounds(corners, widths), strict=True)
        self.made += corners.shape[2]
        self.corners = np.concatenate([self.corners[..., stay], corners], axis=2)
        self.widths = np.concatenate([self.widths[:, stay], widths], axis=1)
        self.lower, self.upper, self._axis = (np.concatenate([each[stay], more]) for each, more in bounds)

    def _bounds(self, corners: Array, widths: Array) -> tuple[Array, Array, IntArray]:
        """Bounds the integral over boxes, and says along which axis to cut them."""
        weights, at = _corner_weights(widths), self._functional.at
        upper = np.sum(at(corners), axis=0)
        lower = at(np.logaddexp.reduce(corners, axis=1))
        low, high = weights * np.minimum(lower, upper), weights * upper
        if self._analytic:
            return low, high, self._by_rule(corners, widths, low, high)
        axis_of, open_ = np.argmax(widths, axis=0), np.flatnonzero(high > low)
        if len(open_):
            inside = corners[..., open_], widths[:, open_]
            split = self._functional.split(inside[0])
            crossed = np.zeros(len(open_), dtype=bool) if split is None else split.holds
            rest = ~crossed
            if rest.any():
                bounds = inside[0][..., rest], inside[1][:, rest], upper[open_[rest]]
                axis_of[open_[rest]] = self._furthest_apart(*bounds)
            if split is not None and crossed.any():
                here = open_[crossed]
                gap = high[here] - low[here]
                area, off, axis_of[here] = above_zero(split.difference[:, crossed], widths[:, here], gap)
                area += weights[here] * split.ground[:, crossed].sum(axis=0)
                low[here], high[here] = np.fmax(low[here], area - off), np.fmin(high[here], area + off)
        return low, high, axis_of

    def _furthest_apart(self, corners: Array, widths: Array, upper: Array) -> IntArray:
        """Returns the axis along which the bounds of convexity are furthest apart."""
        gaps = []
        for axis, width in enumerate(widths):
            pairs = np.logaddexp(*_sides_of(corners, axis))
            gaps.append(np.where(width > 0, upper - np.sum(self._functional.at(pairs), axis=0), -1.0))
        return np.asarray(np.argmax(np.stack(gaps), axis=0))

    def _by_rule(self, corners: Array, widths: Array, low: Array, high: Array) -> IntArray:
        """Narrows the bounds by Gauss's rule where it holds, and says along which axis to cut."""
        # So that Gauss's rule applies soon: it needs every side to be short, whichever side convexity bounds worst.
        widest = np.max(widths, axis=0)
        axis_of: IntArray = np.argmax(widths, axis=0)
        # Because boxes with such narrow bounds need no rule: all together they are an eighth of the allowed width.
        if self._least is None:
            self._least = NARROW * float(np.sum(high)) / (8 * len(high))
        narrow = np.flatnonzero((widest <= 1.0) & (high - low > self._least))
        if len(narrow):
            upper = high[narrow] / _corner_weights(widths[:, narrow])
            axis_of[narrow] = self._furthest_apart(corners[..., narrow], widths[:, narrow], upper)
        fit = narrow[widest[narrow] > 0]
        # Because Gauss's rule holds within one b only.
        size = np.prod(np.where(widths[:, fit] > 0, widths[:, fit] / 2, 0.5), axis=0)
        # Because closer than a rounding of the integral is not worth a node.
        allowed = np.maximum(self._least, 64 * UNIT * high[fit]) / np.maximum(size, 1e-300)
        found = _cheapest(self._functional, corners[..., fit], widths[:, fit], allowed) if fit.size else None
        if found is not None:
            ellipse, wanted = found
            near = np.flatnonzero(np.max(wanted, axis=0) <= _BOX_NODES)
            fit, nodes = fit[near], wanted[:, near].astype(np.int64)
            # Because with too many likelihoods at its nodes convexity has to do.
            if not fit.size or int(nodes.prod(axis=0).sum()) * len(corners) > MOST_RULE_VALUES:
                return axis_of
            area, off = _over_box(self._functional.at, ellipse.of(near), corners[..., fit], widths[:, fit], nodes)
            low[fit], high[fit] = np.fmax(low[fit], area - off), np.fmin(high[fit], area + off)
        return axis_of


def _corner_weights(widths: Array) -> Array:
    """Returns each corner's share, per unit of 2b of each axis; a tail's two equal corners have a quarter each."""
    return np.asarray(np.prod(np.where(widths > 0, np.tanh(widths / 2) / 2, 0.25), axis=0))


def _sides_of(corners: Array, axis: int) -> tuple[Array, Array]:
    """Returns the corners at the low and at the high end of an axis, (secrets, half the corners, boxes)."""
    secrets, count, boxes = corners.shape
    split = corners.reshape(secrets, 2**axis, 2, -1, boxes)
    return split[:, :, 0].reshape(secrets, count // 2, boxes), split[:, :, 1].reshape(secrets, count // 2, boxes)


def _halves(corners: Array, widths: Array, axis: int) -> tuple[Array, Array]:
    """Returns the corners and widths of both halves of every box, cut in the middle of an axis: first all low ones."""
    secrets, count, boxes = corners.shape
    split = corners.reshape(secrets, 2**axis, 2, -1, boxes)
    low, high = split[:, :, 0], split[:, :, 1]
    # Because cosh in sinh(d/2)/sinh(d) = 1/(2 cosh(d/2)) would overflow, this is in logs.
    width = widths[axis]
    middle = np.logaddexp(low, high) - (width / 2 + np.log1p(np.exp(-width)))
    parts = [np.stack([low, middle], axis=2), np.stack([middle, high], axis=2)]
    narrower = widths.copy()
    narrower[axis] /= 2
    return (
        np.concatenate([each.reshape(secrets, count, boxes) for each in parts], axis=2),
        np.concatenate([narrower, narrower], axis=1),
    )
