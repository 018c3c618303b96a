"""The person about whom a release leaks most, evaluated alone while a scale is searched for.

Among households of one to four people those of four leak most. A search that evaluates ten scales evaluates one class
of people ten times, instead of four classes. The caller verifies the scale that was found for everybody.
"""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from dalenius.channel import Channel, Release
from dalenius.notions import Notion
from dalenius.notions.notion import per_person


def leakage_about_worst(release: Release, notion: Notion, scale: float) -> Callable[[float], float] | None:
    """Returns the release's leakage by the noise's scale, about the person it leaks most about at one scale.

    It is in nats, at most. None where the notion is not the largest of what each person's channel leaks, has a
    promised delta, or there is one channel only.

    >>> import dalenius as dl
    >>> types = [dl.HouseholdType(count=9, infected=[0.9] + [0.1 / size] * size) for size in (1, 2)]
    >>> release = dl.Release(dl.Households(types=types), dl.Count(), dl.Geometric())
    >>> alone = leakage_about_worst(release, dl.InferentialPrivacy(), 2.0)
    >>> alone(4.0) == dl.InferentialPrivacy().leakage(release.with_noise(dl.Geometric(scale=4.0))).upper
    True
    """
    # Because a delta is compared with the promised one, which the first person who is told too much settles.
    if not notion.properties.of_channels or notion.promised_delta:
        return None

    def channels(at: float) -> Iterator[Channel]:
        return release.with_noise(release.noise.with_scale(at)).all_channels()

    found = [per_person(notion, release, channel).upper for channel in channels(scale)]
    if len(found) < 2:
        return None
    place = found.index(max(found))

    def alone(at: float) -> float:
        if at == scale:
            return found[place]
        # Because channels come in one order at all scales; in another one the scale would not pass for everybody.
        last = deque(islice(channels(at), place + 1), maxlen=1).pop()
        return per_person(notion, release, last).upper

    return alone
