"""The page of a data set once a budget is spent: it says what can still be done, and not before."""

import pytest

from dalenius.curator import Budgets, policy_from
from dalenius.curator.cost_of_releases import Budget
from dalenius.server.what_is_left import left_of
from tests.curator.policies import policy, sections
from tests.server.web.visited import Visited, text_of

PAGE = "/data/Measles%2C%20winter"


def test_page_says_what_can_still_be_done(own: Visited) -> None:
    own.sign_in("ana")
    assert "Thirty people of a town, and their winter." in text_of(own.get(PAGE).text)
    assert "raise what you may be told" not in text_of(own.get(PAGE).text)
    own.ask(f"{PAGE}/ask", epsilon="1.5")
    said = text_of(own.get(PAGE).text)
    assert "Your own budget is spent" in said
    assert "Compute anything from answers that went out" in said
    assert "0.5 nats are left of the data set's budget" in said
    own.sign_in("bob")
    assert "is spent" not in text_of(own.get(PAGE).text)


@pytest.mark.parametrize(("own", "words"), [(0.0, ["free", "no new budget"]), (0.5, ["another analyst", "free"])])
def test_spent_data_set_names_what_is_free(own: float, words: list[str]) -> None:
    left = left_of(policy().data[0], Budgets(Budget(1.0, 1.0 - own), Budget(1.0, 1.0)))
    assert left is not None
    assert "all analysts" in left["spent"]
    for word in words:
        assert word in " ".join(left["still"])


def test_later_month_has_no_new_budget() -> None:
    monthly = {"version": "2026-01", "frozen": True, "schedule": {"every": "month", "times": 36, "persistence": 0.9}}
    left = left_of(policy_from(sections(**monthly)).data[0], Budgets(Budget(1.0, 1.0), Budget(1.0, 1.0)))
    assert left is not None
    assert "a later month has no new budget, as the promise was about all 36 months together" in left["still"]
