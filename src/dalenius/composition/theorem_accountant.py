"""DI's own accounting: Theorem 1 multiplies, Theorem 3 sets the noise, with P_min of the current belief (E5)."""

from dataclasses import dataclass, replace
from math import expm1, log1p
from typing import Final, final

from dalenius.absent.closed_forms import identifiable_scale
from dalenius.bounds import UNIT
from dalenius.composition.accountant import SPENT, check_promise
from dalenius.composition.posterior import Answer, Belief
from dalenius.errors import InputError, Refused
from dalenius.tallies import LeftOut

MARGIN: Final = 64 * UNIT
"""Bounds the relative rounding error of logarithms."""


@final
@dataclass(frozen=True)
class TheoremAccountant:
    """Keeps (1-alpha)·prior <= posterior <= (1+beta)·prior over all answers by giving each its own (α_k, β_k).

    Theorem 1: Π(1-α_k) >= 1-alpha and Π(1+β_k) <= 1+beta suffice, if each (α_k, β_k) holds from the belief before that
    answer. Theorem 3 from the first prior does not give that: somebody's probability has fallen since. From the current
    belief, its β_k < 1/P_max - 1 holds by itself: P_max(1+β_k) is at most the first P_max times 1+beta, and below 1.
    lowering and raising: the sums of -ln(1-α_k) and ln(1+β_k) given away so far.
    """

    alpha: float
    beta: float
    belief: Belief
    lowering: float = 0.0
    raising: float = 0.0

    def __post_init__(self) -> None:
        check_promise(self.alpha, self.beta, self.belief)
        if self.belief.answers and not self.raising:
            raise InputError("belief", f"after {self.belief.answers} answers", "the belief before the first answer")

    def step_for(self, answers: int) -> tuple[float, float]:
        """(α_k, β_k) of each of that many answers, if they are to be equal and take all that is left; rounded down.
        Refused where nothing is."""
        if answers < 1:
            raise InputError("answers", answers, "1 or more")
        down, up = -log1p(-self.alpha) * (1 - MARGIN), log1p(self.beta) * (1 - MARGIN)
        lowering, raising = down - self.lowering, up - self.raising
        if min(lowering / down, raising / up) <= SPENT:
            raise Refused(f"Theorem 1 has given away all of the promised ({self.alpha:g}, {self.beta:g})")
        return -expm1(-lowering / answers) * (1 - MARGIN), expm1(raising / answers) * (1 - MARGIN)

    def scale(self, left_out: LeftOut, alpha: float, beta: float) -> float:
        """Theorem 3's scale for this answer's (alpha, beta), with P_min of the current belief; 0 where Θ = 0.

        Refused where the product of Theorem 1 would pass the promise.
        """
        self._admit(alpha, beta)
        return identifiable_scale(left_out.sensitivity, alpha, beta, max(self.belief.least.lower, 0.0))

    def after(self, left_out: LeftOut, output: Answer, alpha: float, beta: float) -> "TheoremAccountant":
        """Once `output` was released with noise of `scale(left_out, alpha, beta)`. Refused where that scale is."""
        believed = self.belief.after(left_out, output, self.scale(left_out, alpha, beta))
        lowering, raising = self._with(alpha, beta)
        return replace(self, belief=believed, lowering=lowering, raising=raising)

    def _admit(self, alpha: float, beta: float) -> None:
        if not (0 < alpha < 1 and beta > 0):
            raise InputError("step", (alpha, beta), "0 < alpha < 1 and beta > 0")
        lowering, raising = self._with(alpha, beta)
        if lowering > -log1p(-self.alpha) or raising > log1p(self.beta):
            raise Refused(
                f"after this answer's ({alpha:g}, {beta:g}) Theorem 1 promises only "
                f"({-expm1(-lowering):.6g}, {expm1(raising):.6g}), and ({self.alpha:g}, {self.beta:g}) was promised"
            )

    def _with(self, alpha: float, beta: float) -> tuple[float, float]:
        return self.lowering - log1p(-alpha), self.raising + log1p(beta)
