"""Records of a network too wide to be summed out: the noise's effect on a whole group, without any law (Theory §2).

No law of the answer, nor of anybody's record, is computed. An adversary who knows all other records has nothing to
learn from dependence, so the differential loss is that of any records. Whatever the law is, the part of a whole group
that the noise lets through bounds what an output says of one record in it.

Take a grid of 34 by 34 people who each resemble two neighbours, counted with Laplace noise of scale 1156. No output
changes the odds between two values of a record by more than 1 nat, and one record alone by 1/1156.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, final

from dalenius.bounds import Enclosure
from dalenius.channel.bounded_channel import BoundedChannel
from dalenius.channel.channel import ChannelAtOutput
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import NO_LEAK, Found, Witness, worst_of
from dalenius.channel.likelihoods import Likelihoods
from dalenius.errors import Meaningless
from dalenius.noise import Answer, Noise
from dalenius.noise.gaussian import gaussian_profile
from dalenius.noise.noise import gaussian_deviation


@final
@dataclass(frozen=True, eq=False)
class WideRecords(BoundedChannel):
    """The channel of all records of a law too wide to be summed out, under one noise; world: that of the law."""

    world: WorldOfRecords
    noise: Noise

    def neighbours(self) -> Found:
        """Returns the log-ratio of data sets that differ in one record, in nats, over the strata."""
        found = []
        for spread, lattice, axes in self.world.spreads:
            if spread.neighbours is not None:
                value = self.noise.on(axes).mechanism(lattice).neighbour_loss(spread.neighbours)
                most, least = spread.values
                found.append(Found(value, Witness(0, _WHO, most, least)))
        return worst_of(found)

    def found(self, quantity: str) -> Found:
        """Encloses any `quantity` between 0 and the part of a whole group that the noise lets through, in nats."""
        distance, _ = self.world.group_sensitivity
        # The case of an answer that no record moves, as a count of nobody's label.
        if not distance:
            return NO_LEAK
        loss = self.noise.group_loss(distance, self.world.scores.lattice.axes)
        return Found(Enclosure(0.0, loss), Witness(0, _WHO))

    def delta(self, of: str, epsilon: float) -> float:
        """Bounds the δ at `epsilon` of the likelihoods `of`, a probability.

        Under Gaussian noise, whose loss has no bound, it is the profile between answers a whole group apart:
        likelihoods are means of those of such answers, and δ is jointly convex.
        """
        bounded = BoundedChannel.delta(self, of, epsilon)
        if not (scale := gaussian_deviation(self.noise)):
            return bounded
        return min(bounded, gaussian_profile(self.world.group_sensitivity[0], scale)(epsilon))

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """Raises Meaningless, whatever the `output`: a posterior needs the law of the records."""
        self.unknown("posterior")

    def finite(self, quantity: str) -> Likelihoods:
        self.unknown(quantity)

    def unknown(self, quantity: str) -> NoReturn:
        """Raises Meaningless: this `quantity` is read from laws, which are not known. The message says what serves."""
        wanted = "a narrower one: leave out links or merge values"
        raise Meaningless(quantity, "a network too wide to be summed out", wanted)


_WHO = "any node of the network"
