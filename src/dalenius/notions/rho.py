"""ρ-differential identifiability: nobody's probability of being the absent one rises above ρ (Lee & Clifton 2012)."""

from math import log1p, nextafter
from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import Leakage, of_person, peak
from dalenius.errors import InputError
from dalenius.laws.absence.ratios import posterior_of
from dalenius.notions.notion import Notion, Proof
from dalenius.schema import Probability


@final
class RhoIdentifiability(Notion):
    """Pr[person i is the absent one | Y=y] <= ρ for every person and output.

    The leakage is -ln(1 - the largest posterior), in nats, and epsilon = -ln(1 - ρ) follows from rho. Companion
    `posterior`: that probability. Of model `absent` only: a record's likeliest value may be as good as certain before.
    """

    of_real_numbers: ClassVar[bool] = False
    of_records: ClassVar[bool] = False
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
        guesses = channel.log_prior if channel.subject.guesses is None else channel.subject.guesses
        weighed = channel.log_prior[:, None] + channel.relative
        # Not as a difference: next to somebody likely the others who are alike may be too few for that.
        rest = np.full(len(guesses), -np.inf) if channel.subject.others is None else channel.subject.others
        # What speaks for everybody else: the classes before, those after, and the others of the same class.
        nobody = np.full((1, weighed.shape[1]), -np.inf)
        before = np.concatenate([nobody, np.logaddexp.accumulate(weighed, axis=0)[:-1]])
        after = np.concatenate([np.logaddexp.accumulate(weighed[::-1], axis=0)[-2::-1], nobody])
        others = np.logaddexp(np.logaddexp(before, after), rest[:, None] + channel.relative)
        own = guesses[:, None] + channel.relative
        with np.errstate(invalid="ignore"):
            nats = np.where(own > -np.inf, np.logaddexp(0.0, own - others), 0.0)
        deepest = float(np.max(np.abs(weighed), where=np.isfinite(weighed), initial=0.0))
        error = 2 * channel.error + (8 + len(weighed)) * (2 + deepest) * UNIT
        value, (secret, output) = peak(nats, channel.possible, error)
        where = of_person(channel, secret=channel.secrets[secret], output=channel.output(output))
        return Leakage(value.lower, value.upper, where, {"posterior": posterior_of(value)})

    def check(self, release: Release) -> None:
        for missing in release.absences:
            least = float(missing.prior.greatest)
            if self.epsilon is not None and self.epsilon <= -log1p(-least):
                raise InputError("notion.rho", self.rho, f"above {least:.6g}, which somebody's prior is already")
