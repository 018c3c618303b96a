"""Odds, bars and fields, each by itself."""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import inf

import pytest

from dalenius.curator import Budget
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, InformationPrivacy, MutualInformationPrivacy
from dalenius.pages.numbers import down, up
from dalenius.server.web.form import ENTRIES, Misread, entries, inner, kinds_with_forms, number, within
from dalenius.server.web.odds import afterwards, believed, example, promise
from dalenius.server.web.seen import WIDTH, bar

BLANK = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.1, 0.5, 1.0, 2.0, 7.0, 20.0])
def test_odds_and_chances_are_rounded_up_and_tell_something(epsilon: float) -> None:
    getcontext().prec = 60
    power = Decimal(epsilon).exp()
    said = example(InferentialPrivacy(epsilon=epsilon), epsilon)
    assert said is not None
    odds = Decimal(said.split("at most ")[1].split("-fold")[0])
    before = Decimal(said.split("thought ")[1].split(BLANK)[0]) / 100
    after = Decimal(said.split("they think at most ")[1].split(BLANK)[0]) / 100
    truth = power * before / (1 - before + power * before)
    assert power <= odds <= power * Decimal("1.001")
    assert truth <= after <= truth * Decimal("1.01")
    assert after <= Decimal("0.6"), "nobody learns from what may become certain"


def test_with_a_delta_the_better_guess_is_what_is_bounded() -> None:
    notion = InferentialPrivacy(epsilon=1.0, delta=0.01)
    said = example(notion, 1.0)
    assert (
        said
        == f"Somebody who guesses between two equally likely values of a person is right with at most 73.4{BLANK}%."
    )
    power = Decimal(1).exp()
    assert (power + Decimal("0.01")) / (power + 1) <= Decimal("0.734")
    assert believed(notion, 0.5) == ()


def test_chances_have_their_own_sentence() -> None:
    said = example(InformationPrivacy(epsilon=0.1), 0.1)
    assert said == (
        f"No chance grows more than 1.106-fold: what somebody thought 1{BLANK}% likely of a person they think at most "
        f"1.11{BLANK}% likely afterwards."
    )


def test_of_whom_it_speaks_is_said() -> None:
    said = example(DifferentialPrivacy(epsilon=1.0), 1.0)
    assert said is not None
    assert said.startswith("To whoever knows all other records, the odds between two values change at most 2.719-fold")


def test_what_says_nothing_of_chances_says_its_nats() -> None:
    notion = MutualInformationPrivacy(epsilon=0.1)
    assert example(notion, 0.1) is None
    assert "0.1 nats" in promise(notion).said
    assert afterwards(notion, 0.1, 0.1) == ["This answer alone leaks at most 0.1 nats of any person."]


def test_certainty_and_nothing() -> None:
    assert example(InferentialPrivacy(epsilon=1.0), inf) == "What somebody thought of a person may become a certainty."
    assert example(InferentialPrivacy(epsilon=1.0), 0.0) == ("Nothing that somebody thought of a person changes.")


def test_what_is_spent_is_rounded_up_and_what_is_left_down() -> None:
    assert (up(1 / 3), down(1 / 3)) == ("0.3334", "0.3333")
    assert (up(0.1 + 0.2), down(0.3 - 1e-16)) == ("0.3", "0.3"), "but for the last bits of a double"
    assert up(inf) == "∞"
    found = bar("Yours", Budget(1.0, 2 / 3))
    assert (found["left"], found["note"]) == ("0.3333 nats left", "0.6667 of 1 spent")
    assert found["spent"] == round(WIDTH * 2 / 3)


def test_a_bar_never_leaves_its_track() -> None:
    assert bar("", Budget(1.0, inf))["spent"] == WIDTH
    assert bar("", Budget(0.0, 0.0))["spent"] == WIDTH
    then = bar("", Budget(2.0, 0.5), Budget(2.0, 1.0))
    assert (then["spent"], then["next"]) == (WIDTH // 4, WIDTH // 2)


@pytest.mark.parametrize("text", ["1", " -2.5 ", "+.5", "1.", "1e-3"])
def test_numbers(text: str) -> None:
    assert number(text) == float(Fraction(text.strip().rstrip(".") if text.strip() != "1." else "1"))


@pytest.mark.parametrize("text", ["", "nan", "inf", "1_000", "0x1", "1,5", "--1", "١"])
def test_no_numbers(text: str) -> None:
    with pytest.raises(Misread):
        number(text)


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("values", "1, 2.5,north", [1, 2.5, "north"]),
        ("values", '"north, east", 3', ["north, east", 3]),
        ("cells", "0\n\n1, 2\n", [[0], [1, 2]]),
        ("weights", "north = 2\na=b = -.5", {"north": 2.0, "a=b": -0.5}),
        ("labels", "1, Hill", ["1", "Hill"]),
        ("lower", "-3", -3.0),
    ],
)
def test_fields_are_read(name: str, text: str, read: object) -> None:
    assert ENTRIES[name].read(text) == read


@pytest.mark.parametrize(
    ("name", "text"), [("values", "1,,2"), ("weights", "north"), ("weights", "= 2"), ("lower", "x")]
)
def test_fields_that_are_not(name: str, text: str) -> None:
    with pytest.raises(Misread):
        ENTRIES[name].read(text)


def test_every_kind_that_a_form_can_say_has_one() -> None:
    assert {"count", "sum", "mean", "histogram", "max", "min"} <= set(kinds_with_forms(None))
    assert inner("several") == ("queries", 4)
    assert "several" not in within(kinds_with_forms(None)), "no questions within questions within questions"
    assert "stage" not in kinds_with_forms(None), "a table has one value of each person"
    assert entries("nonsense", True) is None
    assert set(entries("sum", True) or ()) - set(entries("sum", False) or ()) == {"labels", "per_label", "weights"}
