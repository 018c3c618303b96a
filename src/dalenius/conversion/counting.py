"""How many records around one have values that its own makes likelier: a mechanism may go by that number alone, and
leaks no less than any other is bound by (Result 13.7)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.views import Views
from dalenius.laws.law import Array

MOST: Final = 64
"""Records that are counted: the nearest."""
FAINT: Final = 1e-290


def counted(
    views: Views, place: int, one: int, other: int | None, nearest: Sequence[int], about: Dependence
) -> Dependence:
    """A question like `about`, where all that is looked at is how many of these records have such a value; other: None
    for information."""
    order = _outwards(views, views.home(place))
    chances = views.chances[place].doubles()
    rest = [value for value in np.flatnonzero(views.chances[place].solid).tolist() if value != one]
    others = rest if other is None else [other]
    beliefs = {value: _beliefs(views, place, value, order) for value in [one, *others]}
    weights = {value: chances[value] if other is None else 1.0 for value in others}
    likelier = {}
    for each in nearest:
        against = sum(weights[value] * beliefs[value][each] for value in others) / sum(weights.values())
        likelier[each] = np.asarray(beliefs[one][each] > against)
    laws = {value: _count_law(views, place, value, order, likelier) for value in [one, *others]}
    cost = sum((weights[value] * laws[value] for value in others), np.zeros(len(nearest) + 1)) + FAINT
    n, cells = len(nearest), sum(law.mantissa.size for law in views.cliques.laws)
    counts = np.arange(n + 1)
    return Dependence(
        person=about.person,
        who=about.who,
        secret=about.secret,
        against=about.against,
        gain=laws[one],
        cost=cost,
        share=about.share,
        apart=np.abs(counts[:, None] - counts),
        size=n + 1,
        error=about.error + 4 * views.cliques.error + 8 * UNIT * (cells + (n + 4) * len(views.cliques.slots)),
        states=np.stack([n - counts, counts], axis=1),
        counted=True,
    )


def _outwards(views: Views, home: int) -> list[tuple[int, int]]:
    """Every clique and the one before it, -1 of the first."""
    found, place = [(home, -1)], 0
    while place < len(found):
        clique, before = found[place]
        found += [(other, clique) for other in views.neighbours(clique) if other != before]
        place += 1
    return found


def _beliefs(views: Views, place: int, value: int, order: Sequence[tuple[int, int]]) -> dict[int, Array]:
    """Every other record's law, given the value of one."""
    found: dict[int, Array] = {}
    laws: dict[int, tuple[tuple[int, ...], Array]] = {}
    for clique, before in order:
        shared = (place,) if before < 0 else views.shared(clique, before)
        records = views.arrangement(clique, shared)
        given = views.given(clique, shared)
        if before < 0:
            known = np.zeros(len(given))
            known[value] = 1.0
        else:
            known = _onto(*laws[before], shared).ravel()
        laws[clique] = records, (known[:, None] * given).reshape([len(views.cliques.slots[each]) for each in records])
        for each in records:
            if each not in found:
                found[each] = _onto(*laws[clique], (each,))
    return found


def _onto(records: tuple[int, ...], law: Array, kept: Sequence[int]) -> Array:
    left = law.sum(axis=tuple(axis for axis, each in enumerate(records) if each not in kept))
    rest = [each for each in records if each in kept]
    return np.asarray(left.transpose([rest.index(each) for each in kept]))


def _count_law(
    views: Views,
    place: int,
    value: int,
    order: Sequence[tuple[int, int]],
    likelier: Mapping[int, NDArray[np.bool_]],
) -> Array:
    """Of how many records have a value of theirs, given the value of one."""
    messages: dict[int, list[Array]] = {}
    for clique, before in reversed(order):
        shared = (place,) if before < 0 else views.shared(clique, before)
        records = views.arrangement(clique, shared)
        given = views.given(clique, shared)
        sizes = [len(views.cliques.slots[each]) for each in records]
        values = dict(zip(records, np.indices(sizes).reshape(len(sizes), *given.shape), strict=True))
        children = []
        for other in (each for each, near in order if near == clique):
            at = np.zeros(given.shape, dtype=np.int64)
            for each in views.shared(other, clique):
                at = at * len(views.cliques.slots[each]) + values[each]
            children.append((messages[other], at))
        hits = sum(
            (likelier[each][values[each]].astype(np.int64) for each in records[len(shared) :] if each in likelier),
            np.zeros(given.shape, dtype=np.int64),
        )
        rows = [value] if before < 0 else range(len(given))
        messages[clique] = [_mixed(given[row], hits[row], [(m, at[row]) for m, at in children]) for row in rows]
    found = np.zeros(len(likelier) + 1)
    last = messages[order[0][0]][0]
    found[: len(last)] = last
    return found


def _mixed(given: Array, hits: Array, children: Sequence[tuple[list[Array], Array]]) -> Array:
    """The law of the number of one clique's own and all beyond it, over its states."""
    found = np.zeros(1)
    for state in np.flatnonzero(given).tolist():
        law = np.append(np.zeros(int(hits[state])), given[state])
        for messages, at in children:
            law = np.convolve(law, messages[int(at[state])])
        size = max(len(law), len(found))
        found = np.pad(found, (0, size - len(found))) + np.pad(law, (0, size - len(law)))
    return found
