"""Integrals of max(D, 0) over boxes of outputs that a surface D = 0 crosses from one side to the opposite one.

Inside a box of Laplace noise D, a difference of likelihoods, is determined by its values at the corners: along each
axis it is (f₀ sinh(d-u) + f₁ sinh u)/sinh d, as the likelihoods are (Result 3.4). Along the axis that the surface
crosses, the integral of max(D, 0) has a closed form, F = h²(1-s²)/(2(√P + √Q)²) with s = e^{-d}, P = h + g and Q =
s²h + g; h is D at the end where it is positive, and g is -sD at the other end. Along the other axes F is integrated
by Gauss's rule. P and Q are positive at all corners. On an ellipse about an axis Re P(x + iτ) = cos τ · P(x), so that
√P and √Q are analytic where P(x) and Q(x) have no zero; how far that is follows from the quotients of corners.

D falls from 1 to -1 along the first axis of a box of one b by one b, and along the second it does not change but for
its curvature; the part above 0 is about a quarter:

>>> area, off, _ = above_zero(np.array([1.0, 1.0, -1.0, -1.0])[:, None], np.ones((2, 1)))
>>> area.round(6).tolist(), bool(off[0] < 1e-9)
([0.056591], True)
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.integrals.laplace_cells import HEIGHT

_NODES: Final = 8
_ACROSS: Final = 0.25
"""Weight of the crossed axis where a box is cut along the axis along which D changes most."""


@final
@dataclass(frozen=True, eq=False)
class Split:
    """A functional as ground + max(difference, 0) in boxes, both linear in the likelihoods.

    Args:
        ground: At the corners (corners, boxes).
        difference: At the corners (corners, boxes).
        holds: In which boxes the functional is that (boxes,).
    """

    ground: Array
    difference: Array
    holds: NDArray[np.bool_]

    @classmethod
    def of(cls, difference: Array) -> "Split":
        """Returns max(difference, 0), which holds wherever the `difference` (corners, boxes) is finite."""
        return cls(np.zeros(difference.shape), difference, np.asarray(np.all(np.isfinite(difference), axis=0)))


def two_ahead(logs: Array) -> Split:
    """Returns the largest of several combinations of likelihoods, in boxes where it is one of two.

    Args:
        logs: Logs of the combinations at the corners (combinations, corners, boxes).

    Returns:
        The split. It holds where two are ahead at some corner each, and a mixture of the two is ahead of all others.
    """
    top = np.max(logs, axis=(0, 1))
    top = np.where(top > -np.inf, top, 0.0)
    masses, boxes = np.exp(logs - top), np.arange(logs.shape[2])
    ahead = np.argmax(masses, axis=0)
    one, other = ahead.min(axis=0), ahead.max(axis=0)
    first, second = masses[one, :, boxes].T, masses[other, :, boxes].T
    behind = np.zeros((len(masses), len(boxes)), dtype=bool)
    behind[one, boxes] = behind[other, boxes] = True
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        # Because all are linear in the likelihoods: ahead at all corners is ahead everywhere.
        behind |= np.all(masses <= share * first + (1 - share) * second, axis=1)
    scale = np.exp(top)
    return Split(second * scale, (first - second) * scale, np.asarray(np.all(behind, axis=0)))


def above_zero(values: Array, widths: Array, known: Array | float = np.inf) -> tuple[Array, Array, IntArray]:
    """Returns the integral of max(D, 0) over boxes, per unit of 2b of each axis, its error, and where to cut.

    Args:
        values: D at the corners (corners, boxes), the last axis first to change.
        widths: Widths of the boxes (axes, boxes), in b; 0 for a tail, along which nothing changes but a common
            factor.
        known: The width of other bounds (boxes,); where the rule is hardly narrower it is left out.

    Returns:
        The integral and a bound on its error (boxes,), which is infinite where the surface crosses no axis from side
        to side; and by box, the axis along which to cut it.
    """
    area, off = np.zeros(values.shape[1]), np.full(values.shape[1], np.inf)
    way = np.full(values.shape[1], -1)
    for axis in range(len(widths)):
        crossed = np.flatnonzero(_crossed(values, axis) & (widths[axis] > 0))
        if len(crossed):
            lines = _Lines(values[:, crossed], widths[:, crossed], axis)
            better = lines.bound < off[crossed]
            off[crossed[better]], way[crossed[better]] = lines.bound[better], axis
    off = np.where(off < 0.5 * known, off, np.inf)
    for axis in range(len(widths)):
        chosen = np.flatnonzero((way == axis) & (off < np.inf))
        if len(chosen):
            area[chosen], off[chosen] = _Lines(values[:, chosen], widths[:, chosen], axis).integral()
    return area, off, _where_to_cut(values, widths)


def _crossed(values: Array, axis: int) -> Array:
    """Says whether D has one sign at all corners of one side, and the other sign at the opposite side's."""
    near, far = sides(values, axis)
    up, down = (near > 0).all(axis=0) & (far <= 0).all(axis=0), (near <= 0).all(axis=0) & (far > 0).all(axis=0)
    return np.asarray(up | down)


def sides(values: Array, axis: int) -> tuple[Array, Array]:
    """Returns `values` (corners, boxes) at the low and at the high end of an `axis`, (half the corners, boxes) each."""
    split = values.reshape(2**axis, 2, -1, values.shape[1])
    return split[:, 0].reshape(-1, values.shape[1]), split[:, 1].reshape(-1, values.shape[1])


def _where_to_cut(values: Array, widths: Array) -> IntArray:
    """Returns the axis along which D changes most; the crossed axis counts less, as the closed form serves it."""
    changes = np.stack([np.abs(np.subtract(*sides(values, axis))).max(axis=0) for axis in range(len(widths))])
    changes = np.where(widths > 0, changes, -1.0)
    boxes, first = np.arange(values.shape[1]), np.argmax(changes, axis=0)
    changes[first, boxes] *= np.where(changes[first, boxes] > 0, _ACROSS, 1.0)
    return np.asarray(np.argmax(changes, axis=0))


class _Lines:
    """The lines of boxes along one axis, which a surface crosses from side to side."""

    def __init__(self, values: Array, widths: Array, axis: int) -> None:
        near, far = sides(values, axis)
        self._shrunk, self._spread = np.exp(-widths[axis]), -np.expm1(-2 * widths[axis])
        self._high = np.maximum(near, far)
        self._faint = -np.minimum(near, far) * self._shrunk
        self._others = np.delete(widths, axis, axis=0)
        self.bound = self._truncation()

    def integral(self) -> tuple[Array, Array]:
        """Returns the integrals, and bounds on their errors (boxes,)."""
        nodes, weights = _rule()
        # The shape is (nodes of the axes so far, corners of the others, boxes).
        high, faint, shares = self._high[None], self._faint[None], np.ones(1)
        for width in self._others:
            near, far = _hats(width, (1 + nodes)[:, None, None, None] / 2)
            high, faint = (_between(each, near, far) for each in (high, faint))
            shares = np.multiply.outer(weights / 2, shares).ravel()
        high, faint = high[:, 0], faint[:, 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            roots = np.sqrt(high + faint) + np.sqrt(high * self._shrunk**2 + faint)
            lines = np.where(high > 0, (high / roots) ** 2, 0.0)
        total = shares @ lines * (self._spread / 2)
        size = self._size()
        return total * size, self.bound + 256 * UNIT * (total + self._high.max(axis=0)) * size

    def _truncation(self) -> Array:
        """Returns a bound of the rule's error: the axes' errors add."""
        above = self._high + self._faint, self._high * self._shrunk**2 + self._faint
        largest = sum((each.max(axis=0) for each in above), np.zeros(len(self._shrunk)))
        total = np.zeros(len(self._shrunk))
        for axis, width in enumerate(self._others):
            # Because no P, Q or cosine may have a zero on the ellipse, this bounds how far it may reach.
            least = np.min([_least_quotient(each, axis) for each in above], axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                zero = (1 + least) / (1 - least)
                reach = np.minimum(0.999 * np.where(least < 1, zero, np.inf), 2 * HEIGHT / np.maximum(width, 1e-6))
            reach = np.clip(reach, 1.0, 1e6)
            radius = reach + np.sqrt(reach**2 - 1)
            grown = (1 + reach) * np.cosh(np.minimum(reach * width / 2, 300.0))
            with np.errstate(divide="ignore", invalid="ignore"):
                rest = 64 / 15 * grown * radius ** (-2.0 * _NODES) / (1 - radius**-2.0)
            # The case of an ellipse that reaches no further than the box, its only point.
            rest = np.where(radius > 1 + 1e-6, rest, np.inf)
            total += np.where(width > 0, rest, 0.0)
        return np.asarray(total * largest / self._spread * self._size())

    def _size(self) -> Array:
        return np.asarray(np.prod(np.where(self._others > 0, self._others / 2, 0.5), axis=0))


@cache
def _rule() -> tuple[Array, Array]:
    """Returns Gauss's nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _between(corners: Array, near: Array, far: Array) -> Array:
    """Returns values at nodes along the first of the axes (all nodes, half the corners, boxes).

    near, far: the shares of its two ends at each node (nodes, 1, 1, boxes).
    """
    half = corners.shape[1] // 2
    found = near * corners[:, :half] + far * corners[:, half:]
    return np.asarray(found.reshape(-1, *found.shape[2:]))


def _hats(width: Array, place: Array) -> tuple[Array, Array]:
    """Returns sinh((1 - place)·width)/sinh(width), and that of place alike; for a tail's two equal ends the shares."""
    there = np.where(width > 0, width, 1.0)
    low, up = (np.where(width > 0, np.sinh(part * there) / np.sinh(there), part) for part in (1 - place, place))
    return low, up


def _least_quotient(values: Array, axis: int) -> Array:
    """Returns the least quotient, at most 1, of values at two corners that an edge along the axis joins."""
    near, far = sides(values, axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.minimum(near, far) / np.maximum(near, far)
    return np.asarray(np.where(np.isnan(found), 1.0, found).min(axis=0))
