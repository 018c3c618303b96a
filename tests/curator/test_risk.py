"""What a leakage means for a guess about one person, in words."""

import pytest

from dalenius.curator.budgets import risk_words
from dalenius.notions import DifferentialPrivacy, InformationPrivacy, MutualInformationPrivacy, Notion


@pytest.mark.parametrize(
    ("notion", "words"),
    [
        (
            DifferentialPrivacy(odds=3),
            "change at most 3-fold: a chance of 1 % becomes at most 2.95 %",
        ),
        (
            InformationPrivacy(factor=1.5),
            "no chance grows more than 1.5-fold: a chance of 1 % becomes at most 1.5 %",
        ),
        (InformationPrivacy(factor=3), "no chance grows more than 3-fold: a chance of 1 % becomes at most 3 %"),
        (InformationPrivacy(factor=200), "more than 200-fold: a chance of 0.1 % becomes at most 20 %"),
        (
            InformationPrivacy(factor=1.5, delta=0.01),
            "a chance of 1 % becomes at most 1.5 %, except with probability 0.01",
        ),
    ],
)
def test_what_a_chance_becomes(notion: Notion, words: str) -> None:
    assert notion.epsilon is not None
    said = risk_words(notion, notion.epsilon)
    assert said is not None
    assert said.endswith(words)


def test_an_average_says_nothing_of_chances() -> None:
    assert risk_words(MutualInformationPrivacy(), 1.0) is None
