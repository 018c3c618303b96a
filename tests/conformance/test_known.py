"""What the adversary knows: any model conditioned on some of its records, against the reference.

Totals that the adversary knows: any model given some exact answers about its records, against the reference.
"""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from dalenius.channel import Adversary, KnownAnswer, Release
from dalenius.errors import InputError
from dalenius.models import Chain, Households, HouseholdType, Independent, Model, Pedigree, Product, finite_joints
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.queries import Count, Histogram, Max, Mean, Query, Sum
from tests.conformance.compare import check_all
from tests.conformance.scores import Asked, asked
from tests.conformance.strategies import distributions, models, queries, sensible
from tests.conformance.table import CHECKS, MODELS, PAIR, QUERIES, examples, row_of, truth_in, worlds_of
from tests.conformance.worlds import World
from tests.pace import draws, one_in
from tests.reference.bayesian import given as records_given
from tests.reference.channel import Vector, answer_of, mp
from tests.reference.joints import Value

SLOW = {"mutual information", "gini", "g-leakage of two", "delta at 0", "delta", "information delta"} | {
    "renyi",
    "renyi of order 1.25",
}


def compare(model: Model, query: Query, noise: Noise, known: dict[int, Value]) -> None:
    """known: by place from 0."""
    (world,) = worlds_of(model)
    truth = truth_in([World(records_given(world.joint, known), world.people)], query, noise)
    adversary = Adversary(known={str(place + 1): value for place, value in known.items()})
    with mp.workdps(40):
        for engine in EXACT:
            release = Release(model, query, noise, engine=engine, adversary=adversary)
            check_all(release, truth, [name for name in CHECKS if name not in SLOW])


NOISES: list[Noise] = [Laplace(scale=0.7), Geometric(scale=1.3)]
EXACT = ("enumeration", "convolution")


@given(model=models(), query=queries(), noise=st.sampled_from(NOISES), data=st.data())
@draws(80)
def test_any_model(model: Model, query: Query, noise: Noise, data: st.DataObject) -> None:
    sensible(model, query)
    (world,) = worlds_of(model)
    row = data.draw(st.sampled_from(sorted(world.joint, key=str)))
    places = data.draw(st.lists(st.sampled_from(range(len(row))), unique=True, min_size=1))
    compare(model, query, noise, {place: row[place] for place in places})


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "name", one_in(5, [name for name, model in examples(MODELS).items() if len(worlds_of(model)) == 1])
)
def test_every_model_of_the_table(name: str) -> None:
    model = examples(MODELS)[name]
    (world,) = worlds_of(model)
    row = min(world.joint, key=lambda row: (world.joint[row], str(row)))
    possible = [value for person in world.people for value in person.values]
    value = next((value for value in (1, "ill", 0.5, 0) if value in possible), possible[0])
    for places in ([len(row) - 1], range(0, len(row), 2), range(len(row))):
        compare(model, Count(values=[value]), Laplace(scale=0.7), {place: row[place] for place in places})


def test_a_known_member_of_one_of_a_million_households() -> None:
    model = Households(count=250_000, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    joint = finite_joints(model)[0].given({5: 1})
    assert {subject.people for subject in joint.subjects()} == {999_996, 1, 3}
    family = next(subject for subject in joint.subjects() if subject.people == 3)
    # Pr[all | one] = .06 / (.04/4 + .06)
    assert [mp.exp(p) for p in family.log_prior] == pytest.approx([1 / 7, 6 / 7])
    assert joint.subject_of(6).people == 3


TRIO = Pedigree(people=[("ann", "", ""), ("bob", "", ""), ("cyd", "ann", "bob")], allele_frequency=0.1)


@pytest.mark.parametrize(
    ("model", "known", "message"),
    [
        (PAIR, {"1": 0, "2": 1}, "adversary.known: 1 = 0, 2 = 1, wanted values that can occur together"),
        (PAIR, {"3": 0}, "adversary.known.3: 3, wanted a person's number from 1 to 2"),
        (PAIR, {"Ann": 0}, "adversary.known.Ann: Ann, wanted a person's number or name"),
        (PAIR, {"1": 7}, "adversary.known.1: 7, wanted a value that record can have [0, 1]"),
        (Independent(probabilities=[0.0, 0.5]), {"1": 1}, "values that can occur together"),
        (Households(count=2, infected=[0.5, 0.5, 0.0]), {"1": 1, "2": 1}, "values that can occur together"),
        (Chain(n=3, transition=[[1.0, 0.0], [0.5, 0.5]], initial=[1.0, 0.0]), {"3": 1}, "can occur together"),
        (Product(parts=(PAIR, PAIR)), {"3": 0, "4": 1}, "adversary.known: 3 = 0, 4 = 1, wanted values that can occur"),
        (Product(parts=(PAIR, PAIR)), {"3": 7}, "adversary.known.3: 7, wanted a value that record can have [0, 1]"),
        (TRIO, {"ann": 3}, "adversary.known.ann: 3, wanted a value that record can have [0, 1, 2]"),
        (TRIO, {"ann": 0, "cyd": 2}, "adversary.known: ann = 0, cyd = 2, wanted values that can occur together"),
        (Product(parts=(PAIR, TRIO)), {"cyd": 3}, "adversary.known.cyd: 3, wanted a value that record can have"),
        (PAIR, {"1": 0, "01": 0}, "adversary.known.01: 0, wanted person 1 once"),
    ],
)
def test_what_cannot_be_known(model: Model, known: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        Release(model, Count(), Laplace(scale=1.0), adversary=Adversary(known=known))
    assert message in str(error.value)


READ = ("differential", "inferential", "information", "relative entropy", "min-entropy", "rho")
SUMS = ("mutual information", "delta", "gini")
"""Over all outputs: of Laplace noise these take the reference long."""

RAREST = 1e-6
"""Logs of rarer records round by more than nine digits of a leakage of nothing."""


def asked_of(query: Query, world: World) -> Asked:
    return asked(row_of(QUERIES, query).meaning(query, world.people), world.people)


def conditioned_of_known_answers(world: World, known: Sequence[tuple[Query, Vector]]) -> World:
    rows = dict(world.joint)
    for query, value in known:
        score = asked_of(query, world).score
        rows = {row: p for row, p in rows.items() if answer_of(row, score) == value}
    mass = sum(rows.values(), Fraction(0))
    return World({row: p / mass for row, p in rows.items()}, world.people)


def known_of(queries: Sequence[Query], world: World, row: tuple[object, ...]) -> list[tuple[Query, Vector]]:
    """The answers to those queries of the people with these records."""
    return [(query, answer_of(row, asked_of(query, world).score)) for query in queries]


def compare_of_known_answers(
    model: Model, query: Query, noise: Noise, known: Sequence[tuple[Query, Vector]], engines: Sequence[str | None]
) -> None:
    (world,) = worlds_of(model)
    truth = truth_in([conditioned_of_known_answers(world, known)], query, noise)
    adversary = Adversary(answers=tuple(KnownAnswer(query=asked, value=numbers(value)) for asked, value in known))
    names, tight = READ + (SUMS if truth.sums else ()), min(world.joint.values()) > RAREST
    with mp.workdps(40):
        for engine in engines:
            check_all(Release(model, query, noise, engine=engine, adversary=adversary), truth, names, tight)


def numbers(value: Vector) -> float | tuple[float, ...]:
    return float(value[0]) if len(value) == 1 else tuple(map(float, value))


@st.composite
def labelled(draw: st.DrawFn) -> Model:
    """People labelled a, b and c: groups of one label, of several, and chains, independent of each other."""
    parts: list[Model] = []
    for _ in range(draw(st.integers(1, 3))):
        label = draw(st.sampled_from("abc"))
        match draw(st.sampled_from(["bits", "household", "mixed", "chain", "values"])):
            case "bits":
                infected = draw(distributions(2))
                types = [HouseholdType(count=draw(st.integers(1, 3)), infected=infected, members={label: 1})]
                parts.append(Households(types=types))
            case "household":
                infected = draw(distributions(3))
                types = [HouseholdType(count=draw(st.integers(1, 2)), infected=infected, members={label: 2})]
                parts.append(Households(types=types))
            case "mixed":
                other = draw(st.sampled_from([each for each in "abc" if each != label]))
                infected = draw(distributions(4))
                parts.append(
                    Households(types=[HouseholdType(count=1, infected=infected, members={label: 2, other: 1})])
                )
            case "chain":
                rows = st.lists(distributions(2), min_size=2, max_size=2)
                parts.append(Chain(n=3, transition=draw(rows), initial=draw(distributions(2)), labels=[label] * 3))
            case "values":
                row = draw(distributions(3))
                parts.append(Independent(values=[0, 1, 3], probabilities=[row, row[::-1]], labels=[label] * 2))
    return Product(parts=tuple(parts)) if len(parts) > 1 else parts[0]


@st.composite
def asking(draw: st.DrawFn, labels: Sequence[str]) -> Query:
    """Of everybody or of some labels."""
    some = draw(st.one_of(st.none(), st.lists(st.sampled_from(labels), min_size=1, unique=True)))
    kind = draw(st.sampled_from(["count", "count", "sum", "mean", "histogram", "max", "per label"]))
    of = None if some is None else tuple(some)
    made: dict[str, Query] = {
        "count": Count(labels=of),
        "per label": Count(labels=of, per_label=True),
        "sum": Sum(labels=of, upper=2.0),
        "mean": Mean(labels=of),
        "max": Max(labels=of),
        "histogram": Histogram(cells=[[0], [1]]),
    }
    return made[kind]


@pytest.mark.lengthy
@given(of_labels=st.booleans(), noise=st.sampled_from([*NOISES, NoNoise()]), data=st.data())
@draws(300)
def test_any_model_known_answers(of_labels: bool, noise: Noise, data: st.DataObject) -> None:
    """Groups among them that the answer or the total does not ask."""
    model = data.draw(labelled() if of_labels else models())
    (world,) = worlds_of(model)
    asked = asking(sorted({person.label for person in world.people})) if of_labels else queries()
    query, known = data.draw(asked), data.draw(st.lists(asked, min_size=1, max_size=2))
    for each in (query, *known):
        sensible(model, each)
    row = data.draw(st.sampled_from(sorted(world.joint, key=str)))
    compare_of_known_answers(model, query, noise, known_of(known, world, row), (None, *EXACT) if of_labels else EXACT)


def test_known_totals_that_leave_nothing_open() -> None:
    """The two answers asked for are copies of each other, given these, and everybody's records are certain."""
    three = Chain(n=3, transition=((0.0, 1.0), (0.0, 1.0)), initial=(0.0, 1.0), labels=("a", "a", "a"))
    two = Households(types=[HouseholdType(count=2, infected=(0.0, 1.0), members={"b": 1})])
    known: list[tuple[Query, Vector]] = [(Count(), (Fraction(5),)), (Count(labels=("b",)), (Fraction(2),))]
    compare_of_known_answers(Product(parts=(two, three)), Count(per_label=True), Laplace(scale=0.7), known, (None,))


def test_the_same_totals_twice_where_a_part_has_nobody_of_a_label() -> None:
    """Of those with label a alone both answers about b are 0, and no copies of each other."""
    three = Households(types=[HouseholdType(count=1, infected=(0.4, 0.1, 0.2, 0.3), members={"a": 2, "b": 1})])
    one = Households(types=[HouseholdType(count=1, infected=(0.5, 0.5), members={"a": 1})])
    known: list[tuple[Query, Vector]] = [(Count(per_label=True), (Fraction(2), Fraction(1)))] * 2
    for query in (Count(labels=("b",)), Count(labels=("a",))):
        compare_of_known_answers(Product(parts=(three, one)), query, Laplace(scale=0.7), known, (None,))


def test_another_total_is_told_apart() -> None:
    """The comparison refuses what is true of a total that is one more."""
    model = Households(types=[HouseholdType(count=2, infected=(0.6, 0.3, 0.1), members={"a": 1, "b": 1})])
    query, total = Count(labels=("a",)), Count()
    compare_of_known_answers(model, query, Geometric(scale=1.3), [(total, (Fraction(2),))], (None,))
    with mp.workdps(40):
        (world,) = worlds_of(model)
        lie = conditioned_of_known_answers(world, [(total, (Fraction(3),))])
        truth = truth_in([lie], query, Geometric(scale=1.3))
        adversary = Adversary(answers=(KnownAnswer(query=total, value=2),))
        release = Release(model, query, Geometric(scale=1.3), adversary=adversary)
        for name in ("inferential", "information", "mutual information"):
            with pytest.raises(AssertionError):
                CHECKS[name](release, truth, True)
