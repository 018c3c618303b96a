"""Graphs by the letter: plain Python over every pair of people, mpmath for distances."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

from mpmath import mp, mpf


def cleaned(people: int, pairs: Sequence[tuple[int, int]]) -> tuple[set[tuple[int, int]], dict[str, int]]:
    """The edges, and how many rows are none for each reason."""
    found: set[tuple[int, int]] = set()
    dropped = {"unknown": 0, "self_loops": 0, "duplicates": 0}
    for one, other in pairs:
        edge = (min(one, other), max(one, other))
        if not (0 <= one < people and 0 <= other < people):
            dropped["unknown"] += 1
        elif one == other:
            dropped["self_loops"] += 1
        elif edge in found:
            dropped["duplicates"] += 1
        else:
            found.add(edge)
    return found, dropped


def arc_km(lat1: float, lon1: float, lat2: float, lon2: float, radius: str = "6371.0088") -> float:
    """The angle between two unit vectors, to 50 digits, times the radius."""
    with mp.workdps(50):

        def place(lat: float, lon: float) -> tuple[mpf, mpf, mpf]:
            up, along = mp.radians(mpf(lat)), mp.radians(mpf(lon))
            return mp.cos(up) * mp.cos(along), mp.cos(up) * mp.sin(along), mp.sin(up)

        one, other = place(lat1, lon1), place(lat2, lon2)
        chord = mp.sqrt(sum((x - y) ** 2 for x, y in zip(one, other, strict=True)))
        return float(mpf(radius) * 2 * mp.asin(min(chord / 2, mpf(1))))


def friend_law(distances: Sequence[float], b: float, c: float) -> list[float]:
    """(distance + b)^-c, normalised, to 50 digits."""
    with mp.workdps(50):
        powers = [(mpf(distance) + mpf(b)) ** -mpf(c) for distance in distances]
        return [float(power / sum(powers)) for power in powers]


def friends_score(
    edges: Sequence[tuple[int, int]], distances: Sequence[Sequence[float]], b: float, c: float, weights: Sequence[float]
) -> float:
    """Σ over edges of the mean of log Pr[d_j | d_i] and log Pr[d_i | d_j], 50 digits; edges by their ends' values."""
    with mp.workdps(50):
        score = mpf(0)
        for ends in edges:
            for here, there in (ends, ends[::-1]):
                powers = [
                    mpf(weight) * (mpf(distance) + mpf(b)) ** -mpf(c)
                    for weight, distance in zip(weights, distances[here], strict=True)
                ]
                score += mp.log(powers[there] / sum(powers)) / 2
        return float(score)


def dependent_sensitivities(
    edges: Mapping[tuple[Hashable, Hashable], Fraction], moves: Mapping[Hashable, Fraction], directed: bool
) -> dict[Hashable, Fraction]:
    """DS_i = ΔQ_i + Σ_j ρ_ij ΔQ_j of everybody, in fractions."""
    found = dict(moves)
    for (one, other), coefficient in edges.items():
        found[one] += coefficient * moves[other]
        if not directed:
            found[other] += coefficient * moves[one]
    return found


def alike(rows: Sequence[Sequence[int | Fraction]], threshold: Fraction, norm: int) -> list[tuple[int, int]]:
    """Pairs with |inner product| > threshold · norm · norm′, by squares, in fractions."""
    found = []
    for second, other in enumerate(rows):
        for first, one in enumerate(rows[:second]):
            inner = sum((Fraction(x) * y for x, y in zip(one, other, strict=True)), Fraction(0))
            if norm == 2:
                squares = [sum((Fraction(x) ** 2 for x in row), Fraction(0)) for row in (one, other)]
            else:
                squares = [sum((abs(Fraction(x)) for x in row), Fraction(0)) ** 2 for row in (one, other)]
            if all(squares) and inner**2 > threshold**2 * squares[0] * squares[1]:
                found.append((first, second))
    return sorted(found)
