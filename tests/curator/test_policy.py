"""A policy is read whole, and each thing that is wrong with it has its line."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator import Curator, policy_from, read_policy
from dalenius.errors import InputError
from tests.curator.policies import people, policy, sections, with_measure

INDEPENDENT = {"kind": "independent", "n": 20, "probabilities": [0.3]}


def wrong() -> Iterator[tuple[dict[str, Any], str]]:
    """Keys of the data set, of each kind of mistake one, and what is said of it."""
    yield {"budget": 3}, "data 1.budget: 3, wanted one of the keys of data 1: name"
    yield {"measures": []}, "data 1.measures: [], wanted 1 or more entries"
    yield {"name": "a/b"}, "data 1.name: a/b, wanted a name of 1 to 100 printable characters, without / and without"
    yield {"analysts": [{"name": "ana"}, {"name": "ana"}]}, "wanted each analyst once ('ana' is there twice)"
    yield {"measures": [*with_measure()["measures"]] * 2}, "wanted each measure once ('ill' is there twice)"
    above = {"analysts": [{"name": "ana", "epsilon": 1.5}]}
    yield above, "wanted caps within the data set's budget of 1.0 nats (epsilon = 1.5 of 'ana' is above it)"
    unknown = {"analysts": [{"name": "ana", "measures": ["well"]}]}
    yield unknown, "wanted measures of this data set, each one of ill ('ana' has 'well')"
    yield {"analysts": [{"name": "ana", "queries": ["guess"]}]}, "wanted kinds of query, each one of count, sum, mean"
    yield with_measure(queries=[]), "wanted one or more kinds of query"
    yield {"notion": {"kind": "inferential"}}, "wanted an epsilon, the data set's whole budget in nats, or a phrase"
    yield {"source": {"file": "people.csv", "value": "ill"}}, "wanted no value here: each of the measures says its own"
    yield {"source": {"name": "x"}}, "wanted no name here: it is the data set's"
    yield {"frozen": "yes"}, "frozen: yes, wanted true or false"
    yield {"public": ["ages"]}, "wanted 'people', 'households' or 'labels'"
    yield {"method": "hope"}, "data 1.method: hope, wanted one of independent, group,"
    yield with_measure(model=None), "wanted a section model, or several in models"
    yield with_measure(models=[INDEPENDENT]), "wanted no section model beside models: write it as one of them"
    moments = {"kind": "moments", "n": 20, "range": 1.0, "variance": 0.2}
    yield with_measure(model=moments), "wanted a model of what records are, not moments: answers are noised under its"
    real = {"kind": "gaussian", "mean": [0, 0], "covariance": [[1, 0], [0, 1]]}
    yield with_measure(model=real), "model: gaussian, wanted a model whose records have finitely many values"
    less = with_measure(value="age", lower=0, upper=2, step=1, model=INDEPENDENT)
    yield less, "data 1.measures 1.model: records that are never 2, wanted a model whose records can have every value"
    more = with_measure(model=INDEPENDENT | {"values": [0, 1, 5], "probabilities": [0.2, 0.3, 0.5]})
    yield more, "model: records that may be 5, wanted a model of the values that the measure declares"
    texts = INDEPENDENT | {"values": ["0", "1"], "probabilities": [0.5, 0.5]}
    several = with_measure(model=None, models=[INDEPENDENT, texts])
    yield several, "data 1.measures 1.models row 2: records that are never 0 or 1, wanted"
    yield {"source": {"file": "people.csv", "household": "street"}}, "wanted one household column for all that is"
    yield with_measure(lower=0, upper=1), "wanted no lower, upper or step where the value is a condition: it is 0 or 1"
    yield with_measure(value="age", lower=0, upper=2.5, step=1), "wanted lower and upper multiples of the step 1.0, 2.5"


def beside() -> Iterator[tuple[dict[str, Any], str]]:
    """The same of keys beside the data sets."""
    yield {"data": []}, "data: [], wanted 1 or more entries"
    yield {"data": sections()["data"] * 2}, "wanted each data set once ('measles' is there twice)"
    same = {"file": "x/../people.csv", "label": "place", "where": [{"column": "place", "equals": "x"}]}
    both = {"data": sections()["data"] + sections(name="mumps", source=same)["data"]}
    yield both, "wanted a table of its own for each data set ('measles' and 'mumps' have the same one)"
    yield {"ledger": "mysql://host/db"}, "ledger: mysql://host/db, wanted a path, or a URL that starts with sqlite:///"
    yield {"ledgers": "x"}, "ledgers: x, wanted one of the sections: ledger, data"
    yield {"service": {"port": 70000}}, "service.port: 70000, wanted a number of at most 65,535"
    yield {"service": {"timeout": -1}}, "service.timeout: -1, wanted a finite number above 0"
    yield {"service": {"cors": True}}, "service.cors: true, wanted one of the keys of service: host"


def test_what_is_wrong_is_said_in_a_line() -> None:
    for keys, line in (*((sections(**keys), line) for keys, line in wrong()), *beside()):
        with pytest.raises(InputError) as caught:
            policy_from(sections() | keys)
        assert line in str(caught.value)
        assert "\n" not in str(caught.value)


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
