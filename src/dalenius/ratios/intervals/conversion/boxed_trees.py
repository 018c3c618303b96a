"""Records of a network whose rows lie in boxes: what any pipeline leaks of each, from above (Result 21.27)."""

from typing import final

import numpy as np

from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.rows import UP, after, grid, still
from dalenius.laws.law import Array
from dalenius.ratios.intervals.conversion.boxed_rows import largest, laws_after, laws_before
from dalenius.ratios.intervals.trees.network import Net


def bound_of(net: Net, profile: PrivacyProfile, steps: int, reach: float) -> tuple[Array, list[Array]]:
    """ε (points,), and by node and pair of its values δ′ from above (k, k, points): in trees by messages along the
    branches, elsewhere as of all that may depend on the record, changed one after the other."""
    return _Messages(net, profile, steps, reach).bound()


@final
class _Messages:
    def __init__(self, net: Net, profile: PrivacyProfile, steps: int, reach: float) -> None:
        self.net, self.epsilons = net, grid(reach)
        once = np.minimum(profile.delta_at(self.epsilons) * UP, 1.0)
        self.own = once if steps == 1 else after(once, once, self.epsilons)
        self.powers: list[Array] = [np.minimum(np.maximum(1 - np.exp(self.epsilons), 0.0) * UP, 1.0), self.own]
        self.down: dict[int, Array] = {}
        self.up: dict[int, Array] = {}

    def bound(self) -> tuple[Array, list[Array]]:
        trees = [number for number in self.net.order if number in self.net.of_trees]
        for number in reversed(trees):
            self._downwards(number)
        for number in trees:
            self._upwards(number)
        return self.epsilons, [self._bound(number) for number in range(len(self.net.nodes))]

    def _bound(self, number: int) -> Array:
        size, records = self.net.nodes[number].size, 1 + len(self.net.dependent(number))
        whole = np.tile(self._power(records), (size, size, 1))
        if number in self.net.of_trees:
            return np.asarray(np.minimum(self._beyond(number, None), whole))
        return whole

    def _power(self, records: int) -> Array:
        while len(self.powers) <= records:
            self.powers.append(after(self.own, self.powers[-1], self.epsilons))
        return self.powers[records]

    def _beyond(self, number: int, towards: int | None) -> Array:
        """Of a node's values and all beyond it, but for that child, or its parent where `towards` is -1."""
        size = self.net.nodes[number].size
        found = np.tile(self.own, (size, size, 1))
        branches = [self.down[child] for child in self.net.children[number] if child != towards]
        if towards != -1 and self.net.nodes[number].parents:
            branches.append(self.up[number])
        for branch in branches:
            for one in range(size):
                for other in range(size):
                    found[one, other] = after(found[one, other], branch[one, other], self.epsilons)
        for value in range(size):
            found[value, value] = still(1, self.epsilons)[0, 0]
        return found

    def _downwards(self, number: int) -> None:
        """The message of a node and all below it to its parent."""
        rows = self.net.nodes[number].rows
        if self.net.nodes[number].parents:
            beyond = self._beyond(number, -1)
            self.down[number] = largest(laws_after(rows), beyond, self.epsilons, rows.shape[1])

    def _upwards(self, number: int) -> None:
        """The message of a node's parent, and all beyond that, to it."""
        node = self.net.nodes[number]
        if node.parents:
            beyond, prior = self._beyond(node.parents[0], number), self.net.priors[node.parents[0]]
            self.up[number] = largest(laws_before(prior, node.rows), beyond, self.epsilons, node.size)
