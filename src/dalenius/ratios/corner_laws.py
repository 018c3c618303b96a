"""What outputs say of each record of a network whose probabilities lie in intervals: from above by messages, and from
below by laws at corners of the boxes, at outputs far above or below all answers.

No bound may fall below what they leak; how much that is decides nothing but how narrow an enclosure is.

Ten days, each well one followed by an ill one with .02 to .06, counted with Laplace noise of scale 2. Of the fifth day
some law of these leaks 3.881146 nats, and none more than 3.884195:

>>> import dalenius as dl
>>> rows = [[[0.94, 0.98], [0.02, 0.06]], [0.1, 0.9]]
>>> days = dl.Chain(n=10, initial=[0.8, 0.2], transition=rows).joints()[0]
>>> enclosed = Enclosed(days, [np.array([[0.0], [1.0]])] * 10, 0.5)
>>> low = enclosed.attained(4, lambda prior, logs: np.abs(logs[:, 1] - logs[:, 0]))
>>> f"{low:.5f} {enclosed.regions(4).ratio.max():.5f}"
'3.88115 3.88419'
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.boxes import Quantity, Regions, best_row, inside, patterns
from dalenius.ratios.credal_network import CredalNetwork, MessageBounds

_WAYS: Final = 6
"""Nodes keep their parent's value, follow their parent, rise, fall, turn from it, or leave its value."""


@final
class CornerLaws:
    """tilts: by node, the logs by which its values weigh at the output (k,).

    432 laws of a node, not all corners: of n nodes there are more than 2^n. Rows lean towards the values that
    the output favours, away from them, or keep what the parent was.
    """

    def __init__(self, law: CredalNetwork, tilts: Sequence[Array]) -> None:
        self.law, self.net = law, law.net
        self._tilts = [each - each.max() for each in tilts]
        self._steepest = max(-float(each.min()) for each in self._tilts)
        self._found: dict[int, tuple[Array, Array]] = {}
        self._rows: dict[tuple[int, int, bytes], Array] = {}

    def of(self, number: int) -> tuple[Array, Array]:
        """Of a node, under each of some laws of the set (laws, k): its law, and the log-likelihoods of the
        output up to a constant of each."""
        if number not in self._found:
            self._found[number] = self._in_tree(number)
        return self._found[number]

    def attained(self, number: int, quantity: Quantity) -> float:
        """The most that these laws attain, from below."""
        values = self.law.possible(number + 1)
        prior, logs = self.of(number)
        value = float(quantity(prior[:, values], logs[:, values]).max())
        return value - 2 * self.rounding(number) * (1 + abs(value))

    def rounding(self, number: int) -> float:
        """By how much these log-likelihoods may be off."""
        nodes, size = len(self.net.nodes) + 4, self.net.nodes[number].size
        return 8 * (size + 2) * nodes * UNIT * (1 + self._steepest)

    def _in_tree(self, number: int) -> tuple[Array, Array]:
        """All below the node lean one way, step after step or in turn, all others one way, and the root's law to one
        side, to the other, or to neither."""
        path = [number]
        while (above := self.net.nodes[path[-1]].parent) is not None:
            path.append(above)
        (low, high), order = self.net.nodes[path[-1]].rows[:, 0], _order(self._tilts[path[-1]])
        # The root's own law: amid its box, or pushed to either side.
        first = np.stack([inside(low, high), best_row(low, high, order), best_row(low, high, -order)])
        prior = tilted = np.repeat(first[:, None, None], 2 * _WAYS, axis=1)
        # Down from the root to the node, all branches that leave the path on the way included.
        for parent, child in zip(path[:0:-1], path[-2::-1], strict=True):
            # What a sister says of the parent is seen in the output too.
            others = [each for each in self.net.children[parent] if each != child]
            weights, rows = self._weights(parent, others, self._messages), self._leaning(child)
            prior, tilted = prior @ rows, (tilted * np.exp(weights)[:, None]) @ rows
            # The two run side by side, one law as it is and one as the output weighs it; up to a factor.
            tilted = tilted / tilted.sum(axis=-1, keepdims=True)
        prior = prior / prior.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(tilted) - np.log(prior) + self._weights(number, self.net.children[number], self._messages)
        k = prior.shape[-1]
        prior = np.broadcast_to(prior, logs.shape)
        return prior.reshape(-1, k), np.where(prior > 0, logs, -np.inf).reshape(-1, k)

    @cached_property
    def _messages(self) -> Mapping[int, Array]:
        """By node, the logs of what it and all below it say of its parent (ways, states)."""
        found: dict[int, Array] = {}
        for number in reversed(self.net.order):
            if self.net.nodes[number].parent is not None:
                weights = self._weights(number, self.net.children[number], found)
                with np.errstate(divide="ignore"):
                    found[number] = np.log((self._leaning(number) @ np.exp(weights)[..., None])[..., 0])
        return found

    def _weights(self, number: int, children: Sequence[int], messages: Mapping[int, Array]) -> Array:
        """The logs by which a node's values weigh, these children's messages included (ways, k), the largest 0."""
        found = self._tilts[number] + sum((messages[each] for each in children), np.zeros((2 * _WAYS, 1)))
        return np.asarray(found - found.max(axis=1, keepdims=True))

    def _leaning(self, number: int) -> Array:
        """A node's rows: each way, and each way after the opposite one (2 ways, states of the parent, k)."""
        node, tilt, odd = self.net.nodes[number], self._tilts[number], self.net.depth[number] % 2
        key = id(node.rows), odd, tilt.tobytes()
        if key not in self._rows:
            low, high = node.rows
            m, k = low.shape
            rising = np.broadcast_to(_order(tilt), (m, k))
            following = np.where(2 * np.arange(m)[:, None] >= m, rising, -rising)
            # A parent of other values than its child's has no value to keep.
            keeping = np.eye(k) if m == k else following
            ways = (keeping, following, rising, -rising, -following, -keeping)
            leaning = np.stack([best_row(low, high, each) for each in ways])
            # Step after step the same way, and in turn with the opposite one by the node's depth, for chains that
            # alternate.
            self._rows[key] = np.concatenate([leaning, leaning[::-1] if odd else leaning])
        return self._rows[key]


def _order(tilt: Array) -> Array:
    return np.argsort(tilt, kind="stable").argsort().astype(np.float64)


@final
class Enclosed:
    """points: by node, its values' scores (k, axes); rate: at which the log-density of the noise changes.

    Both sides of what outputs say of a node: bounds by messages, and laws at corners.
    """

    def __init__(self, law: CredalNetwork, points: Sequence[Array], rate: float) -> None:
        self.law, self._points, self._rate = law, points, rate
        self._corners: dict[tuple[float, ...], CornerLaws] = {}

    @cached_property
    def messages(self) -> MessageBounds:
        """From above."""
        spans = {id(each): self._rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in self._points}
        return MessageBounds(self.law.net, [spans[id(each)] for each in self._points])

    @cached_property
    def classes(self) -> list[int]:
        """The first node of every class of nodes with the same bounds."""
        found: dict[tuple[int, int, int, float], int] = {}
        priors, moved = self.law.net.priors, self.messages.moved
        for number, stratum in enumerate(self.law.records.stratum):
            found.setdefault((stratum, id(priors[number]), id(self.messages.ratio(number)), moved[number]), number)
        return sorted(found.values())

    def regions(self, number: int) -> Regions:
        """Of one node, and the values that it can have. (k, k) of its possible values only, in nats."""
        values = self.law.possible(number + 1)
        low, high = self.law.net.priors[number][:, values]
        return Regions(low, high, self.messages.ratio(number)[np.ix_(values, values)])

    def attained(self, number: int, quantity: Quantity) -> float:
        """The most that laws at corners of the boxes attain, for any signs of an output far away; from below."""
        found = 0.0
        for signs in patterns(self._points[0].shape[1]):
            if signs not in self._corners:
                tilts = {id(each): self._rate * (each @ np.array(signs)) for each in self._points}
                self._corners[signs] = CornerLaws(self.law, [tilts[id(each)] for each in self._points])
            found = max(found, self._corners[signs].attained(number, quantity))
        return found
