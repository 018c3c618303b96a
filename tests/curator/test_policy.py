"""A policy is read whole, and each thing that is wrong with it has its line."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator import Curator, policy_from, read_policy
from dalenius.errors import InputError
from tests.curator.policies import people, policy, sections, with_measure

INDEPENDENT = {"kind": "independent", "n": 20, "probabilities": [0.3]}
BY_HOME = {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}}

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a key that there is not": ({"budget": 3}, "data 1.budget: 3, wanted one of the keys of data 1: name"),
    "no measures": ({"measures": []}, "data 1.measures: [], wanted 1 or more entries"),
    "no analysts": ({"analysts": []}, "data 1.analysts: [], wanted 1 or more entries"),
    "a name with a slash": (
        {"name": "a/b"},
        "data 1.name: a/b, wanted a name of 1 to 100 printable characters, without / and without blanks around it",
    ),
    "an analyst twice": (
        {"analysts": [{"name": "ana"}, {"name": "ana"}]},
        "wanted each analyst once ('ana' is there twice)",
    ),
    "a measure twice": (
        {"measures": [*with_measure()["measures"]] * 2},
        "wanted each measure once ('ill' is there twice)",
    ),
    "a cap above the budget": (
        {"analysts": [{"name": "ana", "epsilon": 1.5}]},
        "wanted caps within the data set's budget of 1.0 nats (epsilon = 1.5 of 'ana' is above it)",
    ),
    "a cap of nothing": (
        {"analysts": [{"name": "ana", "epsilon": 0}]},
        "data 1.analysts 1.epsilon: 0, wanted a finite number above 0",
    ),
    "an unknown measure": (
        {"analysts": [{"name": "ana", "measures": ["well"]}]},
        "wanted measures of this data set, each one of ill ('ana' has 'well')",
    ),
    "an unknown kind of query": (
        {"analysts": [{"name": "ana", "queries": ["guess"]}]},
        "wanted kinds of query, each one of count, sum, mean, variance, median, max, min, histogram, several, stage "
        "(there is no 'guess')",
    ),
    "no kind of query": (with_measure(queries=[]), "wanted one or more kinds of query"),
    "no epsilon": (
        {"notion": {"kind": "inferential"}},
        "wanted an epsilon, the data set's whole budget in nats, or a phrase that stands for one",
    ),
    "a notion that there is not": (
        {"notion": {"kind": "hope", "epsilon": 1}},
        "data 1.notion.kind: hope, wanted one of",
    ),
    "a source that says a value": (
        {"source": {"file": "people.csv", "value": "ill"}},
        "wanted no value here: each of the measures says its own",
    ),
    "a source that says a name": ({"source": {"name": "x"}}, "wanted no name here: it is the data set's"),
    "a source with a wrong key": (
        {"source": {"files": "people.csv"}},
        "data 1.source.files: people.csv, wanted one of the keys of data 1.source: name",
    ),
    "a version that is empty": ({"version": ""}, "wanted a text of 1 or more letters"),
    "frozen in words": ({"frozen": "yes"}, "frozen: yes, wanted true or false"),
    "public that is none": ({"public": ["ages"]}, "wanted 'people', 'households' or 'labels'"),
    "an unknown method": ({"method": "hope"}, "data 1.method: hope, wanted one of independent, group,"),
    "no model": (with_measure(model=None), "wanted a section model, or several in models"),
    "a model beside several": (
        with_measure(models=[INDEPENDENT]),
        "wanted no section model beside models: write it as one of them",
    ),
    "a model of moments": (
        with_measure(model={"kind": "moments", "n": 20, "range": 1.0, "variance": 0.2}),
        "wanted a model of what records are, not moments: answers are noised under its law",
    ),
    "a model of who is absent": (
        with_measure(model={"kind": "absent", "answers": [1, 2]}),
        "wanted a model of what records are, not absent: answers are noised under its law",
    ),
    "a model of real numbers": (
        with_measure(model={"kind": "gaussian", "mean": [0, 0], "covariance": [[1, 0], [0, 1]]}),
        "data 1.measures 1.model: gaussian, wanted a model whose records have finitely many values",
    ),
    "a model without a declared value": (
        with_measure(value="age", lower=0, upper=2, step=1, model=INDEPENDENT),
        "data 1.measures 1.model: records that are never 2, wanted a model whose records can have every value",
    ),
    "a model with another value": (
        with_measure(model=INDEPENDENT | {"values": [0, 1, 5], "probabilities": [0.2, 0.3, 0.5]}),
        "data 1.measures 1.model: records that may be 5, wanted a model of the values that the measure declares",
    ),
    "one of several models": (
        with_measure(
            model=None, models=[INDEPENDENT, INDEPENDENT | {"values": ["0", "1"], "probabilities": [0.5, 0.5]}]
        ),
        "data 1.measures 1.models row 2: records that are never 0 or 1, wanted",
    ),
    "two household columns": (
        {"source": {"file": "people.csv", "household": "street"}},
        "wanted one household column for all that is promised of these people (there are home, street)",
    ),
    "a range of a condition": (
        with_measure(lower=0, upper=1),
        "wanted no lower, upper or step where the value is a condition: it is 0 or 1 already",
    ),
    "a condition on nothing": (with_measure(value={"column": "ill"}), "wanted exactly one of equals, one_of"),
    "bounds that are no multiples": (
        with_measure(value="age", lower=0, upper=2.5, step=1),
        "wanted lower and upper multiples of the step 1.0, 2.5 is not",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said_in_a_line(name: str) -> None:
    keys, line = BAD[name]
    with pytest.raises(InputError) as caught:
        policy(**keys)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


SAME = {"file": "x/../people.csv", "label": "place", "where": [{"column": "place", "equals": "x"}]}


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"data": []}, "data: [], wanted 1 or more entries"),
        ({"data": sections()["data"] * 2}, "wanted each data set once ('measles' is there twice)"),
        (
            {"data": sections()["data"] + sections(name="mumps", source=SAME)["data"]},
            "wanted a table of its own for each data set ('measles' and 'mumps' have the same one)",
        ),
        ({"ledger": "mysql://host/db"}, "ledger: mysql://host/db, wanted a path, or a URL that starts with sqlite:///"),
        ({"ledger": "sqlite://host/db"}, "ledger: sqlite://host/db, wanted a path, or a URL"),
        ({"ledger": " "}, "wanted a path, or a URL"),
        ({"ledgers": "x"}, "ledgers: x, wanted one of the sections: ledger, data"),
        ({"service": {"port": 70000}}, "service.port: 70000, wanted a number of at most 65,535"),
        ({"service": {"port": "80"}}, "service.port: 80, wanted a whole number"),
        ({"service": {"requests_per_minute": 0}}, "service.requests_per_minute: 0, wanted a number above 0"),
        ({"service": {"timeout": -1}}, "service.timeout: -1, wanted a finite number above 0"),
        ({"service": {"cors": True}}, "service.cors: true, wanted one of the keys of service: host"),
    ],
)
def test_so_is_what_is_wrong_beside_the_data(keys: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        policy_from(sections() | keys)
    assert line in str(caught.value)


def test_what_variables_hold_is_not_shown() -> None:
    secret = "pw-7f3a"
    address = {"ledger": "mysql://me:${LEDGER_PASSWORD}@host/db"}
    with pytest.raises(InputError) as caught:
        policy_from(sections() | address, environment={"LEDGER_PASSWORD": secret})
    assert secret not in str(caught.value)
    assert str(caught.value).startswith("ledger: mysql://***@host/db, wanted")
    assert secret not in repr(caught.value.value)
    with pytest.raises(InputError) as caught:
        policy(notion={"kind": "${KIND}"}, analysts=[{"name": "ana"}])
    assert "wanted a variable KIND in the environment" in str(caught.value)
    sworn = sections(notion={"kind": "${KIND}", "epsilon": 1})
    with pytest.raises(InputError) as caught:
        policy_from(sworn, environment={"KIND": secret})
    assert str(caught.value).startswith("data 1.notion.kind: ${KIND}, wanted one of")
    with pytest.raises(InputError) as caught:
        policy_from(sections() | address, environment={})
    assert str(caught.value) == ("ledger: ${LEDGER_PASSWORD}, wanted a variable LEDGER_PASSWORD in the environment")
    read = policy_from(sections() | {"ledger": "postgresql://me:${PW}@host/db"}, environment={"PW": secret})
    assert read.ledger == f"postgresql://me:{secret}@host/db"
    read = policy_from(sections() | {"ledger": "postgresql://me:${PW}@host/db"}, environment={"PW": "p@s:/w"})
    assert read.ledger == "postgresql://me:p%40s%3A%2Fw@host/db"


def test_a_variable_is_named_by_its_key() -> None:
    with pytest.raises(InputError) as caught:
        policy(analysts=[{"name": "ana"}, {"name": "${NOBODY_SET_THIS}"}])
    assert str(caught.value).startswith("data 1.analysts 2.name: ${NOBODY_SET_THIS}, wanted a variable")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^policy: .*nowhere.toml, wanted a file that can be read"):
        read_policy(tmp_path / "nowhere.toml")
    (tmp_path / "policy.toml").write_text("data = [", encoding="utf-8")
    with pytest.raises(InputError, match=r"^policy: .*policy.toml, wanted TOML"):
        read_policy(tmp_path / "policy.toml")
    (tmp_path / "policy.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"^policy: .*policy.toml, wanted text in UTF-8"):
        read_policy(tmp_path / "policy.toml")


def test_a_budget_may_be_a_phrase() -> None:
    read = policy(notion={"kind": "information", "factor": 2}, analysts=[{"name": "ana"}])
    assert read.data[0].epsilon == pytest.approx(0.6931, abs=1e-4)
    assert read.data[0].promised(0.1).epsilon == 0.1


@pytest.mark.parametrize(("change", "same"), [("", True), ("\n", False)])
def test_the_same_people_have_one_budget(change: str, same: bool, tmp_path: Path) -> None:
    """Whatever their file is called; to analysts nothing is said of it."""
    for name, more in (("people", ""), ("copy", change)):
        (tmp_path / f"{name}.csv").write_text(people() + more, encoding="utf-8")
    copied = sections(name="mumps", source={"file": "copy.csv", "label": "place"})
    found = Curator(policy_from({"data": sections()["data"] + copied["data"]}), tmp_path)
    with pytest.raises(InputError) if same else nullcontext() as caught:
        found.check()
    line = "data: mumps, wanted people of its own: 'measles' has the same bytes, and they have no second budget"
    assert caught is None or str(caught.value) == line
