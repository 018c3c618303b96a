"""Mutual information privacy: what an output reveals about a record on average (IP Thm 1, IDP Thm 3)."""

from typing import ClassVar, Literal, final

from dalenius.channel import Channel, Leakage
from dalenius.notions.notion import Notion, Proof


@final
class MutualInformationPrivacy(Notion):
    """I(S; Y) <= epsilon, in nats."""

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["mutual_information"] = "mutual_information"

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.information())
