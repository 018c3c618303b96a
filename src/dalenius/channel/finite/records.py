"""One joint law of the records and its channels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Final, TypeAlias, final

from dalenius.channel.finite.answers import Answers, Component, Marginal, components, copies_of
from dalenius.channel.finite.at_stage import at_stage, subject_at
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.likelihoods import counted
from dalenius.channel.finite.stages import by_stage
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity.sensitivity import Spread, group_sensitivity, sensitivity, spread_of
from dalenius.channel.world import World
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Bounding, Noise
from dalenius.queries import Scores

KEPT_POINTS: Final = 40_000_000
_ByPerson: TypeAlias = Mapping[int, FiniteChannel]


@final
class RecordWorld(World):
    """One joint law and the laws of the answer under it, which are kept while they fit."""

    def __init__(self, joint: Joint, scores: Scores, secrets: Secrets, engine: str | None) -> None:
        self.joint = joint
        self.scores = scores
        self._secrets = secrets
        secrets.check(joint)
        self._firsts = secrets.firsts(joint)
        self.components: list[Component] = components(joint, scores, engine)
        self._kept: list[Answers] | None = None

    def channels(self, noise: Noise) -> Iterator[FiniteChannel]:
        """One channel for each class of people whose group the answer depends on."""
        staged = cache(partial(self._staged, noise))
        for answer in self._answers():
            bounded = answer.ends is not None
            own, law, lattice = answer.folding.noised(answer.law, answer.lattice, noise.on(answer.axes), bounded)
            own = own if answer.ends is None else Bounding(inner=own, ends=answer.ends)
            yield FiniteChannel(
                answer.subject,
                _made(own, law, lattice, answer.subject),
                lattice,
                own,
                answer.spread,
                answer.names,
                self._secrets.pairs_of(answer.subject),
                answer.axes,
                answer.exact if law is answer.law and not bounded else None,
                partial(self._of_stages, answer.subject, staged) if bounded and self._stages else None,
            )

        for component in self.components if self._stages else ():
            if component.refused is not None:
                yield from self._products(component, component.refused, noise, staged)

    def _products(
        self, component: Component, error: TooLarge, noise: Noise, staged: Callable[[], Sequence[_ByPerson]]
    ) -> Iterator[FiniteChannel]:
        """The channels of the people of a component whose laws would be too large, by those of the stages alone."""

        def refuse() -> Law:
            raise error

        for subject in component.joint.subjects():
            if self._firsts is None or subject.person in self._firsts:
                stage, names = self._secrets.stage, component.whole.names
                yield FiniteChannel(
                    subject if stage is None else subject_at(subject, stage),
                    refuse,
                    component.whole.lattice,
                    noise.on(component.axes),
                    spread_of(component.joint.strata(), component.whole, subject.stratum),
                    names,
                    None,
                    component.axes,
                    None,
                    partial(self._of_stages, subject, staged),
                )

    def _of_stages(self, subject: Subject, staged: Callable[[], Sequence[_ByPerson]]) -> list[FiniteChannel]:
        """The channels of the stages that leak something about the subject's record; staged: everybody's."""
        firsts = (world.joint.subject_of(subject.person).person for _, world in self._stages)
        return [own[first] for own, first in zip(staged(), firsts, strict=True) if first in own]

    def _staged(self, noise: Noise) -> list[_ByPerson]:
        """By stage, everybody's channel."""
        return [
            {channel.subject.person: channel for channel in world.channels(noise.on(axes))}
            for axes, world in self._stages
        ]

    @cached_property
    def _stages(self) -> list[tuple[tuple[int, ...], "RecordWorld"]]:
        """Where stages are independent: the coordinates that ask each, and its law; pairs of processes are pairs of no
        stage's values."""
        if self._secrets.pairs is not None:
            return []
        secrets = Secrets(people=self._secrets.people, stage=self._secrets.stage)
        return [
            (each.axes, RecordWorld(each.joint, each.scores, secrets, None))
            for each in by_stage(self.joint, self.scores)
            if self._secrets.stage in (None, each.name)
        ]

    def marginals(self, quickly: bool = False) -> Iterator[Marginal]:
        """The law of each coordinate that some record can move; quickly: where it is not there yet, to a double's
        absolute accuracy if that takes less."""
        for component in self.components:
            kept = self._kept or []
            known = next(((each.subject, each.law) for each in kept if each.axes == component.axes), None)
            found = component.marginals(known, quickly)
            yield from copies_of(found, component.folding, component.whole.names)

    def spreads(self) -> Iterator[tuple[Spread, Lattice, tuple[int, ...]]]:
        """How far one record can move each part of the answer, for every stratum with a record that is a secret; and
        which of the answer's coordinates the part has."""
        firsts = self._firsts
        asked = None if firsts is None else {self.joint.subject_of(person).stratum for person in firsts}
        for component in self.components:
            strata, scores = component.joint.strata(), component.whole
            for stratum in range(len(strata)) if asked is None else sorted(asked):
                yield spread_of(strata, scores, stratum), scores.lattice, component.axes

    @property
    def names(self) -> tuple[str, ...]:
        return self.scores.names

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [
            ("product", "the stages are independent, and their channels multiply")
            if component.refused is not None and self._stages
            else (component.plan.engine, component.plan.why)
            for component in self.components
        ]

    @property
    def sensitivity(self) -> Fraction:
        return sensitivity(self.joint, self.scores)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        return group_sensitivity(self.joint, self.scores)

    @property
    def group_size(self) -> int:
        return max(int(group.sum()) for group in self.joint.group_strata())

    @property
    def reach(self) -> Fraction:
        return self.group_sensitivity[0]

    def _answers(self) -> Iterator[Answers]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Answers] = []
        points = 0
        for component in self.components:
            if component.refused is not None and self._stages:
                continue
            whole, lattice = component.whole, component.scores.lattice
            for subject, law in component.laws():
                if self._firsts is not None and subject.person not in self._firsts:
                    continue
                spread = spread_of(component.joint.strata(), whole, subject.stratum)
                stage = self._secrets.stage
                whose, given = (subject, law) if stage is None else at_stage(subject, law, stage)
                answer = Answers(
                    whose, given, lattice, component.folding, spread, whole.names, component.axes, component.ends
                )
                points += law.relative.size
                if points <= KEPT_POINTS:
                    kept.append(answer)
                yield answer
        if points <= KEPT_POINTS:
            self._kept = kept


def _made(noise: Noise, law: Law, lattice: Lattice, subject: Subject) -> Callable[[], Law]:
    """The likelihoods, when they are asked for; at once where the noise may refuse the law."""

    def make() -> Law:
        return counted(noise.likelihood(law, lattice), subject)

    if noise.exponential or noise.adds_nothing:
        return make
    made = make()
    return lambda: made
