"""What a leakage means for a guess about one person, in words."""

from dalenius.curator.budgets import risk_words
from dalenius.notions import DifferentialPrivacy, InformationPrivacy, MutualInformationPrivacy


def test_what_a_chance_becomes() -> None:
    for notion, words in (
        (DifferentialPrivacy(odds=3), "change at most 3-fold: a chance of 1 % becomes at most 2.95 %"),
        (InformationPrivacy(factor=200), "more than 200-fold: a chance of 0.1 % becomes at most 20 %"),
        (
            InformationPrivacy(factor=1.5, delta=0.01),
            "no chance grows more than 1.5-fold: a chance of 1 % becomes at most 1.5 %, except with probability 0.01",
        ),
    ):
        assert notion.epsilon is not None
        assert (risk_words(notion, notion.epsilon) or "").endswith(words)
    assert risk_words(MutualInformationPrivacy(), 1.0) is None, "an average says nothing of chances"
