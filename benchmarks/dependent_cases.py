"""Releases of records that depend on each other along a line or a tree; each returns the inferential enclosure."""

from collections.abc import Sequence
from typing import Final

from dalenius import (
    Chain,
    Count,
    Geometric,
    Households,
    InferentialPrivacy,
    InformationPrivacy,
    Laplace,
    MutualInformationPrivacy,
    Network,
    Release,
    Sum,
    audit,
)
from dalenius.notions import Notion, RelativeEntropyPrivacy

NOTIONS: Final[dict[str, Notion]] = {
    notion.kind: notion
    for notion in (
        InferentialPrivacy(),
        InformationPrivacy(),
        RelativeEntropyPrivacy(),
        MutualInformationPrivacy(),
    )
}


def _enclosed(release: Release, kinds: Sequence[str] = tuple(NOTIONS)) -> tuple[float, float]:
    found = audit(release, [NOTIONS[kind] for kind in kinds])["inferential"]
    return found.lower, found.upper


def chain(n: int, kinds: Sequence[str], stay: float = 0.8) -> tuple[float, float]:
    """A count of a stationary chain's bits."""
    model = Chain(n=n, transition=[[stay, 1 - stay], [1 - stay, stay]], initial="stationary")
    return _enclosed(Release(model, Count(), Laplace(scale=5.0)), kinds)


def three(n: int) -> tuple[float, float]:
    """A sum over a stationary chain of three values."""
    model = Chain(n=n, transition=[[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]], initial="stationary")
    return _enclosed(Release(model, Sum(), Laplace(scale=5.0)))


def tree(n: int) -> tuple[float, float]:
    """A count over a balanced binary tree."""
    nodes = [{"name": "1", "probabilities": [0.5, 0.5]}]
    nodes += [
        {"name": str(i), "parents": [str(i // 2)], "probabilities": [[0.8, 0.2], [0.2, 0.8]]} for i in range(2, n + 1)
    ]
    return _enclosed(Release(Network(nodes=nodes), Count(), Laplace(scale=5.0)))


def plane(people: int) -> tuple[float, float]:
    """Two counts over households of four, two members of each kind."""
    kind = {"count": people // 4, "infected": [0.6, 0.1, 0.1, 0.1, 0.1], "members": {"a": 2, "b": 2}}
    return _enclosed(Release(Households(types=[kind]), Count(per_label=True), Geometric(scale=5.0)))
