"""What the benchmark of long chains by windows calls."""

from typing import Any, Final

import numpy as np

from dalenius import Chain, InferentialPrivacy, InformationPrivacy, Laplace, Release, Sum
from dalenius.models.model import Model
from dalenius.notions import DifferentialPrivacy, MutualInformationPrivacy, RelativeEntropyPrivacy, audit

REPELLING: Final = [[0.5, 0.5], [0.948, 0.052]]
FOUR_SEED: Final = 7
"""Of the four values' transition."""


def bits(days: int) -> tuple[float, ...]:
    """What a count of days that rather change than stay leaks: both ends, inferential and mutual information."""
    return leaks(Chain(n=days, transition=REPELLING, initial=[0.8, 0.2]), 1.16)


def four(days: int) -> tuple[float, ...]:
    """The same of the values 0 to 3, with a random transition."""
    rows: Any = np.random.default_rng(FOUR_SEED).dirichlet(np.ones(4), 4).tolist()
    return leaks(Chain(n=days, transition=rows, initial=[0.25] * 4), 3.0)


def leaks(model: Model, scale: float) -> tuple[float, ...]:
    """Both ends of what a sum with Laplace noise leaks, inferential and mutual information."""
    found = audit(
        Release(model, Sum(), Laplace(scale=scale)),
        [
            DifferentialPrivacy(),
            InferentialPrivacy(),
            InformationPrivacy(),
            RelativeEntropyPrivacy(),
            MutualInformationPrivacy(),
        ],
    )
    kinds = ("inferential", "mutual_information")
    return tuple(end for kind in kinds for end in (found[kind].lower, found[kind].upper))
