"""Solves a linear program by HiGHS, in units of the mass that has to move (Theory §8).

Take one fair bit and ε = 1. Released as it is, either output violates a constraint by 1, so that the unit is 2. The
kernel found sends either answer to the other with 0.268941. The multipliers, 0.134471 of either constraint at the
output that it is about, prove that no kernel has a smaller expected error.
"""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from dalenius.arrays import Array, IntArray
from dalenius.errors import DaleniusError
from dalenius.optimum.limits import MOST_ENTRIES
from dalenius.optimum.program import ANYBODY, FAINTEST_MASS, NEGLIGIBLE, SMALL, Program, beyond_delta

_FAR: Final = 1e6
"""A bound that is as good as none, in units of the mass that has to move."""


@final
@dataclass(frozen=True)
class Duals:
    """Dual variables: what a promise costs in expected error.

    Attributes:
        outputs: Some outputs, in ascending order.
        prices: Those of the constraints, at these outputs (constraints, outputs).
        objectives: Those of the objectives (objectives,), which sum to 1 when weighted by their limits.
    """

    outputs: IntArray | Array
    prices: Array
    objectives: Array


@final
@dataclass(frozen=True)
class _Solution:
    """A kernel (answers, outputs) near the optimum, the promise kept to the solver's tolerance, and the dual."""

    kernel: Array
    duals: Duals


def solved(program: Program) -> _Solution | None:
    """Returns the optimum of the program with all of its constraints; None where the matrix would not fit.

    DaleniusError where no method of the solver finds an optimum.
    """
    unit, constant = moving(program), program.constant
    # Because differential privacy compares the rows of neighbouring answers, however rare these are, the unit is 1.
    unit = 1.0 if program.binds_everybody else max(constant if constant < SMALL * unit else unit, FAINTEST_MASS)
    frequent = _frequent(program, unit)
    targets = int(np.count_nonzero(frequent)) if program.power == 1 else len(program.outputs)
    flows = int(np.count_nonzero(frequent)) * targets
    entries = flows * (2 + int(np.count_nonzero(program.deltas)))
    entries += 2 * targets * int(np.count_nonzero(program.excess[:, frequent]))
    if entries > MOST_ENTRIES:
        return None
    # Because an optimum of 1e-20, for rare answers, would drown in the solver's tolerance of 1e-7: it has its own unit.
    for _ in range(4):
        found = _System(program, unit).solution()
        value = _value(program, found.kernel)
        if program.binds_everybody or not 0 < value < SMALL * unit:
            break
        unit = value
    return found


def _frequent(program: Program, unit: float) -> NDArray[np.bool_]:
    """Returns the answers whose rows are variables: all of them where each is bound to its neighbours' rows."""
    return np.asarray((program.mass >= NEGLIGIBLE * unit) | program.binds_everybody)


def moving(program: Program) -> float:
    """Returns how much mass violates the promise of `program` if answers go out as they are, beyond delta."""
    over = np.sum(program.violation, axis=1, keepdims=True)
    share = beyond_delta(over, program.deltas[:, None])
    return float(np.sum(np.max(program.violation * share, axis=0, initial=0.0)))


def _value(program: Program, kernel: Array) -> float:
    """Returns the expected error of a kernel under the largest probabilities of any model: roughly the optimum."""
    costs = kernel * program.distances(program.answers[:, None], program.outputs[None, :])
    return float(np.sum(program.mass * np.sum(costs, axis=1)))


def _optimum(costs: Array, rows: sparse.csc_array, bounds: Array) -> tuple[Array, Array]:
    """Returns the variables of at least 0 and the multipliers of `rows <= bounds` at the least costs.

    With many more rows than variables the dual has the smaller bases; where the solver gives up on one, it may solve
    the other.
    """
    # The dual comes first with twice as many rows as variables.
    several = rows.shape[0] > 2 * rows.shape[1]
    for dual, method, tolerance in (
        (several, "highs-ds", 1e-9),
        (not several, "highs-ds", 1e-9),
        (several, "highs-ds", 1e-7),
        (several, "highs-ipm", 1e-7),
    ):
        # scipy's type stubs do not accept its sparse matrices.
        given = (bounds, sparse.csc_array(-rows.T), costs) if dual else (costs, rows, bounds)
        options = {f"{side}_feasibility_tolerance": tolerance for side in ("primal", "dual")}
        result: OptimizeResult = linprog(*given, method=method, options=options)  # type: ignore[call-overload]
        if result.status == 0:
            # Because a multiplier below 0 bounds nothing, and e^epsilon times the tolerance is no rounding.
            found, multipliers = np.maximum(result.x, 0.0), np.maximum(-result.ineqlin.marginals, 0.0)
            return (multipliers, found) if dual else (found, multipliers)
    raise DaleniusError(f"the linear program was not solved: {result.message}")


@final
class _System:
    """The system of rows and columns.

    Rows: constraints c at outputs r; then the limits of each answer's outflow, then of what delta allows; then the
    objectives. Columns: the flows v -> r, in units of `part`, the mass that has to move in all, or the answer's own
    where that is less; then the positive parts charged to delta; then t.
    """

    def __init__(self, program: Program, unit: float) -> None:
        self.program, self.unit = program, unit
        answers, outputs = program.answers, program.outputs
        self.stay: IntArray = np.searchsorted(outputs, answers)
        origin, target = np.divmod(np.arange(len(answers) * len(outputs)), len(outputs))
        frequent = _frequent(program, unit)
        self.priced = np.full(len(outputs), program.power == 2)
        self.priced[self.stay] = frequent
        moves = np.flatnonzero((target != self.stay[origin]) & frequent[origin] & self.priced[target])
        self.origin, self.target = origin[moves], target[moves]
        self.part = np.where(frequent, np.minimum(program.mass, unit), unit)
        self.far = program.distances(answers[self.origin], outputs[self.target])
        self.scale = np.maximum(1.0, np.max(np.abs(program.excess), axis=1, initial=1.0))
        # Because constraints on neighbouring answers are in probabilities given the answer.
        self.scale[program.whose == ANYBODY] = 1 / unit

    def solution(self) -> _Solution:
        """Returns the solution by HiGHS; flows in the program's own units, multipliers normalised."""
        shape = self.program.excess.shape[0], len(self.program.outputs)
        if not len(self.origin):  # a single likely answer, which is always the output
            weights = self.program.weights
            # There are dual variables of the objectives alone.
            paid = np.ones(len(self.part) if weights is None else len(weights))
            return _Solution(self._kernel(np.zeros(0)), self._duals(np.zeros(shape)[:, self.priced], paid))
        blocks, bounds, costs = self._rows()
        flows, paid = _optimum(costs, blocks, bounds)
        every = paid[: shape[0] * shape[1]].reshape(shape)
        prices = (every / self.scale[:, None])[:, self.priced]
        return _Solution(self._kernel(flows[: len(self.origin)]), self._duals(prices, paid))

    def _rows(self) -> tuple[sparse.csc_array, Array, Array]:
        """Returns the matrix, its bounds and the costs, as blocks: see the class."""
        program, moves = self.program, len(self.origin)
        constraints, outputs = program.excess.shape[0], len(program.outputs)
        moved = sparse.vstack([self._excess_of(row) for row in program.excess / self.scale[:, None]])
        given = sparse.csr_array((np.ones(moves), (self.origin, np.arange(moves))), shape=(len(self.part), moves))
        slack = np.zeros((constraints, outputs))
        slack[:, self.stay] = -program.mass * program.excess / self.scale[:, None]
        blocks: list[list[Any]] = [[moved], [given]]
        bounds = [np.clip(slack.ravel() / self.unit, -_FAR, _FAR), np.minimum(program.mass / self.part, _FAR)]
        costs = np.zeros(moves)
        if np.any(sloppy := program.deltas > 0):
            parts = int(np.count_nonzero(sloppy)) * outputs
            chosen = sparse.csr_array(np.eye(constraints)[:, sloppy])
            beyond = sparse.kron(chosen, sparse.eye_array(outputs), format="csr")
            sums = sparse.kron(sparse.eye_array(parts // outputs), np.ones((1, outputs)), format="csr")
            blocks = [[moved, -beyond], [given, None], [None, sums]]
            bounds.append(np.minimum((program.deltas / self.scale)[sloppy] / self.unit, _FAR))
            costs = np.zeros(moves + parts)
        # Because the expected error of one model is the cost, it needs no row. Several, or the worst case, have t
        # above.
        if program.weights is not None and len(program.weights) == 1:
            costs[:moves] = self.far * (program.weights[0] * self.part / self.unit)[self.origin]
            return sparse.csc_array(sparse.block_array(blocks)), np.concatenate(bounds), costs
        error, limits = self._objectives()
        width = len(blocks[0])
        blocks = [[*row, None] for row in blocks] + [[error, *[None] * (width - 1), -limits]]
        bounds.append(np.zeros(error.shape[0]))
        costs = np.concatenate([costs, [1.0]])
        return sparse.csc_array(sparse.block_array(blocks)), np.concatenate(bounds), costs

    def _excess_of(self, row: Array) -> sparse.csr_array:
        """Returns the flows' coefficients in one constraint: added where each arrives, subtracted at its origin."""
        moves, outputs = len(self.origin), len(self.program.outputs)
        moved = (row * self.part / self.unit)[self.origin]
        entries = np.concatenate([moved, -moved])
        where = np.concatenate([self.target, self.stay[self.origin]]), np.tile(np.arange(moves), 2)
        kept = np.flatnonzero(entries)
        places = where[0][kept], where[1][kept]
        return sparse.csr_array((entries[kept], places), shape=(outputs, moves))

    def _objectives(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Returns the errors' rows (objectives, flows), and the coefficients of t in them (objectives, 1).

        For the worst case that is an answer's own mass, since a flow is mass(v)·K(r | v).
        """
        moves = np.arange(len(self.origin))
        program = self.program
        if program.weights is None:
            error = sparse.csr_array((self.far, (self.origin, moves)), shape=(len(self.part), len(moves)))
            return error, sparse.csr_array(np.minimum(program.mass / self.part, _FAR)[:, None])
        error = sparse.csr_array((program.weights * self.part / self.unit)[:, self.origin] * self.far)
        return error, sparse.csr_array(np.ones((error.shape[0], 1)))

    def _duals(self, prices: Array, paid: Array) -> Duals:
        """Returns the dual variables, normalised: those of the objectives, weighted by t's coefficients, sum to 1."""
        program = self.program
        if program.weights is not None and len(program.weights) == 1:
            return Duals(program.outputs[self.priced], prices, np.ones(1))
        if program.weights is None:
            # Because a flow of `part` was the unit of each answer's own error, and `unit` that of the constraints.
            duals, limits, prices = paid[-len(self.part) :] / self.part, program.mass, prices / self.unit
        else:
            duals, limits = paid[-len(program.weights) :], np.ones(len(program.weights))
        counted = float(np.sum(duals * limits)) or 1.0
        return Duals(program.outputs[self.priced], prices / counted, duals / counted)

    def _kernel(self, flows: Array) -> Array:
        """Returns rows made of the flows; what does not flow stays."""
        program = self.program
        kernel = np.zeros((len(program.answers), len(program.outputs)))
        # Because flows below the solver's own tolerance count as 0.
        shares = np.where(flows > 1e-10, flows, 0.0) * self.part[self.origin] / program.mass[self.origin]
        kernel[self.origin, self.target] = shares
        kernel /= np.maximum(1.0, np.sum(kernel, axis=1, keepdims=True))
        kernel[np.arange(len(self.stay)), self.stay] = 1 - np.sum(kernel, axis=1)
        return np.maximum(kernel, 0.0)
