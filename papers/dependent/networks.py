"""Social networks: ego-Facebook with profiles, and GitHub, of SNAP (https://snap.stanford.edu/data/).

They stand for the paper's Google+ of 28,942,911 people, which nobody can have.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from papers.numbers import IntArray


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


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(sorted(set(names), key=int))}


def _once(edges: Iterable[list[str]], number: dict[str, int]) -> IntArray:
    """Each pair once, whichever way round; nobody with themselves."""
    pairs = np.sort(np.array([(number[one], number[other]) for one, other in edges]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _rows(path: Path, separator: str, header: bool = False) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from islice(csv.reader(file, delimiter=separator), int(header), None)
