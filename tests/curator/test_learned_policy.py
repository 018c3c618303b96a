"""What analysts may have learned under a policy: who may, what it costs, what is refused before anything is paid."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dalenius.curator import Curator, of_fewer, policy_from
from dalenius.curator.budgets import Failed, Overspent
from dalenius.curator.data_set_policy import NotAllowed
from dalenius.curator.learned_ask import read_ask
from dalenius.errors import InputError, Refused
from tests.curator.policies import people, sections

CENTRES: dict[str, Any] = {"kind": "kmeans", "columns": ["age"], "bounds": [0, 100], "clusters": 2}
LINE: dict[str, Any] = {"kind": "classifier", "columns": ["age"], "bounds": [0, 100], "label": "ill", "classes": [0, 1]}
HOMES = {"method": "group", "size": 4}
GROUPS = {"name": "groups", "description": "Ages", "query": CENTRES, "dependence": HOMES}
PAIRS = {"kind": "pairwise", "n": 20, "edges": [[1, 2], [2, 3], [3, 4]], "given": [[0.9, 0.1], [0.2, 0.8]]}
UNSOUND = GROUPS | {"dependence": {"method": "dependence_coefficient"}, "model": PAIRS}
ASK = {"learned": "groups", "epsilon": 0.1}


def opened(folder: Path, table: str | None = None, **data: Any) -> Curator:
    (folder / "people.csv").write_text(people() if table is None else table, encoding="utf-8")
    there = {"learned": [GROUPS, {"name": "line", "query": LINE, "dependence": HOMES}]} | data
    return Curator(policy_from(sections(**there), folder), folder)


def test_centres_are_learned_debited_and_told_again_for_nothing(tmp_path: Path) -> None:
    session = opened(tmp_path).session("ana", "measles")
    ask = read_ask(ASK)
    quote = session.estimate(ask)
    done = session.ask(ask)
    assert quote.cost is not None
    assert (quote.cost.leakage, quote.free) == (0.1, False)
    assert done.budget.spent == pytest.approx(0.1, abs=1e-8)
    assert done.published.labels[:2] == ("centre 1 age", "centre 2 age")
    assert all(0 <= each <= 100 for each in map(float, done.published.answers[:2]))
    assert done.published.certificate["guarantee"]["record_epsilon"] == 0.025
    again = session.ask(ask)
    assert (again.repeated, again.published.answers) == (True, done.published.answers)
    assert session.estimate(ask).free


def test_the_largest_share_is_found_but_nobody_practises(tmp_path: Path) -> None:
    session = opened(tmp_path).session("ana", "measles")
    found = session.largest(read_ask(ASK))
    assert found is not None
    assert found[0].share == pytest.approx(session.budget().own.remaining, rel=0.02)
    with pytest.raises(NotAllowed, match="learned: groups, wanted a question about a measure: a practice table"):
        session.practise(read_ask(ASK))
    with pytest.raises(NotAllowed, match="learned: nothing, wanted one of groups, line"):
        session.practise(read_ask(ASK | {"learned": "nothing"}))
    _, inquiry = session.inquiry(read_ask(ASK))
    assert of_fewer(inquiry) is None


def test_certificate_names_the_measure_and_what_one_budget_supposes(tmp_path: Path) -> None:
    done = opened(tmp_path).session("ana", "measles").ask(read_ask(ASK)).published
    assert (done.certificate["asked"], done.certificate["measure_in_words"]) == ("groups", "Ages")
    assert any("in every other measure's model" in each for each in done.certificate["hypotheses"])
    assert ["asked", "groups: 2 centres of age, within public bounds"] in done.words


def test_learning_and_counting_spend_one_budget_by_groups(tmp_path: Path) -> None:
    curator = opened(tmp_path)
    session = curator.session("ana", "measles")
    session.ask(read_ask(ASK))
    count = read_ask({"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.1})
    alone = session.estimate(count).cost
    assert alone is not None
    # Nobody says that the groups of both are the same: each loss counts as four records' (Result 9.12).
    assert session.ask(count).budget.spent == pytest.approx(0.1 + 4 * alone.differential, abs=1e-7)
    assert session.ask(read_ask({"learned": "line", "epsilon": 0.05})).budget.route == "group"


def test_another_analyst_is_told_the_same_and_the_data_set_pays_once(tmp_path: Path) -> None:
    curator = opened(tmp_path)
    first = curator.session("ana", "measles").ask(read_ask(ASK))
    second = curator.session("bob", "measles").ask(read_ask(ASK))
    assert second.published.answers == first.published.answers
    assert second.budget.spent == first.budget.spent


def test_a_cap_refuses_before_anything_is_drawn(tmp_path: Path) -> None:
    curator = opened(tmp_path)
    with pytest.raises(Overspent):
        curator.session("ana", "measles").ask(read_ask(ASK | {"epsilon": 0.6}))
    assert curator.budget("measles").spent == 0


@pytest.mark.parametrize(
    ("analyst", "wanted"),
    [
        ({"name": "ana", "measures": ["ill"]}, "nothing: the policy lets you learn nothing here"),
        ({"name": "ana", "queries": ["classifier"]}, "one of line"),
    ],
)
def test_policy_says_who_may_learn_what(tmp_path: Path, analyst: dict[str, Any], wanted: str) -> None:
    session = opened(tmp_path, analysts=[analyst]).session("ana", "measles")
    with pytest.raises(NotAllowed, match=f"learned: groups, wanted {wanted}"):
        session.ask(read_ask(ASK))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"learned": "groups"}, "ask.epsilon: missing, wanted a value"),
        (ASK | {"within": 3}, "ask.within: 3, wanted one of the keys of ask"),
        (ASK | {"epsilon": 0}, "ask.epsilon: 0, wanted a number of at least 1e-06"),
    ],
)
def test_an_ask_of_other_keys_is_refused(body: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ask(body)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"learned": [GROUPS | {"name": "ill"}]}, "each measure once ('ill' is there twice)"),
        ({"learned": [{"name": "groups", "query": CENTRES}]}, "inferential beside another: the method is independent"),
        ({"learned": [GROUPS | {"query": {"kind": "degrees"}}]}, "degrees are of a table of edges"),
        ({"learned": [GROUPS | {"dependence": HOMES | {"accept_unsound": True}}]}, "the data set's accept_unsound"),
        ({"learned": [GROUPS], "notion": {"kind": "information", "epsilon": 1}}, "notion one of differential"),
        ({"learned": [GROUPS | {"dependence": {"method": "group"}}]}, "dependence.size or a model"),
        (
            {"learned": [GROUPS], "source": {"file": "a.csv", "where": [{"column": "age", "at_least": 3}]}},
            "a source without where",
        ),
        (
            {"learned": [GROUPS | {"dependence": {"method": "group"}, "model": {"kind": "households", "by": "home"}}]},
            "a model that reads no table",
        ),
    ],
)
def test_a_policy_that_cannot_be_kept_is_refused(data: dict[str, Any], said: str) -> None:
    if "by" in str(data):
        data["learned"][0]["model"]["epidemic"] = {"community": 0.1, "household": 0.3}
    with pytest.raises(InputError) as caught:
        policy_from(sections(**data))
    assert said in str(caught.value)


def test_groups_smaller_than_households_are_found_by_the_check(tmp_path: Path) -> None:
    curator = opened(tmp_path, learned=[GROUPS | {"dependence": {"method": "group", "size": 2}}])
    with pytest.raises(InputError, match=r"learned 'groups' dependence.size: 2, wanted at least 4"):
        curator.check()


def test_a_column_that_is_not_there_is_found_by_the_check(tmp_path: Path) -> None:
    curator = opened(tmp_path, learned=[GROUPS | {"query": CENTRES | {"columns": ["pay"]}}])
    with pytest.raises(InputError, match=r"query.columns: pay"):
        curator.check()


def test_an_unsound_multiplier_needs_the_policy_to_accept_it(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="method dependence_coefficient promises nothing"):
        opened(tmp_path, learned=[UNSOUND]).session("bob", "measles").ask(read_ask(ASK))
    done = opened(tmp_path, learned=[UNSOUND], accept_unsound=True).session("bob", "measles").ask(read_ask(ASK))
    assert done.published.certificate["sound"] is False
    # What is proven, by group privacy, is debited: the pairs connect four people.
    assert done.budget.spent > 0.1


def test_a_cell_that_is_no_number_is_paid_for_and_fails(tmp_path: Path) -> None:
    """As for every answer: whether it can be drawn depends on the table."""
    session = opened(tmp_path, people().replace(",10\n", ",\n", 1)).session("bob", "measles")
    with pytest.raises(Failed):
        session.ask(read_ask(ASK))
    assert session.budget().own.spent == pytest.approx(0.1, abs=1e-8)


def test_labels_of_a_classifier_are_checked(tmp_path: Path) -> None:
    curator = opened(tmp_path, learned=[{"name": "line", "query": LINE | {"classes": [0, 2]}, "dependence": HOMES}])
    with pytest.raises(InputError, match=r"one of query.classes in every row"):
        curator.check()


def test_a_frame_and_a_budget_with_delta_serve_too(tmp_path: Path) -> None:
    """Learned answers join answers with Gaussian noise on one budget with a delta."""
    draws = np.random.default_rng(5)
    frame = pd.DataFrame({"home": np.arange(400) // 4, "place": "x", "ill": 0, "age": draws.normal(50, 9, 400)})
    frame.loc[::7, "ill"] = 1
    notion = {"kind": "inferential", "epsilon": 2.0, "delta": 1e-6}
    curator = Curator(
        policy_from(sections(learned=[GROUPS], notion=notion, source={}, analysts=[{"name": "ana"}]), tmp_path),
        tmp_path,
        {"measles": frame},
    )
    session = curator.session("ana", "measles")
    done = session.ask(read_ask(ASK))
    assert done.published.certificate["notion"]["delta"] == 0.0
    noised = {"measure": "ill", "query": {"kind": "count"}, "noise": {"kind": "gaussian", "scale": 200.0}}
    spent = session.ask(read_ask(noised)).budget
    assert 0 < spent.spent < 2
    assert spent.spent_delta == 1e-6
