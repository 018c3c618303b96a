"""Solves the linear program with some of its constraints, then with those that this violates, until little is lost.

Take one fair bit and ε = 1. Released as it is, either output violates a constraint by 1. Mixing in 1/(e − 1) = 0.582 at
each output repairs both: either answer goes out as the other with 0.582/2.164 = 0.2689, which is the least error.
"""

from collections.abc import Sequence
from math import exp, inf
from typing import Final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.calibration.method_base import promised
from dalenius.errors import TooLarge
from dalenius.notions import Notion
from dalenius.optimum.answer_laws import ON_LAWS, AnswerLaws
from dalenius.optimum.bins import binned
from dalenius.optimum.limits import LARGEST_EPSILON, MOST_ENTRIES, MOST_SUMS
from dalenius.optimum.program import ANYBODY, FAINTEST_MASS, Program, beyond_delta, program_of
from dalenius.optimum.solver import Duals, moving, solved

_FACTORS: Final = (1.0, 1 - 1e-9, 1 - 1e-6)
"""Factors of dual variables: all bound the optimum from below; lower ones do not exploit the solver's tolerance."""
_AMPLE: Final = 1e10 * FAINTEST_MASS
"""The mass that masks outputs of underflowing mass, under secrets not less likely than 1e-10."""


def lower_bound(
    full: Program, small: Program, duals: Duals, error: float, factors: Sequence[float] = (1.0,), cost: float = 0.0
) -> float:
    """Returns a bound that no mechanism's objective is below: the Lagrangian of the program at any dual variables >= 0,

        sum_v mass(v) min_r [ (y·weights(v))·|r - v|^power + sum_c duals(c, r)·excess(c, v) ]
            - sum_c delta(c) max_r duals(c, r).

    Between the outputs that have them, dual variables are interpolated linearly.

    Args:
        full: The whole program.
        small: The program whose dual variables these are.
        duals: The dual variables.
        error: The relative error of the laws.
        factors: Factors of all dual variables that are tried; the best counts.
        cost: What is taken off, so many times a factor.
    """
    # The most that rounding and the laws' own error may have added to a probability is subtracted.
    slack = 4 * error + 64 * UNIT
    # Between outputs with dual variables all is linear but for the kink of |r - v| at v.
    outputs = duals.outputs if full.power == 1 else full.outputs
    prices = _interpolated(duals, outputs)
    if full.weights is None:
        weight = np.interp(full.answers, small.answers, duals.objectives) * np.isin(full.answers, small.answers)
    else:
        weight = duals.objectives @ full.weights
    scale, total, size = np.array(factors), np.zeros(len(factors)), np.zeros(len(factors))
    # Pairs of answers and outputs that are looked at together: two megabytes for each constraint or cost.
    for part in np.array_split(np.arange(len(full.answers)), 1 + len(full.answers) * len(outputs) // (1 << 18)):
        paid = weight[part][:, None] * full.distances(full.answers[part][:, None], outputs)
        excess = full.excess[:, part] - slack * full.sizes[:, part]
        own, at_outputs = np.sum(_interpolated(duals, full.answers[part]) * excess, axis=0), excess.T @ prices
        least = np.array([np.minimum(np.min(paid + each * at_outputs, axis=1), each * own) for each in factors])
        total += least @ full.mass[part]
        size += np.abs(least) @ full.mass[part]
    given = scale * float(full.deltas @ np.max(prices, axis=1, initial=0.0))
    return max(0.0, float(np.max(total - given - slack * (size + given) - scale * cost)))


def _interpolated(duals: Duals, outputs: IntArray | Array) -> Array:
    """Returns dual variables at other outputs (constraints, outputs): linear between known ones, else constant."""
    return np.array([np.interp(outputs, duals.outputs, row) for row in duals.prices])


def _bound_by(duals: Duals, laws: AnswerLaws, full: Program, small: Program) -> float:
    """Returns the best bound on the whole program's objective by a smaller one's dual variables, in lattice steps."""
    # Mass that is unresolved or merged may have any coefficient: the worst one is charged for it.
    everywhere = full.whose != ANYBODY
    dearest = float(np.sum(np.max(duals.prices[everywhere], axis=1, initial=0.0)))
    leaning = exp(float(np.max(full.epsilons))) + float(np.max(np.max(full.sizes, axis=1)[everywhere], initial=0.0))
    unresolved = float(np.sum(np.exp(laws.missing))) * leaning * dearest * (1 + 8 * UNIT)
    return lower_bound(full, small, duals, laws.error, _FACTORS, unresolved)


def quick_bound(laws: AnswerLaws, notions: Sequence[Notion]) -> float | None:
    """Returns a bound that no mechanism's expected absolute error is below, in lattice steps.

    The linear program is solved for 160 bins and its dual variables interpolated: the bound holds however few they are.
    None where the program or epsilon is too large.

    Args:
        laws: The laws of the answer.
        notions: The promises.
    """

    constrained = [notion for notion in notions if notion.properties.linear in ON_LAWS]
    # A promise of hundreds of nats, whose e^epsilon nearly overflows: `clamped` then reports the bound 0.
    if not (constrained and laws.each) or max(map(promised, constrained)) > LARGEST_EPSILON:
        return None
    full = program_of(laws, constrained, "absolute")
    if moving(full) == 0:  # answers released as they are keep these promises
        return 0.0
    # Fewer constraints bound the optimum too: those of the person about whom the exact answer says most.
    full = full.about(_most_violated(full.whose, full.violation))
    # Bins of the program whose dual variables bound what a clamped noise is compared with.
    fewer = binned(full, 160).coarse
    solution = solved(fewer)
    return None if solution is None else _bound_by(solution.duals, laws, full, fewer)


def repaired(program: Program, kernel: Array) -> Array:
    """Returns (K(r | v) + g(r)) / (1 + sum g): at every output a mass that does not depend on the answer.

    It lowers W(r|s) - e^ε W(r|s′) by (e^ε - 1) g(r). With g(r) the largest violation over e^ε - 1, or the share of it
    beyond what delta allows, at most delta is left: the promise holds in exact arithmetic.

    Args:
        program: The program.
        kernel: K (answers, outputs).
    """
    over = np.maximum((program.mass * program.excess) @ kernel, 0.0)
    total = np.sum(over, axis=1, keepdims=True)
    share = beyond_delta(total, program.deltas[:, None])
    lowering = np.expm1(program.epsilons)
    mask = np.max(over * share / lowering[:, None], axis=0, initial=0.0)
    mask[program.mass @ kernel < FAINTEST_MASS] = _AMPLE / float(np.min(lowering, initial=1.0))
    mixed = (kernel + mask) / (1 + float(np.sum(mask)))
    return np.asarray(mixed / np.sum(mixed, axis=1, keepdims=True))


def objective_of(program: Program, kernel: Array) -> float:
    """Returns the program's objective at a kernel (answers, outputs), in lattice steps or their squares.

    It is the largest over the models, or over the answers for the worst case.
    """
    errors = np.sum(kernel * program.distances(program.answers[:, None], program.outputs), axis=1)
    if program.weights is None:
        return float(np.max(errors))
    return float(np.max((program.mass * program.weights) @ errors))


def settled(laws: AnswerLaws, full: Program, fewer: Program) -> tuple[Array, float]:
    """Returns a kernel (answers, outputs) solved with some constraints, and the dual bound in lattice steps.

    It is made feasible for all by mixing; while that costs more than CLOSE, the person whose constraint is violated
    most is added. Fewer constraints still bound the optimum from below.

    Args:
        laws: The laws of the answer.
        full: The program that the bound is for.
        fewer: The program that is solved, with everybody's constraints.
    """
    people = _most_violated(fewer.whose, fewer.violation)
    # Records that are nearly always 0: there is one likely answer, which is always the output. Or nothing but a promise
    # to everybody that is too steep to be solved: what goes out as it is, is mixed.
    if not len(fewer.about(people).whose):
        return np.equal.outer(fewer.answers, fewer.outputs).astype(np.float64), 0.0
    best, least, bound = None, inf, 0.0
    for _ in range(40):
        small = fewer.about(people)
        solution = solved(small)
        # Secrets with many values: the constraints of the people so far still give a mechanism and a bound.
        if solution is None:
            break
        bound = max(bound, _bound_by(solution.duals, laws, full.about(people), small))
        cost = objective_of(fewer, repaired(fewer, solution.kernel))
        if cost < least:
            best, least = solution.kernel, cost
        # The rest of the gap comes from the merged answers: no constraint narrows it.
        # Relatively, what mixing may cost before more constraints are added.
        if least <= max(bound, objective_of(small, solution.kernel)) * (1 + 1e-4):
            break
        if np.count_nonzero(small.deltas) * len(small.outputs) * len(small.answers) > MOST_SUMS:
            break
        over = np.maximum((fewer.mass * fewer.excess) @ solution.kernel, 0.0)
        another = _most_violated(fewer.whose, over, people)
        people += another
        if not another or len(people) > 16:
            break
    if best is None:
        size = f"{len(fewer.answers):,} answers, {len(small.excess):,} constraints on each output"
        raise TooLarge("the program", size, "use method clamped", MOST_ENTRIES)
    return best, bound


def _most_violated(whose: IntArray, over: Array, besides: Sequence[int] = ()) -> list[int]:
    """Returns the person whose constraint is violated most, by the sums over (constraints, ..).

    besides: people who are known; nobody more is returned where nothing is violated.
    """
    total = np.where(np.isin(whose, [*besides, ANYBODY]), -1.0, np.sum(over, axis=1))
    return [int(whose[np.argmax(total)])] if np.any(total > (0.0 if besides else -1.0)) else []
