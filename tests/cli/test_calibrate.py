"""`dalenius calibrate` and `dalenius compare`: keys, the numbers of Theory §12, and the picture.

The gaussian model through the command.

Maxima and minima from the command line, and the true answer behind a release.
"""

from math import sinh
from pathlib import Path

import pytest

from dalenius import METHODS
from dalenius.spec import read_spec
from dalenius.tables.binding import bound_to_table
from dalenius.tables.true_answer import true_answer
from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, table, written

HOUSEHOLDS = EXAMPLES / "households.toml"
BESIDE = ("differential", "differential_is_bound", "bayesian", "bayesian_is_bound")
CALIBRATION = {"method", "sound", "why", "noise", "expected_error", "leakage", *BESIDE, "in_words", "advice"}
COMPARED = {
    *("method", "sound", "scale", "expected_error", "of_least", "times_least"),
    *("achieved", "achieved_is_bound", "in_words", *BESIDE, "seconds", "applies", "why"),
}
# E|k| of geometric noise of scale b is 1/sinh(1/b); the exact method's is Theory §12's 3.17, with the digits it had.
ERRORS = {"independent": 1 / sinh(1), "group": 1 / sinh(1 / 4), "exact": 3.172993}
WHY_NOT = {
    **{
        name: f"method: {name}, wanted a model that is a chain"
        for name in ("markov_quilt", "composable_chain", "bdp_markov")
    },
    "general_wasserstein": "notion.kind: information, wanted renyi",
    "influence_matrix": "method: influence_matrix, wanted records that depend on each other weakly",
    "bdp_gaussian": "model.kind: households, wanted gaussian",
    **dict.fromkeys(("prior_free", "prior_dependent", "lee_clifton"), "model.kind: households, wanted absent"),
    "gaussian": "notion.delta: missing, wanted a number above 0 beside epsilon",
    "amplification": "model.kind: households, wanted a sample of the people",
    **dict.fromkeys(("shuffling", "least_flip", "chain_flips"), "noise.kind: geometric, wanted randomized_response"),
    "noiseless": "without noise the answer leaks ",
}
"""By method that does not apply, how the reason begins."""


def test_whoever_names_no_method_has_the_exact_one(tmp_path: Path) -> None:
    """Of Theory §12, for inferential privacy."""
    spec = written(tmp_path, HOUSEHOLDS.read_text(encoding="utf-8").replace('"information"', '"inferential"'))
    assert round(dalenius("calibrate", spec, "--json").json["expected_error"], 2) == 3.61


def test_each_method() -> None:
    for method, error in ERRORS.items():
        shown = dalenius_once("calibrate", HOUSEHOLDS, "--json", "--method", method).json
        assert set(shown) == CALIBRATION
        assert set(shown["noise"]) == {"kind", "scale"}
        assert {
            *("epsilon", "lower", "upper", "is_bound"),
            *("in_words", "witness", "two_sided", "two_sided_is_bound"),
        } == set(shown["leakage"])
        assert (shown["method"], shown["noise"]["kind"]) == (method, "geometric")
        assert shown["expected_error"] == pytest.approx(error, abs=1e-6)
        assert shown["sound"] == (method != "independent")
        assert (shown["leakage"]["upper"] <= 1) == shown["sound"]


def test_compare() -> None:
    shown = dalenius("compare", HOUSEHOLDS, "--json").json
    assert set(shown) == {"methods", "lower_bound", "in_words"}
    assert shown["lower_bound"] == pytest.approx(0.160995, abs=2e-6)
    assert [each["method"] for each in shown["methods"]] == [method.name for method in METHODS]
    for each in shown["methods"]:
        assert set(each) == COMPARED
        if each["method"] in WHY_NOT:
            assert not each["applies"]
            assert each["why"].startswith(WHY_NOT[each["method"]])
            continue
        assert each["applies"]
        assert each["of_least"] == pytest.approx(each["expected_error"] / shown["lower_bound"], rel=2e-5)
        bounded = each["differential"] != "inf"
        assert each["times_least"] == (pytest.approx(each["expected_error"] / 3.17299, rel=2e-5) if bounded else None)
        if each["method"] not in ERRORS:
            continue
        alone = dalenius_once("calibrate", HOUSEHOLDS, "--json", "--method", each["method"]).json
        assert (each["sound"], each["scale"]) == (alone["sound"], alone["noise"]["scale"])
        assert (each["expected_error"], each["achieved"]) == (alone["expected_error"], alone["leakage"]["epsilon"])


def test_objectives_that_make_no_sense_are_refused() -> None:
    said = complaint(dalenius("calibrate", HOUSEHOLDS, "--objective", "worst"))
    assert said == "objective: worst, wanted method optimal beside it (the method is exact)"
    said = complaint(dalenius("calibrate", HOUSEHOLDS, "--method", "optimal", "--objective", "least"))
    assert said == "objective: least, wanted one of absolute, squared, worst"


def test_people_read_the_numbers(run: Run) -> None:
    done = run("calibrate", HOUSEHOLDS, "--within", "5")
    compared = run("compare", HOUSEHOLDS)
    advice = "an answer near 4 would be known to ± 10 only; the model alone says 0 to 12, which is narrower"
    assert (done.code, done.err, compared.code, compared.err) == (0, f"dalenius: advice: {advice}\n", 0, "")
    assert "\x1b" not in done.out + compared.out
    accuracy = "the answer is off by 5 or more with probability 0.2"
    for shown in ("geometric, scale 3.22411", "3.17299 per answer", "1.000000 nats (promised 1)", accuracy):
        assert shown in done.out
    for shown in ("2.399081", "3.959", "0.813264", "3.17299"):
        assert shown in compared.out


def test_a_plot_is_two_files_or_none(tmp_path: Path) -> None:
    picture = tmp_path / "leakage.png"
    (tmp_path / "leakage.csv").mkdir()
    said = complaint(dalenius("calibrate", HOUSEHOLDS, "--plot", picture))
    assert said == f"file: {tmp_path / 'leakage.csv'}, wanted a place that can be written (it is a folder)"
    assert not picture.exists()
    (tmp_path / "leakage.csv").rmdir()
    assert dalenius("calibrate", HOUSEHOLDS, "--plot", picture).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["leakage.csv", "leakage.png"]
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert {row["notion"] for row in table(tmp_path / "leakage.csv")} == {"information"}


def test_compare_draws_the_methods_at_the_promise(tmp_path: Path) -> None:
    picture = tmp_path / "methods.png"
    shown = dalenius("compare", HOUSEHOLDS, "--json", "--plot", picture).json["methods"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["methods.csv", "methods.png"]
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    rows = table(tmp_path / "methods.csv")
    assert {row["method"] for row in rows} == {method.name for method in METHODS}
    assert {float(row["epsilon_nats"]) for row in rows} == {1.0}
    bounds = [float(row["lower_bound"]) for row in rows]
    assert bounds == pytest.approx([0.160995] * len(METHODS), abs=1e-6)
    at_one = {row["method"]: row for row in rows}
    for each in shown:
        if each["applies"]:
            assert float(at_one[each["method"]]["expected_error"]) == pytest.approx(each["expected_error"], rel=2e-5)
    for row in rows:
        if row["sound"] == "True":
            assert float(row["achieved_nats"]) <= float(row["epsilon_nats"]) * (1 + 1e-9)


PAIR = """
model = { kind = "gaussian", mean = [0, 0], covariance = [[1, 0.5], [0.5, 1]], bounds = [-1, 1], labels = ["a", "b"] }
query = { kind = "sum" }
noise = { kind = "laplace", scale = 1.0 }
"""


def test_calibrate_and_compare(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR + '[notion]\nkind = "inferential"\nepsilon = 1.0\n')
    assert dalenius("calibrate", path, "--json").json["noise"]["scale"] == pytest.approx(3, rel=1e-9)
    methods = {row["method"]: row for row in dalenius("compare", path, "--json").json["methods"]}
    assert methods["independent"]["sound"] is False
    assert methods["independent"]["achieved"] > 1
    applying = {name for name, row in methods.items() if row["applies"]}
    assert applying == {"independent", "bdp_gaussian", "exact"}, "the others know nothing of real numbers"


REFUSED = {
    ('kind = "sum"', 'kind = "count"'): "query.kind: count, wanted a sum or a mean, unclipped",
    ('kind = "sum"', 'kind = "sum", lower = 0'): "query.lower: given, wanted no bounds",
    ('kind = "sum"', 'kind = "sum", weights = { a = 1.0 }'): "wanted also a weight for label",
    ("query", 'secrets = { pairs = [["x", 1]] }\nquery'): "secrets.pairs row 1: x, wanted two numbers",
    ("query", 'adversary = { known = { "1" = "x" } }\nquery'): "adversary.known.1: x, wanted a number",
}


def test_bad_input(tmp_path: Path, run: Run) -> None:
    for (old, new), line in REFUSED.items():
        assert line in complaint(run("audit", written(tmp_path, PAIR.replace(old, new, 1))))


NOISE = '[noise]\nkind = "geometric"\nscale = 1.0\n'
TOWN = """
model = { kind = "households", types = [
    { count = 2, infected = [0.6, 0.2, 0.2], members = { north = 1, south = 1 } },
] }
"""
TABLE = "town,home,value\nnorth,1,0\nsouth,1,1\nnorth,2,0\nsouth,2,0\n"
DATA = '[data]\nfile = "people.csv"\nvalue = "value"\nlabel = "town"\n'


ANSWERS = {
    'kind = "min"\n': (0,),
    'kind = "max"\nper_label = true\n': (0, 1),
    'kind = "max"\nlabels = ["north"]\n': (0,),
    'kind = "max"\nlower = 0.25\n': (4,),
    'kind = "several"\nqueries = [{ kind = "max" }, { kind = "count" }, { kind = "min" }]\n': (1, 1, 0),
}


def test_the_true_answer(tmp_path: Path) -> None:
    """In lattice steps; those who are not asked have no part in it."""
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    for query, answer in ANSWERS.items():
        asked = written(tmp_path, TOWN, "[query]\n", query, NOISE, DATA)
        spec, people = bound_to_table(read_spec(asked), tmp_path)
        assert people is not None
        assert true_answer(spec.audited(), people) == answer
