"""A Markov chain of records, as the one factor of a joint law; and averages over it given several of its records.

Probabilities, and products of transition matrices, are held in numbers of unlimited range. So a value has probability
0 only if no path of possible steps leads to it, and nothing positive underflows, however many steps there are.

Between two known records each stretch is independent of all others. Given X_i = s and X_j = t, E[prod factor(X_k); i
< k < j] obeys the recurrence of the chain itself: with w_u = Pr[X_j = u | X_i = s, X_{j+1} = t],

    C_{i,j+1}(s, t) = sum_u w_u C_ij(s, u) factor_j(u).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import log2
from typing import Final, Generic, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.fields import RecordValue
from dalenius.joints.clique_laws import Path
from dalenius.joints.factor import MANY, Factor, Numbering
from dalenius.joints.known_records import Unconditioned
from dalenius.laws.extended_range import Masses
from dalenius.laws.generating_function_algebra import Element, Transform


def running(first: Masses, steps: Masses) -> Masses:
    """Returns the rows v, v·P₁, v·P₁·P₂, .. (n + 1, k), for `first` v (k,) and `steps` P (n, k, k).

    There are sums of products only, k + 1 rounded operations a step: each entry is within (k + 1)·n·2^-53 of its own
    size.

    The laws of three days of which each is as the day before with probability .9 or .8:

    >>> step = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> running(Masses.of(np.array([0.5, 0.5])), Masses.of(np.stack([step, step]))).doubles().round(3).tolist()
    [[0.5, 0.5], [0.55, 0.45], [0.585, 0.415]]
    """
    states = len(first)
    # Because a product of two matrices costs k times a step, one step goes after another where states are more than
    # six.
    # With two, a chain of 1e5 days would take 1e5 calls that way, and products of pairs take seventeen rounds.
    stride = max((1 << 20) // states**3, 1) if states <= 6 else 1
    found = [first[None, None]]
    for start in range(0, len(steps), stride):
        found.append(_along(found[-1][-1:], steps[start : start + stride])[1:])
    return Masses.joined(found)[:, 0]


def _along(first: Masses, steps: Masses) -> Masses:
    """Runs first (1, 1, k) along the steps; (n + 1, 1, k).

    Products of two steps give every other row, and one step from there the rest.
    """
    # The case of one step left at the bottom of the halving.
    if len(steps) == 1:
        return Masses.joined([first, first.matmul(steps)])
    pairs = len(steps) // 2
    even = _along(first, steps[: 2 * pairs : 2].matmul(steps[1::2]))
    odd = even[: len(steps) - pairs].matmul(steps[::2])
    return Masses.interleaved(even, odd)


# Because a chance below it is next to losing its digits as a double, and nothing is then computed in doubles.
FAINTEST_WEIGHT: Final = 1e-300
_SAME: Final = 1e-9
"""Largest relative distance of steps of one chain that count as the same where a bound is wanted."""


@final
@dataclass(frozen=True, eq=False)
class MarkovChain(Factor):
    """A chain of n records of k values each, numbered on from `before`. Build it with `markov_chain`.

    Three days that begin at 0, each as the day before with probability .9 or .8; and the law of the second day if the
    third is 1, (.1 · .8)/.17:

    >>> step, which = Masses.of(np.array([[[0.9, 0.1], [0.2, 0.8]]])), np.zeros(2, dtype=np.int64)
    >>> chain = markov_chain(Masses.of(np.array([1.0, 0.0])), step, which, np.zeros(3, dtype=np.int64))
    >>> chain.marginals.round(6).tolist(), chain.backward.doubles()[1, 1].round(4).tolist()
    ([[1.0, 0.0], [0.9, 0.1], [0.83, 0.17]], [0.5294, 0.4706])

    Args:
        initial: The law of the first record (k,).
        matrices: The distinct transition matrices (m, k, k), by rows.
        which: The number of each step's matrix (n - 1,).
        forward: Each record's law up to the roundings of the rows' sums (n, k).
        stratum: Each record's stratum (n,).
        slots: The slots of its values (n, k).
        before: How many people of other factors come first.
        unconditioned: The chain before some records became known; None where none did.
    """

    initial: Masses
    matrices: Masses
    which: IntArray
    forward: Masses
    stratum: IntArray
    slots: IntArray
    before: int = 0
    unconditioned: Unconditioned | None = None

    def __len__(self) -> int:
        return len(self.stratum)

    @property
    def count(self) -> int:
        return 1

    @property
    def people(self) -> range:
        return range(self.before + 1, self.before + len(self) + 1)

    @cached_property
    def strata(self) -> Mapping[int, int]:
        """The number of records of each stratum: records may have public labels, such as weekdays and weekends."""
        found, counts = np.unique(self.stratum, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @property
    def steps(self) -> Masses:
        """The transition matrix of every step (n - 1, k, k), by rows."""
        return self.matrices[self.which]

    @property
    def one_step(self) -> Masses | None:
        """The transition matrix (k, k) of all steps; None where they are not the same, or there is none."""
        return self.matrices[0] if len(self.matrices) == 1 and len(self) > 1 else None

    @property
    def even(self) -> tuple[Array, Array] | None:
        """The first record's law and the one transition matrix of a homogeneous chain.

        None where steps or strata differ, or a probability is no double.
        """
        if self.one_step is None or len(self.strata) > 1 or not (self.initial.fits and self.one_step.fits):
            return None
        return self.initial.doubles(), self.one_step.doubles()

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """The values that each record can have (n, k)."""
        return self.forward.solid

    @cached_property
    def masses(self) -> Masses:
        """The law of every record (n, k)."""
        return self.forward.over(self.forward.summed((-1,)).with_last_axis())

    @property
    def marginals(self) -> Array:
        """The law of every record in doubles (n, k), in which a possible value may underflow to 0: see `possible`."""
        return self.masses.doubles()

    @cached_property
    def log_marginals(self) -> Array:
        """The logs of every record's law (n, k): -inf where a value cannot occur."""
        return _logs(self.masses)

    @cached_property
    def backward(self) -> Masses:
        """The matrices Pr[X_place = s | X_place+1 = t] at (place, t, s), (n - 1, k, k); uniform where t cannot
        occur.
        """
        arriving = self.forward[:-1].with_last_axis().times(self.steps).turned()
        # Because the next place multiplies with the number that one place divides by, rounding included: the product
        # along the chain keeps the roundings of single steps only.
        given = arriving.over(self.forward[1:].with_last_axis())
        return given.filled(self.possible[1:, :, None], 1 / self.slots.shape[1])

    @cached_property
    def log_matrices(self) -> Array:
        """The logs of the distinct transition matrices (m, k, k)."""
        return _logs(self.matrices)

    @cached_property
    def log_backward(self) -> Array:
        """The logs log Pr[X_place | X_place+1] (n - 1, k, k): rows are the later record's states."""
        return _logs(self.backward)

    @cached_property
    def path(self) -> Path | None:
        """The records as a row; None where a chance is no double. Steps back that are nearly the same count as one."""
        # The case of a day on which some value is all but impossible: no row in doubles is offered.
        if any(
            np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT))
            for each in (self.masses, self.matrices, self.backward)
        ):
            return None
        backward = np.where(self.possible[1:, :, None], self.backward.doubles(), 0.0)
        kernels, before = _gathered(backward)
        error = _SAME + 8 * (len(self) + 1) * (self.slots.shape[1] + 1) * UNIT
        return Path(self.marginals, self.matrices.doubles(), self.which, kernels, before, error, self.slots)

    @property
    def assignments(self) -> int:
        people, states = self.slots.shape
        # Because it is past any use, and as a float 2^1024 would overflow.
        return int(states**people) if people * log2(states) < log2(MANY) else MANY

    def group_assignments(self) -> tuple[IntArray, Array]:
        """Returns all possible paths, grown record by record, each time by every value that a step can lead to."""
        k = self.slots.shape[1]
        states = np.flatnonzero(self.possible[0])[:, None]
        logs = self.log_marginals[0][states[:, 0]]
        # So that few paths are left where most steps are impossible: these are dropped at once.
        for matrix in self.which:
            grown = (logs[:, None] + self.log_matrices[matrix][states[:, -1]]).ravel()
            wide = [np.repeat(states, k, axis=0), np.tile(np.arange(k), len(logs))[:, None]]
            states, logs = np.concatenate(wide, axis=1)[grown > -np.inf], grown[grown > -np.inf]
        return self.slots[np.arange(len(self)), states], logs

    def within(self, numbering: Numbering) -> "MarkovChain":
        return replace(
            self,
            stratum=numbering.strata[self.stratum],
            slots=numbering.slots[self.slots],
            before=self.before + numbering.before,
        )


def markov_chain(initial: Masses, matrices: Masses, which: IntArray, stratum: IntArray) -> MarkovChain:
    """Makes the chain of `initial` (k,), `matrices` (m, k, k), `which` (n - 1,) and `stratum` (n,).

    They are the fields of `MarkovChain`. Slots are numbered stratum by stratum.
    """
    states = len(initial)
    slots = np.arange(states) + states * stratum[:, None]
    return MarkovChain(initial, matrices, which, running(initial, matrices[which]), stratum, slots)


def _gathered(kernels: Array) -> tuple[Array, IntArray]:
    """Returns runs of kernels (n - 1, k, k), and the run of each.

    No kernel is further from the first of its run than SAME, relatively.
    """
    # Because a chain of one record has no step.
    if not len(kernels):
        return kernels, np.zeros(0, dtype=np.int64)
    starts = [0]
    while True:
        first = kernels[starts[-1]]
        rest = kernels[starts[-1] :]
        new = np.flatnonzero((np.abs(rest - first) > _SAME / 2 * first).any(axis=(1, 2)))
        if not len(new):
            break
        starts.append(starts[-1] + int(new[0]))
    which = np.zeros(len(kernels), dtype=np.int64)
    which[starts[1:]] = 1
    return kernels[starts], np.cumsum(which)


def _logs(masses: Masses) -> Array:
    """Returns natural logs, rounded once where the number is a normal double."""
    numbers = masses.doubles()
    # Because a path of 1e5 rare steps leads past the doubles: there the logs of mantissa and exponent are added.
    plain = numbers >= np.finfo(np.float64).tiny
    return np.where(plain, np.log(np.where(plain, numbers, 1.0)), masses.logs())


_Ends: TypeAlias = dict[tuple[int, int], Element | None]
"""The average of a stretch by the states at both ends; None where nothing lies between."""


@final
class _Segments(Generic[Element]):
    """The stretches of a chain between records; factors (n, k): of each record and state."""

    def __init__(self, chain: MarkovChain, transform: Transform[Element], factors: Sequence[Sequence[Element]]) -> None:
        self._chain = chain
        self._transform = transform
        self._factors = factors
        # The case in which all steps and factors are alike: a stretch of d records is the same wherever it begins, and
        # is made once.
        self._even = len(chain.matrices) <= 1 and len(chain.strata) == 1
        self._steps = chain.log_backward, chain.log_matrices[chain.which]
        self._between: dict[int, list[tuple[Array, _Ends[Element]]]] = {}
        self._sides: tuple[dict[int, list[Element]], dict[int, list[Element]]] = ({}, {})

    def between(self, one: int, other: int) -> tuple[Array, _Ends[Element]]:
        """Returns log Pr[X_other | X_one] (k, k), for the places `one` < `other`, and the averages given both."""
        rows = self._between.setdefault(0 if self._even else one, [])
        while len(rows) < other - one:
            rows.append(self._further(one + len(rows) + 1, rows[-1] if rows else None))
        return rows[other - one - 1]

    def _further(self, place: int, known: tuple[Array, _Ends[Element]] | None) -> tuple[Array, _Ends[Element]]:
        """Makes a stretch that ends at `place` from the one that ends a record earlier; see the module's recurrence."""
        step = self._chain.log_matrices[self._chain.which[place - 1]]
        # The case of neighbours: nothing lies between them.
        if known is None:
            return step, dict.fromkeys(map(_pair, np.argwhere(step > -np.inf)))
        before, ends = known
        paths = before[:, :, None] + step[None]
        logs = np.logaddexp.reduce(paths, axis=1)
        products = {key: self._times(place - 1, key[1], own) for key, own in ends.items()}
        found: _Ends[Element] = {}
        for s, t in np.argwhere(logs > -np.inf).tolist():
            through = np.flatnonzero(paths[s, :, t] > -np.inf).tolist()
            weights = np.minimum(paths[s, through, t] - logs[s, t], 0.0)
            found[s, t] = self._transform.mix(weights, [products[s, u] for u in through])
        return logs, found

    def _times(self, place: int, state: int, own: Element | None) -> Element:
        factor = self._factors[place][state]
        return factor if own is None else self._transform.product([own, factor], [1, 1])

    def factor(self, place: int, state: int) -> Element:
        """Returns the factor of the record at `place` in this `state`."""
        return self._factors[place][state]

    @property
    def last(self) -> int:
        """The last place."""
        return len(self._chain) - 1

    def before(self, place: int) -> list[Element]:
        """Returns E[all earlier records | X_place = state], for a `place` that is not the first."""
        return self._side(0, place, range(1, place + 1), -1)

    def after(self, place: int) -> list[Element]:
        """Returns E[all later records | X_place = state], for a `place` that is not the last."""
        return self._side(1, place, range(self.last - 1, place - 1, -1), 1)

    def _side(self, side: int, place: int, places: range, towards: int) -> list[Element]:
        """Makes messages from one end of the chain, as far as the place that is wanted, and keeps them.

        side: 0 for the records before, 1 for those after; towards: the step towards that end.
        """
        found, steps = self._sides[side], self._steps[side]
        for here in places:
            if here not in found:
                other = here + towards
                known = found.get(other)
                further = [self._times(other, u, None if known is None else known[u]) for u in range(steps.shape[1])]
                found[here] = [self._transform.mix(row, further) for row in steps[min(here, other)]]
        return found[place]


def _pair(row: IntArray) -> tuple[int, int]:
    return int(row[0]), int(row[1])


def given_records(
    chain: MarkovChain,
    values: Sequence[RecordValue],
    transform: Transform[Element],
    factors: Sequence[Sequence[Element]],
    wanted: Sequence[tuple[int, ...]],
) -> Iterator[list[tuple[tuple[RecordValue, ...], float, Element]]]:
    """Yields, for every group of people, in rising order, the cases of their records.

    A case has the values that the records can have together, the log of their probability, and the average given
    them.

    Args:
        chain: The chain that the people's records are.
        values: The values of a record (k,).
        transform: The algebra of the averages.
        factors: The factor of each record and state (n, k).
        wanted: The groups, by the people's numbers.
    """
    segments = _Segments(chain, transform, factors)
    for people in wanted:
        places = [person - 1 - chain.before for person in people]
        yield [
            (tuple(values[state] for state in states), log, _average(segments, transform, places, states))
            for states, log in _states(chain, segments, places)
        ]


def _states(
    chain: MarkovChain, segments: _Segments[Element], places: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yields all states that the records at these places can have together, and the log of their probability."""
    found: list[tuple[tuple[int, ...], float]] = [
        ((state,), float(log)) for state, log in enumerate(chain.log_marginals[places[0]])
    ]
    for one, other in pairwise(places):
        steps = segments.between(one, other)[0].tolist()
        found = [((*states, t), log + further) for states, log in found for t, further in enumerate(steps[states[-1]])]
    yield from ((states, log) for states, log in found if log > -np.inf)


def _average(
    segments: _Segments[Element], transform: Transform[Element], places: Sequence[int], states: Sequence[int]
) -> Element:
    # The product has the records' own factors, the stretches between them, and both ends of the chain.
    parts = [segments.factor(place, state) for place, state in zip(places, states, strict=True)]
    for (one, s), (other, t) in pairwise(zip(places, states, strict=True)):
        inner = segments.between(one, other)[1][s, t]
        parts += [] if inner is None else [inner]
    parts += [segments.before(places[0])[states[0]]] if places[0] > 0 else []
    parts += [segments.after(places[-1])[states[-1]]] if places[-1] < segments.last else []
    return transform.product(parts, [1] * len(parts))
