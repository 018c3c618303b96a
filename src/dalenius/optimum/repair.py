"""Makes a nearly feasible kernel feasible, by mixing in a little mass that does not depend on the answer."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.laws.law import Array
from dalenius.optimum.background import Pool
from dalenius.optimum.program import FAINTEST, Program

AMPLE: Final = 1e10 * FAINTEST
"""Masks outputs of underflowing mass, under secrets not less likely than 1e-10."""


def repaired(program: Program, kernel: Array, pools: Sequence[Pool] = ()) -> Array:
    """(K(r | v) + g(r)) / (1 + sum g): at every output a mass that does not depend on the answer.

    It lowers W(r|s) - e^ε W(r|s′) by (e^ε - 1) g(r). With g(r) the largest violation over e^ε - 1, or the share of it
    beyond what delta allows, at most delta is left: the promise holds in exact arithmetic. pools: further constraints.
    """
    over = np.maximum((program.mass * program.excess) @ kernel, 0.0)
    total = np.sum(over, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.nan_to_num(np.maximum(0.0, 1 - program.deltas[:, None] / total), nan=0.0)
    lowering = np.expm1(program.epsilons)
    mask = np.max(over * share / lowering[:, None], axis=0, initial=0.0)
    for pool in pools:
        mask = np.maximum(mask, pool.mask(kernel))
    mask[program.mass @ kernel < FAINTEST] = AMPLE / float(np.min(lowering, initial=1.0))
    mixed = (kernel + mask) / (1 + float(np.sum(mask)))
    return np.asarray(mixed / np.sum(mixed, axis=1, keepdims=True))


def achieved(program: Program, kernel: Array) -> float:
    """The linear program's objective."""
    errors = np.sum(kernel * program.distances(program.answers[:, None], program.outputs), axis=1)
    if program.weights is None:
        return float(np.max(errors))
    return float(np.max((program.mass * program.weights) @ errors))
