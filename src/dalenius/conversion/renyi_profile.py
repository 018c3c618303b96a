"""The profile of a pipeline from its Rényi divergences alone, as dp-accounting adds them up."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.guarantee_profiles import PureProfile, TabulatedProfile
from dalenius.errors import InputError

ORDERS: Final = (
    *(1 + x / 10 for x in range(1, 100)),
    *range(11, 64),
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    2048,
    4096,
)
"""The orders of divergences that are asked for: those of dp-accounting, and larger ones for a δ next to nothing."""
_ROWS: Final = 1200
_FAINTEST: Final = -690.0
"""The log of the δ at which the table ends."""


def renyi_profile(orders: Sequence[float], divergences: Sequence[float]) -> TabulatedProfile:
    """Returns the profile of Rényi divergences; from below nothing is known.

    δ(ε) <= e^{(α−1)(r−ε)} (1 − 1/α)^α/(α − 1) for every order α with divergence r (Canonne, Kamath and Steinke 2020,
    Prop 12).

    Args:
        orders: α, each above 1 (n,).
        divergences: r at each order, in nats (n,).

    Raises:
        InputError: If no order has a finite divergence.

    Gaussian noise of μ = 1 has r = α/2, and δ(4.8866) = 1e-6:

    >>> found = renyi_profile(ORDERS, [each / 2 for each in ORDERS])
    >>> 1e-6 < found.delta(4.8866) < 6e-6
    True
    """
    alphas, given = np.asarray(orders, dtype=float), np.asarray(divergences, dtype=float)
    kept = np.isfinite(given) & (alphas > 1.01)
    if not kept.any():
        raise InputError("event", "no finite divergence", "one with some privacy")
    alphas, given = alphas[kept], np.maximum(given[kept], 0.0)
    constant = (alphas - 1) * (given + np.log1p(-1 / alphas)) - np.log(alphas)
    # At this ε one order, or another, allows next to nothing.
    last = float(np.min((constant - _FAINTEST) / (alphas - 1)))
    if last <= 0:
        return TabulatedProfile((0.0,), (float(np.exp(constant.min())),), PureProfile(0.0))
    epsilons = np.unique(last * np.linspace(0.0, 1.0, _ROWS) ** 1.5)
    logs = constant[:, None] - (alphas - 1)[:, None] * epsilons[None]
    logs = np.min(logs + 64 * UNIT * (1 + np.abs(constant)[:, None] + (alphas - 1)[:, None] * epsilons[None]), axis=0)
    # Because δ² <= 1 − e^{−KL} (Bretagnolle and Huber 1979), which is close for a small divergence.
    variation = np.log(-np.expm1(-given.min())) / 2 if given.min() > 0 else -np.inf
    deltas = np.minimum(np.exp(np.minimum(logs, min(float(variation), 0.0))) * (1 + 64 * UNIT) + 5e-324, 1.0)
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(np.minimum.accumulate(deltas).tolist()), PureProfile(0.0))
