"""Several notions' leakages of one release, each channel made once, and the probabilities of their witnesses."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NEAR, Leakage, Witness, worst
from dalenius.channel.likelihoods import Likelihoods
from dalenius.errors import DaleniusError, Meaningless, TooLarge
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.notions.notion import Notion, nothing, per_person


def leakages(release: Release, notions: Iterable[Notion]) -> list[Leakage]:
    """Returns the leakages of several notions of one release, in nats."""
    found = audited(release, list(notions), ())
    return [leakage for leakage in found if leakage is not None]


def audited(
    release: Release, notions: Sequence[Notion], omitted: tuple[type[DaleniusError], ...], how_likely: bool = False
) -> list[Leakage | None]:
    """Returns the leakages of `release`, in nats, in the order of `notions`.

    A notion that raises one of `omitted` has None. Each channel is made once, then discarded. With `how_likely`
    witnesses also have their probabilities, for which the channels are made once more.
    """
    found: list[list[Leakage] | None] = []
    for notion in notions:
        try:
            notion.check_secret(release)
            # Because notions of channels are read below, all of them from each channel while it exists.
            found.append([nothing(notion) if notion.properties.of_channels else notion.leakage(release)])
        except omitted:
            found.append(None)
    # Because making channels takes most of the time, they are made only where some notion reads them.
    if any(notion.properties.of_channels for notion in notions):
        for channel in release.all_channels():
            for place, notion in enumerate(notions):
                own = found[place]
                if own is None or not notion.properties.of_channels:
                    continue
                # The case of a channel that has no such leakage: the notion is left out from there on.
                try:
                    own.append(per_person(notion, release, channel))
                except omitted:
                    found[place] = None
    total = [None if each is None else worst(each) for each in found]
    return _with_chances(release, notions, found, total) if how_likely else total


def _with_chances(
    release: Release,
    notions: Sequence[Notion],
    found: Sequence[Sequence[Leakage] | None],
    worst: Sequence[Leakage | None],
) -> list[Leakage | None]:
    """Returns the worst leakages, their witnesses with how likely they are.

    `found` has, by notion, the leakage of nobody and then of each channel in order, or one of all. A witness with no
    output, or not of one channel, is left as it is.
    """
    wanted: dict[int, list[int]] = {}
    for place, leakage in enumerate(worst):
        own = found[place] or ()
        if leakage is not None and leakage.witness is not None and leakage.witness.output is not None:
            for number, each in enumerate(own[1:]):
                if each.witness is leakage.witness:
                    wanted.setdefault(number, []).append(place)
    done = list(worst)
    # The case of averages, deltas, and leakages of 0: no witness names one output.
    if not wanted:
        return done
    for number, channel in enumerate(release.all_channels()):
        for place in wanted.get(number, ()):
            leakage = done[place]
            assert leakage is not None
            assert leakage.witness is not None
            done[place] = replace(leakage, witness=_with_chance(leakage, leakage.witness, notions[place], channel))
    return done


def _with_chance(leakage: Leakage, witness: Witness, notion: Notion, channel: Channel) -> Witness:
    """Returns the witness with how likely it is; unchanged where there is no table of likelihoods.

    No outputs are near a leakage that may be 0.
    """
    try:
        finite = _likelihoods_about(witness.person, channel, notion.kind)
    # The case of a bound, or of a long chain's limits: attained far out, but no law has its probability.
    except (Meaningless, TooLarge):
        return witness
    assert witness.output is not None
    loss = notion.loss(finite)
    near = None if loss is None or leakage.lower <= 0 else _near(leakage, finite, loss)
    return replace(witness, log_probability=finite.log_near(witness.output), log_near=near)


def _likelihoods_about(person: int, channel: Channel, quantity: str) -> Likelihoods:
    """Returns the likelihoods of the channel's only subject, or of the class that begins with the person.

    Meaningless or TooLarge where these are not known.
    """
    channels = channel.singly(quantity)
    first, second = next(channels).finite(quantity), next(channels, None)
    if second is None:
        return first
    # Because a long chain has one channel for each class of records.
    several = (each.finite(quantity) for each in chain([second], channels))
    found = next((each for each in chain([first], several) if each.subject.person == person), None)
    if found is None:
        raise Meaningless(quantity, f"person {person}", "a person whose likelihoods are known")
    return found


def _near(leakage: Leakage, channel: Likelihoods, loss: PointwiseLoss) -> Enclosure:
    """Encloses log Pr[loss >= NEAR · the leakage]."""
    tail = channel.tail_of(loss)
    low, high = (
        tail.log_at_least(NEAR * each * (1 + side)) for each, side in ((leakage.lower, -1e-15), (leakage.upper, 1e-15))
    )
    return Enclosure(high.lower, low.upper)
