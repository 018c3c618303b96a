"""The German sheet has no English words, whatever a spec asks, and however it treats missing answers."""

from pathlib import Path
from typing import Any, Final

import pytest

import dalenius as dl
from dalenius.curator import Ask, Ledger, Policy, Session
from dalenius.queries import Count
from dalenius.reports.judged_spec import judge
from dalenius.reports.language import language
from dalenius.reports.sheet import fragment, html, sheet_of
from dalenius.reports.sheet_facts import facts_before, facts_of_entry
from dalenius.spec import read_spec
from tests.reports.test_sheet import text_of, written

# Because columns and cells stay in their owner's words, those of the table are German.
HEAD: Final = "Haushalt,Ort,Alter,Krank,Gewicht"
ROWS: Final = [
    f"{n // 2},{'Nord' if n % 4 < 2 else 'Ost'},{'alt' if n % 2 else 'jung'},{'ja' if n % 3 else 'nein'},{n % 5}"
    for n in range(12)
]
TABLE: Final = "\n".join([HEAD, *ROWS]) + "\n"
WITH_GAPS: Final = TABLE.replace(",ja,3", ",,3")
STOPS: Final = (" the ", " of ", " and ", " people ", " answer ", " is ", " are ", " with ", " each ", " which ")

HOUSEHOLDS: Final = '[model]\nkind = "households"\nby = "Haushalt"\nepidemic = { community = 0.1, household = 0.3 }\n'
ALONE: Final = '[model]\nkind = "independent"\nn = 12\nprobabilities = [[0.9, 0.1]]\n'
TYPES: Final = """[model]
kind = "households"
types = [
  { count = 6, infected = [0.9, 0.1], members = { Nord = 1 } },
  { count = 6, infected = [0.8, 0.2], members = { Ost = 1 } },
]
"""
COUNT: Final = '[query]\nkind = "count"\n'
BY_LABEL: Final = '[query]\nkind = "count"\nper_label = true\n'
REST: Final = '[notion]\nkind = "information"\nepsilon = 1\n[data]\nfile = "p.csv"\n'
ILL: Final = 'value = { column = "Krank", equals = "ja" }\n'

SPECS: Final = {
    "households": HOUSEHOLDS + COUNT + REST + ILL,
    "independent": ALONE + COUNT + REST + ILL,
    "independent by label": TYPES + BY_LABEL + REST + ILL + 'label = "Ort"\n',
    "two labels": HOUSEHOLDS + BY_LABEL + REST + ILL + 'label = ["Ort", "Alter"]\n',
    "leave out": HOUSEHOLDS + BY_LABEL + REST + ILL + 'label = "Ort"\nmissing = "leave_out"\n',
    "read as": HOUSEHOLDS + COUNT + REST + ILL + 'missing = { as = "nein" }\n',
    "rows": HOUSEHOLDS + COUNT + REST + ILL + 'where = [{ column = "Gewicht", at_least = 1 }]\n',
    "labels left out": HOUSEHOLDS + BY_LABEL + REST + ILL + 'label = "Ort"\nlabels = ["Nord"]\nothers = "leave_out"\n',
    "several answers": TYPES
    + '[query]\nkind = "several"\nnames = ["Nord", "alle"]\n'
    + 'queries = [{ kind = "count", labels = ["Nord"] }, { kind = "count" }]\n'
    + REST
    + ILL
    + 'label = "Ort"\n',
    "questions": HOUSEHOLDS + '[[questions]]\nname = "oft"\ntimes = 2\nquery = { kind = "count" }\n' + REST + ILL,
    "sample": HOUSEHOLDS + COUNT + REST + ILL + '[sample]\nrate = 0.5\ndrawn = "here"\n',
    "sample of households": HOUSEHOLDS
    + COUNT
    + REST
    + ILL
    + '[sample]\nof = "households"\nrate = 0.5\ndrawn = "here"\n',
    "sum": HOUSEHOLDS + '[query]\nkind = "sum"\n' + REST + ILL,
}


RULES: Final = {
    "rounding": 'kind = "rounding"\nbase = 5\nhow = "unbiased"\n',
    "suppression": 'kind = "suppression"\nbelow = 3\nto = 0\n',
    "cell keys": 'kind = "cell_key"\nd = 4\nv = 2.0\njs = 1\n',
    "steps": 'kind = "steps"\nsteps = [{ kind = "geometric", scale = 2.0 }, { kind = "rounding", base = 3 }]\n',
    "response": 'kind = "randomized_response"\nkeep = 0.75\n',
    "none": 'kind = "none"\n',
}
LEARNED: Final = {
    "kmeans": '[query]\nkind = "kmeans"\ncolumns = ["Gewicht"]\nbounds = [0, 5]\nclusters = 2\n',
    "classifier": """[query]
kind = "classifier"
columns = ["Gewicht"]
bounds = [0, 5]
label = "Ort"
classes = ["Nord", "Ost"]
""",
    "degrees": '[query]\nkind = "degrees"\nends = ["Haushalt", "Gewicht"]\npeople = 12\nmax_degree = 2\n',
}


def check_german(page: str) -> None:
    """It fails where a sheet has words that no key names, or that look English."""
    assert "<i lang" not in page, text_of(page)
    assert not [stop for stop in STOPS if stop in text_of(page)], text_of(page)


def german(spec: Path) -> str:
    """The sheet of a spec that is not released yet, in German, one line."""
    judged = judge(read_spec(spec), "", spec.parent)
    return str(fragment(sheet_of(facts_before(judged), language("de"))))


@pytest.mark.parametrize("name", SPECS)
def test_no_english_before_a_release(tmp_path: Path, name: str) -> None:
    written(tmp_path, "p.csv", WITH_GAPS if name in ("leave out", "read as") else TABLE)
    page = german(written(tmp_path, "s.toml", SPECS[name]))
    check_german(page)
    single = "Personen hängen nicht voneinander ab"
    assert (single in page) == (name in ("independent by label", "several answers"))


@pytest.mark.parametrize("name", RULES)
def test_no_english_with_noise_that_is_given(tmp_path: Path, name: str) -> None:
    written(tmp_path, "p.csv", TABLE)
    noise = f"[noise]\n{RULES[name]}"
    check_german(german(written(tmp_path, "s.toml", TYPES + COUNT + noise + REST + ILL + 'label = "Ort"\n')))


@pytest.mark.parametrize("kind", ["inferential", "differential", "min_entropy", "mutual_information", "renyi"])
def test_no_english_for_other_promises(tmp_path: Path, kind: str) -> None:
    written(tmp_path, "p.csv", TABLE)
    more = "alpha = 2\n" if kind == "renyi" else ""
    rest = REST.replace('kind = "information"\n', f'kind = "{kind}"\n{more}')
    check_german(german(written(tmp_path, "s.toml", TYPES + COUNT + rest + ILL + 'label = "Ort"\n')))


@pytest.mark.parametrize("name", LEARNED)
def test_no_english_where_something_is_learned(tmp_path: Path, name: str) -> None:
    written(tmp_path, "p.csv", TABLE)
    how = '[dependence]\nmethod = "group"\nsize = 2\n'
    told = '[notion]\nkind = "inferential"\nepsilon = 4\n[data]\nfile = "p.csv"\n'
    spec, book = written(tmp_path, "s.toml", LEARNED[name] + how + told), tmp_path / "ledger.sqlite"
    recorded = dl.release(spec, ledger=book)
    page = html(sheet_of(facts_of_entry(Ledger(str(book)).history(), recorded.entry), language("de")))
    check_german(page)
    assert "Das Versprechen gilt gegenüber allen" in page


def test_no_english_where_somebody_is_absent(tmp_path: Path) -> None:
    written(tmp_path, "p.csv", TABLE)
    absent = '[model]\nkind = "absent"\n[query]\nkind = "sum"\nlower = 0\nupper = 9\n'
    promise = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 1\n'
    data = '[data]\nfile = "p.csv"\nvalue = "Gewicht"\n'
    data += 'absent = { all = [{ column = "Haushalt", equals = 0 }, { column = "Alter", equals = "alt" }] }\n'
    book = tmp_path / "ledger.sqlite"
    recorded = dl.release(written(tmp_path, "s.toml", absent + promise + data), ledger=book)
    check_german(html(sheet_of(facts_of_entry(Ledger(str(book)).history(), recorded.entry), language("de"))))


def test_no_english_under_a_schedule(tmp_path: Path) -> None:
    path = written(tmp_path, "p.csv", TABLE)
    homes = {"kind": "households", "by": "Haushalt", "epidemic": {"community": 0.1, "household": 0.3}}
    ill = {"name": "krank", "value": {"column": "Krank", "equals": "ja"}, "missing": "leave_out", "model": homes}
    town: dict[str, Any] = {
        "name": "stadt",
        "version": "2026-11",
        "frozen": True,
        "schedule": {"every": "month", "times": 2, "persistence": 0.5},
        "source": {"file": str(path), "label": ["Ort", "Alter"], "labels": [["Nord", "Ost"], ["alt", "jung"]]},
        "measures": [ill],
        "analysts": [{"name": "amt"}],
        "notion": {"kind": "information", "epsilon": 1.0},
    }
    book = str(tmp_path / "ledger.sqlite")
    policy = Policy.model_validate({"data": [town]})
    recorded = Session(None, policy, ledger=book).ask(
        Ask(measure="krank", query=Count(per_label=True), noise={"kind": "geometric", "scale": 9.0})
    )
    page = html(sheet_of(facts_of_entry(Ledger(book).history(), recorded.entry), language("de")))
    check_german(page)
    assert "eine Antwort für jede Gruppe, 2026-11" in text_of(page)
    assert "von Monat zu Monat" in text_of(page).replace("Von", "von")
