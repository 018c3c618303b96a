"""Promises about who is absent: (α,β)-differential identifiability (DI Def 4), and ρ (Lee & Clifton 2012)."""

import abc
from math import log1p, nextafter
from typing import Annotated, Literal, Protocol, final

from pydantic import Field, model_validator

from dalenius.absent.posterior_prior_ratios import posterior_of
from dalenius.absent.who_is_absent_channel import absences, suspicion
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel, Leakage, Release
from dalenius.errors import InputError, Meaningless
from dalenius.fields import Positive, Probability
from dalenius.notions.notion import Notion, Properties


class Beliefs(Protocol):
    """How far beliefs about who is absent may have moved, in nats, after one answer or several."""

    def raised(self) -> Enclosure:
        """Returns the largest ln(posterior/prior) of anybody."""

    def lowered(self) -> Enclosure:
        """Returns the largest ln(prior/posterior) of anybody."""

    def suspected(self) -> Enclosure:
        """Returns -ln(1 - the largest posterior of anybody)."""


class AbsencePromise(Notion, abc.ABC):
    """A promise about who is absent, which reads how far beliefs move."""

    @abc.abstractmethod
    def leaked(self, beliefs: Beliefs) -> Enclosure:
        """Returns the leakage, in nats, of answers after which beliefs may have moved so far.

        Args:
            beliefs: How far they may have moved.
        """


@final
class DifferentialIdentifiability(AbsencePromise):
    """The promise that (1 - α) prior <= posterior <= (1 + β) prior for every secret and output.

    The leakage is t ln(1 + β) nats. t is the share of the promise that is used: the least number such that every
    posterior/prior lies in [(1-α)^t, (1+β)^t]. Shares add up, since ratios multiply when answers follow each other.
    Companions: `raised`, the largest ln(posterior/prior), and `lowered`, the largest ln(prior/posterior), in nats.

    Args:
        alpha: α, above 0 and below 1: a probability may fall to (1 - α) times what it was.
        beta: β, above 0: a probability may grow to (1 + β) times what it was.
        epsilon: None: it follows as ln(1 + β) nats. Any other number is refused.
        factor: Refused, as are the other phrases for a promise: this notion has none.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Without each of three people the answer is 0, 1 or 2. Noise of scale 1 raises somebody's chance by .691 nats at
        most, and lowers it by 1.309 at most.

        >>> import dalenius as dl
        >>> release = dl.Release(dl.Absent(answers=(0, 1, 2)), None, dl.Laplace(scale=1))
        >>> found = dl.DifferentialIdentifiability(alpha=0.5, beta=1.0).leakage(release)
        >>> round(found.upper, 4), round(found.companions["raised"].upper, 4)
        (1.309, 0.691)

    Notes:
        DI Def 4.
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
        """How many times the promise epsilon stands for; 1, unless epsilon was changed."""
        return (self.epsilon or 0.0) / nextafter(log1p(self.beta), 0.0)

    @property
    def properties(self) -> Properties:
        bounds = self.epsilon or 0.0, -log1p(-self.alpha) * self.share * (1 - 4 * UNIT)
        return Properties(implied_by="absence", linear="both", also=("raised", "lowered"), log_ratio_bounds=bounds)

    @property
    def lowering(self) -> float:
        """The weight of a lowering relative to a raising: ln(1 + β) / -ln(1 - α)."""
        return -log1p(self.beta) / log1p(-self.alpha)

    def leaked(self, beliefs: Beliefs) -> Enclosure:
        raised, lowered = beliefs.raised(), beliefs.lowered()
        lower, upper = (self.lowering * end for end in lowered)
        return Enclosure(max(raised.lower, lower * (1 - 8 * UNIT)), max(raised.upper, upper * (1 + 8 * UNIT)))

    def leakage_of(self, channel: Channel) -> Leakage:
        movement = channel.movement(self.lowering)
        return Leakage.of(movement.most, raised=movement.raised.value, lowered=movement.lowered.value)

    def check(self, release: Release) -> None:
        for missing in absences(release):
            most = float(1 / missing.prior.greatest - 1)
            # Because a suspicion of ½ that doubles is certainty.
            if self.beta >= most:
                wanted = f"below {most:.6g}: somebody's prior is {float(missing.prior.greatest):.6g} already"
                raise InputError("notion.beta", self.beta, wanted)


@final
class RhoIdentifiability(AbsencePromise):
    """The promise that Pr[person i is the absent one | Y=y] <= ρ for every person and output.

    The leakage is -ln(1 - the largest posterior), in nats. Companion `posterior`: that probability. The promise is for
    model `Absent` only: a record's likeliest value may be as good as certain before any answer.

    Args:
        rho: ρ, above 0 and below 1; None (the default) where only the leakage is wanted.
        epsilon: None: it follows from rho as -ln(1 - ρ) nats. Any other number is refused.
        factor: Refused, as are the other phrases for a promise: this notion has none.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Without each of three people the answer is 0, 1 or 2. After noise of scale 1, nobody is the absent one with a
        probability above .665.

        >>> import dalenius as dl
        >>> release = dl.Release(dl.Absent(answers=(0, 1, 2)), None, dl.Laplace(scale=1))
        >>> found = dl.RhoIdentifiability(rho=0.9).leakage(release)
        >>> round(found.upper, 4), round(found.companions["posterior"].upper, 4)
        (1.0943, 0.6652)

    Notes:
        Lee and Clifton 2012; DI §1.
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

    def leaked(self, beliefs: Beliefs) -> Enclosure:
        return beliefs.suspected()

    def leakage_of(self, channel: Channel) -> Leakage:
        found = suspicion(channel)
        return Leakage.of(found, posterior=posterior_of(found.value))

    def check_secret(self, release: Release) -> None:
        # Because a record's likeliest value may be certain before any answer, ρ promises nothing about records.
        if release.secret != "absence":
            wanted = "model absent: its secret is who is absent, no record"
            raise Meaningless("notion.kind", self.kind, wanted)

    def check(self, release: Release) -> None:
        for missing in absences(release):
            least = float(missing.prior.greatest)
            # A suspect whose chance is .2 before any answer: no noise keeps ρ = .1.
            if self.epsilon is not None and self.epsilon <= -log1p(-least):
                raise InputError("notion.rho", self.rho, f"above {least:.6g}, which somebody's prior is already")
