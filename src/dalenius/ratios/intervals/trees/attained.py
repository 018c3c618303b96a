"""Laws at corners of the boxes of a chain, and what outputs far above or below all answers say of a record under them.

No bound may fall below what they leak; how much that is decides nothing but how narrow an enclosure is.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.boxes import Boxes
from dalenius.ratios.intervals.trees.rows import best_row

Quantity: TypeAlias = Callable[[Array, Array], Array]
"""Of laws of the record (m, k) and log-likelihoods of the output given each value (m, k), up to a constant of each: the
value of each, -inf where it has none."""

LEANINGS: Final = 8
"""Records keep their values as often as they can, rise, fall, or change as often as they can; or in turn."""


def corner_laws(boxes: Boxes, tilts: Array, place: int) -> tuple[Array, Array]:
    """Of a record, from 0: its law, and the log-likelihoods of the output up to a constant, under some laws of the set
    (laws, k). tilts (n, k): the logs by which each record's values weigh at the output.

    All rows before the record lean one way, all from it on one way, and the first record's law to the same side, to the
    other, or to neither.
    """
    weights = np.exp(tilts - tilts.max(axis=1, keepdims=True))
    rows = list(_rows(boxes, tilts))
    order = _order(tilts[0])
    first = np.stack(
        [boxes.middle_first, *(best_row(boxes.first[0], boxes.first[1], each) for each in (order, -order))]
    )
    law = tilted = np.repeat(first[None, :, None], LEANINGS, axis=0)
    for step, each in enumerate(rows[:place]):
        law, tilted = law @ each[:, None], (tilted * weights[step]) @ each[:, None]
        tilted = tilted / tilted.sum(axis=-1, keepdims=True)
    message = np.ones((LEANINGS, boxes.size, 1))
    for step in range(len(rows) - 1, place - 1, -1):
        message = rows[step] @ (weights[step + 1][:, None] * message)
        message = message / message.max(axis=1, keepdims=True)
    law, tilted = law.reshape(-1, 1, boxes.size), tilted.reshape(-1, 1, boxes.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(tilted) - np.log(law) + np.log(message[None, ..., 0]) + tilts[place]
        logs = np.where(law > 0, logs, -np.inf)
    prior = np.broadcast_to(law / law.sum(axis=-1, keepdims=True), logs.shape)
    return prior.reshape(-1, boxes.size), logs.reshape(-1, boxes.size)


def rounding(boxes: Boxes) -> float:
    """By how much the log-likelihoods of `corner_laws` may be off."""
    return 8 * (len(boxes) + 4) * (boxes.size + 2) * UNIT


def _rows(boxes: Boxes, tilts: Array) -> Iterator[Array]:
    """By step (LEANINGS, k, k)."""
    known: dict[tuple[int, bytes], list[Array]] = {}
    for step, (which, tilt) in enumerate(zip(boxes.which.tolist(), tilts[1:], strict=True)):
        key = which, tilt.tobytes()
        if key not in known:
            (low, high), k = boxes.rows[which], boxes.size
            rising = np.broadcast_to(_order(tilt), (k, k))
            leaning = np.stack([best_row(low, high, each) for each in (np.eye(k), rising, -rising, -np.eye(k))])
            known[key] = [np.concatenate([leaning, each]) for each in (leaning, leaning[::-1])]
        yield known[key][step % 2]


def _order(tilt: Array) -> Array:
    return np.argsort(tilt).argsort().astype(np.float64)
