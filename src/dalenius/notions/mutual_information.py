"""Mutual information privacy: what an output tells about a record on average (IP Thm 1, IDP Thm 3)."""

from typing import Literal, final

from dalenius.channel import Channel
from dalenius.laws.functionals import Information
from dalenius.notions.leakage import NOTHING, Leakage, of_person
from dalenius.notions.notion import Notion


@final
class MutualInformationPrivacy(Notion):
    """I(S; Y) <= epsilon, in nats."""

    kind: Literal["mutual_information"] = "mutual_information"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return NOTHING
        value = channel.integral(Information(channel.log_prior))
        return Leakage(value.lower, value.upper, of_person(channel))
