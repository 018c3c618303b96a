"""The conformance table's models. A new one is a row here."""

from pathlib import Path

from dalenius.linked.linked_data_sets import Linked
from dalenius.models import AnyOf, Chain, Groups, Households, Independent, Model, Network, Pedigree, Product, Table
from tests.conformance import worlds
from tests.conformance.row import Row

PAIR = Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
XOR = Table(records=[[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], probabilities=[0.25] * 4)
FAMILY = Households(
    types=[
        {"count": 1, "infected": [0.7, 0.1, 0.05, 0.15], "members": {"adult": 2, "child": 1}},
        {"count": 1, "infected": [0.5, 0.0, 0.5], "members": {"child": 2}},
    ]
)

WET = [[1.0, 0.0], [0.1, 0.9], [0.2, 0.8], [0.01, 0.99]]
OR = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
COPY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
OFF = [[0.25, 0.75]]

MODELS: tuple[Row[Model], ...] = (
    Row(
        Independent,
        worlds.independent,
        {
            "bits": Independent(probabilities=[0.3, 1e-12, 1.0, 0.0]),
            "alike bits": Independent(n=5, probabilities=[0.2]),
            "bits by rows": Independent(probabilities=[[0.9, 0.1], [0.25, 0.75], [0.9, 0.1]]),
            "labelled bits": Independent(probabilities=[0.3, 0.6, 0.3], labels=["a", "b", "b"]),
            "values": Independent(values=[-1, 0.5, 2], probabilities=[[0.2, 0.3, 0.5], [0.0, 1e-12, 1 - 1e-12]]),
        },
    ),
    Row(
        Table,
        worlds.table,
        {
            "equal pair": PAIR,
            "exclusive or": XOR,
            "labelled rows": Table(
                records=[[0, 0, 1], [1, 1, 0], [0, 1, 1]], probabilities=[0.5, 0.3, 0.2], labels=["b", "a", "b"]
            ),
            "impossible rows": Table(records=[[0, 1], [1, 0], [2, 2], [1, 1]], probabilities=[0.5, 0.0, 0.25, 0.25]),
            "words": Table(
                records=[["ill", "well"], ["well", "well"], ["ill", "ill"], [1, "dead"]],
                probabilities=[0.2, 0.5, 0.2, 0.1],
            ),
        },
    ),
    Row(
        Groups,
        worlds.groups,
        {
            "two types": Groups(
                types=[
                    {"count": 2, "records": [[0, 0], [1, 1], [0, 1]], "probabilities": [0.6, 0.3, 0.1]},
                    {"records": [[0], [1], [3]], "probabilities": [0.5, 0.4, 0.1]},
                ]
            )
        },
    ),
    Row(
        Households,
        worlds.households,
        {
            "one type": Households(count=2, infected=[0.9, 0.04, 0.0, 0.06]),
            "all or none": Households(count=1, infected=[0.5, 0.0, 0.0, 0.0, 0.5]),
            "labels": FAMILY,
            "three labels": Households(
                types=[{"count": 1, "infected": [0.6, 0.2, 0.1, 0.1], "members": {"a": 1, "b": 1, "1": 1}}]
            ),
        },
    ),
    Row(
        Chain,
        worlds.chain,
        {
            "chain": Chain(n=5, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary"),
            "chain of three values": Chain(
                n=4,
                values=[0, 0.5, 2],
                transition=[[0.5, 0.5, 0.0], [0.1, 0.0, 0.9], [1e-12, 0.3, 0.7]],
                initial=[0.2, 0.0, 0.8],
            ),
            "chain by steps": Chain(
                n=3, transition=[[[0.9, 0.1], [0.2, 0.8]], [[1.0, 0.0], [0.5, 0.5]]], initial=[0.5, 0.5]
            ),
            "chain with a period": Chain(
                n=4,
                transition=[[[0.9, 0.1], [0.2, 0.8]], [[0.25, 0.75], [0.5, 0.5]]],
                period=2,
                initial=[0.3, 0.7],
            ),
            "labelled chain": Chain(
                n=4, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary", labels=["day", "night"] * 2
            ),
            "nearly constant chain": Chain(
                n=6, transition=[[1 - 1e-12, 1e-12], [1e-12, 1 - 1e-12]], initial="stationary"
            ),
        },
    ),
    Row(
        Network,
        worlds.network,
        {
            "diamond": Network(
                nodes=[
                    {"name": "wet", "parents": ["rain", "sprinkler"], "probabilities": WET},
                    {"name": "sprinkler", "parents": ["cloudy"], "probabilities": [[0.5, 0.5], [0.9, 0.1]]},
                    {"name": "rain", "parents": ["cloudy"], "probabilities": [[0.8, 0.2], [0.2, 0.8]]},
                    {"name": "cloudy", "probabilities": [0.5, 0.5]},
                ]
            ),
            "two causes of one": Network(
                nodes=[
                    {"name": "first", "probabilities": [1 - 1e-12, 1e-12], "label": "child"},
                    {"name": "second", "probabilities": [0.7, 0.3], "label": "adult"},
                    {"name": "either", "parents": ["first", "second"], "probabilities": OR, "label": "child"},
                    {"name": "elsewhere", "probabilities": [0.6, 0.4], "label": "adult"},
                ]
            ),
            "tree of three values": Network(
                nodes=[
                    {"name": "root", "values": [0, 1, 2], "probabilities": [0.5, 0.0, 0.5]},
                    {"name": "copy", "values": [2, 1, 0], "parents": ["root"], "probabilities": [*COPY[::-1]]},
                    {"name": "leaf", "values": [0, 0.5], "parents": ["copy"], "probabilities": [[0.9, 0.1]] * 2 + OFF},
                    {"name": "twin", "values": [0, 0.5], "parents": ["copy"], "probabilities": [[0.9, 0.1]] * 2 + OFF},
                ]
            ),
            "pairs alike": Network(
                nodes=[
                    {"name": "a", "probabilities": [0.9, 0.1]},
                    {"name": "b", "parents": ["a"], "probabilities": [[0.8, 0.2], [0.3, 0.7]]},
                    {"name": "c", "probabilities": [0.9, 0.1]},
                    {"name": "d", "parents": ["c"], "probabilities": [[0.8, 0.2], [0.3, 0.7]]},
                ]
            ),
            "network in a file": Network(file=Path(__file__).with_name("rain.bif")),
        },
    ),
    Row(
        Pedigree,
        worlds.pedigree,
        {
            "two children": Pedigree(
                people=[("1", "", ""), ("2", "", ""), ("3", "1", "2"), ("4", "1", "2")], allele_frequency=0.1
            ),
            "cousins who marry": Pedigree(
                people=[("c", "a", ""), ("d", "a", ""), ("a", "", ""), ("e", "c", "d")], allele_frequency=1e-12
            ),
            "a mother in a file": Pedigree(
                file=Path(__file__).with_name("family.csv"), id="who", mother="mum", allele_frequency=0.25
            ),
        },
    ),
    Row(
        Product,
        worlds.product,
        {
            "nested": Product(
                parts=[
                    PAIR,
                    Product(parts=[Independent(probabilities=[0.4]), Households(count=1, infected=[0.5, 0, 0.5])]),
                ]
            ),
            "table beside households": Product(parts=[XOR, FAMILY]),
            "chain beside table": Product(
                parts=[Chain(n=3, transition=[[0.7, 0.3], [0.3, 0.7]], initial=[0.5, 0.5]), PAIR]
            ),
            "of any": Product(
                parts=[AnyOf(models=[PAIR, Independent(n=2, probabilities=[0.5])]), Independent(probabilities=[0.1])]
            ),
        },
    ),
    Row(
        Linked,
        worlds.linked,
        {
            "copies": Linked(stages=2, within=FAMILY, coupling="copies"),
            "persistent": Linked(
                stages=2, within=Households(count=1, infected=[0.7, 0.1, 0.2]), coupling="chain", persistence=0.7
            ),
            "one way over the stages": Linked(
                stages=3,
                within=Table(records=[[0, 0], [0, 1], [1, 0], [1, 1]], probabilities=[0.72, 0.18, 0.04, 0.06]),
                coupling="chain",
                transition=[[0.9, 0.1], [0.0, 1.0]],
            ),
            "independent stages": Linked(
                stages=2, within=Households(count=1, infected=[0.7, 0.1, 0.2]), coupling="independent"
            ),
            "another way at each step": Linked(
                stages=3,
                within=Independent(n=2, probabilities=[0.25]),
                coupling="chain",
                transition=[[[0.9, 0.1], [0.0, 1.0]], [[0.5, 0.5], [0.25, 0.75]]],
            ),
        },
    ),
    Row(
        AnyOf,
        worlds.worst_case,
        {
            "three beliefs": AnyOf(
                models=[PAIR, Households(count=1, infected=[0.2, 0.5, 0.3]), Independent(n=2, probabilities=[0.01])]
            ),
            "in any": AnyOf(models=[FAMILY, AnyOf(models=[Product(parts=[FAMILY])])]),
        },
    ),
)
