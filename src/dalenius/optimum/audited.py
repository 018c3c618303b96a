"""A noise chosen for some people, audited for everybody."""

from collections.abc import Callable, Sequence
from typing import Final

from dalenius.calibration.method import promised
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.noise import Noise
from dalenius.notions import Leakage, Notion
from dalenius.optimum.answer_laws import AnswerLaws

Choose = Callable[[AnswerLaws, float], Noise]
"""The noise that keeps the promise for these people, with epsilon lowered by that relative margin."""


SEVERAL: Final = 8
"""How many people are added at once."""


def confirmed(
    release: Release,
    notions: Sequence[Notion],
    laws: AnswerLaws,
    people: set[int],
    margins: Sequence[float],
    choose: Choose,
) -> tuple[Noise, list[Leakage]]:
    """The first noise whose audit keeps all promises. It is chosen for the people about whom the exact answer leaks
    most; those about whom an audit finds too large a leakage are added, and once all of them are included the margin
    grows, for the roundings that an audit must count. DaleniusError where no margin suffices.
    """
    left = laws.worth_trying(margins, notions)
    while left:
        noise = choose(laws.about(people), left[0])
        leakages = [notion.leakage(release.with_noise(noise)) for notion in notions]
        broken = [each for each in zip(notions, leakages, strict=True) if each[1].upper > promised(each[0])]
        if not broken:
            return noise, leakages
        leaking: dict[int, float] = {}
        for notion, _ in broken:
            if notion.linear in ("pairs", "average"):
                leaking |= _leaking(release.with_noise(noise), notion)
        others = sorted(leaking.keys() - people, key=leaking.__getitem__)
        people |= set(others[-SEVERAL:])
        left = left if others else left[1:]
    raise unconfirmed(broken)


def unconfirmed(broken: Sequence[tuple[Notion, Leakage]]) -> DaleniusError:
    """The promises that the last audit did not confirm."""
    shown = [f"{notion.kind} {notion.epsilon:g} nats: the last shows {leakage.upper:g}" for notion, leakage in broken]
    return DaleniusError(f"no audit confirms {'; '.join(shown)}")


def _leaking(release: Release, notion: Notion) -> dict[int, float]:
    """The first person of each class whose leakage may exceed epsilon, and that leakage."""
    each = ((channel.subject.person, notion.leakage_of(channel).upper) for channel in release.channels())
    return {person: upper for person, upper in each if notion.epsilon is not None and upper > notion.epsilon}
