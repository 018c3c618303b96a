"""One joint law of the records and its channels."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, final

from dalenius.channel.finite.answers import Answers, Component, Marginal, components, copies_of
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.given import GivenAnswers, check_possible, given_parts
from dalenius.channel.finite.known import Known
from dalenius.channel.finite.likelihoods import counted
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity.sensitivity import Spread, group_sensitivity, sensitivity, spread_of
from dalenius.channel.world import World
from dalenius.joints import Joint, Subject
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Bounding, Noise
from dalenius.queries import Scores

KEPT_POINTS: Final = 40_000_000


@final
class RecordWorld(World):
    """One joint law and the laws of the answer under it, which are kept while they fit; known: what is known besides
    records, which the laws are conditioned on and `joint` is not."""

    def __init__(
        self, joint: Joint, scores: Scores, secrets: Secrets, engine: str | None, known: Known | None = None
    ) -> None:
        self.joint = joint
        self.scores = scores
        self._secrets = secrets
        secrets.check(joint)
        self._firsts = secrets.firsts(joint)
        self._known = known
        self.components: Sequence[Component | GivenAnswers] = (
            components(joint, scores, engine) if known is None else given_parts(joint, scores, known, engine)
        )
        self._kept: list[Answers] | None = None

    def channels(self, noise: Noise) -> Iterator[FiniteChannel]:
        """One channel for each class of people whose group the answer depends on."""
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
            )

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
        return [(component.plan.engine, component.plan.why) for component in self.components]

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
        if self._known is not None:
            check_possible(self.joint, self.scores, self._known)
        kept: list[Answers] = []
        points = 0
        for component in self.components:
            whole, lattice = component.whole, component.scores.lattice
            for subject, law in component.laws():
                if self._firsts is not None and subject.person not in self._firsts:
                    continue
                spread = spread_of(component.joint.strata(), whole, subject.stratum)
                answer = Answers(
                    subject, law, lattice, component.folding, spread, whole.names, component.axes, component.ends
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
