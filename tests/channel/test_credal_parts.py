"""Intervals in parts of a product and of linked stages, in one of several beliefs, and beside known records."""

from fractions import Fraction

import pytest

from dalenius.channel import Release
from dalenius.channel.adversary import Adversary
from dalenius.errors import DaleniusError, InputError
from dalenius.models import Any, Chain, Groups, GroupType, Households, Independent, Linked, Model, Product, Table
from dalenius.noise import Laplace
from dalenius.notions import (
    BayesianPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    Notion,
    audit,
)
from dalenius.queries import Count, Several, Stage
from dalenius.schema import Chance
from tests.reference import credal

LOWER = [Fraction(5, 10), Fraction(1, 10), Fraction(1, 20), Fraction(1, 20)]
UPPER = [Fraction(7, 10), Fraction(3, 10), Fraction(1, 5), Fraction(3, 10)]
ROW: tuple[Chance, ...] = tuple((float(a), float(b)) for a, b in zip(LOWER, UPPER, strict=True))
HOME = Households(count=2, infected=ROW)
POINT = Households(count=3, infected=(0.9, 0.04, 0, 0, 0.06))
DAYS = Chain(n=4, transition=[[0.9, 0.1], [0.3, 0.7]], initial=[0.5, 0.5])
NOTIONS: tuple[Notion, ...] = (InferentialPrivacy(), InformationPrivacy(), BayesianPrivacy())


def release(model: Model, known: dict[str, int] | None = None) -> Release:
    return Release(model, Count(), Laplace(scale=1.0), adversary=Adversary(known=known or {}))


@pytest.mark.parametrize("known", [{"1": 1}, {"1": 1, "2": 0}])
def test_known_records_within_a_household(known: dict[str, int]) -> None:
    """For every law, given what is known; the other household is as it was, and leaks as much as before."""
    alone = release(Households(count=1, infected=ROW), known)
    found = audit(alone, [InferentialPrivacy(), InformationPrivacy()])
    worst = dict.fromkeys(("inferential", "raised", "lowered"), 0.0)
    for law in credal.grid(LOWER, UPPER, 4):
        joint = credal.given(credal.household(law), {int(key) - 1: value for key, value in known.items()})
        each = credal.leaked(joint, 2, (0, 1), 1.0)
        worst = {name: max(value, each[name]) for name, value in worst.items()}
    two_sided = found["information"].companions["two_sided"]
    uppers = {
        "inferential": found["inferential"].upper,
        "raised": found["information"].upper,
        "lowered": two_sided.upper,
    }
    for name, value in worst.items():
        assert value <= uppers[name] <= value * 1.005 + 2e-6, name
    beside = InferentialPrivacy().leakage(release(HOME, known))
    assert beside.upper == InferentialPrivacy().leakage(release(HOME)).upper > found["inferential"].upper


def test_known_records_of_a_table() -> None:
    """Nobody's record is left where others' determine it; what no law allows is refused."""
    records, chances = ((0, 0), (0, 1), (1, 1)), ((0.2, 0.5), (0.2, 0.5), (0.1, 0.4))
    table = Table(records=records, probabilities=chances)
    assert InferentialPrivacy().leakage(release(table, {"1": 1})).upper == 0
    left = InferentialPrivacy().leakage(release(table, {"1": 0}))
    assert left.upper == pytest.approx(1.0, abs=2e-6)
    with pytest.raises(InputError, match=r"adversary\.known: 1 = 1, 2 = 0, wanted values that can occur together"):
        release(table, {"1": 1, "2": 0})
    with pytest.raises(InputError, match=r"adversary\.known\.1: 7, wanted a value that record can have .0, 1"):
        release(table, {"1": 7})


@pytest.mark.slow
@pytest.mark.parametrize("point", [POINT, DAYS, Product(parts=(POINT, DAYS))], ids=["households", "chain", "both"])
def test_a_part_with_intervals_beside_one_without(point: Model) -> None:
    """Each is as it is alone (Result 21.30), and people are numbered on."""
    whole = release(Product(parts=(point, HOME)))
    assert whole.credal
    people = sum(stratum.people for stratum in release(point).strata)
    for notion in NOTIONS:
        one, other, found = (notion.leakage(each) for each in (release(point), release(HOME), whole))
        assert found.lower == pytest.approx(max(one.lower, other.lower), abs=1e-6)
        assert found.upper == pytest.approx(max(one.upper, other.upper), abs=1.1e-6)
        assert found.witness is not None
        assert (found.witness.person > people) == (other.upper > one.upper)


@pytest.mark.slow
def test_several_parts_with_intervals() -> None:
    """As one model of both types."""
    types = tuple(
        GroupType(count=2, records=((0, 0), (0, 1), (1, 1)), probabilities=row)
        for row in (((0.5, 0.7), (0.1, 0.3), (0.1, 0.3)), ((0.5, 0.9), (0.1, 0.2), (0.05, 0.3)))
    )
    apart = Product(parts=tuple(Groups(types=(each,)) for each in types))
    for notion in NOTIONS:
        one, other = notion.leakage(release(Groups(types=types))), notion.leakage(release(apart))
        assert (one.lower, one.upper) == (other.lower, other.upper)


@pytest.mark.parametrize("transition", [None, ((0.9, 0.1), (0.2, 0.8))], ids=["copies", "chain"])
def test_linked_stages_are_no_less_than_any_law_and_near_the_worst(
    transition: tuple[tuple[float, ...], ...] | None,
) -> None:
    counts = Several(queries=tuple(Stage(stage=str(stage), query=Count()) for stage in (1, 2)))

    def asked(row: tuple[Chance, ...]) -> Release:
        coupling = {"coupling": "copies"} if transition is None else {"coupling": "chain", "transition": transition}
        return Release(
            Linked(stages=2, within=Households(count=1, infected=row), **coupling), counts, Laplace(scale=1.0)
        )

    row: tuple[Chance, ...] = ((0.4, 0.6), (0.2, 0.3), (0.1, 0.4))
    laws = credal.grid(
        [Fraction(4, 10), Fraction(1, 5), Fraction(1, 10)], [Fraction(3, 5), Fraction(3, 10), Fraction(2, 5)], 2
    )
    for notion in (InferentialPrivacy(), InformationPrivacy()):
        found = notion.leakage(asked(row))
        worst = max(notion.leakage(asked(tuple(map(float, law)))).lower for law in laws)
        assert worst <= found.upper * (1 + 1e-9) <= worst * 1.01 + 1e-5


@pytest.mark.slow
def test_one_of_several_beliefs_with_intervals() -> None:
    same = Households(count=2, infected=(0.9, 0.04, 0, 0.06))
    for notion in NOTIONS:
        found = notion.leakage(release(Any(models=(HOME, same))))
        each = [notion.leakage(release(model)) for model in (HOME, same)]
        assert found.upper == max(one.upper for one in each)
    with pytest.raises(InputError, match="a point law for mutual_information"):
        MutualInformationPrivacy().leakage(release(Any(models=(HOME, same))))


PROCESS = Linked(stages=2, within=HOME, coupling="copies")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            lambda: Product(
                parts=(HOME, Chain(n=2, transition=((0.9, 0.1), (0.2, 0.8)), initial=((0.4, 0.6), (0.4, 0.6))))
            ),
            "model.parts: a part of another kind beside intervals, wanted parts that are independent groups",
        ),
        (
            lambda: Product(parts=(HOME, Chain(n=60, transition=((0.9, 0.1), (0.2, 0.8)), initial=(0.5, 0.5)))),
            r"a part beside intervals: a law of 1.2e[+]18 assignments",
        ),
        (
            lambda: Linked(stages=2, within=HOME, coupling="independent"),
            "model.within: probabilities that are intervals, wanted numbers beside coupling independent",
        ),
        (
            lambda: Linked(stages=2, within=HOME, coupling="chain", persistence=0.5),
            "model.persistence: probabilities that are intervals, wanted a transition matrix",
        ),
        (
            lambda: Linked(
                stages=2,
                within=Chain(n=2, transition=((0.9, 0.1), (0.2, 0.8)), initial=((0.4, 0.6), (0.4, 0.6))),
                coupling="copies",
            ),
            "model.within: probabilities that are intervals, wanted numbers for all probabilities of a chain",
        ),
    ],
)
def test_refused(model: object, message: str) -> None:
    assert callable(model)
    with pytest.raises(DaleniusError, match=message) as error:
        release(model())
    assert "\n" not in str(error.value)


def test_a_part_that_is_one_law_is_that_law() -> None:
    """To 1e-9, beside a part that leaks less."""
    quiet = Independent(values=(0, 1), probabilities=(((0.4, 0.6), (0.4, 0.6)),))
    for notion in NOTIONS:
        found, alone = notion.leakage(release(Product(parts=(POINT, quiet)))), notion.leakage(release(POINT))
        assert found.upper == pytest.approx(alone.upper, abs=1e-9)
        assert found.lower == pytest.approx(alone.lower, abs=1e-9)
