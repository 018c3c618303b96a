"""Practising, the largest epsilon that fits and labels over the API; nothing of it is in the ledger."""

from pathlib import Path

from dalenius.spec.practice import PRACTICE
from tests.curator.policies import people
from tests.server.served import ASK, Served, serving, two_data_sets


def test_practice_is_marked_and_in_no_ledger(served: Served) -> None:
    path = "/api/v1/data/measles/practise"
    done = [served.post(path, {**ASK, "epsilon": 0.4}, "ana@measles") for _ in range(20)]
    assert {each.status_code for each in done} == {200}
    first = done[0].json()
    assert first["practice"] == first["certificate"]["practice"] == PRACTICE
    assert len({each.json()["answers"][0] for each in done}) > 2
    assert len({each.json()["exact"][0] for each in done}) == 1
    assert served.spent() == 0
    assert served.curator.ledger.history().last is None
    assert served.post(path, ASK, "olga").status_code == 403
    assert served.post(path, {**ASK, "query": {"kind": "mean"}}, "ana@measles").status_code == 403
    assert "entry" not in first
    assert "hash" not in first


def test_the_largest_that_fits(served: Served) -> None:
    path, body = "/api/v1/data/measles/largest", {"measure": "ill", "query": {"kind": "count"}}
    found = served.post(path, body, "ana@measles").json()
    assert found["epsilon"] == 0.5
    priced = served.post("/api/v1/data/measles/estimate", {**body, "epsilon": 0.5}, "ana@measles").json()
    assert found["half_widths"] == priced["half_widths"]
    served.ask({**ASK, "epsilon": 0.5})
    spent = served.post(path, {**body, "query": {"kind": "sum"}}, "ana@measles")
    assert spent.status_code == 402
    assert spent.json()["error"]["message"] == "nothing fits in what is left of the budget"


def test_labels_and_the_time_of_reading_change_with_what_is_public_only(served: Served) -> None:
    path = "/api/v1/data/measles"
    assert served.get(path, "ana@measles").json()["measures"][0]["read"] is None
    served.post(f"{path}/estimate", ASK, "ana@measles")
    first = served.get(path, "ana@measles")
    (measure,) = first.json()["measures"]
    assert (measure["labels"], measure["people"], measure["no_practice"]) == (["x", "y"], 20, None)
    (served.folder / "people.csv").write_text(people().replace(",0,", ",1,"), encoding="utf-8")
    served.post(f"{path}/estimate", {**ASK, "epsilon": 0.3}, "ana@measles")
    assert served.get(path, "ana@measles").content == first.content


def test_what_is_not_public_is_not_told(tmp_path: Path) -> None:
    two = two_data_sets()
    two["data"] = [{**each, "public": []} for each in two["data"]]
    with serving(tmp_path, two) as served:
        served.post("/api/v1/data/measles/estimate", ASK, "ana@measles")
        (measure,) = served.get("/api/v1/data/measles", "ana@measles").json()["measures"]
        assert (measure["labels"], measure["people"], measure["read"]) == (None, None, None)
        assert measure["no_practice"] == "how many people there are is not public"
        assert served.post("/api/v1/data/measles/practise", ASK, "ana@measles").status_code == 403
