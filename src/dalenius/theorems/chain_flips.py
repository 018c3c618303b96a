"""The flips of the bits of a stationary chain, one for each value, by the formula of Chakrabarti et al. (2022).

Let q be Pr[0 → 1] and r be Pr[1 → 0]. In a row without end the output that says most of a 0 is all zeros. There each
side multiplies the odds by x, the same for every record, so that the odds move by (1 - f₀)/f₁ · x² in all, where f₀ and
f₁ are the chances that a 0 and a 1 are flipped. From (1 - f₀)/f₁ · x² = e^ε follows

    x = [(q - r e^ε) + √((q - r e^ε)² + 4(1 - q)(1 - r) e^ε)] / (2(1 - r)),   (1 - f₀)/f₁ <= K₀ = e^ε / x².

A 1 has the same limit K₁, with q and r exchanged. Among the flips within both limits, those are taken that flip fewest.

>>> [round(flip, 6) for flip in fewest_flips(1.0, 0.2, 0.2)]
[0.435409, 0.435409]
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, sqrt
from typing import ClassVar, Final, final

import numpy as np

from dalenius.calibration.method_base import Calibration, Method, achieved, check_records_notion, kept_by, promised
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.joints import chain_of
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.models.model import finite_joints
from dalenius.noise import Kernel
from dalenius.noise.randomized_response import randomized
from dalenius.notions import Notion

_MORE: Final = 1e-9
"""The relative amount of flips that is added for roundings."""
_CLOSE: Final = 1e-12
"""The relative distance up to which the law of the first record counts as the long run's."""
_LARGEST: Final = 300.0
"""The nats beyond which a promise is kept as if it were this one: e^ε must have a square."""
_WHY: Final = (
    "the odds that a row without end moves, in the worst case of equal reports, are at most e^ε, and a row that ends "
    "moves less (Result 23.5)"
)


def largest_odds(epsilon: float, q: float, r: float) -> float:
    """Returns K₀: the largest odds (1 - f₀)/f₁ with which all reports, each a 0, move the odds of a 0 by e^ε at most.

    Args:
        epsilon: The promise, in nats.
        q: The chance of a 1 after a 0.
        r: The chance of a 0 after a 1; at most 1 - q.
    """
    moved = exp(min(epsilon, _LARGEST))
    # Because q - r e^ε is large and below 0 where ε is, x is written as a sum of positive numbers.
    half, product = (r * moved - q) / 2, (1 - q) * (1 - r) * moved
    root = sqrt(half**2 + product)
    side = (1 - q) * moved / (half + root) if half > 0 else (root - half) / (1 - r)
    return max(moved / side**2, 1.0)


def fewest_flips(epsilon: float, q: float, r: float) -> tuple[float, float]:
    """Returns the chances that a 0 and a 1 are flipped, of those that keep the promise the fewest on average.

    Args:
        epsilon: The promise, in nats.
        q: The chance of a 1 after a 0.
        r: The chance of a 0 after a 1; at most 1 - q.
    """
    zero, one = largest_odds(epsilon, q, r), largest_odds(epsilon, r, q)
    # The limits are f₀ + K₀ f₁ >= 1 and K₁ f₀ + f₁ >= 1, and no flip is above 1/2: the best is a corner.
    corners = [(0.5, max(0.5 / zero, 1 - one / 2)), (max(0.5 / one, 1 - zero / 2), 0.5)]
    if zero * one > 1:
        corners.append(((zero - 1) / (zero * one - 1), (one - 1) / (zero * one - 1)))
    least = min(corners, key=lambda flips: flips[0] * r + flips[1] * q)
    return min(least[0] * (1 + _MORE), 0.5), min(least[1] * (1 + _MORE), 0.5)


@final
class ChainFlipsMethod(Method):
    """Method `chain_flips`: a flip for each of the two values, by a formula for stationary chains of any length.

    It keeps the promise for everybody's reports in order, and so for a count of them. A row that ends says less at its
    ends, so that a short row gets more flips than it needs.

    Example:
        >>> import dalenius as dl
        >>> days = dl.Chain(n=1000, initial="stationary", transition=[[0.8, 0.2], [0.25, 0.75]])
        >>> release = dl.Release(days, dl.Reports(), dl.RandomizedResponse())
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), "chain_flips")
        >>> [round(chance, 4) for chance in found.noise.probabilities[0]], round(found.leakage.upper, 6)
        ([0.5626, 0.4374], 1.0)

    Notes:
        Chakrabarti, Gao, Saraf, Schoenebeck and Yu, "Optimal local Bayesian differential privacy over Markov chains",
        AAMAS 2022 (arXiv 2206.11402). The formula is that of the authors' program (`min_exp_noise`, in their
        repository `correlated_data_privacy_attack`), derived again from the limit of the messages (Result 23.5).
    """

    name: ClassVar[str] = "chain_flips"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the two flips.

        Args:
            release: A stationary chain of bits, of which equal ones follow each other, and randomized response.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: The model is no such chain, or noise is not randomized response.
        """
        return self.calibrate_all(release, [notion])

    def calibrate_all(self, release: Release, notions: Sequence[Notion]) -> Calibration:
        """Chooses the two flips for the least epsilon of several promises.

        Args:
            release: A stationary chain of bits, of which equal ones follow each other, and randomized response.
            notions: The promises, each a notion with an epsilon.

        Raises:
            InputError: The model is no such chain, or noise is not randomized response.
        """
        for notion in notions:
            check_records_notion(notion)
        randomized(release.noise, "which flips bits")
        laws = finite_joints(release.model)
        chain = chain_of(laws[0])
        if chain is None or chain.slots.shape[1] != 2 or len(laws) > 1:
            raise InputError("model.kind", release.model.kind, "one chain of records of two values")
        zero, one = fewest_flips(min(map(promised, notions)), *_steps_of(chain))
        values = laws[0].strata()[0].values
        if any(isinstance(value, str) for value in values):
            raise InputError("model.values", list(values), "numbers, such as 0 and 1")
        rows = ((1 - zero, zero), (one, 1 - one))
        noise = Kernel(answers=tuple(map(float, values)), probabilities=rows, each=True)
        made = [achieved(self.name, *_judged(notion), release, notion, noise) for notion in notions]
        doubtful = next((one for one in made if not one.sound), made[0])
        kept = kept_by(notions, [each.leakage for each in made])
        return replace(made[0], sound=doubtful.sound, why=doubtful.why, promises=kept)


def _judged(notion: Notion) -> tuple[bool, str]:
    """Says whether the formula keeps a promise, and why."""
    if notion.properties.implied_by in ("inferential", "record"):
        return True, _WHY
    return False, f"the formula says nothing of {notion.called} privacy, about more than one record given the model"


def _steps_of(chain: MarkovChain) -> tuple[float, float]:
    """Returns the chances of a 1 after a 0, and of a 0 after a 1. InputError unless the formula serves the chain."""
    step, first = chain.matrices[0].doubles(), chain.initial.doubles()
    q, r = float(step[0, 1]), float(step[1, 0])
    if not (q > 0 < r and q + r <= 1):
        wanted = "a chain that stays at least as often as it moves, and never for ever, with this method"
        raise InputError("model.transition", step.tolist(), wanted)
    if len(chain.matrices) > 1 or np.max(np.abs(first @ step / first - 1)) > _CLOSE:
        raise InputError("model.initial", first.tolist(), '"stationary", and one transition matrix, with this method')
    return q, r
