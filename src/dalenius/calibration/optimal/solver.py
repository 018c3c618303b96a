"""Solves a linear program by HiGHS, in units of the mass that has to move (Theory §8)."""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from dalenius.calibration.optimal.dual import Prices
from dalenius.calibration.optimal.program import FAINTEST, NEGLIGIBLE, SMALL, Programme
from dalenius.errors import DaleniusError, TooLarge
from dalenius.laws.law import Array, IntArray

FAR: Final = 1e6
"""In units of the mass that has to move, as good as unbounded."""
ROUGH: Final = 1e-10
"""Flows below the solver's own tolerance count as 0."""
MOST_ENTRIES: Final = 6_000_000


@final
@dataclass(frozen=True)
class _Solution:
    """kernel (answers, outputs): near the optimum, the promise kept to the solver's tolerance; prices: the dual."""

    kernel: Array
    prices: Prices


def solved(programme: Programme) -> _Solution:
    """TooLarge where the matrix would not fit."""
    unit, constant = moving(programme), programme.constant
    unit = max(constant if constant < SMALL * unit else unit, FAINTEST)
    frequent = int(np.count_nonzero(programme.mass >= NEGLIGIBLE * unit))
    pairs = frequent * (frequent if programme.power == 1 else len(programme.outputs))
    entries = pairs * (2 * len(programme.tells) + 2 + (len(programme.tells) if programme.delta > 0 else 0))
    if entries > MOST_ENTRIES:
        size = f"{len(programme.answers):,} answers, {len(programme.tells):,} constraints on each output"
        raise TooLarge("the programme", size, "use method clamped")
    for _ in range(4):
        found = _System(programme, unit).solution()
        value = _value(programme, found.kernel)
        if not 0 < value < SMALL * unit:
            break
        unit = value
    return found


def moving(programme: Programme) -> float:
    """How much mass violates the promise where answers go out as they are, beyond what delta allows."""
    over = np.sum(programme.excess, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.nan_to_num(np.maximum(0.0, 1 - programme.delta / over), nan=0.0)
    return float(np.sum(np.max(programme.excess * share, axis=0, initial=0.0)))


def _value(programme: Programme, kernel: Array) -> float:
    costs = kernel * programme.distances(programme.answers[:, None], programme.outputs[None, :])
    return float(np.sum(programme.mass * np.sum(costs, axis=1)))


@final
class _System:
    """Rows: constraints c at outputs r; then the limits of each answer's outflow, then of what delta allows; then the
    objectives. Columns: the flows v -> r, in units of `part`, the mass that has to move in all, or the answer's own
    where that is less; then the positive parts charged to delta; then t."""

    def __init__(self, programme: Programme, unit: float) -> None:
        self.programme, self.unit = programme, unit
        answers, outputs = programme.answers, programme.outputs
        self.stay: IntArray = np.searchsorted(outputs, answers)
        origin, target = np.divmod(np.arange(len(answers) * len(outputs)), len(outputs))
        frequent = programme.mass >= NEGLIGIBLE * unit
        self.worth = np.full(len(outputs), programme.power == 2)
        self.worth[self.stay] = frequent
        moves = np.flatnonzero((target != self.stay[origin]) & frequent[origin] & self.worth[target])
        self.origin, self.target = origin[moves], target[moves]
        self.part = np.where(frequent, np.minimum(programme.mass, unit), unit)
        self.far = programme.distances(answers[self.origin], outputs[self.target])
        self.scale = np.maximum(1.0, np.max(np.abs(programme.tells), axis=1, initial=1.0))

    def solution(self) -> _Solution:
        shape = self.programme.tells.shape[0], len(self.programme.outputs)
        if not len(self.origin):  # a single likely answer, which is always the output
            return _Solution(self._kernel(np.zeros(0)), self._prices(np.zeros(shape)[:, self.worth], self._unpaid()))
        blocks, bounds, costs = self._rows()
        # scipy's type stubs do not accept its sparse matrices.
        result: OptimizeResult = linprog(costs, A_ub=blocks, b_ub=bounds, method="highs-ds")  # type: ignore[call-overload]
        if result.status != 0:
            raise DaleniusError(f"the linear programme was not solved: {result.message}")
        paid = np.maximum(-result.ineqlin.marginals, 0.0)
        told = (paid[: shape[0] * shape[1]].reshape(shape) / self.scale[:, None])[:, self.worth]
        return _Solution(self._kernel(np.asarray(result.x)[: len(self.origin)]), self._prices(told, paid))

    def _rows(self) -> tuple[sparse.csc_array, Array, Array]:
        programme, moves = self.programme, len(self.origin)
        constraints, outputs = programme.tells.shape[0], len(programme.outputs)
        told = sparse.vstack([self._told(row / scale) for row, scale in zip(programme.tells, self.scale, strict=True)])
        given = sparse.csr_array((np.ones(moves), (self.origin, np.arange(moves))), shape=(len(self.part), moves))
        slack = np.zeros((constraints, outputs))
        slack[:, self.stay] = -programme.mass * programme.tells / self.scale[:, None]
        blocks: list[list[Any]] = [[told], [given]]
        bounds = [np.clip(slack.ravel() / self.unit, -FAR, FAR), np.minimum(programme.mass / self.part, FAR)]
        costs = np.zeros(moves)
        if programme.delta > 0:
            parts = constraints * outputs
            sums = sparse.csr_array(np.repeat(np.eye(constraints), outputs, axis=1))
            blocks = [[told, -sparse.eye_array(parts)], [given, None], [None, sums]]
            bounds.append(np.minimum(programme.delta / self.scale / self.unit, FAR))
            costs = np.zeros(moves + parts)
        if programme.weights is not None and len(programme.weights) == 1:
            costs[:moves] = self.far * (programme.weights[0] * self.part / self.unit)[self.origin]
            return sparse.csc_array(sparse.block_array(blocks)), np.concatenate(bounds), costs
        error, limits = self._objectives()
        width = len(blocks[0])
        blocks = [[*row, None] for row in blocks] + [[error, *[None] * (width - 1), -limits]]
        bounds.append(np.zeros(error.shape[0]))
        costs = np.concatenate([costs, [1.0]])
        return sparse.csc_array(sparse.block_array(blocks)), np.concatenate(bounds), costs

    def _told(self, row: Array) -> sparse.csr_array:
        """The flows' coefficients in one constraint: added at the output each reaches, subtracted at its origin."""
        moves, outputs = len(self.origin), len(self.programme.outputs)
        told = (row * self.part / self.unit)[self.origin]
        entries = np.concatenate([told, -told])
        where = np.concatenate([self.target, self.stay[self.origin]]), np.tile(np.arange(moves), 2)
        return sparse.csr_array((entries, where), shape=(outputs, moves))

    def _objectives(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """The errors, and the coefficient of t in each."""
        moves = np.arange(len(self.origin))
        programme = self.programme
        if programme.weights is None:
            error = sparse.csr_array((self.far, (self.origin, moves)), shape=(len(self.part), len(moves)))
            return error, sparse.csr_array(np.minimum(programme.mass / self.part, FAR)[:, None])
        error = sparse.csr_array((programme.weights * self.part / self.unit)[:, self.origin] * self.far)
        return error, sparse.csr_array(np.ones((error.shape[0], 1)))

    def _prices(self, told: Array, paid: Array) -> Prices:
        """Normalised: weighted by t's coefficients, in the program's own units, those of the objectives sum to 1."""
        programme = self.programme
        if programme.weights is not None and len(programme.weights) == 1:
            return Prices(programme.outputs[self.worth], told, np.ones(1))
        if programme.weights is None:
            # A flow of `part` was the unit of each answer's own error, and `unit` that of the constraints.
            prices, limits, told = paid[-len(self.part) :] / self.part, programme.mass, told / self.unit
        else:
            prices, limits = paid[-len(programme.weights) :], np.ones(len(programme.weights))
        counted = float(np.sum(prices * limits)) or 1.0
        return Prices(programme.outputs[self.worth], told / counted, prices / counted)

    def _unpaid(self) -> Array:
        """Dual variables of the objectives alone, where nothing was solved."""
        weights = self.programme.weights
        return np.ones(len(self.part) if weights is None else len(weights))

    def _kernel(self, flows: Array) -> Array:
        programme = self.programme
        kernel = np.zeros((len(programme.answers), len(programme.outputs)))
        shares = np.where(flows > ROUGH, flows, 0.0) * self.part[self.origin] / programme.mass[self.origin]
        kernel[self.origin, self.target] = shares
        kernel /= np.maximum(1.0, np.sum(kernel, axis=1, keepdims=True))
        kernel[np.arange(len(self.stay)), self.stay] = 1 - np.sum(kernel, axis=1)
        return np.maximum(kernel, 0.0)
