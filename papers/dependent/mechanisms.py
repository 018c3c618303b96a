"""The methods of DDP §VII as multiples of the noise for independent records, on friends of one pair law."""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from dalenius.plotting import METHOD_LOOKS, Look
from papers.dependent.pair_law import PairLaw, dependent_sensitivity, least_multiple
from papers.figure import BLACK, PINK
from papers.numbers import Array

NO: Final = "no"
FRIENDS: Final = "if all others are independent of a person and the friends, together"
YES: Final = "yes"
BLOCK: Final = 512
"""Rows of Σ_j |δ_ij| at a time."""


@final
@dataclass(frozen=True)
class Mechanism:
    """key and label: short and for people; sound: whether noise so large keeps the promise; look: colour, dashes,
    marker, those of the method of that key in all pictures."""

    key: str
    label: str
    sound: str
    own_look: Look | None = None

    @property
    def look(self) -> tuple[str, Any, str]:
        look = self.own_look or METHOD_LOOKS[self.key]
        return look.colour, look.dashes, look.mark

    @property
    def sound_in_words(self) -> str:
        return {NO: "not sound", FRIENDS: "sound if only friends depend", YES: "sound"}[self.sound]


LPM: Final = Mechanism("independent", "independent (LPM)", NO)
EXACT_PAIR: Final = Mechanism("dependence_coefficient", "exact pair ρ (Eq 14)", NO)
DPM: Final = Mechanism("dependence_coefficient_closed", "DPM (ρ by Eq 18)", NO, Look("#E69F00", "p", "--"))
ZHU: Final = Mechanism("correlated_sensitivity", "Zhu et al., all pairs", NO, Look(PINK, "X", "-."))
ZHU_FRIENDS: Final = Mechanism("correlated_friends", "Zhu et al., friends", NO, Look(PINK, "<", ":"))
COMONOTONE: Final = Mechanism("comonotone", "comonotone bound", FRIENDS)
GROUP: Final = Mechanism("group", "group of friends", FRIENDS)
BASELINE: Final = Mechanism("baseline", "baseline (L = everybody)", YES, Look(BLACK, "P", "-"))
ALL: Final = (LPM, EXACT_PAIR, DPM, ZHU_FRIENDS, ZHU, COMONOTONE, GROUP, BASELINE)


def multiple(which: Mechanism, dependence: "Dependence", epsilon: float) -> float:
    """By how much the noise for independent records is multiplied for the promise ε."""
    law, friends = dependence.law, dependence.friends
    if which is DPM:
        return dependent_sensitivity(friends, law.closed, epsilon)
    if which is EXACT_PAIR:
        return dependent_sensitivity(friends, law.exact, epsilon)
    if which is COMONOTONE:
        return least_multiple(lambda scale: law.comonotone(friends, scale), friends, epsilon)
    return {
        LPM: 1.0,
        ZHU_FRIENDS: 1 + friends * dependence.correlation,
        ZHU: dependence.alike,
        GROUP: 1.0 + friends,
        BASELINE: float(dependence.people),
    }[which]


@final
@dataclass(frozen=True)
class Dependence:
    """Of a network: how many people, the most friends that one has, the pair law of two friends; correlation: δ of Zhu
    et al. of two friends; alike: max_i Σ_j |δ_ij| with δ from the records themselves, over all pairs."""

    people: int
    friends: int
    law: PairLaw
    correlation: float
    alike: float


def alike(vectors: Array, every: int = 1) -> float:
    """max_i Σ_j |Pearson(v_i, v_j)|, the person among them, over every so many i; vectors (n, d). 0 for a vector
    without variance."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    most = 0.0
    chosen = unit[::every]
    for start in range(0, len(chosen), BLOCK):
        most = max(most, float(np.abs(chosen[start : start + BLOCK] @ unit.T).sum(axis=1).max()))
    return most
