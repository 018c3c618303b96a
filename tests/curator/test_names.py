"""The budget belongs to the name: other bytes of the same people have the same, the same bytes have one name.

A policy is read whole, and each thing that is wrong with it has its line.

What is refused before anything is computed: it would take long, and tell or promise nothing.
"""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius import InputError, Refused
from dalenius.curator import (
    Budget,
    Curator,
    Inquiry,
    Ledger,
    Prepared,
    Session,
    ledger_path,
    policy_from,
    read_ask,
    read_policy,
)
from tests.curator.asking import asked, costing, kinds, released
from tests.curator.policies import curator, people, policy, sections, with_measure


def test_other_bytes_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("aaaabbbbccccdddd"))
    before = path.read_bytes()
    line = (
        'data set "people": its bytes (ddddccccbbbb) are not those of earlier releases (aaaabbbbcccc); if they are '
        "about the same people, use --new-data on the same budget; if about others, give another [data] name"
    )
    with pytest.raises(Refused, match=f"^{re.escape(line)}$"):
        released(path, asked("ddddccccbbbbaaaa"))
    assert path.read_bytes() == before


def test_new_data_keep_what_was_spent(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("one", budget=3.5))
    second = released(path, asked("two", budget=100.0, new_data=True))
    assert second.budget.initial == 3.5
    assert second.budget.spent == pytest.approx(2.0)
    assert not second.repeated
    assert released(path, asked("one", spec="[1]")).budget.spent == pytest.approx(3.0)  # the old bytes stay known
    with pytest.raises(
        Refused, match=r"^this release, after 3 earlier of the same data, would spend 4 of a budget of 3.5"
    ):
        released(path, asked("three", new_data=True))
    assert kinds(path).count("fingerprint") == 2  # what was refused is not known


def test_the_same_bytes_have_one_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("bytes"))
    line = 'data set "copy": its ledger knows the same bytes as "people", and they have no second budget'
    for new_data in (False, True):
        with pytest.raises(Refused, match=f"^{re.escape(line)}$"):
            released(path, asked("bytes", name="copy", new_data=new_data))
    assert kinds(path) == ["budget", "fingerprint", "debit", "answer"]


def test_other_names_have_other_budgets(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for name in ("people", "streets"):
        assert released(path, asked(name, name=name, budget=0.5)).budget == Budget(0.5, 0.5)
        with pytest.raises(Refused):
            released(path, asked(name, name=name, spec="[]"))


def test_a_budget_that_is_insisted_on_is_the_one_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked(budget=2.5, insisted=True))
    released(path, asked(budget=2.5, insisted=True, spec="[]"))
    for spec in ("{}", "[]", "[1]"):  # a repeated request too
        with pytest.raises(
            InputError, match=r'^budget: 3.0, wanted 2.5, what data set "people" was given in this ledger$'
        ):
            released(path, asked(budget=3.0, insisted=True, spec=spec))
    assert kinds(path).count("debit") == 2
    with pytest.raises(InputError, match=r"^budget: 3.0, wanted 2.5"):
        Ledger(path).earlier(asked(budget=3.0, insisted=True))


def test_no_sum_of_debits_is_rounded_down(tmp_path: Path) -> None:
    path, tenth = tmp_path / "ledger", costing(0.1, 0.1)
    for number in range(1, 10):
        spent = released(path, asked(spec=str(number), budget=1.0), cost=tenth).budget.spent
        assert spent * 10 >= number  # 0.1 as a double is above a tenth
    with pytest.raises(Refused, match="would spend 1 of a budget of 1 nats"):  # ten doubles of 0.1 are more than 1
        released(path, asked(spec="10", budget=1.0), cost=tenth)


def test_what_is_no_cost_is_refused(tmp_path: Path) -> None:
    for amounts in ((float("nan"), 1.0), (0.5, float("nan")), (-0.5, 1.0), (0.5, -1.0)):
        with pytest.raises(Refused, match="would spend"):
            released(tmp_path / "ledger", asked(), cost=costing(*amounts))
    assert kinds(tmp_path / "ledger") == []


def test_the_ledger_beside_the_data_is_the_one_that_knows_them(tmp_path: Path) -> None:
    table, other = tmp_path / "people.csv", tmp_path / "people.parquet"
    own = ledger_path(table, asked("csv"))
    assert own.name == "people.csv.ledger.sqlite"
    released(own, asked("csv"))
    assert ledger_path(other, asked("parquet")) == own
    assert ledger_path(tmp_path / "copy.csv", asked("csv", name="copy")) == own
    assert ledger_path(tmp_path / "streets.csv", asked("streets", name="streets")).name == "streets.csv.ledger.sqlite"
    released(tmp_path / "people.parquet.ledger.sqlite", asked("parquet"))
    line = (
        "ledger: missing, wanted one of people.csv.ledger.sqlite, people.parquet.ledger.sqlite, "
        "which all know data set 'people'"
    )
    with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
        ledger_path(table, asked("csv"))


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
    yield with_measure(models=[INDEPENDENT]), "wanted one of the keys of data 1.measures 1: name"
    moments = {"kind": "moments", "n": 20, "range": 1.0, "variance": 0.2}
    yield with_measure(model=moments), "wanted a model of what records are, not moments: answers are noised under its"
    real = {"kind": "gaussian", "mean": [0, 0], "covariance": [[1, 0], [0, 1]]}
    yield with_measure(model=real), "model: gaussian, wanted a model whose records have finitely many values"
    less = with_measure(value="age", lower=0, upper=2, step=1, model=INDEPENDENT)
    yield less, "data 1.measures 1.model: records that are never 2, wanted a model whose records can have every value"
    more = with_measure(model=INDEPENDENT | {"values": [0, 1, 5], "probabilities": [0.2, 0.3, 0.5]})
    yield more, "model: records that may be 5, wanted a model of the values that the measure declares"
    texts = INDEPENDENT | {"values": ["0", "1"], "probabilities": [0.5, 0.5]}
    several = with_measure(model={"kind": "any", "models": [INDEPENDENT, texts]})
    yield several, "data 1.measures 1.model: records that are never 0 or 1, wanted"
    yield {"source": {"file": "people.csv", "household": "street"}}, "wanted one household column for all that is"
    yield with_measure(lower=0, upper=1), "wanted no lower, upper or step where the value is a condition: it is 0 or 1"
    yield with_measure(value="age", lower=0, upper=2.5, step=1), "wanted lower and upper multiples of the step 1.0, 2.5"


def beside() -> Iterator[tuple[dict[str, Any], str]]:
    """The same of keys beside the data sets."""
    yield {"data": []}, "data: [], wanted 1 or more entries"
    yield {"data": sections()["data"] * 2}, "wanted each data set once ('measles' is there twice)"
    same = {"file": "x/../people.csv", "label": "place", "where": [{"column": "place", "equals": "x"}]}
    both = {"data": sections()["data"] + sections(name="mumps", source=same)["data"]}
    yield both, "wanted a different table for each data set ('measles' and 'mumps' have the same one)"
    yield {"ledger": ""}, "ledger: , wanted a text of 1 or more letters"
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


def test_what_variables_hold_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "pw-7f3a"
    address = sections(source={"url": "mysql://me:${LEDGER_PASSWORD}@host/db", "table": "people"})
    with pytest.raises(InputError) as caught:
        policy_from(address)
    assert (
        str(caught.value) == "data 1.source.url: ${LEDGER_PASSWORD}, wanted a variable that is set in the environment"
    )
    for name in ("LEDGER_PASSWORD", "KIND", "PW"):
        monkeypatch.setenv(name, secret)
    with pytest.raises(InputError) as caught:
        policy_from(address)
    assert secret not in str(caught.value)
    assert str(caught.value).startswith("data 1.source.url: mysql://***@host/db, wanted")
    assert secret not in repr(caught.value.value)
    sworn = sections(notion={"kind": "${KIND}", "epsilon": 1})
    with pytest.raises(InputError) as caught:
        policy_from(sworn)
    assert str(caught.value).startswith("data 1.notion.kind: ${KIND}, wanted one of")
    read = policy_from(sections() | {"ledger": "postgresql://me:${PW}@host/db"})
    assert read.ledger == f"postgresql://me:{secret}@host/db"
    monkeypatch.setenv("PW", "p@s:/w")
    read = policy_from(sections() | {"ledger": "postgresql://me:${PW}@host/db"})
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
    line = "data: mumps, wanted other people: 'measles' has the same bytes, and they have no second budget"
    assert caught is None or str(caught.value) == line


AGES = [0.5 * each for each in range(201)]
NUMBERS = {
    "name": "age",
    "value": "age",
    "lower": 0.0,
    "upper": 100.0,
    "step": 0.5,
    "model": {"kind": "independent", "n": 20, "values": AGES, "probabilities": [[1 / 201] * 201]},
}


def session(folder: Path, **data: Any) -> Session:
    """Of a curator that computes nothing."""

    def none(asked: Inquiry) -> Prepared:
        raise AssertionError("computed")

    (folder / "people.csv").write_text(people(), encoding="utf-8")
    return Curator(policy(**data), folder, compute=none).session("ana", "measles")


def asked_of_served(**terms: Any) -> dict[str, Any]:
    return {"measure": "ill", "query": {"kind": "count"}, **terms}


def several(many: int, **more: Any) -> dict[str, Any]:
    return {"kind": "several", "queries": [{"kind": "count"} | more] * many}


def test_what_is_beyond_the_range_is_refused_before_it_is_computed(tmp_path: Path) -> None:
    found = session(tmp_path)
    for terms, said in (
        ({"epsilon": 1e-7}, "ask.epsilon: 1e-07, wanted a number of at least 1e-06"),
        ({"epsilon": 2000.0}, "ask.epsilon: 2000.0, wanted a number of at most 1,000.0"),
        (
            {"query": several(65), "epsilon": 0.1},
            "wanted at most 64 answers of several queries (there are 65; limit curator.together)",
        ),
        ({"noise": {"kind": "laplace", "scale": 1e-10}}, "ask.noise.scale: 1e-10, wanted a number from 1e-09 to 1e+09"),
        ({"noise": {"kind": "geometric", "scale": 1e16}}, "ask.noise.scale: 1e+16, wanted a number from 1e-09"),
        ({"within": 1e10}, "ask.within: 10000000000.0, wanted a number from 1e-09 to 1e+09, in units of the answers"),
        (
            {"noise": {"kind": "gaussian", "scale": 1.0}},
            "ask.noise: gaussian, wanted laplace or geometric: without a delta",
        ),
        (
            {"noise": {"kind": "gaussian"}, "epsilon": 0.1},
            "ask.noise: gaussian, wanted laplace or geometric: without a delta",
        ),
    ):
        with pytest.raises(InputError) as error:
            found.estimate(read_ask(asked_of_served(**terms)))
        assert str(error.value).startswith("ask.")
        assert said in str(error.value)


def test_the_range_is_in_units_of_the_measure(tmp_path: Path) -> None:
    found = session(tmp_path, measures=[NUMBERS], source={"file": "people.csv"})
    for scale, said in ((4e-10, "wanted a number from 5e-10 to 1e+11"), (2e11, "to 1e+11"), (9e10, "computed")):
        ask = dl.Ask(measure="age", query=dl.Sum(), noise=dl.Laplace(scale=scale))
        with pytest.raises((InputError, AssertionError), match=said.replace("+", r"\+")):
            found.estimate(ask)


def test_gaussian_noise_at_a_delta_is_served(tmp_path: Path) -> None:
    found = session(tmp_path, notion={"kind": "inferential", "epsilon": 1.0, "delta": 1e-6})
    with pytest.raises(AssertionError, match="computed"):
        found.estimate(read_ask(asked_of_served(noise={"kind": "gaussian", "scale": 5.0})))


def test_answers_of_several_queries_count_with_their_labels(tmp_path: Path) -> None:
    found = curator(tmp_path, **with_measure(queries=None)).session("ana", "measles")
    with pytest.raises(
        InputError,
        match=r"^ask\.query: several, wanted at most 64 answers .* \(there are 66; limit curator.together\)$",
    ):
        found.estimate(read_ask(asked_of_served(query=several(33, per_label=True), epsilon=0.1)))
