"""The law of one pair of records, and the marginals that it implies."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array

SLACK: Final = 1e-9
"""Probabilities that differ by no more are the same, as sums of probabilities may be off by it."""


@final
@dataclass(frozen=True, eq=False)
class PairLaw:
    """forward (s, s): Pr[X_second = t | X_first = s] in row s; backward (s, s): the same from the second to the first.

    first, second (s,): their marginals; None where several go with the two. A row of a value whose marginal is 0 is not
    read. name: what edges call it.
    """

    name: str
    forward: Array
    backward: Array
    first: Array | None
    second: Array | None

    @property
    def symmetric(self) -> bool:
        """Whether it is the same law from either end."""
        return self.forward is self.backward

    def turned(self) -> "PairLaw":
        """The same with its ends exchanged."""
        return PairLaw(self.name, self.backward, self.forward, self.second, self.first)


def of_table(name: str, table: Array) -> PairLaw:
    """table (s, s): Pr[X_first = s, X_second = t]."""
    return PairLaw(name, _rows(table), _rows(table.T), table.sum(axis=1), table.sum(axis=0))


def of_rows(name: str, rows: Array, prior: Array | None) -> PairLaw:
    """The same conditional law either way, with the marginal given or the only one there is."""
    found = prior if prior is not None else reversible_prior(rows)
    return PairLaw(name, rows, rows, found, found)


def _rows(table: Array) -> Array:
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, sums, out=np.zeros_like(table), where=sums > 0))


def reversible_prior(rows: Array) -> Array | None:
    """The marginal π with π_s rows[s, t] = π_t rows[t, s]; None where several are so. What it is where none is so, says
    `mismatch`."""
    weights, parts = _weights(rows)
    return weights / weights.sum() if parts == 1 else None


def mismatch(rows: Array, prior: Array | None) -> tuple[int, int, float] | None:
    """The row s and value t where rows are most off being one law of a pair either way, and what the entry should be;
    None where they are one. prior: the marginal, else one that some entries say."""
    one_sided = (rows > 0) & (rows.T == 0)
    if prior is None and one_sided.any():
        s, t = (int(each) for each in np.argwhere(one_sided)[0])
        return s, t, 0.0
    weights = prior if prior is not None else _weights(rows)[0]
    flow = weights[:, None] * rows
    off = np.abs(flow - flow.T) * (weights[:, None] > 0)
    if off.max() <= SLACK:
        return None
    s, t = (int(each) for each in np.unravel_index(int(np.argmax(off)), off.shape))
    return s, t, float(flow[t, s] / weights[s])


def _weights(rows: Array) -> tuple[Array, int]:
    """Weights that make the rows one law either way, if any do, each connected part's from 1 down; how many parts."""
    both = (rows > 0) & (rows.T > 0)
    logs, part = np.full(len(rows), np.nan), 0
    found = np.zeros(len(rows))
    while np.isnan(logs).any():
        start = int(np.flatnonzero(np.isnan(logs))[0])
        logs[start], waiting, members = 0.0, [start], [start]
        while waiting:
            s = waiting.pop()
            new = np.flatnonzero(both[s] & np.isnan(logs))
            logs[new] = logs[s] + np.log(rows[s, new]) - np.log(rows[new, s])
            waiting += new.tolist()
            members += new.tolist()
        found[members] = np.exp(logs[members] - logs[members].max())
        part += 1
    return found, part
