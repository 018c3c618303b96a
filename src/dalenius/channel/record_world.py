"""The world of a joint law: channels of its subjects under a question and a noise.

The answer has components that share no group of records. Each has the law given each secret, by the engine that is
cheapest, and keeps it for all notions. If no law is needed, there are shortcuts (`channel/large`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Final, final

from dalenius import wings
from dalenius.arrays import IntArray
from dalenius.channel.adversary import KnownCoordinates
from dalenius.channel.answer_laws import AnswerPart, components
from dalenius.channel.answer_window_channel import RecordChannel, averaging
from dalenius.channel.answers import Answers
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.limits import FEW_PEOPLE
from dalenius.channel.marginals import Marginal, copies_of
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets, at_stage
from dalenius.channel.sensitivity import Spread, spread_in
from dalenius.channel.shortcut import Shortcut
from dalenius.channel.world import ScoredWorld
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint, Stratum, Subject, count_people
from dalenius.joints.joint import strata_of
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.memory_budget import allowed
from dalenius.noise import BoundingMechanism, Mechanism, Noise
from dalenius.progress import steps
from dalenius.queries import Scores

_CHECK_OF_ANSWERS: Final = wings.Part[Callable[[Joint, Scores, KnownCoordinates], None]]("check of known answers")

_PARTS_OF_GROUPS: Final = wings.Part[Callable[[Joint, Scores, str | None, Secrets], Sequence[AnswerPart]]](
    "parts that tell of groups"
)

_PARTS_GIVEN_ANSWERS: Final = wings.Part[Callable[[Joint, Scores, KnownCoordinates, str | None], list[AnswerPart]]](
    "parts given answers"
)

_KEPT_POINTS: Final = 40_000_000
"""Of the laws that are kept from one notion to the next: 320 MB of doubles."""


@final
class RecordWorld(ScoredWorld):
    """The world of one joint law, with the laws of the answer under it, kept while they fit.

    known: the answers on which the laws are conditioned and `joint` is not; groups_first: see `ReleaseSettings`.
    """

    def __init__(
        self,
        joint: Joint,
        scores: Scores,
        secrets: Secrets,
        engine: str | None,
        known: KnownCoordinates | None = None,
        groups_first: bool = False,
    ) -> None:
        self.joint, self.scores, self.secrets = joint, scores, secrets
        self._known, self._engine, self.groups_first = known, engine, groups_first
        self.firsts = secrets.firsts(joint) if secrets.of_records else None
        self._shortcuts = self._found(engine) if known is None else ()
        self.components: Sequence[AnswerPart] = self._components(engine)
        self._kept: list[Answers] | None = None
        self._lately: dict[tuple[int, ...], dict[int, Answers]] = {}
        self._last: dict[tuple[tuple[int, ...], int, Noise], RecordChannel] = {}

    @classmethod
    def of(cls, belief: Joint, question: ReleaseSettings) -> "RecordWorld":
        """Makes the world of the joint law `belief` under a `question`; known answers are on the law's own strata."""
        rest = question.engine, question.adversary.answers_of(belief), question.groups_first
        return cls(belief, question.scores(belief), question.secrets, *rest)

    def _components(self, engine: str | None) -> Sequence[AnswerPart]:
        """Returns the parts of the answer: of records, perhaps given answers, or of whole groups as secrets."""
        if self.secrets.of_records:
            self.secrets.check(self.joint.of_records)
            if self._known is not None:
                return _PARTS_GIVEN_ANSWERS.function(self.joint, self.scores, self._known, engine)
            return components(self.joint, self.scores, engine, windows=self.secrets.stage is None)
        if self._known is not None:
            self.secrets.check_of_records("what is known of answers")
        found = _PARTS_OF_GROUPS.function(self.joint, self.scores, engine, self.secrets)
        if self.secrets.pairs is not None:
            self.secrets.check_known(subject for each in found for subject in each.joint.subjects())
        return found

    def _found(self, engine: str | None) -> tuple[Shortcut, ...]:
        """Returns ways around the law of the whole answer; none for few people."""
        # Because the search for shortcuts costs more than the law of so few people.
        if count_people(self.joint) <= FEW_PEOPLE:
            return ()
        # So that a law of few people loads nothing that serves many: imported here.
        from dalenius.channel.large.own_group_suprema import shortcuts

        return shortcuts(self, engine)

    def under(self, noise: Noise) -> "RecordWorld":
        """Returns the world with the laws that `noise` needs.

        It is this one, but for noise that belongs to sets of people, where several answers count the same ones: then
        laws are those of the cells that tell which sets are equal.
        """
        several = any(len(part.axes) > 1 for part in self.components)
        return self if noise.by_people is None or not several else self._of_sets

    @cached_property
    def _of_sets(self) -> "RecordWorld":
        self.secrets.check_of_records("cell keys of several answers")
        if self._known is not None:
            wanted = "none beside several answers with cell keys"
            raise InputError("adversary.answers", "known", wanted)
        # So that releases without cell keys load nothing that serves these: imported here.
        from dalenius.channel.counted_part import CountedPart

        found = object.__new__(RecordWorld)
        parts = [each if len(each.axes) == 1 else CountedPart(each, self._engine) for each in self.components]
        fresh: dict[str, object] = {"components": parts, "_shortcuts": (), "_kept": None, "_lately": {}, "_last": {}}
        found.__dict__.update({**self.__dict__, **fresh})
        return found

    def channels(self, noise: Noise) -> Iterator[Channel]:
        if (other := self.under(noise)) is not self:
            yield from other._made_of(noise, other._answers())
            return
        found = (each.channels(noise) for each in self._shortcuts)
        yield from next((channels for channels in found if channels is not None), None) or self._without_shortcut(noise)

    def _without_shortcut(self, noise: Noise) -> Iterator[Channel]:
        if self.refusal is None:
            return self.singly(noise)
        from dalenius.channel.large.wide_network import WideRecords

        return iter((WideRecords(self, noise),))  # what a group hides needs no law

    @property
    def refusal(self) -> TooLarge | None:
        """The reason why no law of the answer is computed, of single records without known answers; else None."""
        return self.joint.refusal if self.is_plain and self._known is None else None

    def complete(self, noise: Noise) -> Iterator[FiniteChannel]:
        """Yields one channel under `noise` for each class of people whose group the answer depends on.

        TooLarge where they are too many.
        """
        yield from (channel.complete for channel in self.singly(noise))

    def singly(self, noise: Noise) -> Iterator[RecordChannel]:
        """Yields one channel under `noise` for each class of people.

        Where laws are long, averages of the channel are known and not all likelihoods.
        """
        if (other := self.under(noise)) is not self:
            yield from other._made_of(noise, other._answers())
            return
        found = (each.singly(noise) for each in self._shortcuts)
        yield from next((channels for channels in found if channels is not None), None) or self._made_of(
            noise, self._answers()
        )

    def _made_of(self, noise: Noise, answers: Iterable[Answers]) -> Iterator[RecordChannel]:
        """Makes channels under this noise from laws of the exact answer, answer by answer."""
        served = set[tuple[object, ...]]()
        for answer in answers:
            inner, law = answer.noised(noise, answer.ends is not None)
            # Because only the part that the person's group adds has a law: its leakage bounds that of the whole.
            own = (
                inner
                if answer.ends is None
                else BoundingMechanism(inner.noise, inner.lattice, inner, answer.ends, answer.refusal)
            )
            size = (answer.axes, law.start, law.box, law.secrets)
            channel = FiniteChannel(
                answer.subject,
                _made(own, law, answer.subject, at_once=answer.full_law is None and size not in served),
                own,
                answer.spread,
                answer.names,
                self.secrets.pairs_of(answer.subject),
                answer.axes,
                partial(own.limits, law),
            )
            served.add(size)
            yield (
                channel
                if answer.full_law is None
                else averaging(channel, inner, answer.full_law.window, _full_channel(answer, channel, inner))
            )

    def channels_of(self, noise: Noise, component: AnswerPart) -> Iterator[RecordChannel]:
        """Yields the channels under `noise` of one part of the answer, `component`."""
        yield from self._made_of(noise, self._of_component(component).values())

    def full_channel_of(self, component: AnswerPart, noise: Noise, bounded: FiniteChannel) -> RecordChannel:
        """Returns the channel of the whole answer of a part, and keeps the last one.

        Args:
            component: The part of the answer, with its groups of records.
            noise: The noise of the whole answer.
            bounded: The channel that stands for it where its law is too large.
        """
        # The case of a whole whose law does not fit, or is too long for Gaussian noise: only the group's part is known.
        plan, secrets = component.plan, len(bounded.subject.secrets)
        short = plan.engine == "window" or bounded.mechanism.serves(plan.extent.points, secrets)
        if plan.engine == "bounds" or not short:
            return bounded
        key = (component.axes, bounded.subject.person, noise)
        if key not in self._last:
            answer = self._of_component(component)[bounded.subject.person]
            self._last = {key: next(self._made_of(noise, [answer]))}
        return self._last[key]

    @property
    def is_plain(self) -> bool:
        """Whether secrets are single records, of all stages together."""
        return self.secrets.of_records and self.secrets.stage is None

    def marginals(self, quickly: bool = False) -> Iterator[Marginal]:
        """Yields the law of each coordinate that some record can move.

        quickly: where there is no law yet, to a double's absolute accuracy if that takes less, and none of a chain so
        long that it would take minutes.
        """
        # Because advice on accuracy is worth a second, and not the minutes of a long chain's law.
        if quickly and not (all(each.is_quick for each in self._shortcuts) and self.refusal is None):
            return
        for component in self.components:
            kept = self._kept or []
            known = next(((each.subject, each.law) for each in kept if each.axes == component.axes), None)
            found = component.marginals(known, quickly)
            copies = component.proportional
            yield from found if copies is None else copies_of(found, copies, component.all_scores.names)

    @cached_property
    def spreads(self) -> tuple[tuple[Spread, Lattice, tuple[int, ...]], ...]:
        """The spread of one record in each part of the answer, by stratum with a secret, and the part's coordinates."""
        return tuple(self._spreads())

    def _spreads(self) -> Iterator[tuple[Spread, Lattice, tuple[int, ...]]]:
        firsts = self.firsts
        secret = None if firsts is None else {self.joint.stratum_of(person) for person in firsts}
        for component in self.components:
            joint, scores = component.joint, component.all_scores
            for stratum in range(len(joint.strata())) if secret is None else sorted(secret):
                yield spread_in(joint, scores, stratum), scores.lattice, component.axes

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.joint.strata()

    @property
    def record_strata(self) -> tuple[Stratum, ...]:
        return self.joint.of_records.strata()

    @property
    def engines(self) -> list[tuple[str, str]]:
        """The engines and reasons: only a shortcut's, if one serves the whole answer; else one for each part."""
        if (shortcut := next((each.engine for each in self._shortcuts if each.engine is not None), None)) is not None:
            return [shortcut]
        if self.refusal is not None:
            return [("bounds", f"{self.refusal}; what the noise hides of a whole group bounds it")]
        return [
            (component.plan.engine, component.plan.why + "".join(each.more(component.axes) for each in self._shortcuts))
            for component in self.components
        ]

    @property
    def groups(self) -> Sequence[IntArray]:
        return strata_of(self.joint, self.joint.hidden_together())

    @property
    def reach(self) -> Fraction:
        return self.group_sensitivity[0] * max((each.spanned for each in self.components), default=1)

    def _of_component(self, component: AnswerPart) -> Mapping[int, Answers]:
        """Returns the laws of a component's answer by person, and keeps the last ones."""
        # Because a second notion, or the next person of the same part, needs the same laws.
        if component.axes not in self._lately:
            self._lately = {component.axes: {each.subject.person: each for each in self._answers(component)}}
        return self._lately[component.axes]

    def _answers(self, only: AnswerPart | None = None) -> Iterator[Answers]:
        """Yields the laws of the answer, of one component only where it is given."""
        if self._kept is not None:
            yield from steps("records", [each for each in self._kept if only is None or each.axes == only.axes])
            return
        if self._known is not None:
            _CHECK_OF_ANSWERS.function(self.joint, self.scores, self._known)
        kept: list[Answers] = []
        points = 0
        parts = self.components if only is None else [only]
        # So that a waiting user sees which of several parts, such as a count for each ward, is computed.
        for component in steps("parts", parts) if len(parts) > 1 else parts:
            all_scores, lattice = component.all_scores, component.scores.lattice
            for subject, law in steps("records", component.laws(), len(component.joint.subjects())):
                # The case of people whose records are no secrets: they have no channel, and their laws are part of the
                # product.
                if self.firsts is not None and subject.person not in self.firsts:
                    continue
                spread = self._spread(component, subject)
                stage = self.secrets.stage
                whose, given = (subject, law) if stage is None else at_stage(subject, law, stage)
                answer = Answers(
                    whose,
                    given,
                    lattice,
                    component.proportional,
                    spread,
                    all_scores.names,
                    component.axes,
                    component.ends,
                    component.full_law_of(subject),
                    component.plan.refusal,
                    component.sets,
                )
                # Because every notion of an audit reads the same laws, they are kept while they fit in memory, and made
                # again where not.
                points += law.relative.size
                if points <= allowed(_KEPT_POINTS):
                    kept.append(answer)
                yield answer
        if points <= allowed(_KEPT_POINTS) and (only is None or len(self.components) == 1):
            self._kept = kept

    def _spread(self, component: AnswerPart, subject: Subject) -> Spread:
        """Returns the spread; neighbours differ in one record, and are none where the secret is several."""
        found = spread_in(component.joint, component.all_scores, subject.stratum)
        return replace(found, neighbours=None) if subject.members else found


def _full_channel(answer: Answers, bounded: FiniteChannel, mechanism: Mechanism) -> Callable[[], FiniteChannel] | None:
    """Returns a maker of the channel from the law of all answers, where that is not too long, nor for the noise."""
    if answer.full_law is None or (complete := answer.full_law.complete) is None:
        return None
    if not mechanism.serves(answer.full_law.points, answer.law.secrets):
        return None

    def make() -> FiniteChannel:
        law = complete()
        made = _made(mechanism, law, answer.subject, at_once=False)
        return replace(bounded, made=made, mechanism=mechanism)

    return make


def _made(mechanism: Mechanism, law: Law, subject: Subject, at_once: bool) -> Callable[[], Law]:
    """Returns a maker of the likelihoods; at_once: makes them now, where the mechanism may refuse laws of that size."""

    def make() -> Law:
        return with_class_error(mechanism.likelihood(law), subject)

    if mechanism.shape.exponential or mechanism.shape.adds_nothing or not at_once:
        return make
    made = make()  # Other mechanisms may refuse the law: then now, and not in the middle of a notion.
    return lambda: made
