"""Promises about who is absent: (α,β)-differential identifiability (DI Def 4), and ρ (Lee & Clifton 2012).

Of three people without whom the answer is 0, 1 or 2, and Laplace noise of scale 1: with α = ½ and β = 1 as the promise
a chance rises by .691 nats at the most and falls by 1.309; the largest posterior is .665, -ln(1 - .665) = 1.094 nats.

>>> from dalenius.absent.one_absent_model import Absent
>>> from dalenius.noise import Laplace
>>> release = Release(Absent(answers=(0, 1, 2)), None, Laplace(scale=1))
>>> promises = DifferentialIdentifiability(alpha=0.5, beta=1.0), RhoIdentifiability(rho=0.9)
>>> [round(promise.leakage(release).upper, 4) for promise in promises]
[1.309, 1.0943]
"""

from math import log1p, nextafter
from typing import Annotated, Literal, final

from pydantic import Field, model_validator

from dalenius.absent.posterior_prior_ratios import posterior_of
from dalenius.absent.who_is_absent_channel import absences, suspicion
from dalenius.bounds import UNIT
from dalenius.channel import Channel, Leakage, Release
from dalenius.errors import InputError, Meaningless
from dalenius.fields import Positive, Probability
from dalenius.notions.notion import Notion, Properties


@final
class DifferentialIdentifiability(Notion):
    """(1 - α) prior <= posterior <= (1 + β) prior for every secret and output.

    The leakage is t ln(1 + β) nats, t the least number such that every posterior/prior lies in [(1-α)^t, (1+β)^t]: what
    share of the promise is used, since ratios multiply when answers follow each other. epsilon = ln(1 + β) follows from
    beta. Companions: `raised`, the largest ln(posterior/prior), and `lowered`, the largest ln(prior/posterior).
    """

    kind: Literal["identifiability"] = "identifiability"
    alpha: Annotated[Probability, Field(gt=0, lt=1)]
    beta: Positive

    @model_validator(mode="after")
    def _fill(self) -> "DifferentialIdentifiability":
        most = nextafter(log1p(self.beta), 0.0)
        # A result that is read back has the epsilon that follows from beta; any other contradicts it.
        if self.epsilon is not None and abs(self.epsilon - most) > 1e-9 * most:
            raise ValueError("no epsilon: alpha and beta say what is promised")
        object.__setattr__(self, "epsilon", most)
        return self

    @property
    def share(self) -> float:
        """How many times the promise epsilon stands for: 1, unless it was changed since."""
        return (self.epsilon or 0.0) / nextafter(log1p(self.beta), 0.0)

    @property
    def properties(self) -> Properties:
        bounds = self.epsilon or 0.0, -log1p(-self.alpha) * self.share * (1 - 4 * UNIT)
        return Properties(implied_by="absence", also=("raised", "lowered"), log_ratio_bounds=bounds)

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
            # Somebody suspected with ½: to let that double is to let it become certain.
            if self.beta >= most:
                wanted = f"below {most:.6g}: somebody's prior is {float(missing.prior.greatest):.6g} already"
                raise InputError("notion.beta", self.beta, wanted)


@final
class RhoIdentifiability(Notion):
    """Pr[person i is the absent one | Y=y] <= ρ for every person and output.

    The leakage is -ln(1 - the largest posterior), in nats, and epsilon = -ln(1 - ρ) follows from rho. Companion
    `posterior`: that probability. Of model `absent` only: a record's likeliest value may be as good as certain before.
    """

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
    def properties(self) -> Properties:
        return Properties(implied_by="absence", also=("posterior",), posterior_bound=self.rho)

    def leakage_of(self, channel: Channel) -> Leakage:
        found = suspicion(channel)
        return Leakage.of(found, posterior=posterior_of(found.value))

    def check_secret(self, release: Release) -> None:
        # Of a record ρ promises nothing: its likeliest value may be certain before any answer.
        if release.secret != "absence":
            wanted = "model absent: its secret is who is absent, no record"
            raise Meaningless("notion.kind", self.kind, wanted)

    def check(self, release: Release) -> None:
        for missing in absences(release):
            least = float(missing.prior.greatest)
            # ρ = .1 of a suspect whose chance is .2 before any answer: no noise keeps that.
            if self.epsilon is not None and self.epsilon <= -log1p(-least):
                raise InputError("notion.rho", self.rho, f"above {least:.6g}, which somebody's prior is already")
