"""What a model's spec means, read from its fields alone: the joint law in fractions, and who everybody is."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product as choices
from math import prod
from typing import Any, NamedTuple, TypeAlias, cast

from dalenius.fields import Chance
from dalenius.linked.linked_data_sets import Linked
from dalenius.models import (
    AnyOf,
    Chain,
    Groups,
    Households,
    HouseholdType,
    Independent,
    Model,
    Network,
    Node,
    Pedigree,
    Product,
    Table,
)
from dalenius.models.chain import Transition, TransitionMatrix, depth
from tests.points import points
from tests.reference import inheritance, joints, linked as stages
from tests.reference.joints import Joint, Value

BITS = (0, 1)


class Person(NamedTuple):
    """Public: a label, and the values the record can take at all (some perhaps with probability 0)."""

    label: str
    values: tuple[Value, ...]


class World(NamedTuple):
    """One joint law; people in the order of its records."""

    joint: Joint
    people: tuple[Person, ...]


Worlds: TypeAlias = Callable[[Model], list[World]]
"""Reads any model; models made of models ask it for their parts."""


def exactly(probabilities: Sequence[Chance]) -> list[Fraction]:
    """The floats as the fractions they are, over their exact sum."""
    numbers = [Fraction(p) for p in points(probabilities)]
    return [number / sum(numbers) for number in numbers]


def _matrices(transition: Transition) -> tuple[TransitionMatrix, ...]:
    """One of them, or one for each step."""
    several = transition if isinstance(transition[0][0], tuple) else (transition,)
    return cast("tuple[TransitionMatrix, ...]", several)


def independent(model: Independent, _: Worlds) -> list[World]:
    values = model.values or BITS
    rows = [exactly(row if isinstance(row, tuple) else (1 - row, row)) for row in model.probabilities]
    laws = [dict(zip(values, row, strict=True)) for row in rows] * (model.n or 1)
    labels = model.labels or ("",) * len(laws)
    return [World(joints.independent(laws), tuple(Person(label, values) for label in labels))]


def table(model: Table, _: Worlds) -> list[World]:
    return [World(joints.table(model.records, exactly(model.probabilities)), _columns(model.records, model.labels))]


def groups(model: Groups, _: Worlds) -> list[World]:
    kinds = [(each.count, each.records, exactly(each.probabilities)) for each in model.types]
    people = [person for each in model.types for person in _columns(each.records, each.labels) * each.count]
    return [World(joints.groups(kinds), tuple(people))]


def _columns(records: Iterable[Sequence[Value]], labels: Sequence[str] | None) -> tuple[Person, ...]:
    columns = list(zip(*records, strict=True))
    pairs = zip(labels or [""] * len(columns), columns, strict=True)
    return tuple(Person(label, tuple(dict.fromkeys(column))) for label, column in pairs)


def households(model: Households, _: Worlds) -> list[World]:
    types = model.types or (HouseholdType(infected=model.infected or (), count=model.count),)
    joint = joints.households([(each.count or 1, exactly(each.infected)) for each in types])
    people = []
    for each in types:
        members = each.members or {"": len(each.infected) - 1}
        people += [Person(label, BITS) for label, number in members.items() for _ in range(number)] * (each.count or 1)
    return [World(joint, tuple(people))]


def chain(model: Chain, _: Worlds) -> list[World]:
    matrices = _matrices(model.transition)
    # One matrix, a period of them, or one for each step: the rest of a last period is not used.
    steps = [[exactly(row) for row in matrix] for matrix in matrices] * (model.n - 1)
    start = _stationary(steps[0]) if isinstance(model.initial, str) else exactly(model.initial)
    values = model.values or tuple(range(len(start)))
    joint = {tuple(values[state] for state in path): p for path, p in joints.chain(start, steps[: model.n - 1]).items()}
    labels = model.labels or ("",) * model.n
    return [World(joint, tuple(Person(label, values) for label in labels))]


def _stationary(step: list[list[Fraction]]) -> list[Fraction]:
    """π = πP, by elimination in fractions."""
    size = len(step)
    rows = [[step[j][i] - (i == j) for j in range(size)] + [Fraction(0)] for i in range(size - 1)]
    rows.append([Fraction(1)] * (size + 1))
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        own = [entry / rows[i][i] for entry in rows[i]]
        rows = [
            own if k == i else [a - row[i] * b for a, b in zip(row, own, strict=True)] for k, row in enumerate(rows)
        ]
    return [row[-1] for row in rows]


def network(model: Network, _: Worlds) -> list[World]:
    nodes = model.known_nodes()
    universes = {node.name: node.universe() for node in nodes}
    tables = {
        node.name: dict(zip(choices(*(universes[p] for p in node.parents)), map(exactly, node.rows()), strict=True))
        for node in nodes
    }

    def chance(node: Node, row: dict[str, Value]) -> Fraction:
        given = tables[node.name][tuple(row[parent] for parent in node.parents)]
        return given[universes[node.name].index(row[node.name])]

    rows = [dict(zip(universes, values, strict=True)) for values in choices(*universes.values())]
    joint = joints.gather((tuple(row.values()), prod(chance(node, row) for node in nodes)) for row in rows)
    return [World(joint, tuple(Person(node.label, node.universe()) for node in nodes))]


def pedigree(model: Pedigree, _: Worlds) -> list[World]:
    """Every person has two alleles, of which a child gets either with 1/2 from each parent."""
    rows = [(name, father, mother) for name, father, mother in model.members()]
    counts = inheritance.minor_alleles(rows, Fraction(model.allele_frequency))
    return [World(counts, (Person("", (0, 1, 2)),) * len(rows))]


def product(model: Product, worlds: Worlds) -> list[World]:
    return [
        World(joints.product([world.joint for world in choice]), sum((world.people for world in choice), ()))
        for choice in choices(*map(worlds, model.parts))
    ]


def worst_case(model: AnyOf, worlds: Worlds) -> list[World]:
    return [world for each in model.models for world in worlds(each)]


def linked(model: Linked, worlds: Worlds) -> list[World]:
    """A process is a text, the values of its stages in order."""
    return [_chained(model, world) for world in worlds(model.within)]


def _chained(model: Linked, world: World) -> World:
    rows, people, steps = list(world.joint.items()), range(len(world.people)), []
    if model.coupling == "independent":
        return _of_processes(stages.apart(rows, len(model.stages)), [world.people] * len(model.stages))
    for place in range(len(model.stages) - 1):
        if model.transition is None:
            stay = Fraction(1) if model.persistence is None else Fraction(model.persistence)
            steps.append([stages.staying(rows, person, stay) for person in people])
        else:
            values = world.people[0].values
            transition: Any = model.transition
            matrix = [exactly(row) for row in (transition[place] if depth(transition) == "steps" else transition)]
            kernel = {v: dict(zip(values, row, strict=True)) for v, row in zip(values, matrix, strict=True)}
            steps.append([kernel] * len(people))
    found = stages.chained(rows, steps)
    moves = None if model.transition is None else [each[0] for each in steps]
    if model.transition is None and model.persistence in (None, 1.0):
        moves = [{v: {v: Fraction(1)} for person in world.people for v in person.values}] * len(steps)
    return _of_processes(found, [world.people] * len(model.stages), moves)


def _of_processes(
    rows: stages.Rows, people: Sequence[Sequence[Person]], moves: Sequence[stages.Matrix] | None = None
) -> World:
    """people: by stage, whose labels are those of any stage; moves: the steps that are possible, all where None."""
    found: dict[tuple[str, ...], Fraction] = {}
    for records, chance in rows:
        key = tuple(map(_text, records))
        found[key] = found.get(key, Fraction(0)) + chance
    who = []
    for own in zip(*people, strict=True):
        paths = choices(*(person.values for person in own))
        able = [path for path in paths if moves is None or _goes(path, moves)]
        who.append(Person(max(person.label for person in own), tuple(map(_text, able))))
    return World({row: chance for row, chance in found.items() if chance}, tuple(who))


def _goes(path: Sequence[Value], moves: Sequence[stages.Matrix]) -> bool:
    return all(move[before].get(after) for move, (before, after) in zip(moves, pairwise(path), strict=True))


def _text(process: Sequence[Value]) -> str:
    return ", ".join(map(str, process))
