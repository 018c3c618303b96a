"""Gauss's rule on boxes of Laplace noise, one axis at a time, with Trefethen's bound (see `quadrature`)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.integrals.quadrature import HEIGHT, Pointwise
from dalenius.laws.law import Array

NODES: Final = 10
NARROWEST: Final = 1e-6


def over_box(at: Pointwise, largest: Array, corners: Array, widths: Array) -> tuple[Array, Array]:
    """∫ φ over boxes no wider than b along any axis, per unit of 2b of each, with a bound on its error, (boxes,).

    corners: log W (secrets, corners, boxes); widths: in b, (axes, boxes), 0 for a tail, along which nothing changes but
    a common factor. largest: |φ| where one coordinate is on the ellipse of HEIGHT and the others are in the box, at
    most. With I the mean over an axis and G its rule, I₁I₂ - G₁G₂ = (I₁ - G₁)I₂ + G₁(I₂ - G₂): the axes' errors add.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    places, shares = (1 + nodes) / 2, weights / 2
    total, deepest = np.zeros(corners.shape[2]), np.zeros(corners.shape[2])
    hats = [[_hats(width, place) for place in places] for width in widths]
    for share, logs in zip(product(shares, repeat=len(widths)), _at_nodes(corners, hats), strict=True):
        value = at(logs)
        total += float(np.prod(share)) * value
        deepest = np.maximum(deepest, np.abs(value))
    height = np.minimum(2 * HEIGHT / np.maximum(widths, NARROWEST), 1e6)
    radius = height + np.sqrt(height**2 + 1)
    bounds = np.where(widths > 0, 64 / 15 * radius ** (-2.0 * NODES) / (1 - radius**-2.0), 0.0)
    size = np.prod(np.where(widths > 0, widths / 2, 0.5), axis=0)
    rounded = (128 * UNIT) * (deepest + UNIT * largest) * len(widths)
    return total * size, (largest * np.sum(bounds, axis=0) + rounded) * size


def _at_nodes(corners: Array, hats: Sequence[Sequence[tuple[Array, Array]]]) -> Iterator[Array]:
    """log W (secrets, boxes) at every node, the last axis first to change: what the first ones say is worked out once
    for all nodes of the others."""
    if not hats:
        yield corners[:, 0]
        return
    half = corners.shape[1] // 2
    for near, far in hats[0]:
        yield from _at_nodes(np.logaddexp(corners[:, :half] + near, corners[:, half:] + far), hats[1:])


def _hats(width: Array, place: float) -> tuple[Array, Array]:
    """log of sinh((1 - place)·width)/sinh(width), and the same of place; of a tail's two equal ends the shares."""
    there = np.where(width > 0, width, 1.0)
    found = [
        np.where(width > 0, np.log(np.sinh(part * there) / np.sinh(there)), np.log(part)) for part in (1 - place, place)
    ]
    return found[0], found[1]
