"""What the golden comparison takes for a difference."""

from tests.golden.difference import differences


def test_tighter_enclosure_is_no_difference() -> None:
    before = {"epsilon": 1.0, "lower": 0.5, "upper": "inf"}
    assert list(differences(before, {"epsilon": 0.8, "lower": 0.7, "upper": 0.9})) == []


def test_enclosure_that_leaves_the_old_one_is_a_difference() -> None:
    before = {"epsilon": 0.8, "lower": 0.7, "upper": 0.9}
    found = list(differences(before, {"epsilon": 0.8, "lower": 0.7, "upper": 0.91}))
    assert found == [".upper: 0.9 became 0.91"]


def test_a_number_a_word_and_a_new_key_are_differences() -> None:
    before = {"scale": 1.0, "why": "a", "seconds": 1}
    now = {"scale": 1.0 + 1e-11, "why": "b", "is_bound": False, "seconds": 2}
    assert [line.partition(":")[0] for line in differences(before, now)] == [".is_bound", ".scale", ".why"]
