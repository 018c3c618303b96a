"""Noise for the records near each one, and a share of ε for what is further away: the Markov quilt mechanism for chains
(Song, Wang, Chaudhuri 2017; Theory §5)."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, final

from dalenius.calibration.method import Calibration, Method, scale_hiding
from dalenius.calibration.theorem import check, judged
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.joints.chain.chain import MarkovChain
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.published.influence import ExactInfluences
from dalenius.published.search import Influences, cheapest


@final
class MarkovQuiltMethod(Method):
    """Scale Δ · max over records of min over quilts of card(near)/(ε - e), with the exact influence e of each quilt;
    end records are searched too. Sound on every chain, stationary or not: see `search` for the proof.

    The answer may be any that one record moves by at most Δ.
    """

    name: ClassVar[str] = "markov_quilt"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        why = "each record's quilt leaks at most some e < ε of it, and the noise hides all nearer records at ε - e"
        return by_quilts(self.name, why, ExactInfluences, release, notion)


def by_quilts(
    name: str, why: str, influences: Callable[[MarkovChain], Influences], release: Release, notion: Notion
) -> Calibration:
    """The least scale that some quilt around every record allows, in every law of the model. InputError unless all are
    chains."""
    epsilon = check(release, notion)
    chains = [joint.chain for joint in release.joints if joint.chain is not None]
    if len(chains) < len(release.joints):
        raise InputError("method", name, "a model that is a chain")
    near = max(cheapest(influences(chain), epsilon) for chain in chains)
    if not near or not release.sensitivity:
        return judged(name, True, "no record can move the answer", release, notion, NoNoise())
    scale = scale_hiding(release, near * release.sensitivity * Fraction(epsilon), notion)
    return judged(name, True, why, release, notion, release.noise.with_scale(scale))
