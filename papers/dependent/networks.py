"""Social networks with profiles or labels: ego-Facebook, GitHub, and SNAP's ego-Gplus where a user has it."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.laws.law import IntArray
from papers.files import lines_of

FACEBOOK: Final = "graphs/facebook_combined.txt.gz"
FACEBOOK_PROFILES: Final = "graphs/facebook_ego_attrs.csv.gz"
FACEBOOK_FEATURES: Final = "graphs/facebook_ego_featnames.csv.gz"
GITHUB: Final = "graphs/musae_git_edges.csv.gz"
GITHUB_LABELS: Final = "graphs/musae_git_target.csv.gz"
GOOGLE: Final = "graphs/gplus_combined.txt.gz"
SNAP: Final = "SNAP, https://snap.stanford.edu/data/"


@final
@dataclass(frozen=True)
class Network:
    """pairs: (m, 2), friends, each pair once, the smaller first, no one their own; names: (people,), of the source.

    profiles: (people, features), 1 where one has the feature; labels: (people,). None where the source has none.
    """

    name: str
    names: Sequence[str]
    pairs: IntArray
    profiles: NDArray[np.uint8] | None = None
    labels: IntArray | None = None

    @property
    def people(self) -> int:
        return len(self.names)


def facebook(data: Path) -> Network:
    """4,039 people of SNAP's ego-Facebook, their friendships and their profiles of 1,283 binary features."""
    names, pairs = _graph(data / FACEBOOK, " ")
    number = {name: position for position, name in enumerate(names)}
    features = sum(1 for _ in _table(data / FACEBOOK_FEATURES, ("feature", "kind")))
    has = np.zeros((len(names), features), dtype=np.uint8)
    for line, (node, feature) in _table(data / FACEBOOK_PROFILES, ("node", "feature")):
        if node not in number or not (feature.isdigit() and int(feature) < features):
            raise _bad(data / FACEBOOK_PROFILES, line, f"{node} {feature}", "a person of the network, a known feature")
        has[number[node], int(feature)] = 1
    return Network("ego-Facebook", names, pairs, profiles=has)


def github(data: Path) -> Network:
    """37,700 developers of GitHub who follow each other, and whether each works on the web (0) or on learning (1)."""
    labels: dict[str, int] = {}
    for line, (node, label) in _table(data / GITHUB_LABELS, ("id", "ml_target")):
        if label not in ("0", "1"):
            raise _bad(data / GITHUB_LABELS, line, label, "0 or 1")
        labels[node] = int(label)
    names = tuple(sorted(labels, key=_order))
    number = {name: position for position, name in enumerate(names)}
    ends = array("q")
    for line, (one, other) in _table(data / GITHUB, ("id_1", "id_2")):
        if one not in number or other not in number:
            raise _bad(data / GITHUB, line, f"{one} {other}", f"two people of {GITHUB_LABELS}")
        ends.extend((number[one], number[other]))
    pairs = _once(np.frombuffer(ends, dtype=np.int64).reshape(-1, 2))
    return Network("GitHub", names, pairs, labels=np.array([labels[name] for name in names]))


def google(data: Path) -> Network | None:
    """SNAP's ego-Gplus, 107,614 people, who is in a circle of whom read both ways; None where the file is not there.

    The paper's Google+ of 28,942,911 people is another crawl.
    """
    if not (data / GOOGLE).exists():
        return None
    return Network("ego-Gplus", *_graph(data / GOOGLE, " "))


def _graph(path: Path, separator: str) -> tuple[tuple[str, ...], IntArray]:
    """People in the order of their numbers. Names stay text: those of Google+ have 21 digits."""
    seen: dict[str, int] = {}
    ends = array("q")
    for line, text in enumerate(lines_of(path, SNAP), start=1):
        cells = text.split(separator)
        if len(cells) != 2 or not all(cell.isdigit() for cell in cells):
            raise _bad(path, line, text, "two numbers of people")
        ends.extend(seen.setdefault(cell, len(seen)) for cell in cells)
    if not ends:
        raise InputError(str(path), "no line", "two numbers of people a line")
    names = tuple(sorted(seen, key=_order))
    position = np.empty(len(names), dtype=np.int64)
    position[[seen[name] for name in names]] = np.arange(len(names))
    return names, _once(position[np.frombuffer(ends, dtype=np.int64)].reshape(-1, 2))


def _once(pairs: IntArray) -> IntArray:
    """Each pair once, whichever way round; nobody with themselves."""
    people = int(pairs.max(initial=0)) + 1
    ordered = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    codes = np.unique(ordered[:, 0] * people + ordered[:, 1])
    return np.column_stack(np.divmod(codes, people))


def _order(name: str) -> tuple[int, str]:
    return len(name), name


def _table(path: Path, columns: tuple[str, str]) -> Iterator[tuple[int, tuple[str, str]]]:
    for line, text in enumerate(lines_of(path, SNAP), start=1):
        cells = text.split(",")
        if line == 1:
            if tuple(cells) != columns:
                raise _bad(path, line, text, ",".join(columns))
        elif len(cells) != 2:
            raise _bad(path, line, text, "two columns")
        else:
            yield line, (cells[0], cells[1])


def _bad(path: Path, line: int, value: str, wanted: str) -> InputError:
    return InputError(f"{path} line {line}", value, wanted)
