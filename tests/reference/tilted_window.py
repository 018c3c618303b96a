"""The law of a long chain's sum at some of its values, in mpmath: a Fourier sum of the tilted chain, step by step.

Its own way: no Perron vectors, one matrix power for each frequency, 40 digits.
"""

from collections.abc import Sequence

from tests.reference.channel import Real, mp

Matrix = list[list[Real]]


def masses(
    initial: Sequence[float],
    step: Sequence[Sequence[float]],
    scores: Sequence[int],
    n: int,
    place: int,
    tilt: float,
    points: int,
    sums: Sequence[int],
) -> list[list[Real]]:
    """log Pr[sum = v | X_place = s] by s and v; the tilted law is to lie within `points` values of each v."""
    k = len(initial)
    low = min(sums) - points // 2
    found = [[mp.mpf(0)] * len(sums) for _ in range(k)]
    prior = _given(initial, step, [mp.mpf(1)] * k, n, place)
    for number in range(points):
        turn = mp.expjpi(mp.mpf(2 * number) / points)
        factors = [mp.exp(mp.mpf(tilt) * score) * turn**score for score in scores]
        values = _given(initial, step, factors, n, place)
        for s in range(k):
            for at, v in enumerate(sums):
                found[s][at] += values[s] * mp.expjpi(-mp.mpf(2 * number * (v - low)) / points) * turn ** (-low)
    return [
        [mp.log(mp.re(mass) / points / prior[s]) - mp.mpf(tilt) * v for mass, v in zip(found[s], sums, strict=True)]
        for s in range(k)
    ]


def _given(
    initial: Sequence[float], step: Sequence[Sequence[float]], factors: list[Real], n: int, place: int
) -> list[Real]:
    """E[product of factors; X_place = s], by s."""
    k = len(initial)
    one = [[mp.mpf(step[i][j]) * factors[j] for j in range(k)] for i in range(k)]
    before, after = _power(one, place), _power(one, n - 1 - place)
    first = [mp.mpf(initial[i]) * factors[i] for i in range(k)]
    return [
        mp.fsum(first[i] * before[i][s] for i in range(k)) * mp.fsum(after[s][j] for j in range(k)) for s in range(k)
    ]


def _power(matrix: Matrix, exponent: int) -> Matrix:
    k = len(matrix)
    found: Matrix = [[mp.mpf(i == j) for j in range(k)] for i in range(k)]
    while exponent:
        if exponent & 1:
            found = _times(found, matrix)
        matrix, exponent = _times(matrix, matrix), exponent >> 1
    return found


def _times(one: Matrix, other: Matrix) -> Matrix:
    k = len(one)
    return [[mp.fsum(one[i][m] * other[m][j] for m in range(k)) for j in range(k)] for i in range(k)]
