"""Release(model, query, noise): what goes out, as the adversary sees it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, final

from dalenius.channel.answers import Answers, Component, components
from dalenius.channel.channel import Channel
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import group_sensitivity, sensitivity, spread_of
from dalenius.laws.lattice import Lattice
from dalenius.models import Joint, Model
from dalenius.noise import Noise
from dalenius.queries import Kind, Query, Scores

KEPT_POINTS: Final = 40_000_000


@final
class Release:
    """A model of the records, a query and a noise; immutable.

    secrets: whose, and which pairs of values; everybody's and all by default.
    engine: how the laws are computed; chosen by size where None (see `engines`).
    """

    def __init__(
        self,
        model: Model,
        query: Query,
        noise: Noise,
        secrets: Secrets | None = None,
        engine: str | None = None,
    ) -> None:
        self.model = model
        self.query = query
        self.noise = noise
        self.secrets = secrets if secrets is not None else Secrets()
        self._worlds = [_World(joint, query, self.secrets, engine) for joint in model.joints()]

    def with_noise(self, noise: Noise) -> "Release":
        """The same release with another noise; the laws of the answer, which it does not touch, are shared."""
        other = object.__new__(Release)
        other.__dict__.update(self.__dict__, noise=noise)
        return other

    def channels(self) -> Iterator[Channel]:
        """One channel per class of exchangeable people whose group the answer touches, for every law of the model."""
        for world in self._worlds:
            for answer in world.answers():
                likelihood = self.noise.likelihood(answer.law, answer.lattice)
                pairs = self.secrets.pairs_of(answer.subject)
                yield Channel(answer.subject, likelihood, answer.lattice, self.noise, answer.spread, pairs)

    def engines(self) -> tuple[tuple[str, str], ...]:
        """The engines used and why, each once."""
        plans = [component.plan for world in self._worlds for component in world.components]
        return tuple(dict.fromkeys((plan.engine, plan.why) for plan in plans))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joint laws the promise is for."""
        return tuple(world.joint for world in self._worlds)

    def scores(self) -> Scores:
        """The query's scores on the first law's strata, with the lattice and the names of its coordinates."""
        strata = self._worlds[0].joint.strata()
        return self.query.scores([Kind(stratum.label, stratum.values, stratum.people) for stratum in strata])

    @property
    def lattice(self) -> Lattice:
        return self.scores().lattice

    @property
    def sensitivity(self) -> Fraction:
        """Δ: the most one record can move the answer (L1), in the query's unit."""
        return max(sensitivity(joint, self.query) for joint in self.joints)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can move the answer (kΔ if its records are alike), and the largest size k."""
        each = [group_sensitivity(joint, self.query) for joint in self.joints]
        return max(distance for distance, _ in each), max(size for _, size in each)


@final
class _World:
    """One joint law and the laws of the answer under it, kept while they fit."""

    def __init__(self, joint: Joint, query: Query, secrets: Secrets, engine: str | None) -> None:
        self.joint = joint
        secrets.check(joint)
        self._firsts = secrets.firsts(joint)
        self.components: list[Component] = components(joint, query, engine)
        self._kept: list[Answers] | None = None

    def answers(self) -> Iterator[Answers]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Answers] = []
        points = 0
        for component in self.components:
            scores = component.scores
            for subject, law in component.laws():
                if self._firsts is not None and subject.person not in self._firsts:
                    continue
                spread = spread_of(component.joint.strata(), scores, subject.stratum)
                answer = Answers(subject, law, scores.lattice, spread, scores.names)
                points += law.relative.size
                if points <= KEPT_POINTS:
                    kept.append(answer)
                yield answer
        if points <= KEPT_POINTS:
            self._kept = kept
