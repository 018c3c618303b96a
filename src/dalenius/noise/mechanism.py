"""The mechanism that a noise makes on a lattice of answers: what goes out given each exact answer."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.output_chances import Outputs, Unweighted
from dalenius.laws.sums import Sums
from dalenius.noise.losses_between_neighbours import of_widest
from dalenius.noise.place_of_given_output import Answer
from dalenius.noise.shape import Shape

if TYPE_CHECKING:
    from dalenius.noise.noise import Noise


@dataclass(frozen=True)
class Mechanism(abc.ABC):
    """A noise on a lattice: the law of what goes out given each exact answer there.

    `likelihood` makes the law that the other methods take under that name.

    Attributes:
        noise: The noise of every coordinate.
        lattice: The lattice of the exact answers, an axis for each.
    """

    noise: "Noise"
    lattice: Lattice

    @property
    def shape(self) -> "Shape":
        """The facts that hold of the mechanism at any scale: by default those of the noise."""
        return self.noise.shape

    @abc.abstractmethod
    def likelihood(self, law: Law) -> Law:
        """Returns Pr[output | s] on the box of `law`, up to a factor common to all secrets.

        Outputs off the box or between its points have posteriors between those on it (Result 3.1), so every supremum
        of a convex function of the posterior is attained on the box.
        """

    @abc.abstractmethod
    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        """Encloses the sum of a `functional` of the likelihoods over all outputs, normalised to probabilities.

        `likelihood` is a law that the method of that name made.
        """

    def serves(self, points: int, secrets: int) -> bool:
        """Says whether the likelihoods of a law of one answer are computed within seconds: by default always.

        `likelihood` refuses the other laws. The law has so many `points`, given each of so many `secrets`.
        """
        return True

    def limits(self, law: Law) -> Law | None:
        """Returns the likelihoods of the two outputs at infinity alone, up to a factor common to all secrets.

        `integral` takes them as it takes those of `likelihood`, which would take long for this `law`. None where they
        are not known, and by default.
        """
        return None

    def outputs_of(self, likelihood: Law) -> Outputs:
        """Returns the probabilities of all outputs, from `likelihood`, for the tails of losses. Unknown by default."""
        return Unweighted()

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        """Returns the likelihood at one `output`, also between the box's points and beyond its ends.

        It is a box of one point, whose base is such that all is log Pr[output | s], or a density per the query's
        unit; `likelihood` is a law that the method of that name made. InputError (answers) for an output that cannot
        occur names the nearest that can. By default InputError (noise.kind), for a noise without likelihoods of
        single outputs.
        """
        wanted = "a noise that says how likely one output is: its mechanism lacks `at`"
        raise InputError("noise.kind", self.noise.kind, wanted)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        """Returns the probabilities that coordinates are at most, and at least, those of an `output` that can occur.

        They are over the mixture of `likelihood` by `log_prior` (secrets,). None for a coordinate whose outputs have
        no order, and by default.
        """
        # Because words such as "yes" and "no" are neither above nor below each other.
        return (None,) * len(output)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        """Returns the name of the output at an `index` of the likelihood's box: by default the lattice point."""
        return self.lattice.point(index)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        """Returns the index of the output called `output`; no whole number between lattice points."""
        return tuple(float(value) / float(step) for value, step in zip(output, self.lattice.steps, strict=True))

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        """Returns the full output at a `point` of the box that is no lattice point.

        Where one axis of the box has several coordinates, all of these are there.
        """
        return tuple(point)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the worst log-ratio of data sets that differ in one record, in nats: ε of differential privacy.

        `neighbours` has the answers of such data sets. By default it is at most the loss between the most distant
        answers.
        """
        return Enclosure(0.0, self.noise.privacy_loss(neighbours.reach))

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says of one coordinate whether an exact answer has a single output that not all of the answers have.

        The answers are in lattice steps; None stands for any. By default it is assumed wherever an output may rule out
        one of two adjacent answers. Where no output does, all answers have the same outputs.
        """
        # Because a constant answer goes out exactly and says nothing, there must be two.
        return (answers is None or len(answers) > 1) and self.noise.privacy_loss(self.lattice.steps) == inf

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Returns two answers of the one coordinate, in lattice steps, beyond which all answers have similar outputs.

        No output is more than twice as likely given an answer beyond either end as given any answer between that end
        and this one. None where there are no such ends, and by default. `extent` is the least and the greatest answer.
        InputError where the noise knows nothing of one that can occur.
        """
        return None


class AddedMechanism(Mechanism, abc.ABC):
    """Mechanism of noise that is added to the answer.

    The most distant two answers are the easiest to distinguish, and no output tells which answer it was.
    """

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return of_widest(self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return False
