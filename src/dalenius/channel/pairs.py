"""What one record's value reveals of another's score, pair by pair."""

from dataclasses import dataclass
from typing import final

from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class Pairs:
    """The records of one type of group, and the ordered pairs of them; or people of a network, one of each kind of
    neighbourhood that no other contains, and the pairs of theirs.

    points (v,): scores, in the query's unit. prior (people, s) and scores (people, s) of each record's values; padded
    entries of a row have prior 0, and all are NaN where no prior is known. move (people,): ΔQ_i.
    first (pairs,): which record i; times (pairs,): how many records j there are like this one; laws (pairs, s, v):
    Pr[score_j = points[v] | X_i = s]; low, high (pairs,): the ends of j's scores.
    """

    points: Array
    prior: Array
    scores: Array
    move: Array
    first: IntArray
    times: Array
    laws: Array
    low: Array
    high: Array
