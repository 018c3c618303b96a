"""The attack of DDP §IV, person by person and cell by cell, in plain Python."""

import math
from collections.abc import Collection, Sequence


def kilometres(one: tuple[float, float], other: tuple[float, float]) -> float:
    """By the spherical law of cosines, on a sphere of radius 6371.0088 km; degrees, latitude first."""
    up1, up2, along = math.radians(one[0]), math.radians(other[0]), math.radians(other[1] - one[1])
    cosine = math.sin(up1) * math.sin(up2) + math.cos(up1) * math.cos(up2) * math.cos(along)
    return 6371.0088 * math.acos(max(-1.0, min(1.0, cosine)))


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def estimated(
    points: Sequence[Sequence[float]],
    labels: Sequence[int],
    known: Collection[int],
    candidate: Sequence[float],
    released: Sequence[Sequence[float]],
) -> list[list[float]]:
    """Centroids of the known and the candidate, who joins the nearest mean; where nobody is known, as released."""
    members = [[points[j] for j in sorted(known) if labels[j] == k] for k in range(len(released))]
    means = [mean(own) if own else list(released[k]) for k, own in enumerate(members)]
    apart = [sum((a - b) ** 2 for a, b in zip(candidate, each, strict=True)) for each in means]
    joined = apart.index(min(apart))
    means[joined] = mean([*members[joined], list(candidate)])
    return means


def posterior(prior: Sequence[float], distances: Sequence[float], scale: float) -> list[float]:
    """∝ e^{-distance/scale} · prior."""
    weighed = [p * math.exp(-d / scale) for p, d in zip(prior, distances, strict=True)]
    return [w / sum(weighed) for w in weighed]


def entropy(law: Sequence[float]) -> float:
    return -sum(p * math.log(p) for p in law if p > 0)


def distance(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> float:
    """L1."""
    return sum(abs(a - b) for r, s in zip(one, other, strict=True) for a, b in zip(r, s, strict=True))
