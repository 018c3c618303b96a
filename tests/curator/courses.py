"""All courses of adaptive questions about two values of the same two people, what they leak, and what is charged."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import log, prod
from random import Random
from typing import Any, TypeAlias

import dalenius as dl
from dalenius.conversion import Conversion
from dalenius.curator.amounts import DebitSums, as_nats
from dalenius.curator.cost_of_releases import Entry, Spent, spent_after

PAIRS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Of one person's x^A and x^B."""
Law: TypeAlias = Mapping[tuple[tuple[int, int], ...], Fraction]
"""Of the records of a group of two, each x^A and x^B."""


def law(weights: list[int]) -> Law:
    states = [(one, other) for one in PAIRS for other in PAIRS]
    return {state: Fraction(weight, sum(weights)) for state, weight in zip(states, weights, strict=True)}


COPIED = law(
    [
        9 if xb == yb == xa and ya == xa else 1 if xb == yb == xa else 0
        for (xa, xb), (ya, yb) in product(PAIRS, repeat=2)
    ]
)
"""x^B of both is the first one's x^A."""
Odds = tuple[int, int]
"""Of a geometric noise: how much less likely one step further is, as a fraction."""
Node = tuple[int, Odds]
"""What is asked, of x^A (0) or x^B (1), with which noise."""
Charge = Callable[[list[tuple[int, Entry]]], float]
ODDS: tuple[Odds, ...] = ((3, 2), (2, 1), (4, 1))

BOTH_ILL: Law = {
    ((b and c, b), (0, c)): Fraction(1, 4) for b, c in product((0, 1), repeat=2)
}  # of each by itself nobody depends on anybody
"""x^B are two fair bits, and the first one's x^A is whether both are 1."""


@dataclass(frozen=True)
class Tree:
    """What is asked next, by what came out before."""

    seed: int

    def node(self, before: tuple[int, ...]) -> Node:
        random = Random(f"{self.seed} {before}")
        return random.randrange(2), random.choice(ODDS)


@dataclass(frozen=True)
class Fixed(Tree):
    """What is asked whatever comes out."""

    nodes: tuple[Node, ...] = ()

    def node(self, before: tuple[int, ...]) -> Node:
        return self.nodes[len(before)]


def clamped(count: int, odds: Fraction) -> dict[int, Fraction]:
    """A count of two people with geometric noise, the outputs further out as the outermost: the odds of two counts are
    the noise's at both ends."""
    inside = {1: (1 - 1 / odds) / (1 + 1 / odds) * Fraction(1, odds ** abs(1 - count))}
    ends = {0: Fraction(1, odds**count) / (1 + 1 / odds), 2: Fraction(1, odds ** (2 - count)) / (1 + 1 / odds)}
    return inside | ends


def courses(tree: Tree, length: int) -> Iterator[tuple[tuple[int, ...], list[Node]]]:
    for outputs in product(range(3), repeat=length):
        yield outputs, [tree.node(outputs[:place]) for place in range(length)]


def leaked(joint: Law, outputs: tuple[int, ...], nodes: list[Node]) -> float:
    """Of that course the largest log-ratio of likelihoods of two values of somebody that were asked about."""
    weight = {
        state: mass * prod(_likelihood(state, node, out) for node, out in zip(nodes, outputs, strict=True))
        for state, mass in joint.items()
        if mass
    }
    worst = 0.0
    for person, measure in product((0, 1), {measure for measure, _ in nodes}):
        of = [[state for state in weight if state[person][measure] == value] for value in (0, 1)]
        if all(of):
            one, other = (sum(weight[each] for each in group) / sum(joint[each] for each in group) for group in of)
            worst = max(worst, abs(log(one / other)))
    return worst


def _likelihood(state: tuple[tuple[int, int], ...], node: Node, out: int) -> Fraction:
    measure, odds = node
    return clamped(sum(record[measure] for record in state), Fraction(*odds))[out]


def entry(joint: Law, node: Node) -> Entry:
    """What a curator would find of it, who knows the law of that value alone."""
    measure, odds = node
    loss = log(Fraction(*odds))
    convert = _conversion(tuple(sorted(law_of(joint, measure).items())))
    known: dict[str, Any] = {"differential": loss, "pure": loss, "gaussian": 0.0, "records": 2}
    known |= {"together": "pair", "identity": "AB"[measure], "implied_by": ("inferential",), "convert": convert}
    return Entry(f"{node}", "inferential", convert(dl.PureProfile(loss), 0.0), 2 * loss, **known)


def law_of(joint: Law, measure: int) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for state, mass in joint.items():
        bits = tuple(record[measure] for record in state)
        found[bits] = found.get(bits, Fraction(0)) + mass
    return found


@lru_cache(64)
def _conversion(marginal: tuple[tuple[tuple[int, ...], Fraction], ...]) -> Callable[[dl.PrivacyProfile, float], float]:
    there = {bits: float(mass) for bits, mass in marginal if mass}
    model = dl.Table(records=list(there), probabilities=list(there.values()))
    release = dl.Release(model, dl.Count(), dl.Geometric(scale=1.0))
    return lru_cache(None)(lambda profile, delta: Conversion(release.model, profile, "replace").most(delta))


def charged(paid: list[tuple[int, Entry]]) -> float:
    """Of these debits, one after the other, as a ledger writes and reads them."""
    return as_nats(spent(paid)[-1].amount)


def spent(paid: list[tuple[int, Entry]]) -> list[Spent]:
    after, found = DebitSums(), []
    for _, cost in paid:
        body = cost.as_body() | {"fingerprint": "bytes"}
        after = after.with_debit(body)
        found.append(spent_after(after, body, 0.0, cost.convert))
    return found


def _losses(paid: list[tuple[int, Entry]], measure: int | None) -> float:
    return sum(cost.differential or 0.0 for asked_of, cost in paid if measure in (None, asked_of))


def _convert(paid: list[tuple[int, Entry]], measure: int, loss: float) -> float:
    convert = next((cost.convert for asked_of, cost in paid if asked_of == measure), None)
    return 0.0 if convert is None else convert(dl.PureProfile(loss), 0.0)


def as_of_one(paid: list[tuple[int, Entry]]) -> float:
    """A near lie: all losses converted as if they were of one value."""
    return max(_convert(paid, measure, _losses(paid, None)) for measure, _ in paid)


def each_converted(paid: list[tuple[int, Entry]]) -> float:
    """A near lie: the sum of the conversions."""
    return sum(_convert(paid, measure, _losses(paid, measure)) for measure in {measure for measure, _ in paid})


def of_the_last(paid: list[tuple[int, Entry]]) -> float:
    """A near lie: about the value that was asked about last, and no other."""
    last = paid[-1][0]
    others = sum(cost.group_loss for measure, cost in paid if measure != last)
    return _convert(paid, last, _losses(paid, last)) + others


def excess(joint: Law, tree: Tree, length: int, charge: Charge) -> float:
    """By how much the leakage of a course is above what is charged for it, at most."""
    found = [
        leaked(joint, outputs, nodes) - charge([(node[0], entry(joint, node)) for node in nodes])
        for outputs, nodes in courses(tree, length)
    ]
    return max(found)
