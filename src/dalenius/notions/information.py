"""Information privacy: how far an output may raise the probability of a secret (IP Def 3, IDP Lemma 4)."""

from typing import ClassVar, Literal, final

import numpy as np

from dalenius.channel import Channel
from dalenius.channel.leakage import Leakage, of_person, peak
from dalenius.notions.notion import Linear, Notion, Proof


@final
class InformationPrivacy(Notion):
    """log Pr[S=s | Y=y] / Pr[S=s] <= epsilon for every secret value s and output y, in nats.

    Companion `two_sided`: the larger of that and of its reverse, log Pr[S=s] / Pr[S=s | Y=y].
    """

    also: ClassVar[tuple[str, ...]] = ("two_sided",)
    implied_by: ClassVar[Proof] = "inferential"
    linear: ClassVar[Linear] = "average"

    kind: Literal["information"] = "information"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return self.nothing()
        gain = channel.relative - channel.mixture  # IP eq. 9
        raised, (secret, output) = peak(gain, channel.possible, 2 * channel.error)
        lowered, _ = peak(np.where(channel.possible, -gain, -np.inf), channel.possible, 2 * channel.error)
        witness = of_person(channel, secret=channel.secrets[secret], output=channel.output(output))
        two_sided = max(raised, lowered, key=lambda side: side.upper)
        return Leakage(raised.lower, raised.upper, witness, {"two_sided": two_sided})
