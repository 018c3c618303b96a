"""Odds, bars and fields, each by itself."""

from decimal import Decimal, localcontext
from math import inf

import pytest

from dalenius.curator import Budget
from dalenius.notions import InferentialPrivacy, MutualInformationPrivacy
from dalenius.reports.section import down, up
from dalenius.server.web.form import ENTRIES, Misread
from dalenius.server.web.seen import WIDTH, afterwards, bar, believed, example, promise

BLANK = "\N{NO-BREAK SPACE}"


def test_odds_and_chances_are_rounded_up_and_tell_something() -> None:
    with localcontext(prec=60):
        for epsilon in (1e-9, 0.1, 1.0, 7.0, 20.0):
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
        assert (
            example(InferentialPrivacy(epsilon=1.0), inf) == "What somebody thought of a person may become a certainty."
        )


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


def test_what_says_nothing_of_chances_says_its_nats() -> None:
    notion = MutualInformationPrivacy(epsilon=0.1)
    assert example(notion, 0.1) is None
    assert "0.1 nats" in promise(notion).said
    assert afterwards(notion, 0.1, 0.1) == ["This answer alone leaks at most 0.1 nats of any person."]


def test_what_is_spent_is_rounded_up_and_what_is_left_down() -> None:
    assert (up(1 / 3), down(1 / 3)) == ("0.3334", "0.3333")
    assert (up(0.1 + 0.2), down(0.3 - 1e-16)) == ("0.3", "0.3"), "but for the last bits of a double"
    assert up(inf) == "∞"
    found = bar("Yours", Budget(1.0, 2 / 3))
    assert (found["left"], found["note"]) == ("0.3333 nats left", "0.6667 of 1 spent")
    assert found["spent"] == round(WIDTH * 2 / 3)


def test_fields_are_read() -> None:
    for name, text, read in (
        ("values", '1, 2.5,"north, east"', [1, 2.5, "north, east"]),
        ("cells", "0\n\n1, 2\n", [[0], [1, 2]]),
        ("weights", "north = 2\na=b = -.5", {"north": 2.0, "a=b": -0.5}),
        ("labels", "1, Hill", ["1", "Hill"]),
        ("lower", " -3. ", -3.0),
    ):
        assert ENTRIES[name].read(text) == read
    for name, text in (
        ("values", "1,,2"),
        ("weights", "= 2"),
        *(("lower", each) for each in ("nan", "1_0", "1,5", "١")),
    ):
        with pytest.raises(Misread):
            ENTRIES[name].read(text)
