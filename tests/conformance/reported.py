"""The reference's answers about a release of noised reports."""

from collections.abc import Callable, Sequence
from functools import cached_property

from dalenius.noise import Noise, NoNoise
from dalenius.queries import Query
from tests.conformance.row import row_of
from tests.conformance.scores import Reader
from tests.conformance.truth import Truth
from tests.conformance.worlds import Person, World
from tests.reference import noises, reported
from tests.reference.channel import Channel, Real
from tests.reference.joints import Value
from tests.reference.reported import Response

Responder = Callable[[Noise, Sequence[Value]], Response]
"""What a noise on records means for records of these values."""


class ReportedTruth(Truth):
    """worlds: what the model means; read: what the query's class means, about the reports; respond: of the noise's."""

    def __init__(self, worlds: list[World], query: Query, read: Reader, noise: Noise, respond: Responder) -> None:
        self.responses = [[respond(noise, person.values) for person in world.people] for world in worlds]
        reports = [
            tuple(
                Person(person.label, tuple(dict.fromkeys(told for row in response.values() for told in row)))
                for person, response in zip(world.people, own, strict=True)
            )
            for world, own in zip(worlds, self.responses, strict=True)
        ]
        told = [World(world.joint, people) for world, people in zip(worlds, reports, strict=True)]
        super().__init__(told, query, read, NoNoise(), lambda noise, step: noises.NONE)
        self._universes = [[person.values for person in world.people] for world in worlds]

    @cached_property
    def people(self) -> list[list[Channel]]:
        each = zip(self.worlds, self.responses, self.asked, strict=True)
        return [reported.channels(world.joint, own, asked.score) for world, own, asked in each]

    def differential(self) -> Real:
        each = zip(self._universes, self.responses, self.asked, strict=True)
        return max(reported.differential(values, own, asked.score) for values, own, asked in each)

    @property
    def few(self) -> bool:
        """Whether the reference goes through all that may be known: tests of their own do."""
        return False


def responder_of(rows: Sequence[object], noise: Noise) -> Responder:
    """What the table takes the noise's class for."""
    found: Responder = row_of(rows, noise).meaning  # type: ignore[arg-type]
    return found
