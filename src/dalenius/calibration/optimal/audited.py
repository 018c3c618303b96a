"""A noise chosen for some people, audited for everybody."""

from collections.abc import Callable, Sequence
from typing import Final

from dalenius.calibration.optimal.answer_laws import AnswerLaws
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.noise import Noise
from dalenius.notions import Leakage, Notion

Choose = Callable[[AnswerLaws, float], Noise]
"""The noise that keeps the promise for these people, with epsilon lowered by that relative margin."""


SEVERAL: Final = 8
"""How many people are added at once."""


def confirmed(
    release: Release, notion: Notion, laws: AnswerLaws, bare: Leakage, margins: Sequence[float], choose: Choose
) -> tuple[Noise, Leakage]:
    """The first noise whose audit keeps the promise. It is chosen for the people about whom the exact answer leaks
    most; those about whom an audit finds too large a leakage are added, and once all of them are included the margin
    grows, for the roundings that an audit must count. DaleniusError where no margin suffices.
    """
    people = {bare.witness.person} if bare.witness is not None else set()
    left = list(margins)
    while left:
        noise = choose(laws.about(people), left[0])
        leakage = notion.leakage(release.with_noise(noise))
        if notion.epsilon is not None and leakage.upper <= notion.epsilon:
            return noise, leakage
        leaking = _leaking(release.with_noise(noise), notion)
        others = sorted(leaking.keys() - people, key=leaking.__getitem__)
        people |= set(others[-SEVERAL:])
        left = left if others else left[1:]
    raise DaleniusError(f"no audit confirms {notion.epsilon:g} nats: the last shows {leakage.upper:g}")


def _leaking(release: Release, notion: Notion) -> dict[int, float]:
    """The first person of each class whose leakage may exceed epsilon, and that leakage."""
    each = ((channel.subject.person, notion.leakage_of(channel).upper) for channel in release.channels())
    return {person: upper for person, upper in each if notion.epsilon is not None and upper > notion.epsilon}
