"""Min-entropy leakage: how much an output helps whoever guesses the secret once (Smith 2009)."""

from math import log
from typing import ClassVar, Literal, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.laws.integrals.functionals import Vulnerability
from dalenius.notions.notion import Notion, Proof
from dalenius.notions.wording import folds


@final
class MinEntropyPrivacy(Notion):
    """log( sum_y max_s π_s W(y|s) / max_s π_s ) <= epsilon, in nats: the chance that the best guess of the record is
    right grows by at most e^epsilon, on average over the outputs. Also called Bayes leakage; never above `information`.
    """

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["min_entropy"] = "min_entropy"

    def in_words(self, epsilon: float, chance: float | None = None) -> str:
        if epsilon == 0:
            return "whoever guesses the secret once is right no more often"
        return f"whoever guesses the secret once is right at most {folds(epsilon)} times as often"

    def leakage_of(self, channel: Channel) -> Leakage:
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        finite = channel.finite(self.kind)
        if len(finite.secrets) < 2:
            return NOTHING
        guesses = finite.subject.guesses
        log_prior = finite.log_prior if guesses is None else guesses
        value = gain(finite.integral(Vulnerability(log_prior)), float(np.max(log_prior)))
        return Leakage(value.lower, value.upper, finite.witness())


def gain(vulnerability: Enclosure, log_blind: float) -> Enclosure:
    """Its log above that of the best blind guess: at least 0, and at most what certainty would bring."""
    rounding = 16 * UNIT * (1 + abs(log_blind))
    lower = log(vulnerability.lower) - log_blind - rounding if vulnerability.lower > 0 else 0.0
    upper = log(min(vulnerability.upper, 1.0)) - log_blind + rounding
    return Enclosure(min(max(lower, 0.0), -log_blind), max(upper, 0.0))
