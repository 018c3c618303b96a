"""ρ-differential identifiability: nobody's probability of being the absent one rises above ρ (Lee & Clifton 2012)."""

from math import log1p, nextafter
from typing import Annotated, ClassVar, Literal, final

from pydantic import Field, model_validator

from dalenius.absent.ratios import posterior_of
from dalenius.absent.world import absences
from dalenius.channel import Channel, Leakage, Release
from dalenius.errors import InputError, Meaningless
from dalenius.notions.notion import Notion, Proof
from dalenius.schema import Probability


@final
class RhoIdentifiability(Notion):
    """Pr[person i is the absent one | Y=y] <= ρ for every person and output.

    The leakage is -ln(1 - the largest posterior), in nats, and epsilon = -ln(1 - ρ) follows from rho. Companion
    `posterior`: that probability. Of model `absent` only: a record's likeliest value may be as good as certain before.
    """

    also: ClassVar[tuple[str, ...]] = ("posterior",)

    implied_by: ClassVar[Proof] = "absence"

    kind: Literal["rho"] = "rho"
    rho: Annotated[Probability, Field(gt=0, lt=1)] | None = None

    @model_validator(mode="after")
    def _fill(self) -> "RhoIdentifiability":
        if self.rho is None:
            if self.epsilon is not None:
                raise ValueError("rho, from which epsilon follows")
            return self
        most = nextafter(-log1p(-self.rho), 0.0)
        if self.epsilon is not None and abs(self.epsilon - most) > 1e-9 * most:
            raise ValueError("no epsilon: rho says what is promised")
        object.__setattr__(self, "epsilon", most)
        return self

    @property
    def posterior_bound(self) -> float | None:
        return self.rho

    def leakage_of(self, channel: Channel) -> Leakage:
        found = channel.suspected()
        return Leakage.of(found, posterior=posterior_of(found.value))

    def check_secret(self, release: Release) -> None:
        if not release.of_absence:
            wanted = "model absent: its secret is who is absent, no record"
            raise Meaningless("notion.kind", self.kind, wanted)

    def check(self, release: Release) -> None:
        for missing in absences(release):
            least = float(missing.prior.greatest)
            if self.epsilon is not None and self.epsilon <= -log1p(-least):
                raise InputError("notion.rho", self.rho, f"above {least:.6g}, which somebody's prior is already")
