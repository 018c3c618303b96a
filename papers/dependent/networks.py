"""Social networks: ego-Facebook with profiles, and GitHub, of SNAP (https://snap.stanford.edu/data/); and the graph of
who is like whom (DDP §VII-B).

The networks stand for the paper's Google+ of 28,942,911 people, which nobody can have. People are alike where
|dᵢᵀdⱼ| / (‖dᵢ‖ ‖dⱼ‖) > threshold. DDP prints ‖·‖₁ at all three: around the numerator it is the absolute value of a
number; in the denominator a person would be like nobody, not even themselves, unless one attribute makes up nearly all
of a profile: of k equal attributes the quotient is 1/k. So it is read as Euclidean, and the quotient is the cosine.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from papers.numbers import Array, IntArray


@final
@dataclass(frozen=True)
class Network:
    """pairs: (m, 2), friends, each pair once, the smaller first, no one their own; profiles: (people, features), 1
    where one has the feature, None where the source has none."""

    name: str
    people: int
    pairs: IntArray
    profiles: NDArray[np.uint8] | None = None

    def degrees(self) -> IntArray:
        return np.bincount(self.pairs.ravel(), minlength=self.people)


def facebook(data: Path) -> Network:
    """4,039 people, their friendships and their profiles of 1,283 binary features."""
    edges = list(_rows(data / "graphs/facebook_combined.txt.gz", " "))
    number = _numbered(name for edge in edges for name in edge)
    features = sum(1 for _ in _rows(data / "graphs/facebook_ego_featnames.csv.gz", ",", header=True))
    has = np.zeros((len(number), features), dtype=np.uint8)
    for name, feature in _rows(data / "graphs/facebook_ego_attrs.csv.gz", ",", header=True):
        has[number[name], int(feature)] = 1
    return Network("ego-Facebook", len(number), _once(edges, number), has)


def github(data: Path) -> Network:
    """37,700 developers who follow each other."""
    number = _numbered(row[0] for row in _rows(data / "graphs/musae_git_target.csv.gz", ",", header=True))
    return Network(
        "GitHub", len(number), _once(_rows(data / "graphs/musae_git_edges.csv.gz", ",", header=True), number)
    )


SIDE: Final = 2048
"""People a side of a block: 32 MiB of quotients."""


def alike(profiles: Array, threshold: float, side: int = SIDE) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of people, first < second, whose profiles (people, k) have a cosine above the threshold, a block of side²
    pairs at a time, each pair once. Who has a profile of zeros is like nobody. A quotient within rounding of the
    threshold is not above it."""
    whose = np.flatnonzero(profiles.any(axis=1))
    rows = profiles[whose] / np.linalg.norm(profiles[whose], axis=1, keepdims=True)
    # Whole numbers may meet a threshold exactly: (4, 3) and (1, 0) have .8, which is not above it.
    least = threshold + (rows.shape[1] + 8) * 2.0**-50
    for top in range(0, len(rows), side):
        for left in range(top, len(rows), side):
            like = np.abs(rows[top : top + side] @ rows[left : left + side].T) > least
            first, second = np.nonzero(np.triu(like, 1) if left == top else like)
            yield whose[first + top], whose[second + left]


def alike_degrees(profiles: Array, threshold: float) -> IntArray:
    """How many people everybody is like (people,)."""
    found = np.zeros(len(profiles), dtype=np.int64)
    for ends in alike(profiles, threshold):
        for end in ends:
            found += np.bincount(end, minlength=len(profiles))
    return found


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(sorted(set(names), key=int))}


def _once(edges: Iterable[list[str]], number: dict[str, int]) -> IntArray:
    """Each pair once, whichever way round; nobody with themselves."""
    pairs = np.sort(np.array([(number[one], number[other]) for one, other in edges]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _rows(path: Path, separator: str, header: bool = False) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from islice(csv.reader(file, delimiter=separator), int(header), None)
