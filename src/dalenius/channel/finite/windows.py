"""Hockey-stick divergences of two rows of a channel, read from where nearly all of the mass is."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from math import exp, inf
from typing import final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.finite.cores import Core
from dalenius.channel.finite.likelihoods import Likelihoods, counted
from dalenius.laws.integrals.functionals import HockeyStick
from dalenius.laws.integrals.profile import Profile
from dalenius.laws.law import Law

FURTHEST = 700.0


@final
class PairProfile:
    """δ(ε) of row `one` of a channel against row `other`; the row after the last secret's is the prior's mixture.

    An answer outside the core adds at most its own mass under `one`, and takes away at most e^ε times that under
    `other`: noise keeps both. Where that is below a rounding of what the core has, the core is enough.
    """

    def __init__(self, channel: Likelihoods, one: int, other: int) -> None:
        self._channel, self._one, self._other = channel, one, other

    def at(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """worth: a δ of which a rounding does not matter."""
        found, slack = self._near(epsilon)
        enough = slack < UNIT * max(found.lower, worth) or slack == 0 or not self._complete
        return found if enough else self._of_all(epsilon)

    def least(self, epsilon: float) -> float:
        """A lower bound, without much work."""
        return self._near(epsilon)[0].lower

    def _near(self, epsilon: float) -> tuple[Enclosure, float]:
        """From the core, and what the rest may change."""
        core = self._core
        if core is None:
            return self._of_all(epsilon), 0.0
        found = self._of_core(epsilon)
        less = exp(epsilon) * core.lost[self._other] if epsilon < FURTHEST else inf
        more = core.lost[self._one]
        return Enclosure(max(found.lower - less, 0.0), found.upper + more), max(less, more)

    @cached_property
    def _core(self) -> Core | None:
        """Gaussian noise reads its laws from where they are; kernels depend on the box."""
        channel = self._channel
        usable = channel.noise.exponential or channel.noise.adds_nothing or not self._complete
        return channel.cores.core(self._one) if usable and channel.cores is not None else None

    @property
    def _complete(self) -> bool:
        """Whether more than the core is known."""
        return self._channel.cores is None or self._channel.cores.complete

    @cached_property
    def _of_core(self) -> Callable[[float], Enclosure]:
        channel = self._channel
        assert self._core is not None
        likelihood = counted(channel.noise.likelihood(self._core.law, channel.lattice), channel.subject)
        return self._remembered(likelihood.with_mixture(channel.log_prior) if self._mixed else likelihood)

    @cached_property
    def _of_all(self) -> Callable[[float], Enclosure]:
        return self._remembered(self._channel.with_mixture if self._mixed else self._channel.likelihood)

    @property
    def _mixed(self) -> bool:
        return len(self._channel.secrets) in (self._one, self._other)

    def _remembered(self, law: Law) -> Callable[[float], Enclosure]:
        """The last ε is often asked for again."""
        return lru_cache(maxsize=1)(self._curve(law))

    def _curve(self, law: Law) -> Callable[[float], Enclosure]:
        channel, one, other = self._channel, self._one, self._other
        if channel.noise.adds_nothing:
            return Profile(law, one, other).at
        if law.line is None:
            rows = replace(law, relative=law.relative[[one, other]])
            return lambda epsilon: channel.noise.integral(HockeyStick(0, 1, epsilon), rows, channel.lattice)
        return lambda epsilon: channel.noise.integral(HockeyStick(one, other, epsilon), law, channel.lattice)
