"""(α,β)-differential identifiability: how far an output may move the belief in a secret, either way (DI Def 4)."""

from math import log1p, nextafter
from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import Leakage, of_person, peak
from dalenius.errors import InputError
from dalenius.notions.notion import Notion, Proof
from dalenius.schema import Positive, Probability


@final
class DifferentialIdentifiability(Notion):
    """(1 - α) prior <= posterior <= (1 + β) prior for every secret and output.

    The leakage is t ln(1 + β) nats, t the least number such that every posterior/prior lies in [(1-α)^t, (1+β)^t]: what
    share of the promise is used, since ratios multiply when answers follow each other. epsilon = ln(1 + β) follows from
    beta. Companions: `raised`, the largest ln(posterior/prior), and `lowered`, the largest ln(prior/posterior).
    """

    of_real_numbers: ClassVar[bool] = False
    also: ClassVar[tuple[str, ...]] = ("raised", "lowered")
    implied_by: ClassVar[Proof] = "absence"

    kind: Literal["identifiability"] = "identifiability"
    alpha: Annotated[Probability, Field(gt=0, lt=1)]
    beta: Positive

    @model_validator(mode="after")
    def _fill(self) -> "DifferentialIdentifiability":
        most = nextafter(log1p(self.beta), 0.0)
        if self.epsilon is not None and abs(self.epsilon - most) > 1e-9 * most:
            raise ValueError("no epsilon: alpha and beta say what is promised")
        object.__setattr__(self, "epsilon", most)
        return self

    @property
    def share(self) -> float:
        """How many times the promise epsilon stands for: 1, unless it was changed since."""
        return (self.epsilon or 0.0) / nextafter(log1p(self.beta), 0.0)

    @property
    def log_ratio_bounds(self) -> tuple[float, float]:
        return self.epsilon or 0.0, -log1p(-self.alpha) * self.share * (1 - 4 * UNIT)

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return self.nothing()
        gain = channel.relative - channel.mixture
        up, at_up = peak(gain, channel.possible, 2 * channel.error)
        down, at_down = peak(np.where(channel.possible, -gain, -np.inf), channel.possible, 2 * channel.error)
        used = self.used(up, down)
        secret, output = at_up if self.may_be_by_raising(up, down) else at_down
        witness = of_person(channel, secret=channel.secrets[secret], output=channel.output(output))
        return Leakage(used.lower, used.upper, witness, {"raised": up, "lowered": down})

    def used(self, up: Enclosure, down: Enclosure) -> Enclosure:
        """The leakage of a release that raises and lowers beliefs that far."""
        factor = -log1p(self.beta) / log1p(-self.alpha)
        return largest(up, Enclosure(down.lower * factor * (1 - 8 * UNIT), down.upper * factor * (1 + 8 * UNIT)))

    def by_raising(self, up: Enclosure, down: Enclosure) -> bool:
        """Whether it is raising beliefs that uses most of the promise."""
        return up.lower * -log1p(-self.alpha) >= down.lower * log1p(self.beta)

    def may_be_by_raising(self, up: Enclosure, down: Enclosure) -> bool:
        """Whether their enclosures leave it open, which is what the witness goes by."""
        return up.upper * -log1p(-self.alpha) >= down.lower * log1p(self.beta)

    def check(self, release: Release) -> None:
        for missing in release.absences:
            most = float(1 / missing.prior.greatest - 1)
            if self.beta >= most:
                wanted = f"below {most:.6g}: somebody's prior is {float(missing.prior.greatest):.6g} already"
                raise InputError("notion.beta", self.beta, wanted)
