"""What a leakage means for a guess about one person, in words."""

import pytest

from dalenius.curator.risk import risk_words
from dalenius.notions import DifferentialPrivacy, InformationPrivacy, MutualInformationPrivacy, Notion


@pytest.mark.parametrize(
    ("notion", "words"),
    [
        (
            DifferentialPrivacy(odds=3),
            "change at most 3-fold: a fair-coin guess about a person is right with at most 75 %",
        ),
        (
            InformationPrivacy(factor=1.5),
            "no chance grows more than 1.5-fold: a fair-coin guess about a person is right with at most 75 %",
        ),
        (
            InformationPrivacy(factor=2),
            "no chance grows more than 2-fold: a fair-coin guess about a person may be right as good as for certain",
        ),
        (
            InformationPrivacy(factor=1.5, delta=0.01),
            "a fair-coin guess about a person is right with at most 75 %, except with probability 0.01",
        ),
    ],
)
def test_what_a_guess_becomes(notion: Notion, words: str) -> None:
    assert notion.epsilon is not None
    said = risk_words(notion, notion.epsilon)
    assert said is not None
    assert said.endswith(words)


def test_an_average_says_nothing_of_chances() -> None:
    assert risk_words(MutualInformationPrivacy(), 1.0) is None
