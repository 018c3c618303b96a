"""The laws of a release's model, each with its channels, and the numbers common to all of them.

Two days alike with .9 depend on each other, and a count of both moves by 2 where a day alone moves it by 1:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> worlds = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)).worlds
>>> len(worlds), worlds.group_size, worlds.engines()[0][0]
(1, 2, 'enumeration')
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, final, overload

from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.record_world import RecordWorld
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.world import World, world_of
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints import Belief, Joint
from dalenius.joints.joint import Nature
from dalenius.noise import NoNoise


@final
class Worlds(Sequence[World]):
    """The laws of a release's model, each with its channels.

    InputError for laws of different people, or for an absence beside laws of records.

    Args:
        beliefs: The laws of the model, given the records that the adversary knows.
        question: The question that the release asks of them.
    """

    def __init__(self, beliefs: Sequence[Belief], question: ReleaseSettings) -> None:
        _check_same_people(beliefs)
        self._beliefs, self._question = beliefs, question
        self._all = [world_of(belief, question) for belief in beliefs]
        self._of_records = [world for world in self._all if isinstance(world, RecordWorld)]
        # Because an absence is a secret of another kind: no one answer has both.
        if 0 < sum(belief.nature.secret == "absence" for belief in beliefs) < len(beliefs):
            raise InputError("model.models", "absent beside others", "models that are all absent, or none of them")

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, place: int) -> World: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[World]: ...

    def __getitem__(self, place: int | slice) -> World | Sequence[World]:
        return self._all[place]

    def exact_answers(self) -> Iterator[RecordChannel]:
        """Makes the channels of the exact answer; where its law is long, it is known `inside` a window only.

        InputError where records are real numbers, or the secret is who is absent.
        """
        self.check_finite()
        for world in self._of_records:
            yield from world.singly(NoNoise())

    def engines(self) -> tuple[tuple[str, str], ...]:
        """Returns the engines used and the reasons, each once."""
        return tuple(dict.fromkeys(engine for world in self._all for engine in world.engines))

    def given(self, joint: Joint) -> RecordWorld:
        """Makes the world of another law `joint` of the same people, as one of these given some records."""
        self.check_plain_records()
        return RecordWorld(joint, self._question.scores(joint), self._question.secrets, self._question.engine)

    def check_plain_records(self, quantity: str = "what is asked") -> None:
        """Raises Meaningless unless each secret is one person's record under the model's own law.

        Theorems about single records, independent groups and chains suppose that: given a published total everybody
        depends on everybody.

        Args:
            quantity: The quantity that needs it, in words, for the message.
        """
        self._question.secrets.check_of_records(quantity)
        known = len(self._question.adversary.answers)
        if known:
            shown = "1 known answer" if known == 1 else f"{known} known answers"
            wanted = f"none beside {quantity}, because given a total everybody depends on everybody"
            raise Meaningless("adversary.answers", shown, wanted)

    def check_finite(self) -> None:
        """Raises InputError where a secret is no record with finitely many values; else as `check_joint`."""
        for nature in self.natures:
            if nature.secret != "record" and nature.instead is not None:
                raise InputError(*nature.instead)
        self.check_joint()

    def check_joint(self) -> None:
        """Raises Meaningless where only pairs of records, or only intervals, are known of some law of the model."""
        for nature in self.natures:
            if nature.over and nature.instead is not None:
                raise Meaningless(*nature.instead)

    @property
    def natures(self) -> tuple[Nature, ...]:
        """The kinds of the model's laws, law by law."""
        return tuple(belief.nature for belief in self._beliefs)

    @property
    def secret(self) -> Literal["record", "number", "absence"]:
        """The kind of the secret: records of finitely many values, real numbers under some law, or who is absent."""
        kinds = {nature.secret for nature in self.natures}
        return "absence" if "absence" in kinds else "number" if "number" in kinds else "record"

    @property
    def over(self) -> str:
        """The laws that a bound is over, in words, where no one joint law is known; empty elsewhere."""
        return "; ".join(dict.fromkeys(nature.over for nature in self.natures if nature.over))

    @property
    def refusal(self) -> TooLarge | None:
        """The reason why no law of the answer is computed for some law of the model; None elsewhere.

        Then only the effect of the noise on a group is known.
        """
        return next((each.refusal for each in self._of_records if each.refusal is not None), None)

    @property
    def contradiction(self) -> str | None:
        """The reason why some law's suppositions cannot hold, in words: no promise rests on it. None elsewhere."""
        return next((each.contradiction for each in self._all if each.contradiction is not None), None)

    @property
    def is_finite(self) -> bool:
        """Whether all laws of the model are joint laws of records with finitely many values."""
        return len(self._of_records) == len(self._all)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joint laws the promise is for.

        InputError where records are real numbers; Meaningless where secrets are of several people, or answers are
        known: these are not in the laws.
        """
        self.check_finite()
        self.check_plain_records()
        return tuple(world.joint for world in self._of_records)

    @property
    def sampled(self) -> bool:
        """Whether some law is, or has in part, that of a sample."""
        return any(belief.sampling_rate is not None for belief in self._beliefs)

    @property
    def plain(self) -> tuple[RecordWorld, ...]:
        """The laws whose records have finitely many values, each with the laws of the answer under it.

        Meaningless where secrets are of several people or answers are known (elsewhere `finite`), and where only pairs
        of records are.
        """
        # Because normal records and absences have no such laws, there is nothing to check.
        if self._of_records:
            self.check_plain_records()
        return self.finite

    @property
    def finite(self) -> tuple[RecordWorld, ...]:
        """The laws as `plain`, whatever is secret and whatever is known.

        Their channels, laws of answers and spreads, but not their `joint`, are given that.
        """
        self.check_joint()
        return tuple(self._of_records)

    @property
    def sensitivity(self) -> Fraction:
        """The sensitivity Δ: the most one record can move the answer (L1), in the query's unit.

        Meaningless where secrets are of several people, as the two after it.
        """
        self._question.secrets.check_of_records("how far one record moves the answer")
        return max(world.sensitivity for world in self._all)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can move the answer (kΔ if its records have one Δ), and the largest size k.

        The first is in the query's unit. Meaningless as `check_plain_records`.
        """
        self.check_plain_records("how far one group moves the answer")
        each = [world.group_sensitivity for world in self._all]
        return max(distance for distance, _ in each), max(size for _, size in each)

    @property
    def group_size(self) -> int:
        """The number of records of the largest independent group. Meaningless as `group_sensitivity`."""
        self.check_plain_records("the size of one group")
        return max(world.group_size for world in self._all)

    @property
    def reach(self) -> Fraction:
        """The rough distance that the answer moves, in the query's unit: a search for a scale may start there."""
        return max(world.reach for world in self._all)


def _check_same_people(beliefs: Sequence[Belief]) -> None:
    """Raises InputError where the laws of a model differ in how many people have each label."""
    counts = [belief.labelled() for belief in beliefs]
    for number, people in enumerate(counts, 1):
        # The case of "boys" and "girls" in one model, "children" in the other: a count of girls would be two questions.
        if people != counts[0]:
            shown = {label or "people": n for label, n in people.items()}
            wanted = {label or "people": n for label, n in counts[0].items()}
            raise InputError(f"model.models row {number}", shown, f"the same people as in row 1, {wanted}")
