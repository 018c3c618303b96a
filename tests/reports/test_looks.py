"""Every method and every notion has a look of its own, in colours that all see and in grey."""

from collections.abc import Mapping

import pytest

from dalenius import METHODS, wings
from dalenius.plotting import COLOURS, METHOD_LOOKS, Look, looks_in_order, looks_of, notion_looks_of

OKABE_ITO = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"}


NOTION_LOOKS = notion_looks_of(wings.NOTIONS)
MORE = looks_in_order([*wings.NOTIONS, *(f"a notion of the year {year}" for year in range(2027, 2060))])


@pytest.mark.parametrize("looks", [METHOD_LOOKS, NOTION_LOOKS, MORE], ids=["methods", "notions", "many more"])
def test_no_two_look_alike(looks: Mapping[str, Look]) -> None:
    every = list(looks.values())
    assert len({(each.colour, each.mark) for each in every}) == len(every)
    assert len({(each.mark, each.dashes) for each in every}) == len(every), "in grey"
    assert {each.colour for each in every} <= set(COLOURS) < OKABE_ITO


def test_all_have_one() -> None:
    assert set(METHOD_LOOKS) == {method.name for method in METHODS}
    assert looks_in_order(wings.NOTIONS) == NOTION_LOOKS


def test_other_authors_have_spare_ones() -> None:
    found = looks_of(["exact", "theirs", "another", "exact"])
    assert list(found) == ["exact", "theirs", "another"]
    assert found["exact"] == METHOD_LOOKS["exact"]
    assert found["theirs"] != found["another"] == looks_of(["another", "theirs"])["another"]
    own = {(each.mark, each.dashes) for each in METHOD_LOOKS.values()}
    assert not {(each.mark, each.dashes) for each in (found["theirs"], found["another"])} & own
    assert notion_looks_of(["information"])["information"].line(filled=False)["markerfacecolor"] == "white"
