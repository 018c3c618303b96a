"""A Bayesian network: each record depends on its parents, as an illness does on its causes."""

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
from dalenius.models.model import Model, rows, widened_rows
from dalenius.sentences.sentence import Name, Phrase, commas, counted, few_listed, said

_NETWORK_IN_INTERVALS: Final = wings.Part[
    Callable[[Records, Iterable[tuple[tuple[int, ...], Array]], Sequence[int]], Belief]
]("network in intervals")


def _shape(probabilities: Any) -> str:
    """Tells one row from one per assignment of the parents, so that pydantic's messages are about that shape only."""
    first = probabilities[0] if isinstance(probabilities, list | tuple) and probabilities else None
    return "rows" if isinstance(first, list | tuple) else "row"


_Rows = Annotated[Annotated[Chances, Tag("row")] | Annotated[tuple[Chances, ...], Tag("rows")], Discriminator(_shape)]


@final
class Node(Frozen):
    """A node of a Bayesian network: one record, and how it depends on its parents.

    Args:
        name: The node's name.
        values: The universe of the record: k different numbers or texts; None (the default) for 0..k-1.
        parents: The names of the nodes that the record depends on; none by default.
        probabilities: The probabilities of the values: a row of k per assignment of the parents, the last parent's
            value changing fastest; without parents, one row. Any of them may be an interval [lower, upper]: then every
            promise is for all laws inside.
        label: The record's public label, for queries; empty (the default) for none.

    Example:
        >>> import dalenius as dl
        >>> lawn = dl.Node(name="lawn", parents=["rain"], probabilities=[[1, 0], [0.1, 0.9]])
        >>> lawn.universe(), lawn.rows()
        ((0, 1), ((1.0, 0.0), (0.1, 0.9)))
    """

    name: Annotated[str, Field(min_length=1)]
    values: Annotated[tuple[RecordValue, ...], Field(min_length=1)] | None = None
    parents: tuple[str, ...] = ()
    probabilities: _Rows
    label: str = ""

    @field_validator("probabilities", mode="before")
    @classmethod
    def _one_row(cls, given: Any, info: ValidationInfo) -> Any:
        """Reads a list of intervals as one row if there are no parents."""
        # Because a root of two intervals looks like two rows of two probabilities.
        if info.data.get("parents") or not isinstance(given, list | tuple) or len(given) < 2:
            return given
        deep = any(isinstance(end, list | tuple) for each in given if isinstance(each, list | tuple) for end in each)
        return [given] if not deep and any(isinstance(each, list | tuple) for each in given) else given

    @model_validator(mode="after")
    def _check(self) -> "Node":
        """Checks the node.

        Raises:
            ValueError: If values are not distinct, a row has another length, or a parent is the node itself or named
                twice.
        """
        universe = self.universe()
        # Because two columns of one value would be one with the sum of their chances: a typing error is likelier.
        if len(set(universe)) != len(universe):
            raise ValueError(f"distinct values (node {self.name} has {list(universe)})")
        for number, row in enumerate(self.rows(), 1):
            if len(row) != len(universe):
                raise ValueError(
                    f"rows of {len(universe)} probabilities, one per value (row {number} of node {self.name} has "
                    f"{len(row)})"
                )
        for parent in self.parents:
            # Because rows for a node that is its own parent, or has one parent twice, would contradict each other.
            if parent == self.name or self.parents.count(parent) > 1:
                raise ValueError(f"parents that are other nodes, each once (node {self.name} has {list(self.parents)})")
        return self

    def rows(self) -> tuple[tuple[Chance, ...], ...]:
        """Returns the probabilities as rows: one row if there are no parents."""
        return (self.probabilities,) if _shape(self.probabilities) == "row" else self.probabilities  # type: ignore[return-value]

    def widened(self, log_factor: float) -> "Node":
        """Returns the node with probabilities that may be off by a factor at most; a 0 stays 0.

        Args:
            log_factor: The logarithm of the factor, in nats.

        Returns:
            The node with intervals, always as a list of rows: a row of intervals by itself would be read as rows of
            two probabilities.
        """
        return self.altered({"probabilities": widened_rows(self.rows(), log_factor)})

    def universe(self) -> tuple[RecordValue, ...]:
        """Returns the values that were given, or 0..k-1."""
        return self.values if self.values is not None else tuple(range(len(self.rows()[0])))


@final
class Network(Model):
    """A Bayesian network, with one record per node; people are numbered in the order of the nodes.

    Args:
        nodes: The nodes, in any order; None where a file gives them.
        file: A BIF file to read the nodes from instead. A relative path is relative to the spec's folder, or to where
            the program runs if there is no spec.
        labels: The labels of the file's nodes, by name; or "names", so that each node's label is its name and queries
            can choose it. None (the default) for no labels; only beside a file.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        It rains with 0.2. The lawn is wet with 0.9 after rain, and never else: so it is wet with 0.18.

        >>> import dalenius as dl
        >>> import numpy as np
        >>> rain = dl.Node(name="rain", probabilities=[0.8, 0.2])
        >>> lawn = dl.Node(name="lawn", parents=["rain"], probabilities=[[1, 0], [0.1, 0.9]])
        >>> (law,) = dl.Network(nodes=[rain, lawn]).joints()
        >>> [np.exp(person.log_prior).round(6).tolist() for person in law.subjects()]
        [[0.8, 0.2], [0.82, 0.18]]
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
        # Because a network has one source.
        if (self.nodes is None) == (self.file is None):
            raise ValueError("either nodes or file")
        if self.labels is not None and self.file is None:
            raise ValueError("a label in each node, and labels beside a file only")
        return self

    @property
    def words(self) -> str:
        if self.nodes is None:
            return said("network_of_file", file=Name(self.file.name if self.file else ""))
        nodes = few_listed(map(_node_words, self.nodes), "between_clauses")
        return counted("network_of_record", "network_of_records", len(self.nodes), nodes=nodes)

    def in_folder(self, folder: Path) -> "Network":
        return self if self.file is None else self.altered({"file": folder / self.file})

    def known_nodes(self) -> tuple[Node, ...]:
        """Returns the nodes, read from the file if one is given.

        Raises:
            InputError: If the file has a fault; the message says what is wrong and where.
        """
        if self.file is None:
            return self.nodes or ()
        read = read_bif(self.file)
        labels = self._labels([node.name for node in read])
        found = [
            Node(name=node.name, values=node.values, parents=node.parents, probabilities=node.rows, label=label)
            for node, label in zip(read, labels, strict=True)
        ]
        # Because a file by another program may have a cycle or lack a row: the error names the file.
        try:
            _ancestors_first(found)
        except ValueError as error:
            raise InputError("model.file", str(self.file), str(error)) from None
        return tuple(found)

    def _labels(self, names: Sequence[str]) -> list[str]:
        """Returns the label of each node of the file; refuses a label of a node that is not there."""
        if self.labels == "names":
            return list(names)
        given = self.labels or {}
        for name in given:
            if name not in names:
                raise InputError("model.labels", name, f"a node of the file{meant(name, names)}")
        return [given.get(name, "") for name in names]

    def self_contained(self) -> "Network":
        return self if self.file is None else self.altered({"nodes": self.known_nodes(), "file": None, "labels": None})

    def widened(self, log_factor: float) -> "Network":
        nodes = tuple(node.widened(log_factor) for node in self.known_nodes())
        return self.altered({"nodes": nodes, "file": None, "labels": None})

    def joints(self) -> tuple[Belief]:
        """Returns one law; with intervals, the set of all laws inside."""
        nodes = self.known_nodes()
        return (_law(nodes),) if _is_point(nodes) else (_set(nodes),)

    def law(self) -> NetworkLaw:
        """Returns the one law of the network.

        Raises:
            InputError: If probabilities are intervals.
        """
        nodes = self.known_nodes()
        if not _is_point(nodes):
            raise InputError(
                "model.nodes", "intervals", "probabilities without intervals here: intervals hold many laws"
            )
        return _law(nodes)


def _is_point(nodes: Sequence[Node]) -> bool:
    """Says whether the probabilities leave one law: all are numbers, or intervals that fix them."""
    return all(Box.of(row).is_point for node in nodes for row in set(node.rows()) if is_credal(row))


def _law(nodes: Sequence[Node]) -> NetworkLaw:
    """Returns the law of a network whose probabilities are numbers: the product of its nodes' tables."""
    place = _places(nodes)
    sizes = {node.name: len(node.universe()) for node in nodes}
    return bayesian_network(_records(nodes), [_potential(node, place, sizes) for node in nodes])


def _set(nodes: Sequence[Node]) -> Belief:
    """Returns the set of all laws inside a network's intervals, node by node and row by row."""
    place = _places(nodes)
    inside = [(tuple(place[name] for name in node.parents), _ends(node)) for node in nodes]
    order = tuple(place[node.name] for node in _ancestors_first(nodes))
    return _NETWORK_IN_INTERVALS.function(_records(nodes), inside, order)


def _places(nodes: Sequence[Node]) -> dict[str, int]:
    return {node.name: i for i, node in enumerate(nodes)}


def _records(nodes: Sequence[Node]) -> Records:
    """Returns the nodes as records in the order of the nodes; those of one label and universe are one stratum."""
    keys = [(node.label, node.universe()) for node in nodes]
    kinds = list(dict.fromkeys(keys))
    strata = tuple(Stratum(label, values, keys.count((label, values))) for label, values in kinds)
    return Records(tuple(_places(nodes)), tuple(kinds.index(key) for key in keys), strata)


def _potential(node: Node, place: dict[str, int], sizes: dict[str, int]) -> Potential:
    """Returns a node's table as a function of its parents and itself; the last parent's value changes fastest."""
    # Because a parent with one value only is a constant, and links no nodes.
    parents = [name for name in node.parents if sizes[name] > 1]
    table = np.array([row if not is_credal(row) else Box.of(row).point for row in node.rows()], dtype=np.float64)
    shape = [sizes[name] for name in (*parents, node.name)]
    return Potential(tuple(place[name] for name in (*parents, node.name)), table.reshape(shape))


def _ends(node: Node) -> Array:
    """Returns the lower and the upper ends of each row (2, rows, k). Some law inside attains each of them."""
    boxes = [Box.of(row) for row in node.rows()]
    return np.stack([[box.lower for box in boxes], [box.upper for box in boxes]])


def _ancestors_first(nodes: Sequence[Node]) -> list[Node]:
    """Returns the nodes, parents before their children; raises ValueError where they are not a network."""
    named: dict[str, Node] = {}
    for node in nodes:
        if node.name in named:
            raise ValueError(f"nodes of different names ({node.name} is there twice)")
        named[node.name] = node
    for node in nodes:
        for parent in node.parents:
            # The case of a typing error in a parent's name.
            if parent not in named:
                raise ValueError(f"parents that are nodes (node {node.name} has the parent {parent})")
        # The case of two parents of three values each: nine rows.
        wanted = prod(len(named[parent].universe()) for parent in node.parents)
        if len(node.rows()) != wanted:
            raise ValueError(
                f"a row of probabilities for each assignment of the parents (node {node.name} has {len(node.rows())} "
                f"for {wanted})"
            )
    try:
        return [named[name] for name in TopologicalSorter({n.name: n.parents for n in nodes}).static_order()]
    # The case of smoking that depends on cancer that depends on smoking: no order of the nodes begins.
    except CycleError as error:
        raise ValueError(f"links without a cycle (there is {' -> '.join(error.args[1])})") from None


def _node_words(node: Node) -> Phrase:
    """Says on whom a node depends, or its chances where it depends on nobody."""
    if node.parents:
        return said("node_depends", node=Name(node.name), parents=commas(map(Name, node.parents)))
    return said("node_alone", node=Name(node.name), chances=rows(node.universe(), node.rows()[0]))
