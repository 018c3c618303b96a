"""Bayesian differential privacy on chains: what others say is bounded once and for all (after Lange et al. 2025).

Let γ be the largest P(x, y)/P(x', y) of any step. Any other records may be known. The laws of a record's unknown
neighbours on either side, given two of its values, are within a factor γ² (Result 5.5). So an ε-differentially private
mechanism leaks at most ε + 4 ln γ nats of a record, whatever the adversary knows.
"""

from fractions import Fraction
from typing import ClassVar, final

from dalenius.calibration.method_base import Calibration, Method, achieved, check, proven, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.theorems.chain_steps import chains_in, log_steps, widest_ratio


@final
class BayesianChainMethod(Method):
    """The scale Δ/(ε - 4 ln γ), γ the largest ratio of two chances in a column of a transition matrix.

    It is sound on every chain, also for `bayesian`, as it allows for all that an adversary knows of other records. The
    theorem cannot promise 4 ln γ nats or less, whatever the noise.
    """

    name: ClassVar[str] = "bdp_markov"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the scale for the `notion` on the `release`.

        InputError unless all laws are chains, and where epsilon is less than the theorem can promise.
        """
        epsilon = check(release, notion, any_private=True)
        lost = max(4 * widest_ratio(log_steps(chain)) for chain in chains_in(release, self.name))
        # The case of days that are hardly ever unlike the day before: neighbours say more than any noise hides.
        if epsilon <= lost:
            wanted = f"more than 4 ln γ = {lost:.6g}, which the theorem gives away for the neighbours"
            raise InputError("notion.epsilon", epsilon, wanted)
        why = (
            f"whichever records are known, the others' law given two values of a record is within a factor e^{lost:.4g}"
            " (4 ln γ, Result 5.5), and the noise hides one record with the rest of ε"
        )
        if not release.sensitivity:
            return achieved(self.name, *proven(True, why, notion), release, notion, NoNoise())
        distance = release.sensitivity * Fraction(epsilon) / Fraction(epsilon - lost)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return achieved(self.name, *proven(True, why, notion), release, notion, noise)
