"""What the adversary knows: any model conditioned on some of its records, against the reference."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, strategies as st

from dalenius.channel import Adversary, Release
from dalenius.errors import InputError
from dalenius.models import Chain, Households, Independent, Model, Product, Table
from dalenius.noise import Geometric, Laplace, Noise
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count, Query
from tests.conformance.scores import Unfit
from tests.conformance.strategies import models, queries
from tests.conformance.table import CHECKS, MODELS, PAIR, QUERIES, XOR, examples, worlds_of
from tests.conformance.truth import Truth
from tests.conformance.worlds import World
from tests.pace import draws, one_in
from tests.reference.channel import geometric, laplace, mp

SLOW = ("mutual information", "gini", "g-leakage of two", "delta at 0", "delta", "information delta")


def conditioned(world: World, known: dict[int, object]) -> World:
    """known: by place from 0."""
    rows = {row: p for row, p in world.joint.items() if all(row[i] == value for i, value in known.items())}
    mass = sum(rows.values(), Fraction(0))
    return World({row: p / mass for row, p in rows.items()}, world.people)


def compare(model: Model, query: Query, noise: Noise, known: dict[int, object]) -> None:
    (world,) = worlds_of(model)
    reader = next(row.meaning for row in QUERIES if row.kind is type(query))
    means = {"laplace": lambda n, step: laplace(n.scale), "geometric": lambda n, step: geometric(n.scale, step)}
    truth = Truth([conditioned(world, known)], query, reader, noise, means[noise.kind])
    adversary = Adversary(known={str(place + 1): value for place, value in known.items()})
    for engine in ("enumeration", "convolution"):
        release = Release(model, query, noise, engine=engine, adversary=adversary)
        for name, check in CHECKS.items():
            if name not in SLOW:
                check(release, truth, True)


NOISES = st.sampled_from([Laplace(scale=0.7), Geometric(scale=1.3)])


@given(model=models(), query=queries(), noise=NOISES, data=st.data())
@draws(80)
def test_any_model(model: Model, query: Query, noise: Noise, data: st.DataObject) -> None:
    (world,) = worlds_of(model)
    row = data.draw(st.sampled_from(sorted(world.joint, key=str)))
    places = data.draw(st.lists(st.sampled_from(range(len(row))), unique=True, min_size=1))
    try:
        with mp.workdps(40):
            compare(model, query, noise, {place: row[place] for place in places})
    except Unfit:
        assume(False)


@pytest.mark.parametrize(
    "name", one_in(5, [name for name, model in examples(MODELS).items() if len(worlds_of(model)) == 1])
)
def test_every_model_of_the_table(name: str) -> None:
    model = examples(MODELS)[name]
    (world,) = worlds_of(model)
    row = min(world.joint, key=lambda row: (world.joint[row], str(row)))
    possible = [value for person in world.people for value in person.values]
    value = next((value for value in (1, "ill", 0.5, 0) if value in possible), possible[0])
    with mp.workdps(40):
        for places in ([len(row) - 1], range(0, len(row), 2), range(len(row))):
            compare(model, Count(values=[value]), Laplace(scale=0.7), {place: row[place] for place in places})


def test_xor_of_which_two_are_known() -> None:
    """Knowing one bit makes the two others equal or opposite."""
    noise = Geometric(scale=1.0)
    known = InferentialPrivacy().leakage(Release(XOR, Count(), noise, adversary=Adversary(known={"1": 0}))).epsilon
    pair = Table(records=[[0, 0], [1, 1]], probabilities=[0.5, 0.5])
    assert known == pytest.approx(InferentialPrivacy().leakage(Release(pair, Count(), noise)).epsilon, rel=1e-12)
    assert known == pytest.approx(2.0)


def test_a_known_member_of_one_of_a_million_households() -> None:
    model = Households(count=250_000, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    joint = model.finite_joints()[0].given({5: 1})
    assert {subject.people for subject in joint.subjects()} == {999_996, 1, 3}
    family = next(subject for subject in joint.subjects() if subject.people == 3)
    # Pr[all | one] = .06 / (.04/4 + .06)
    assert [mp.exp(p) for p in family.log_prior] == pytest.approx([1 / 7, 6 / 7])
    assert joint.subject_of(6).people == 3


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
        (Product(parts=(PAIR, PAIR)), {"3": 0, "4": 1}, "can occur together"),
        (PAIR, {"1": 0, "01": 0}, "adversary.known.01: 0, wanted person 1 once"),
    ],
)
def test_what_cannot_be_known(model: Model, known: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        Release(model, Count(), Laplace(scale=1.0), adversary=Adversary(known=known))
    assert message in str(error.value)
