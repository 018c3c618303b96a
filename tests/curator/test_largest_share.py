"""The largest epsilon that still fits, against prices of a fine grid; and when a table was read."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.curator.largest_share import LEAST_SHARE, shares
from dalenius.errors import Refused
from tests.curator.policies import ask, curator, people


def found(start: float, highest: float, largest: float) -> tuple[float | None, int]:
    """What the search finds where all up to `largest` fit, and how many prices it takes."""
    search, looks = shares(start, highest), 0
    try:
        share = next(search)
        while True:
            looks += 1
            share = search.send(share <= largest)
    except StopIteration as end:
        return end.value, looks


@given(
    st.floats(1e-5, 100.0),
    st.floats(1.0, 50.0),
    st.floats(-12.0, 3.0),
)
def test_it_is_within_two_per_cent_and_takes_few_looks(start: float, more: float, power: float) -> None:
    highest, largest = start * more, start * 2.0**power
    share, looks = found(start, highest, largest)
    truth = min(largest, highest)
    if share is None:
        assert truth < 4 * LEAST_SHARE
    else:
        assert share <= truth
        assert share >= truth / 1.03 - LEAST_SHARE or share >= start * 0.985
    assert looks <= 30


def test_the_first_question_may_have_all_that_is_left() -> None:
    assert found(0.5, 0.5, 0.5) == (0.5, 1)
    assert found(0.5, 2.0, 0.5) == (0.5, 2)
    assert found(0.0, 2.0, 1.0) == (None, 0)


def test_it_fits_and_little_more_does_not(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    best = session.largest(ask())
    assert best is not None
    assert best[0].epsilon == 0.5, "her cap, as nothing was asked before"
    session.ask(ask(epsilon=0.2))
    best = session.largest(ask())
    assert best is not None
    assert best[0].epsilon is not None
    assert best[1].half_widths == session.estimate(best[0]).half_widths
    with pytest.raises(Refused):
        session.estimate(ask(epsilon=best[0].epsilon * 1.04))
    paid = session.ask(best[0])
    assert not paid.repeated


def test_nothing_fits_where_nothing_is_left(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    session.ask(ask(epsilon=0.5))
    assert session.largest(ask(dl.Count(labels=("x",)))) is None


def test_it_does_not_depend_on_anybody_s_value(tmp_path: Path) -> None:
    """Nor does the time at which the table was read, when a cell changes; it does when somebody moves."""
    session = curator(tmp_path).session("ana", "measles")
    (measure,) = session.measures
    before = session.largest(ask())
    seen = session.curator.seen(session.data, measure)
    assert before is not None
    assert seen is not None
    text = people()
    (tmp_path / "people.csv").write_text(text.replace(",0,", ",1,"), encoding="utf-8")
    after = session.largest(ask())
    assert after is not None
    assert (before[0], before[1].half_widths) == (after[0], after[1].half_widths)
    assert session.curator.seen(session.data, measure) == seen
    (tmp_path / "people.csv").write_text(text.replace("h7,", "h6,"), encoding="utf-8")
    session.estimate(ask())
    later = session.curator.seen(session.data, measure)
    assert later is not None
    assert later.since > seen.since
