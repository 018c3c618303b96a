"""The influence curve of a chain, from both ends (after Bai et al. 2026; Result 5.4).

An output of an ε-differentially private mechanism has likelihoods that change by at most ε nats with each record. Let
r_j be how much they change with record j once all later records are averaged out. At the end of the chain r_n = ε, and
before it r_j = ε + C(r_{j+1}). C(r) is the widest log-ratio of Σ_y P(x, y)w(y) for w with ratios up to e^r. From the
other end likewise. Then no such mechanism leaks more than ε + C(r_{i+1}) + C'(l_{i-1}) about record i.

A hundred days, each like the one before with .8: at ε = .2 hardly anything comes from days far away.

>>> from dalenius.models import Chain
>>> days = Chain(n=100, transition=((0.8, 0.2), (0.2, 0.8)), initial=(0.5, 0.5)).joints()[0].chain
>>> round(chain_curve(both_ways(days), 0.2), 6), round(chain_curve(both_ways(days), 0.0), 6)
(0.781309, 0.0)
"""

from fractions import Fraction
from typing import ClassVar, final

from dalenius.arrays import Array
from dalenius.calibration.method_base import Calibration, Method, check, judged, scale_hiding
from dalenius.calibration.scale_search import least_scale
from dalenius.channel import Release
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.theorems.chain_steps import chains_in, log_steps, log_steps_back, spread_before


@final
class ComposableChainMethod(Method):
    """The scale Δ/ε', ε' the largest at which the chain's curve is at most ε.

    It is sound on every chain. Releases compose: add up in differential privacy, and convert once by the curve.
    """

    name: ClassVar[str] = "composable_chain"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the scale for the `notion` on the `release`; InputError unless all its laws are chains."""
        epsilon = check(release, notion, any_private=True)
        chains = chains_in(release, self.name)
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())

        steps = [both_ways(chain) for chain in chains]

        def leakage(scale: float) -> float:
            return max(chain_curve(each, 1 / scale) for each in steps)

        own = (
            epsilon if leakage(1 / epsilon) <= epsilon else 1 / least_scale(leakage, epsilon, len(chains[0]) / epsilon)
        )
        why = (
            f"on this chain no {own:.6g}-differentially private mechanism leaks more than {epsilon:g} nats (Result 5.4)"
        )
        distance = release.sensitivity * Fraction(epsilon) / Fraction(own)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return judged(self.name, True, why, release, notion, noise)


def both_ways(chain: MarkovChain) -> tuple[list[Array], list[Array]]:
    """Returns the steps of the `chain`, forward, and backward from its end."""
    return log_steps(chain), log_steps_back(chain)


def chain_curve(steps: tuple[list[Array], list[Array]], epsilon: float) -> float:
    """Returns the most that `epsilon`-differential privacy leaks about a record of a chain, from above, in nats.

    `steps` is what `both_ways` returns.
    """
    ahead, behind = _from_end(steps[0], epsilon), _from_end(steps[1], epsilon)[::-1]
    return max(epsilon + after + before for after, before in zip(ahead, behind, strict=True))


def _from_end(steps: list[Array], epsilon: float) -> list[float]:
    """Returns C(r) of each record, from the one that is furthest from the end; 0 at the end."""
    found, known = [0.0], dict[tuple[bytes, float], float]()
    for logs in reversed(steps):
        # So that steps that are alike are worked out once, when the numbers have settled.
        key = logs.tobytes(), found[-1]
        if key not in known:
            known[key] = spread_before(logs, epsilon + found[-1])
        found.append(known[key])
    return found[::-1]
