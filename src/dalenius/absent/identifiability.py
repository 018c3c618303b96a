"""(α,β)-differential identifiability: how far an output may move the belief in a secret, either way (DI Def 4)."""

from math import log1p, nextafter
from typing import Annotated, ClassVar, Literal, final

from pydantic import Field, model_validator

from dalenius.absent.world import absences
from dalenius.bounds import UNIT
from dalenius.channel import Channel, Leakage, Release
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

    @property
    def lowering(self) -> float:
        """The weight of a lowering relative to a raising."""
        return -log1p(self.beta) / log1p(-self.alpha)

    def leakage_of(self, channel: Channel) -> Leakage:
        movement = channel.movement(self.lowering)
        return Leakage.of(movement.most, raised=movement.raised.value, lowered=movement.lowered.value)

    def check(self, release: Release) -> None:
        for missing in absences(release):
            most = float(1 / missing.prior.greatest - 1)
            if self.beta >= most:
                wanted = f"below {most:.6g}: somebody's prior is {float(missing.prior.greatest):.6g} already"
                raise InputError("notion.beta", self.beta, wanted)
