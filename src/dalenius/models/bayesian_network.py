"""A Bayesian network: each record depends on its parents, as an illness does on its causes.

Rain with probability 0.2 and a lawn that is wet with 0.9 after rain and never else: nodes rain (probabilities [0.8,
0.2]) and wet (parents ["rain"], probabilities [[1, 0], [0.1, 0.9]]); the lawn is wet with 0.18.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from math import prod
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from dalenius import wings
from dalenius.arrays import Array
from dalenius.errors import InputError, meant
from dalenius.fields import Chance, Chances, RecordValue, is_credal
from dalenius.frozen_section import Frozen
from dalenius.joints.joint import Belief, Stratum
from dalenius.joints.network import NetworkLaw, Records, bayesian_network
from dalenius.joints.tree_messages import Potential
from dalenius.laws.box import Box
from dalenius.models.bif import read_bif
from dalenius.models.model import Model, few_listed, plural, rows, widened_rows

_NETWORK_IN_INTERVALS: Final = wings.Part[
    Callable[[Records, Iterable[tuple[tuple[int, ...], Array]], Sequence[int]], Belief]
]("network in intervals")


def _shape(probabilities: Any) -> str:
    """Whether this is one row or one per parent assignment, so that pydantic's messages are about that shape only."""
    first = probabilities[0] if isinstance(probabilities, list | tuple) and probabilities else None
    return "rows" if isinstance(first, list | tuple) else "row"


_Rows = Annotated[Annotated[Chances, Tag("row")] | Annotated[tuple[Chances, ...], Tag("rows")], Discriminator(_shape)]


@final
class Node(Frozen):
    """One record.

    probabilities: those of its values, a row per assignment of the parents, the last parent's value changing fastest;
    without parents, one row. Any probability may be an interval [lower, upper]: then every promise is for all laws
    inside. values: the universe, 0..k-1 by default. label: public, for queries.
    """

    name: Annotated[str, Field(min_length=1)]
    values: Annotated[tuple[RecordValue, ...], Field(min_length=1)] | None = None
    parents: tuple[str, ...] = ()
    probabilities: _Rows
    label: str = ""

    @field_validator("probabilities", mode="before")
    @classmethod
    def _one_row(cls, given: Any, info: ValidationInfo) -> Any:
        """Without parents, a list of intervals is a row: otherwise it would be read as rows of two probabilities."""
        # A root of two intervals looks like two rows of two probabilities.
        if info.data.get("parents") or not isinstance(given, list | tuple) or len(given) < 2:
            return given
        deep = any(isinstance(end, list | tuple) for each in given if isinstance(each, list | tuple) for end in each)
        return [given] if not deep and any(isinstance(each, list | tuple) for each in given) else given

    @model_validator(mode="after")
    def _check(self) -> "Node":
        """ValueError for values that are not distinct, a row of another length, or a parent that is the node itself or
        named twice."""
        universe = self.universe()
        # Two columns of one value would be one with the sum of their chances: a typing error is likelier.
        if len(set(universe)) != len(universe):
            raise ValueError(f"distinct values (node {self.name} has {list(universe)})")
        for number, row in enumerate(self.rows(), 1):
            if len(row) != len(universe):
                raise ValueError(
                    f"rows of {len(universe)} probabilities, one per value (row {number} of node {self.name} has "
                    f"{len(row)})"
                )
        for parent in self.parents:
            # Its own parent, or one parent twice: rows for both would contradict each other.
            if parent == self.name or self.parents.count(parent) > 1:
                raise ValueError(f"parents that are other nodes, each once (node {self.name} has {list(self.parents)})")
        return self

    def rows(self) -> tuple[tuple[Chance, ...], ...]:
        """The probabilities as rows: one without parents."""
        return (self.probabilities,) if _shape(self.probabilities) == "row" else self.probabilities  # type: ignore[return-value]

    def widened(self, log_factor: float) -> "Node":
        """The same node with every probability off by the factor at most; a row of intervals stays one of several rows,
        for by itself it would be read as rows of two probabilities."""
        return self.altered({"probabilities": widened_rows(self.rows(), log_factor)})

    def universe(self) -> tuple[RecordValue, ...]:
        """The values that were given, or 0..k-1."""
        return self.values if self.values is not None else tuple(range(len(self.rows()[0])))


@final
class Network(Model):
    """One record per node; people are numbered in the order of the nodes.

    nodes: in any order. file: a BIF file to read them from instead; a relative path is relative to the spec's folder,
    or to where the program runs if there is no spec. labels: of the file's nodes, by name, or "names": each node's
    label is its name, so that queries can choose it.
    """

    kind: Literal["network"] = "network"
    nodes: tuple[Node, ...] | None = Field(default=None, min_length=1)
    file: Path | None = None
    labels: Mapping[str, str] | Literal["names"] | None = None

    @field_validator("nodes")
    @classmethod
    def _linked(cls, nodes: tuple[Node, ...] | None) -> tuple[Node, ...] | None:
        if nodes is not None:
            _ancestors_first(nodes)
        return nodes

    @model_validator(mode="after")
    def _check(self) -> "Network":
        # A network has one source.
        if (self.nodes is None) == (self.file is None):
            raise ValueError("either nodes or file")
        if self.labels is not None and self.file is None:
            raise ValueError("a label in each node, and labels beside a file only")
        return self

    @property
    def words(self) -> str:
        if self.nodes is None:
            return (
                f"records that depend on each other as the network of file {self.file.name if self.file else ''} says"
            )
        each = (
            node.name
            + (
                f" depends on {', '.join(node.parents)}"
                if node.parents
                else f": {rows(node.universe(), node.rows()[0])}"
            )
            for node in self.nodes
        )
        return f"{plural(len(self.nodes), 'record')} in a network: {few_listed(each, '; ')}"

    def in_folder(self, folder: Path) -> "Network":
        """The same with the file's path relative to this folder, as in a spec in it."""
        return self if self.file is None else self.altered({"file": folder / self.file})

    def known_nodes(self) -> tuple[Node, ...]:
        """The nodes, read from the file if one is given. InputError says what is wrong with the file and where."""
        if self.file is None:
            return self.nodes or ()
        read = read_bif(self.file)
        labels = self._labels([node.name for node in read])
        found = [
            Node(name=node.name, values=node.values, parents=node.parents, probabilities=node.rows, label=label)
            for node, label in zip(read, labels, strict=True)
        ]
        # A file by another program may have a cycle or lack a row; the error names the file.
        try:
            _ancestors_first(found)
        except ValueError as error:
            raise InputError("model.file", str(self.file), str(error)) from None
        return tuple(found)

    def _labels(self, names: Sequence[str]) -> list[str]:
        """The label of each node of the file. InputError for a label of a node that is not there."""
        if self.labels == "names":
            return list(names)
        given = self.labels or {}
        for name in given:
            if name not in names:
                raise InputError("model.labels", name, f"a node of the file{meant(name, names)}")
        return [given.get(name, "") for name in names]

    def self_contained(self) -> "Network":
        """The same with the nodes of its file written out, as in a certificate that outlives the file."""
        return self if self.file is None else self.altered({"nodes": self.known_nodes(), "file": None, "labels": None})

    def widened(self, log_factor: float) -> "Network":
        nodes = tuple(node.widened(log_factor) for node in self.known_nodes())
        return self.altered({"nodes": nodes, "file": None, "labels": None})

    def joints(self) -> tuple[Belief]:
        """One law, or, with intervals, the set of all laws inside."""
        nodes = self.known_nodes()
        return (_law(nodes),) if _is_point(nodes) else (_set(nodes),)

    def law(self) -> NetworkLaw:
        """The one law. InputError where probabilities are intervals."""
        nodes = self.known_nodes()
        if not _is_point(nodes):
            raise InputError("model.nodes", "intervals", "probabilities here: no one law lies in the intervals")
        return _law(nodes)


def _is_point(nodes: Sequence[Node]) -> bool:
    """Whether no probability is an interval, up to intervals that leave one law."""
    return all(Box.of(row).is_point for node in nodes for row in set(node.rows()) if is_credal(row))


def _law(nodes: Sequence[Node]) -> NetworkLaw:
    """The one law of a network whose probabilities are numbers: the product of its nodes' tables."""
    place = _places(nodes)
    sizes = {node.name: len(node.universe()) for node in nodes}
    return bayesian_network(_records(nodes), [_potential(node, place, sizes) for node in nodes])


def _set(nodes: Sequence[Node]) -> Belief:
    """The set of all laws inside a network's intervals, node by node and row by row."""
    place = _places(nodes)
    inside = [(tuple(place[name] for name in node.parents), _ends(node)) for node in nodes]
    order = tuple(place[node.name] for node in _ancestors_first(nodes))
    return _NETWORK_IN_INTERVALS.function(_records(nodes), inside, order)


def _places(nodes: Sequence[Node]) -> dict[str, int]:
    return {node.name: i for i, node in enumerate(nodes)}


def _records(nodes: Sequence[Node]) -> Records:
    """The nodes as records: people in the order of the nodes, those of one label and universe in one stratum."""
    keys = [(node.label, node.universe()) for node in nodes]
    kinds = list(dict.fromkeys(keys))
    strata = tuple(Stratum(label, values, keys.count((label, values))) for label, values in kinds)
    return Records(tuple(_places(nodes)), tuple(kinds.index(key) for key in keys), strata)


def _potential(node: Node, place: dict[str, int], sizes: dict[str, int]) -> Potential:
    """A node's table as a function of its parents and itself; the last parent's value changes fastest."""
    # A parent with one value only is a constant, and links no nodes.
    parents = [name for name in node.parents if sizes[name] > 1]
    table = np.array([row if not is_credal(row) else Box.of(row).point for row in node.rows()], dtype=np.float64)
    shape = [sizes[name] for name in (*parents, node.name)]
    return Potential(tuple(place[name] for name in (*parents, node.name)), table.reshape(shape))


def _ends(node: Node) -> Array:
    """The lower and the upper ends of each row (2, rows, k), each of which some law inside attains."""
    boxes = [Box.of(row) for row in node.rows()]
    return np.stack([[box.lower for box in boxes], [box.upper for box in boxes]])


def _ancestors_first(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, parents before their children. ValueError where they are not a network."""
    named: dict[str, Node] = {}
    for node in nodes:
        if node.name in named:
            raise ValueError(f"nodes of different names ({node.name} is there twice)")
        named[node.name] = node
    for node in nodes:
        for parent in node.parents:
            # A typing error in a parent's name.
            if parent not in named:
                raise ValueError(f"parents that are nodes (node {node.name} has the parent {parent})")
        # Two parents of three values each: nine rows.
        wanted = prod(len(named[parent].universe()) for parent in node.parents)
        if len(node.rows()) != wanted:
            raise ValueError(
                f"a row of probabilities for each assignment of the parents (node {node.name} has {len(node.rows())} "
                f"for {wanted})"
            )
    try:
        return [named[name] for name in TopologicalSorter({n.name: n.parents for n in nodes}).static_order()]
    # Smoking that depends on cancer that depends on smoking: no order of the nodes begins.
    except CycleError as error:
        raise ValueError(f"links without a cycle (there is {' -> '.join(error.args[1])})") from None
