"""Mutual information privacy: what an output tells about a record on average (IP Thm 1, IDP Thm 3)."""

from typing import ClassVar, Final, Literal, final

import numpy as np

from dalenius.channel import Channel
from dalenius.channel.leakage import NOTHING, Leakage, of_person
from dalenius.laws.integrals.functionals import Information
from dalenius.laws.integrals.profile import FAINT
from dalenius.notions.notion import Notion, Proof

FAINTEST: Final = 1e-290


@final
class MutualInformationPrivacy(Notion):
    """I(S; Y) <= epsilon, in nats."""

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["mutual_information"] = "mutual_information"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return NOTHING
        value = channel.integral(Information(channel.log_prior))
        # Secrets of a prior below e^-690 are not resolved by sums in doubles: all they add to the entropy is less.
        lost = FAINTEST if float(np.min(channel.log_prior)) < FAINT else 0.0
        return Leakage(max(0.0, value.lower - lost), value.upper + lost, of_person(channel))
