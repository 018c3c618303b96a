"""A network's nodes by classes, as messages between cliques read them: equal subtrees share theirs (Theory §22).

A node's *subtree* is it and all nodes that are summed out through it; two are of one *shape* where they have the same
tables, digit for digit, of nodes that add the same. Nodes of one shape that hang on one parent in the same way, or on
parents that are alike, are one *class*. Messages inwards are of shapes, messages outwards of classes.

A message has a row for each state of a boundary. The factors at a node are rows for each state of its *core*: the node
and the boundaries of its children.

A hub has two kinds of leaves, and two leaves of one kind. There are the root of all, the hub and two classes of leaves.

>>> import dalenius as dl
>>> nodes = [dl.Node(name="hub", probabilities=[0.5, 0.5])]
>>> for name, p in (("a", 0.2), ("b", 0.2), ("c", 0.3)):
...     nodes.append(dl.Node(name=name, parents=["hub"], probabilities=[[1 - p, p], [p, 1 - p]]))
>>> law = dl.Network(nodes=nodes).law()
>>> (component,) = [each for own in law.types for each in own]
>>> found = clique_classes([component], np.array([[0, 1]] * 4), [0, 0, 0, 0])
>>> [members for members in found.members if members]
[(0,), (1, 2), (3,)]
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.joints.extended_precision import Long, long
from dalenius.joints.tree_limits import Bucket
from dalenius.joints.tree_messages import Component, scope_of


@final
class Gather:
    """Sums over states, the second axis of an array, by the state that they are part of. states: by state that one;
    count: how many there are."""

    def __init__(self, states: IntArray, count: int) -> None:
        self.states, self.count = states, count
        # Because in a tree the states repeat in order, a sum over the boundary's few states serves.
        times = len(states) // count
        self._tiled = times if times <= 4 and np.array_equal(states, np.arange(len(states)) % count) else 0
        self._order = np.argsort(states, kind="stable")
        self._starts = np.searchsorted(states[self._order], np.arange(count))

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        if self._tiled == 1:
            return numbers
        if self._tiled:
            found = numbers[:, : self.count]
            for start in range(self.count, len(self.states), self.count):
                found = found + numbers[:, start : start + self.count]
            return found
        return np.asarray(np.add.reduceat(numbers[:, self._order], self._starts, axis=1))


@final
@dataclass(frozen=True, eq=False)
class Layout:
    """The way in which messages meet at nodes of one kind of clique.

    Attributes:
        boundary: The number of states of the boundary.
        values: The number of values of the node.
        core: The state of the core in each state of the clique, boundary first.
        value: The value of the node in each state of the core.
        below: By child, the state of its boundary in each state of the core.
    """

    boundary: int
    values: int
    core: Gather
    value: Gather
    below: tuple[Gather, ...]


@final
@dataclass(frozen=True, eq=False)
class Inward:
    """Shapes of one layout whose children's messages are there: their numbers; tables (shapes, boundary · values):
    first row of their tables; scores (shapes,): which row of scores; out (shapes, boundary): rows of their messages;
    below: by child, rows (shapes, core) of its message, and how many such children there are (shapes,), None
    for one each."""

    layout: Layout
    shapes: IntArray
    tables: IntArray
    scores: IntArray
    out: IntArray
    below: tuple[tuple[IntArray, IntArray | None], ...]


@final
@dataclass(frozen=True, eq=False)
class Outward:
    """Classes of one layout, as far from the root: their numbers; place (classes,): where in `inward` their shapes are;
    into (classes, boundary): rows of the messages that come to them; children: by child, the classes (classes,)."""

    inward: Inward
    classes: IntArray
    place: IntArray
    into: IntArray
    children: tuple[IntArray, ...]


@final
@dataclass(frozen=True, eq=False)
class CliqueClasses:
    """The nodes of a network in classes that are alike, with the order of their messages.

    The root is a node without values, above all parts of the network.

    Attributes:
        inward: The groups of shapes in the order of inward messages.
        outward: The groups of classes by distance from the root.
        tables: The rows of Pr[value | boundary] of all shapes.
        scores: The scores (kinds, k) of the values; the least of a kind is 0.
        messages: The number of rows of inward messages.
        parents: The class above each class (classes,); -1 for the root.
        members: By class, its nodes; none for the root.
        into: The first row of the message that comes to a class outwards (classes,).
        widths: The number of rows of that message (classes,).
        unlike: The nats by which logs of the law may be off.
    """

    nodes: int
    inward: tuple[Inward, ...]
    outward: tuple[tuple[Outward, ...], ...]
    tables: Long
    scores: IntArray
    messages: int
    parents: IntArray
    members: tuple[tuple[int, ...], ...]
    into: IntArray
    widths: IntArray
    shapes: int
    unlike: float

    @cached_property
    def widest(self) -> int:
        """How many states the largest clique has."""
        return max(each.layout.boundary * each.layout.values for each in self.inward)

    @cached_property
    def class_of(self) -> Mapping[int, int]:
        """By node."""
        return {node: number for number, own in enumerate(self.members) for node in own}


@final
@dataclass(frozen=True)
class _Shape:
    """The shape of a subtree; `children` counts them by shape and by the place of their boundary in the clique."""

    layout: Layout
    table: int
    score: int
    children: tuple[tuple[int, int], ...]
    height: int


@final
class _Builder:
    def __init__(self, scores: IntArray, kinds: Sequence[int]) -> None:
        self.scores, self.kinds = scores, kinds
        self.score_rows: dict[bytes, int] = {}
        self.tables: list[Long] = []
        self.rows = 0
        self.shapes: list[_Shape] = []
        self.known: dict[object, int] = {}
        self.layouts: dict[object, Layout] = {}
        self.hangs: dict[tuple[int, ...], int] = {}
        self.shape_of: dict[int, int] = {}
        self.counts: dict[int, list[int]] = {}
        self.unlike = 0.0
        self.children: dict[int, list[tuple[tuple[int, int], int]]] = defaultdict(list)

    def add(self, component: Component) -> None:
        """Adds all nodes of a part of the network, the `component`, leaves first."""
        scopes = {bucket.node: scope_of(bucket) for bucket in component.buckets}
        for bucket, (table, off) in zip(component.buckets, _conditionals(component), strict=True):
            self.unlike += 1.01 * off
            # Digit for digit: subtrees that are alike up to rounding stay two.
            key = self.kinds[bucket.node], table.shape, table.tobytes()
            self._shape(bucket.node, key, table.shape, table.ravel(), self.scores[bucket.node, : table.shape[-1]])
            self._hang(bucket, scopes)

    def _hang(self, bucket: Bucket, scopes: Mapping[int, tuple[int, ...]]) -> None:
        """The subtree of a node on its parent; of a part's last node on the root of all."""
        parent = bucket.boundary[-1] if bucket.boundary else _ROOT
        scope = scopes.get(parent, ())
        places = tuple(scope.index(node) for node in bucket.boundary)
        hang = self.hangs.setdefault(places, len(self.hangs))
        self.children[parent].append(((self.shape_of[bucket.node], hang), bucket.node))

    def root(self) -> None:
        """The node of no values that all parts hang on."""
        self._shape(_ROOT, "root", (1,), np.ones(1, dtype=np.longdouble), np.zeros(1, dtype=np.int64))

    def _shape(self, node: int, key: object, sizes: tuple[int, ...], table: Long, score: IntArray) -> None:
        counts: dict[tuple[int, int], int] = defaultdict(int)
        for each, _ in self.children[node]:
            counts[each] += 1
        children = tuple(sorted(counts))
        full = (key, tuple((each, counts[each]) for each in children))
        if full not in self.known:
            self.known[full] = len(self.shapes)
            row = np.zeros(self.scores.shape[1], dtype=np.int64)
            row[: len(score)] = score
            where = self.score_rows.setdefault(row.tobytes(), len(self.score_rows))
            height = max((self.shapes[one].height + 1 for one, _ in children), default=0)
            own = self._layout(sizes, tuple(hang for _, hang in children))
            self.shapes.append(_Shape(own, self.rows, where, tuple(children), height))
            self.tables.append(table)
            self.rows += len(table)
            self.counts[self.known[full]] = [counts[each] for each in children]
        self.shape_of[node] = self.known[full]

    def _layout(self, sizes: tuple[int, ...], hangs: tuple[int, ...]) -> Layout:
        key = sizes, hangs
        if key not in self.layouts:
            places = {number: own for own, number in self.hangs.items()}
            below = [places[hang] for hang in hangs]
            last = len(sizes) - 1
            kept = sorted({last}.union(*below))
            states = np.indices(sizes).reshape(len(sizes), -1)
            core = _flat(states[kept], [sizes[axis] for axis in kept])
            inner = np.indices([sizes[axis] for axis in kept]).reshape(len(kept), -1)
            found = []
            for own in below:
                widths = [sizes[axis] for axis in own]
                found.append(Gather(_flat(inner[[kept.index(axis) for axis in own]], widths), prod(widths)))
            value = Gather(inner[kept.index(last)], sizes[-1])
            gathered = Gather(core, inner.shape[1])
            self.layouts[key] = Layout(prod(sizes[:-1]), sizes[-1], gathered, value, tuple(found))
        return self.layouts[key]


def _conditionals(component: Component) -> Iterator[tuple[Long, float]]:
    """Pr[node | boundary] in the order of elimination, as `tree_messages.conditionals` has it, in extended numbers; and
    by how many nats the law's logs change where rows that miss a sum of 1 by a rounding are taken to have it.

    Of 10^4 alike leaves some would not be alike otherwise.
    """
    place = {bucket.node: i for i, bucket in enumerate(component.buckets)}
    waiting = defaultdict[int, list[tuple[tuple[int, ...], Long]]](list)
    for potential in component.potentials:
        axes = sorted(range(len(potential.nodes)), key=lambda i: -place[potential.nodes[i]])
        nodes = tuple(potential.nodes[i] for i in axes)
        waiting[nodes[-1]].append((nodes, long(potential.table.transpose(axes))))
    for bucket in component.buckets:
        scope = scope_of(bucket)
        found = np.ones(tuple(component.sizes[node] for node in scope), dtype=np.longdouble)
        for nodes, table in waiting.pop(bucket.node, []):
            found = found * table.reshape([component.sizes[n] if n in nodes else 1 for n in scope])
        rest = found.sum(axis=-1)
        # Because the numbers of very many nodes may be tiny, only their ratios are read.
        shares = rest / (rest.max() or 1)
        near = np.abs(shares - 1) <= _A_ROUNDING
        off = float(np.max(np.abs(shares - 1), where=near, initial=0.0))
        yield long(found / np.where(rest > 0, rest, 1)[..., None]), off
        if bucket.boundary and not near.all():
            waiting[bucket.boundary[-1]].append((bucket.boundary, np.where(near, 1, shares)))


_ROOT: Final = -1
_A_ROUNDING: Final = 2.0**-50
"""By which a row of a table may miss a sum of 1, relatively, and count as having it."""


def _flat(states: IntArray, sizes: Sequence[int]) -> IntArray:
    found = np.zeros(states.shape[1], dtype=np.int64)
    for own, size in zip(states, sizes, strict=True):
        found = found * size + own
    return found


def clique_classes(components: Sequence[Component], scores: IntArray, kinds: Sequence[int]) -> CliqueClasses:
    """The classes of all nodes of these parts.

    Args:
        components: Parts of a network that are independent of each other.
        scores: What each value of each node adds (nodes, k), in steps, the least being 0.
        kinds: By node, its stratum: nodes of different strata are not alike.
    """
    made = _Builder(scores, kinds)
    for component in components:
        made.add(component)
    made.root()
    offsets = np.cumsum([0, *(shape.layout.boundary for shape in made.shapes)])
    inward, where = _inward(made, offsets)
    members, shape_of, parents, children = _unfolded(made)
    widths = np.array([made.shapes[shape].layout.boundary for shape in shape_of])
    into = np.cumsum([0, *widths[:-1]])
    outward = _outward(inward, where, shape_of, parents, children, into)
    rows = sorted(made.score_rows, key=made.score_rows.__getitem__)
    return CliqueClasses(
        len(kinds),
        inward,
        outward,
        np.concatenate(made.tables),
        np.stack([np.frombuffer(row, dtype=np.int64) for row in rows]),
        int(offsets[-1]),
        np.array(parents),
        tuple(tuple(sorted(own)) if own != [_ROOT] else () for own in members),
        into,
        widths,
        len(made.shapes),
        made.unlike,
    )


def _inward(made: _Builder, offsets: IntArray) -> tuple[tuple[Inward, ...], list[tuple[int, int]]]:
    """Shapes that are computed together, and by shape in which group and at which place it is."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, shape in enumerate(made.shapes):
        groups[shape.height, id(shape.layout)].append(number)
    found, where = list[Inward](), [(0, 0)] * len(made.shapes)
    for _, numbers in sorted(groups.items(), key=lambda pair: pair[0][0]):
        own = [made.shapes[number] for number in numbers]
        layout = own[0].layout
        for place, number in enumerate(numbers):
            where[number] = len(found), place
        below = []
        for rank, gather in enumerate(layout.below):
            starts = offsets[[shape.children[rank][0] for shape in own]]
            counts = np.array([made.counts[number][rank] for number in numbers])
            rows = starts[:, None] + gather.states
            below.append((rows, None if (counts == 1).all() else counts))
        cells = np.arange(layout.boundary * layout.values)
        found.append(
            Inward(
                layout,
                np.array(numbers),
                np.array([shape.table for shape in own])[:, None] + cells,
                np.array([shape.score for shape in own]),
                offsets[numbers][:, None] + np.arange(layout.boundary),
                tuple(below),
            )
        )
    return tuple(found), where


def _unfolded(made: _Builder) -> tuple[list[list[int]], list[int], list[int], list[list[int]]]:
    """Members, shape, parent and children of each class, the root first."""
    members, shapes, parents, children = [[_ROOT]], [made.shape_of[_ROOT]], [-1], list[list[int]]()
    number = 0
    while number < len(members):
        hung: dict[tuple[int, int], list[int]] = defaultdict(list)
        for node in members[number]:
            for key, child in made.children[node]:
                hung[key].append(child)
        own = []
        for key in made.shapes[shapes[number]].children:
            own.append(len(members))
            members.append(hung[key])
            shapes.append(key[0])
            parents.append(number)
        children.append(own)
        number += 1
    return members, shapes, parents, children


def _outward(
    inward: Sequence[Inward],
    where: Sequence[tuple[int, int]],
    shape_of: Sequence[int],
    parents: Sequence[int],
    children: Sequence[Sequence[int]],
    into: IntArray,
) -> tuple[tuple[Outward, ...], ...]:
    depth = [0] * len(parents)
    for number, parent in enumerate(parents):
        depth[number] = depth[parent] + 1 if parent >= 0 else 0
    levels: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(max(depth) + 1)]
    for number, shape in enumerate(shape_of):
        levels[depth[number]][where[shape][0]].append(number)
    found = []
    for level in levels:
        groups = []
        for group, numbers in level.items():
            own = inward[group]
            place = np.array([where[shape_of[number]][1] for number in numbers])
            below = np.array([children[number] for number in numbers], dtype=np.int64).reshape(len(numbers), -1)
            rows = into[numbers][:, None] + np.arange(own.layout.boundary)
            groups.append(Outward(own, np.array(numbers), place, rows, tuple(below.T)))
        found.append(tuple(groups))
    return tuple(found)
