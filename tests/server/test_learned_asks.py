"""What is learned, over HTTP and on the pages: offered, priced, paid for, and shown."""

import pickle
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator import Inquiry, LearnedAsk, Ready, policy_from, prepared_from, priced_of
from dalenius.curator.inquiry import Public
from dalenius.curator.learned_ask import read_ask
from dalenius.errors import InputError
from dalenius.server.question_form import ask_of
from tests.client.test_client import client as client_of
from tests.curator.policies import sections
from tests.curator.test_learned_policy import ASK, GROUPS, LINE
from tests.server.served import Served, serving

TOWN: dict[str, Any] = {"learned": [GROUPS, {"name": "line", "query": LINE, "dependence": GROUPS["dependence"]}]}


@pytest.fixture
def town(tmp_path: Path) -> Any:
    (measles,) = sections(**TOWN)["data"]
    mumps = measles | {"name": "mumps", "source": {"file": "mumps.csv", "label": "place"}, "learned": []}
    with serving(tmp_path, {"data": [measles, mumps]}) as found:
        yield found


def test_the_data_set_lists_what_may_be_learned(town: Served) -> None:
    (groups, line) = town.get("/api/v1/data/measles", "ana@measles").json()["learned"]
    said = "2 centres of age, within public bounds"
    assert groups == {"name": "groups", "description": "Ages", "kind": "kmeans", "in_words": said, "method": "group"}
    assert line["kind"] == "classifier"
    assert town.get("/api/v1/data/mumps", "bob@mumps").json()["learned"] == []


def test_an_answer_comes_as_json_after_its_price(town: Served) -> None:
    price = town.post("/api/v1/data/measles/estimate", ASK, "ana@measles")
    assert (price.status_code, price.json()["cost"]["leakage"]) == (200, 0.100000001)
    assert town.spent() == 0
    done = town.ask(ASK)
    assert done.status_code == 200
    found = done.json()
    assert len(found["answers"]) == len(found["labels"]) == 4
    assert found["certificate"]["guarantee"]["sound"] is True
    assert town.spent() == pytest.approx(0.1, abs=1e-8)
    assert town.ask(ASK).json()["answers"] == found["answers"]
    (release,) = town.get("/api/v1/data/measles/history", "ana@measles").json()["releases"]
    assert release["release"]["answers"] == found["answers"]


def test_the_largest_that_fits_is_found_and_a_key_pays_once(town: Served) -> None:
    found = town.post("/api/v1/data/measles/largest", {"learned": "groups"}, "ana@measles").json()
    assert found["epsilon"] == pytest.approx(0.5, rel=0.02)
    assert town.spent() == 0
    with client_of(town) as client:
        asked = LearnedAsk(**ASK)
        assert client.estimate(asked).calibration is None
        first, again = client.ask(asked, key="autumn"), client.ask(asked, key="autumn")
        assert (first.published.answers, again.repeated) == (again.published.answers, True)
        with pytest.raises(InputError, match="another"):
            client.ask(LearnedAsk(learned="line", epsilon=0.1), key="autumn")
        assert len(client.history()) == 1
    assert town.spent() == pytest.approx(0.1, abs=1e-8)


def test_nobody_practises_to_learn(town: Served) -> None:
    found = town.post("/api/v1/data/measles/practise", ASK, "ana@measles")
    said = "learned: groups, wanted a question about a measure: a practice table has no columns to learn from"
    assert found.status_code == 403
    assert said in str(found.json())


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"learned": "nothing", "epsilon": 0.1}, 403, "learned: nothing, wanted one of groups, line"),
        ({"learned": "groups", "epsilon": -1}, 422, "ask.epsilon: -1, wanted a number of at least 1e-06"),
        ({"learned": "groups", "epsilon": 0.1, "noise": {"kind": "geometric"}}, 422, "ask.noise: "),
        ({"learned": "groups", "epsilon": 0.7}, 402, "would spend"),
    ],
)
def test_what_cannot_be_learned_is_refused(town: Served, body: dict[str, Any], status: int, said: str) -> None:
    found = town.ask(body)
    assert found.status_code == status
    assert said in str(found.json())
    assert town.spent() == 0


def test_pages_offer_it_price_it_and_show_the_answer(town: Served) -> None:
    client = town.client
    login = client.get("/login").text
    fields = {"token": town.tokens["ana@measles"], "csrf": _hidden(login, "csrf")}
    assert client.post("/login", data=fields).status_code == 200
    assert "groups</a>: 2 centres of age, within public bounds" in client.get("/data/measles").text
    form = client.get("/data/measles/ask?learned=groups").text
    assert '<option value="groups" selected>' in form
    typed = {"csrf": _hidden(form, "csrf"), "learned": "groups", "measure": "ill", "query": '{"kind": "count"}'}
    wrong = client.post("/data/measles/ask", data=typed | {"epsilon": "0.1", "within": "3", "do": "cost"})
    assert "keys of ask" in unescape(wrong.text)
    price = client.post("/data/measles/ask", data=typed | {"epsilon": "0.1", "do": "cost"})
    assert "What is learned as groups" in price.text or "what is learned as groups" in price.text
    paid = {"csrf": typed["csrf"], "ask": unescape(_hidden(price.text, "ask")), "do": "ask"}
    shown = client.post("/data/measles/ask", data=paid)
    assert shown.status_code == 200
    assert "centre 1 age" in shown.text
    assert "people near centre 2" in shown.text
    assert "practice table" not in shown.text
    assert "<figure" not in shown.text
    (place,) = set(re.findall(r'href="(/data/measles/answers/\d+)/csv"', shown.text))
    assert client.get(f"{place}/csv").text.count("centre 1") == 2
    sheet = unescape(client.get(f"{place}/sheet/en").text)
    assert "Noise: geometric, scale" in sheet
    assert "The promise is to anybody for whom each record is independent" in sheet
    typed |= {"epsilon": "0.1", "do": "largest"}
    assert "is the largest that still fits" in client.post("/data/measles/ask", data=typed).text
    refused = client.post("/data/measles/ask", data=typed | {"do": "practise"})
    assert refused.status_code == 403
    assert 'id="learned-fault"' in refused.text


def _hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def test_a_form_leaves_measure_and_query_out_where_it_learns() -> None:
    fields = {"learned": "groups", "measure": "ill", "query": '{"kind": "count"}', "epsilon": "0.1"}
    assert ask_of(fields, None).model_dump() == ASK
    assert ask_of(fields | {"learned": ""}, None).model_dump(include={"measure"}) == {"measure": "ill"}


def test_another_process_hands_it_over_whole(tmp_path: Path) -> None:
    data = policy_from(sections(**TOWN), tmp_path).data[0]
    inquiry = Inquiry(data, data.measures[0], Public(20, {}, {}, data.measures[0].model), read_ask(ASK), "ana")
    found = pickle.loads(pickle.dumps(priced_of(inquiry)))
    assert isinstance(found, Ready)
    assert prepared_from(found, inquiry, _never, _never) is found
    assert found.cost.leakage == 0.1


def _never(*_: Any) -> Any:
    raise AssertionError
