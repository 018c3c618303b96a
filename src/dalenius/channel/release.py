"""Release(model, query, noise): what goes out, as the adversary sees it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import final

from dalenius.channel.adversary import Adversary
from dalenius.channel.answers import kinds_of
from dalenius.channel.channel import Channel
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import group_sensitivity, sensitivity
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.models import Joint, Model
from dalenius.noise import Noise
from dalenius.queries import Query, Scores


@final
class Release:
    """A model of the records, a query and a noise; immutable.

    secrets: whose, and which pairs of values; everybody's and all by default.
    engine: how the laws are computed; chosen by size where None (see `engines`). adversary: what they know for certain.
    """

    def __init__(
        self,
        model: Model,
        query: Query,
        noise: Noise,
        secrets: Secrets | None = None,
        engine: str | None = None,
        adversary: Adversary | None = None,
    ) -> None:
        self.model = model
        self.query = query
        self.noise = noise
        self.secrets = secrets if secrets is not None else Secrets()
        self.adversary = adversary if adversary is not None else Adversary()
        joints = [self.adversary.conditioned(joint) for joint in model.joints()]
        _check_same_people(joints)
        lattice = lattice_of([row for joint in joints for row in query.scores(kinds_of(joint)).exact])
        self._worlds = [World(joint, query.scores(kinds_of(joint), lattice), self.secrets, engine) for joint in joints]

    def with_noise(self, noise: Noise) -> "Release":
        """The same release with another noise; the laws of the answer, which it does not touch, are shared."""
        other = object.__new__(Release)
        other.__dict__.update(self.__dict__, noise=noise)
        return other

    def channels(self) -> Iterator[Channel]:
        """One channel per class of exchangeable people whose group the answer touches, for every law of the model."""
        for world in self._worlds:
            yield from world.channels(self.noise)

    def engines(self) -> tuple[tuple[str, str], ...]:
        """The engines used and why, each once."""
        plans = [component.plan for world in self._worlds for component in world.components]
        return tuple(dict.fromkeys((plan.engine, plan.why) for plan in plans))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joint laws the promise is for."""
        return tuple(world.joint for world in self._worlds)

    @property
    def scores(self) -> Scores:
        """The query's scores on the first law's strata, with the names of its coordinates."""
        return self._worlds[0].scores

    @property
    def lattice(self) -> Lattice:
        """The lattice of the answers, the same for all laws of the model."""
        return self.scores.lattice

    @property
    def sensitivity(self) -> Fraction:
        """Δ: the most one record can move the answer (L1), in the query's unit."""
        return max(sensitivity(world.joint, world.scores) for world in self._worlds)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can move the answer (kΔ if its records are alike), and the largest size k."""
        each = [group_sensitivity(world.joint, world.scores) for world in self._worlds]
        return max(distance for distance, _ in each), max(size for _, size in each)


def _check_same_people(joints: Sequence[Joint]) -> None:
    """InputError where the laws of a model are not of as many people of each label."""
    counts = []
    for joint in joints:
        people: dict[str, int] = {}
        for stratum in joint.strata():
            people[stratum.label] = people.get(stratum.label, 0) + stratum.people
        counts.append(people)
    for number, people in enumerate(counts, 1):
        if people != counts[0]:
            shown = {label or "people": n for label, n in people.items()}
            wanted = {label or "people": n for label, n in counts[0].items()}
            raise InputError(f"model.models row {number}", shown, f"the same people as in row 1, {wanted}")
