"""A question that bounds one about any law of a box at once: every chance at the end that leaks more."""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.dependence import Dependence
from dalenius.laws.box import Box
from dalenius.laws.law import Array
from dalenius.ratios.intervals.conversion.asked import Asked

HALVINGS: Final = 60
OFF: Final = 1e-12


def rough(asked: Asked) -> Dependence:
    """What leaks grows with the chances of the others' states given the secret, and falls with those given the other
    value, and with the secret's own."""
    box = asked.box
    gain = np.minimum(largest_quotients(box, asked.gain, asked.own) * (1 + OFF), 1.0)
    if asked.against is None:
        share = float(box.smallest(asked.own)) * (1 - OFF)
        return asked.under(gain, np.maximum(box.smallest(asked.cost) * (1 - OFF), 0.0), max(share, 0.0))
    rest = largest_quotients(box, asked.other - asked.cost, asked.other)
    return asked.under(gain, np.maximum(1 - rest * (1 + OFF) - OFF, 0.0), 0.0)


def anyhow(asked: Asked) -> Dependence:
    """What leaks whatever the law of the group is, all others' records changed."""
    share = max(float(asked.box.smallest(asked.own)) * (1 - OFF), 0.0) if asked.against is None else 0.0
    away = asked.size - 1
    return Dependence(
        person=asked.person,
        who=asked.who,
        secret=asked.secret,
        against=asked.against,
        gain=np.array([1.0, 0.0]),
        cost=np.array([0.0, 1.0 - share]),
        share=share,
        apart=np.array([[0, away], [away, 0]]),
        size=asked.size,
        error=64 * UNIT,
        states=np.array([[0, away], [away, 0]]),
        counted=True,
    )


def largest_quotients(box: Box, above: Array, below: Array) -> Array:
    """The largest above·p / below·p (n,) over the laws p of the box, from above; above (n, m) is at most below (m,)."""
    low, high = np.zeros(len(above)), np.ones(len(above))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        more = box.largest(above - middle[:, None] * below) > 0
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return high


def tried(asked: Asked) -> Array:
    """Some extreme laws (v, m): those that make one chance or a difference of two large."""
    directions = np.concatenate([asked.gain, asked.cost, asked.own[None], asked.other[None]])
    laws = asked.box.best(np.concatenate([directions, -directions]))
    return np.asarray(np.unique(np.concatenate([laws, asked.box.point[None]]), axis=0))
