"""Every method and every notion has a look of its own, in colours that all see and in grey."""

from typing import get_args

from dalenius import METHODS
from dalenius.drawing import COLOURS, METHOD_LOOKS, NOTION_LOOKS, looks_of, notion_looks_of
from dalenius.notions import NOTIONS

OKABE_ITO = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"}


def test_no_two_look_alike() -> None:
    for every in (METHOD_LOOKS.values(), NOTION_LOOKS.values()):
        assert len({(each.colour, each.mark) for each in every}) == len(every)
        assert len({(each.mark, each.dashes) for each in every}) == len(every), "in grey"
        assert {each.colour for each in every} <= set(COLOURS) < OKABE_ITO


def test_all_have_one() -> None:
    assert set(METHOD_LOOKS) == {method.name for method in METHODS}
    assert set(NOTION_LOOKS) == {
        kind for notion in NOTIONS.own for kind in get_args(notion.model_fields["kind"].annotation)
    }


def test_other_authors_have_spare_ones() -> None:
    found = looks_of(["exact", "theirs", "another", "exact"])
    assert list(found) == ["exact", "theirs", "another"]
    assert found["exact"] == METHOD_LOOKS["exact"]
    assert found["theirs"] != found["another"] == looks_of(["another", "theirs"])["another"]
    own = {(each.mark, each.dashes) for each in METHOD_LOOKS.values()}
    assert not {(each.mark, each.dashes) for each in (found["theirs"], found["another"])} & own
    assert notion_looks_of(["information"])["information"].line(filled=False)["markerfacecolor"] == "white"
