"""Every public result is a screen of text, a table in a notebook, and a frame of either library."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.named_values import NamedValues, NoSuchName
from dalenius.tabular import HEIGHT, WIDTH, Cell, Tabular
from tests.curator.policies import ask, curator

DAYS = dl.Chain(n=400, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
HOMES = dl.Households(types=[dl.HouseholdType(count=2, infected=[0.8, *[0.2 / k] * k]) for k in range(1, 30)])
RELEASE = dl.Release(HOMES, dl.Count(), dl.Geometric(scale=4.0))
FEW = dl.Release(dl.Households(count=3, infected=[0.9, 0.05, 0.05]), dl.Count(), dl.Geometric(scale=4.0))
MANY = tuple(k / 100 for k in range(5000))
PROFILE = dl.TabulatedProfile(MANY, tuple(0.5 / (1 + k) for k in range(5000)))


def places() -> dl.LocationAttack:
    visits = {"user": ["ann", "bob", "cy", "di"], "lat": [0.01, 0.01, 0.1, 0.1], "lon": [0.0, 0.0, 0.1, 0.1]}
    friends = {"user1": ["ann", "cy"], "user2": ["bob", "di"]}
    return dl.attack_locations(pd.DataFrame(visits), pd.DataFrame(friends), clusters=2, places=1)


RESULTS: Mapping[str, Callable[[], Any]] = {
    "audit": lambda: dl.audit(FEW, ["inferential", "information"]),
    "compare": lambda: dl.compare(
        dl.Release(dl.Households(count=2, infected=[0.9, 0.05, 0.05]), "count", "geometric"),
        dl.InferentialPrivacy(epsilon=0.5),
    ),
    "calibrate": lambda: dl.calibrate(FEW, dl.InferentialPrivacy(epsilon=0.5)),
    "compose": lambda: dl.compose([FEW] * 3, dl.InferentialPrivacy()),
    "posterior": lambda: dl.posterior(RELEASE, [70]),
    "stream": lambda: dl.stream(persistence=0.9, steps=2000, epsilon=0.1),
    "converted": lambda: dl.Conversion(HOMES, dl.PureProfile(0.1), "replace").epsilon(0.0),
    "profile": lambda: PROFILE,
    "relations": lambda: dl.relations(FEW),
    "robustness": lambda: dl.robustness(FEW, 0.1, promises=[dl.InferentialPrivacy(epsilon=0.455)]),
    "meaning": lambda: dl.meaning(1.0, 1e-6),
    "attacks": lambda: dl.bayes_attacks(RELEASE),
    "curve": lambda: dl.tradeoff(FEW).curve(),
    "places": places,
}


def one_screen(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) <= HEIGHT and max(map(len, lines)) <= WIDTH and " object at 0x" not in text


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_screen_a_table_and_a_frame(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = RESULTS[name]()
    assert isinstance(found, Tabular)
    assert one_screen(repr(found)), repr(found)
    assert found._repr_html_().count("<table>") == 1
    # Because rich itself displays what it prints in Jupyter, a result would be shown twice there.
    assert capsys.readouterr() == ("", "")
    assert not hasattr(found, "_repr_mimebundle_")
    assert not hasattr(found, "_ipython_display_")
    one, other, rows = found.frame(), found.frame("polars"), list(found.records())
    assert isinstance(one, pd.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert len(one) == len(other) == len(rows) > 0
    assert list(one.columns) == other.columns == list(rows[0])
    for column in other.columns:
        assert [row[column] is None for row in rows] == other[column].is_null().to_list()


def test_what_a_session_says_is_a_screen_a_table_and_a_frame(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    query = dl.Count(per_label=True)
    price = session.estimate(ask(query))
    told = session.ask(ask(query))
    results: list[Tabular] = [price, told, session.history(), session.budget()]
    for found in results:
        assert one_screen(repr(found)), repr(found)
        assert len(found.frame()) == len(found.frame("polars")) == 2
        assert "<table>" in found._repr_html_()
    assert session.history().frame()["answer"].tolist() == [float(each) for each in told.published.answers]


@pytest.mark.parametrize(
    "big",
    [
        dl.Households(infected=[0.5, *[0.5 / 300] * 300], count=2),
        HOMES,
        DAYS,
        dl.Table(records=[[k] for k in range(2000)], probabilities=[1 / 2000] * 2000),
        dl.Kernel(answers=list(range(60)), probabilities=[[1 / 60] * 60] * 60),
        RELEASE,
        dl.Conversion(HOMES, PROFILE, "replace"),
        dl.tradeoff(FEW),
        dl.Spec(model=HOMES, query=dl.Count(), noise=dl.Geometric(scale=4.0)),
    ],
    ids=lambda big: type(big).__name__,
)
def test_inputs_of_any_size_are_short(big: object) -> None:
    text = repr(big)
    assert sum(1 + len(line) // WIDTH for line in text.splitlines()) <= HEIGHT, text[:3000]
    assert " object at 0x" not in text


def test_a_misspelt_name_is_answered() -> None:
    audit = RESULTS["audit"]()
    composed = RESULTS["compose"]()
    for mapping, wrong, right in ((audit, "inferrential", "inferential"), (composed.each, "grup", "group")):
        with pytest.raises(NoSuchName, match=rf"{wrong}, wanted one of .*\(did you mean {right}\?\)$") as caught:
            mapping[wrong]
        assert isinstance(caught.value, KeyError)
        assert mapping.get(wrong) is None
        assert wrong not in mapping
    with pytest.raises(AttributeError, match=r"an audit has no 'inferrential'.*did you mean inferential"):
        _ = audit.inferrential
    with pytest.raises(InputError, match=r"method: exakt, wanted one of .*\(did you mean exact\?\)$"):
        RESULTS["compare"]()["exakt"]
    with pytest.raises(NoSuchName, match=r"^route: x, wanted nothing: there is none$"):
        NamedValues[int]("route", {})["x"]


class Mixed(Tabular):
    """Numbers beside words and nothing, as answers that are suppressed are."""

    @property
    def caption(self) -> str:
        return "mixed"

    def records(self) -> Sequence[Mapping[str, Cell]]:
        return [
            {"a": None, "b": 1, "c": True, "d": "below 5"},
            {"a": 2.5, "b": 2.5, "c": None, "d": 7.0},
            {"a": None, "b": None, "c": False, "d": None},
        ]


def test_columns_of_several_kinds_are_frames() -> None:
    assert Mixed().frame("polars").to_dict(as_series=False) == {
        "a": [None, 2.5, None],
        "b": [1.0, 2.5, None],
        "c": [True, None, False],
        "d": ["below 5", "7.0", None],
    }
    assert Mixed().frame("pandas")["b"].tolist()[:2] == [1.0, 2.5]
    with pytest.raises(InputError, match=r"^library: pandsa, wanted pandas or polars \(did you mean pandas\?\)$"):
        Mixed().frame("pandsa")  # type: ignore[call-overload]


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(InputError, match=r"^library: polars, wanted a library that is installed: pip install polars$"):
        Mixed().frame("polars")


def test_a_notebook_shows_what_tables_hold_and_nothing_of_theirs_is_run() -> None:
    class Hostile(Mixed):
        @property
        def caption(self) -> str:
            return "<script>"

        def notes(self) -> list[str]:
            return ["<b>", "one\ntwo"]

    shown = Hostile()._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "<pre>one\ntwo</pre>" in shown


def test_a_model_in_place_of_a_release_is_named_before_the_method() -> None:
    with pytest.raises(InputError, match=r"^release: "):
        dl.calibrate(DAYS, dl.Count(), dl.InferentialPrivacy(epsilon=1.0))  # type: ignore[arg-type]


def test_methods_and_single_results_are_short() -> None:
    assert "<method exact>" in repr(dl.METHODS)
    assert " object at 0x" not in repr(dl.METHODS)
    edges = pd.DataFrame({"first": ["a", "a"], "second": ["b", "c"], "rho": [0.5, 0.25]})
    for found in (
        dl.dependent_sensitivity(edges, "rho"),
        dl.accuracy(FEW, 5),
        dl.calibrate(FEW, dl.InferentialPrivacy(epsilon=0.5)),
    ):
        assert one_screen(repr(found)) or "\n" not in repr(found)
        assert len(repr(found)) <= WIDTH * HEIGHT
    assert "leakage, at most" in repr(dl.calibrate(FEW, dl.InferentialPrivacy(epsilon=0.5)))
