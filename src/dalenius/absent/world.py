"""One belief about who is absent, and its channel."""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar, final

from dalenius.absent.channel import AbsentChannel
from dalenius.absent.model import Missing
from dalenius.channel.release import Release
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import Question, World
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise


@final
class AbsentWorld(World):
    """The answers are those of the belief. InputError where [secrets] names records."""

    of_absence: ClassVar[bool] = True

    def __init__(self, missing: Missing, secrets: Secrets) -> None:
        self.missing = missing
        secrets.check_of_records("model absent")
        for key, given in (("people", secrets.people), ("pairs", secrets.pairs), ("stage", secrets.stage)):
            if given is not None:
                wanted = "no such key: with model absent the secret is who is absent"
                raise InputError(f"secrets.{key}", given if isinstance(given, str) else str(list(given)), wanted)

    @classmethod
    def of(cls, belief: Missing, question: Question) -> "AbsentWorld":
        return cls(belief, question.secrets)

    def channels(self, noise: Noise) -> Iterator[AbsentChannel]:
        """One channel for all people."""
        yield AbsentChannel(self.missing, noise)

    @property
    def lattice(self) -> Lattice | None:
        return self.missing.lattice

    @property
    def names(self) -> tuple[str, ...]:
        return ("",)

    @property
    def engines(self) -> list[tuple[str, str]]:
        classes, people = len(self.missing.offsets), self.missing.everybody.total
        return [("closed form", f"{classes:,} different answers of {people:,} people: extremes lie at the answers")]

    @property
    def sensitivity(self) -> Fraction:
        raise _of_records()

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        raise _of_records()

    @property
    def group_size(self) -> int:
        raise _of_records()

    @property
    def reach(self) -> Fraction:
        """Θ."""
        return Fraction(self.missing.span)


def absences(release: Release) -> tuple[Missing, ...]:
    """The beliefs about who is absent, where that is the secret; empty where records are the secrets."""
    return tuple(world.missing for world in release.worlds if isinstance(world, AbsentWorld))


def absent_channels(release: Release) -> Iterator[AbsentChannel]:
    """The channels of who is absent, for quantities that only they have."""
    for world in release.worlds:
        if isinstance(world, AbsentWorld):
            yield from world.channels(release.noise)


def _of_records() -> InputError:
    return InputError("model.kind", "absent", "a model of records here (or prior_free, prior_dependent, exact)")
