"""Suprema of a chain's records by listing all paths, in fractions; the noise's exponentials in mpmath."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, TypeAlias

from tests.reference.channel import Real, mp, real

Laws: TypeAlias = dict[int, dict[int, Fraction]]
"""Pr[X = s, the sum is v], by s and v."""


def listed(
    initial: Sequence[Fraction], steps: Sequence[Sequence[Sequence[Fraction]]], scores: Sequence[Sequence[int]]
) -> list[Laws]:
    """Of every record. scores: by record and state."""
    found: list[Laws] = [{} for _ in scores]
    for path in product(range(len(initial)), repeat=len(scores)):
        chance = initial[path[0]]
        for step, here, there in zip(steps, path[:-1], path[1:], strict=True):
            chance *= step[here][there]
        total = sum(own[state] for own, state in zip(scores, path, strict=True))
        for place, state in enumerate(path if chance else ()):
            law = found[place].setdefault(state, {})
            law[total] = law.get(total, Fraction(0)) + chance
    return found


def columns(laws: Laws, scale: Fraction) -> tuple[dict[int, Real], list[dict[int, Real]]]:
    """The prior, and W(y|s) at all outputs that are sums, between them, and beyond."""
    sums = sorted({v for law in laws.values() for v in law})
    outputs = sorted({*sums, *((a + b) / mp.mpf(2) for a, b in pairwise(sums))})
    outputs = [sums[0] - 1, *outputs, sums[-1] + 1]
    masses = {s: sum(law.values(), Fraction(0)) for s, law in laws.items()}
    rate = mp.mpf(scale.denominator) / scale.numerator
    found = [
        {
            s: mp.fsum(real(p / masses[s]) * mp.exp(-rate * abs(y - v)) for v, p in law.items())
            for s, law in laws.items()
        }
        for y in outputs
    ]
    return {s: real(mass) for s, mass in masses.items()}, found


def ratio(laws: Laws, scale: Fraction, one: int, other: int) -> Real:
    """The largest log W(y|one)/W(y|other)."""
    return max(mp.log(column[one] / column[other]) for column in columns(laws, scale)[1])


def told_exactly(laws: Laws) -> dict[Any, Real]:
    """By name, of the sum itself: the largest log-ratio, raised and lowered belief, relative entropy and its
    reverse; and by pair of values (s, t) the largest log-ratio."""
    masses = {s: sum(law.values(), Fraction(0)) for s, law in laws.items()}
    found: dict[Any, Real] = dict.fromkeys(("ratio", "raised", "lowered", "forward", "reverse"), mp.mpf(0))
    for v in {v for law in laws.values() for v in law}:
        posterior = {s: law.get(v, Fraction(0)) for s, law in laws.items()}
        total = sum(posterior.values(), Fraction(0))
        posterior = {s: chance / total for s, chance in posterior.items()}
        gain = {s: _log(chance / masses[s]) for s, chance in posterior.items()}
        for s, t in product(gain, gain):
            if posterior[s] and s != t:
                found[s, t] = max(found.get((s, t), -mp.inf), gain[s] - gain[t])
        here = {
            "ratio": max(gain.values()) - min(gain.values()),
            "raised": max(gain.values()),
            "lowered": -min(gain.values()),
            "forward": mp.fsum(real(p) * gain[s] for s, p in posterior.items() if p),
            "reverse": -mp.fsum(real(masses[s]) * g for s, g in gain.items()),
        }
        found.update({name: max(found[name], value) for name, value in here.items()})
    return found


def _log(fraction: Fraction) -> Real:
    return mp.log(real(fraction)) if fraction else -mp.inf


def limits(
    initial: Sequence[Real], step: Sequence[Sequence[Real]], scores: Sequence[int], n: int, place: int, tilt: Real
) -> list[Real]:
    """log E[e^{tilt · S} | X_place = s], up to a constant, of a chain with one matrix; place from 0."""
    states = range(len(initial))
    weights = [mp.exp(tilt * score) for score in scores]
    plain, tilted, after = list(initial), [mp.mpf(p) for p in initial], [mp.mpf(1) for _ in states]
    for _ in range(place):
        plain = [mp.fsum(plain[s] * step[s][t] for s in states) for t in states]
        tilted = _near_one([mp.fsum(tilted[s] * weights[s] * step[s][t] for s in states) for t in states])
    for _ in range(n - 1 - place):
        after = _near_one([mp.fsum(step[s][t] * weights[t] * after[t] for t in states) for s in states])
    return [mp.log(tilted[s] * weights[s] * after[s] / plain[s]) for s in states]


def _near_one(numbers: Sequence[Real]) -> list[Real]:
    return [each / max(numbers) for each in numbers]
