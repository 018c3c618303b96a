"""Two-way tables of counts: mutual information, Pearson's chi-squared and the likelihood ratio G."""

import numpy as np
from scipy.special import xlogy

from dalenius.fitting.fit import Statistic
from dalenius.laws.law import Array, IntArray


def crossed(first: IntArray, second: IntArray, shape: tuple[int, int]) -> IntArray:
    """How often each pair of codes occurs together."""
    return np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape)


def mutual_information(counts: IntArray) -> float:
    """Of the table's empirical law, in nats; 0 where it has no counts."""
    occurring = _occurring(counts)
    if not occurring.size:
        return 0.0
    terms = xlogy(occurring, occurring / _expected(occurring))
    return max(float(terms.sum() / occurring.sum()), 0.0)


def chi_squared(counts: IntArray) -> Statistic:
    """Pearson's test that rows and columns are independent, without continuity correction."""
    occurring = _occurring(counts)
    if not occurring.size:
        return Statistic(0.0, 0)
    expected = _expected(occurring)
    statistic = float(((occurring - expected) ** 2 / expected).sum())
    return Statistic(statistic, _freedom(occurring), float(expected.min()))


def likelihood_ratio(counts: IntArray) -> Statistic:
    """G = 2 Σ observed log(observed / expected) = 2 N (mutual information), of the same hypothesis."""
    occurring = _occurring(counts)
    if not occurring.size:
        return Statistic(0.0, 0)
    statistic = 2 * float(occurring.sum()) * mutual_information(counts)
    return Statistic(statistic, _freedom(occurring), float(_expected(occurring).min()))


def _occurring(counts: IntArray) -> IntArray:
    """Without the rows and columns that never occur: they carry no information and no degrees of freedom."""
    return np.asarray(counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0])


def _expected(counts: IntArray) -> Array:
    return np.asarray(np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum())


def _freedom(counts: IntArray) -> int:
    return int((counts.shape[0] - 1) * (counts.shape[1] - 1))
