"""Feldman et al. 2021: what the authors' example of shuffled reports prints, and ours.

The README of apple/ml-shuffling-amplification prints the outcome for 10⁵ people, ε₀ = 4 and δ = 10⁻⁶: a closed form,
and an interval computed for any reports. Ours are Theorem 3.1 as the FOCS paper states it, and the exact ε of
randomized response where nearly everybody else has the value 0.
"""

from collections.abc import Iterator
from math import exp
from typing import Final

import dalenius as dl
from dalenius.theorems.shuffled_reports import claimed_epsilon
from papers.numbers import Number, main

PEOPLE: Final = 100_000
LOCAL: Final = 4.0
DELTA: Final = 1e-6
PRINTED: Final = 0.5378040242374512
PRINTED_MOST: Final = 0.172790550755978
"""The upper end of the interval that their numerical analysis prints."""


def shuffled(quick: bool = False) -> Iterator[Number]:
    claim = claimed_epsilon(LOCAL, PEOPLE, DELTA)
    assert claim is not None
    why = "their program has another denominator than Theorem 3.1"
    yield Number("README", "ε by the closed form", PRINTED, claim, why)
    why = "theirs is for any reports, ours for randomized response"
    yield Number("README", "ε by numbers", PRINTED_MOST, exact(PEOPLE), why, relation="<")


def exact(people: int) -> float:
    """The least ε with δ of shuffled reports of bits that are hardly ever 1."""
    keep = round(exp(LOCAL) / (1 + exp(LOCAL)), 12)
    others = dl.Independent(n=people, probabilities=[1e-6])
    release = dl.Release(others, dl.Reports(shuffled=True), dl.RandomizedResponse(keep=keep))
    return dl.InferentialPrivacy(delta=DELTA).leakage(release).upper


if __name__ == "__main__":
    main(shuffled)
