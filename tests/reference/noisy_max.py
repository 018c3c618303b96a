"""Report noisy max by its algorithms: a candidate after the other, in every order."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, final

from tests.reference.channel import Answers, Channel, Likelihoods, Real, Vector, mp, real
from tests.reference.noise_families import OnCandidates


@final
@dataclass(frozen=True)
class NoisyMax(OnCandidates):
    """Permute-and-flip, or the exponential mechanism drawn k times without replacement."""

    scale: Fraction
    candidates_: int
    flips: bool
    k: int = 1
    additive = False

    def weight(self, output: Any, answer: Fraction) -> Real:
        raise AssertionError("all coordinates are read together")

    def chance(self, choice: Sequence[int], answer: Sequence[Fraction]) -> Real:
        """How likely these candidates are reported, in this order."""
        top = max(answer)
        keep = [mp.exp(real((each - top) / self.scale)) for each in answer]
        if not self.flips:
            found, left = mp.one, list(range(len(answer)))
            for each in choice:
                found *= keep[each] / mp.fsum(keep[other] for other in left)
                left.remove(each)
            return found
        # In a random order each is taken with its own probability, until one is; the largest is taken surely.
        orders, total = list(permutations(range(len(answer)))), mp.zero
        for order in orders:
            before = order[: order.index(choice[0])]
            total += keep[choice[0]] * mp.fprod(1 - keep[other] for other in before)
        return total / len(orders)

    def group_loss(self, one: Answers, other: Answers) -> Real:
        """The worst log-ratio of a choice; the answers are known on every coordinate."""
        pairs = ([each for each in answer if each is not None] for answer in (one, other))
        first, second = pairs
        return max(
            abs(mp.log(self.chance(choice, first)) - mp.log(self.chance(choice, second))) for choice in self.choices()
        )

    def choices(self) -> list[tuple[int, ...]]:
        return list(permutations(range(self.candidates_), self.k))

    def likelihoods(self, channel: Channel, output: Sequence[Any]) -> Likelihoods:
        choice = [int(output.index(Fraction(rank))) for rank in range(1, self.k + 1)]
        return {
            secret: mp.fdot((p, self.chance(choice, answer)) for answer, p in law.items())
            for secret, law in channel.real_laws.items()
        }

    def candidates(self, channel: Channel) -> list[Vector]:
        """Each choice, as the rank of every candidate."""
        return [
            tuple(Fraction(choice.index(each) + 1 if each in choice else 0) for each in range(self.candidates_))
            for choice in self.choices()
        ]
