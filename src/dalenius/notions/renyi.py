"""Rényi Pufferfish privacy: Rényi's divergence between two values of a secret (Pierquin et al. 2024; Mironov 2017).

D_α(P ‖ Q) = log(Σ_y P(y)^α Q(y)^{1-α})/(α - 1), for P = W(·|s) and Q = W(·|s'). Two days are alike with .9 and counted
with Laplace noise of scale 2. The divergence grows with its order, up to the largest log-ratio:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> [round(dl.Renyi(alpha=alpha).leakage(release).epsilon, 6) for alpha in (1.5, 2, 8)]
[0.418869, 0.513419, 0.802219]
>>> round(dl.InferentialPrivacy().leakage(release).epsilon, 6)
0.897003
"""

from math import inf, log, log1p
from typing import Annotated, Final, Literal, final

import numpy as np
from pydantic import Field

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel, Largest, Release
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.quantities import ordered_pairs
from dalenius.errors import InputError
from dalenius.fields import AtMost, Finite
from dalenius.laws.integrals.power_divergence import Power, levelled, no_gaussian
from dalenius.laws.law import Law
from dalenius.notions.limits import MOST_ORDER
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Notion, Properties

_SAID_AT: Final = 1e-6
"""The δ at which the words say what a divergence implies."""


@final
class Renyi(Notion):
    """Rényi Pufferfish privacy: D_α(W(·|s) ‖ W(·|s')) <= epsilon for any two values s, s' of a record, in nats.

    D_α is log(Σ_y W(y|s)^α W(y|s')^{1-α})/(α - 1), an average over outputs. It is at most the leakage of `inferential`,
    and at most that of a larger order.

    Args:
        alpha: The order α, above 1 and at most 1000; 2 by default.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for.
        factor: Refused, as the phrases below: this kind is promised by its epsilon.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.Renyi(alpha=2).leakage(release).epsilon, 6)
        0.513419

    Notes:
        Pierquin et al. 2024; Rényi 1961. Gaussian noise is refused: far out it leaves a log-ratio beyond any bound. If
        only a part of the answer's law fits (very many groups), the leakage is known from above alone, by that of
        `inferential`.
    """

    kind: Literal["renyi"] = "renyi"
    alpha: Annotated[Finite, Field(gt=1), AtMost(MOST_ORDER)] = 2.0

    @property
    def properties(self) -> Properties:
        # Because a mean of ratios is at most the largest ratio.
        return Properties(implied_by="inferential")

    def implied_epsilon(self, epsilon: float, delta: float) -> float:
        """Returns the ε of inferential (ε, δ) privacy that a leakage implies: epsilon + log(1/delta)/(alpha - 1).

        Args:
            epsilon: The leakage or the promise of this notion, in nats, at least 0.
            delta: The δ, a probability above 0 and below 1.

        Returns:
            The ε, in nats, rounded up.

        Raises:
            InputError: delta is not above 0 and below 1, or epsilon is below 0 or no number.

        Notes:
            Mironov 2017, Prop 3, of any two laws of the outputs.
        """
        if not 0 < delta < 1:
            raise InputError("delta", delta, "a probability above 0 and below 1")
        if not epsilon >= 0:
            raise InputError("epsilon", epsilon, "a number of at least 0")
        return (epsilon - log(delta) / (self.alpha - 1)) * (1 + 8 * UNIT)

    def in_words(self, epsilon: float, chance: float | None = None) -> str | None:
        """Says what a leakage, or a promise, of epsilon nats means for odds, except with probability 1e-6.

        Args:
            epsilon: The leakage or the promise, in nats.
            chance: An example of a chance, above 0 and below 1; None for 1 %, or less where that tells more.

        Returns:
            A clause, its numbers rounded up.
        """
        implied = self.implied_epsilon(epsilon, _SAID_AT)
        return InferentialPrivacy(delta=_SAID_AT).in_words(implied, chance)

    def check_secret(self, release: Release) -> None:
        """Checks that the leakage is known under such noise.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: Some noise of the release is Gaussian.
        """
        if release.noise.shape.light_tailed:
            raise no_gaussian()

    def leakage_of(self, channel: Channel) -> Leakage:
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        """Returns one subject's leakage, with the first pair of values that may have it."""
        finite = channel.finite(self.kind)
        # The case of a known record, or of one whose values no pair of the spec has.
        if len(finite.secrets) < 2 or finite.pairs == ():
            return NOTHING
        # Because D_α <= D_∞, and the largest ratio is known where the sum may not be.
        most = channel.ratio().value.upper
        window = finite.inside
        found = Largest[tuple[int, int]]()
        for pair in ordered_pairs(finite):
            # The case of a window of the answer's law: the power of what is left out is not bounded by its mass.
            value = Enclosure(0.0, inf) if any(window.lost) else self._divergence(finite, window.law, *pair)
            found.add(Enclosure(min(value.lower, most), min(value.upper, most)), pair)
        assert found.first is not None
        secret, against = (finite.secrets[place] for place in found.first)
        return Leakage(found.lower, found.upper, finite.witness(secret=secret, against=against))

    def _divergence(self, channel: Likelihoods, law: Law, secret: int, against: int) -> Enclosure:
        """Encloses D_α, in nats, of one ordered pair of secrets."""
        # The case of a bound by a part of the answer: its integral reads the line, and is one from above.
        if law.line is not None:
            found = channel.mechanism.integral(Power(secret, against, self.alpha), law)
            return self._logarithm(found, 0.0)
        rows = law.of([secret, against])
        own, other = rows.relative.reshape(2, -1)
        if np.any(other[own > -inf] == -inf):
            # Because mass that could not be resolved may be anywhere, it rules nothing out.
            return Enclosure(inf if rows.floor is None and rows.error < inf else 0.0, inf)
        # The case of copies of an answer, whose integral reads the answer's law too: it stays as it is.
        rows, lift = (rows, 0.0) if rows.answers is not None else levelled(rows, self.alpha)
        return self._logarithm(channel.mechanism.integral(Power(0, 1, self.alpha), rows), lift)

    def _logarithm(self, total: Enclosure, lift: float) -> Enclosure:
        """Encloses log(1 + (α - 1) e^lift · total)/(α - 1)."""
        order = self.alpha - 1
        if lift == 0:
            lower, upper = (log1p(order * max(end, 0.0)) / order for end in total)
            return Enclosure(lower * (1 - 16 * UNIT), upper * (1 + 16 * UNIT))
        # Because neither e^lift nor e^-lift need be a double: with a lift the sum is far above 1.
        logs = [lift + log(order * end) if end > 0 else -inf for end in total]
        lower, upper = np.logaddexp(0.0, logs).tolist()
        # Because the largest power is scaled to 1, a sum of 0 is one that a double lost.
        upper = upper if total.upper > 0 else inf
        off = 32 * UNIT * (lift + abs(lift - lower))
        return Enclosure(max(lower - off, 0.0) / order * (1 - 4 * UNIT), (upper + off) / order * (1 + 4 * UNIT))
