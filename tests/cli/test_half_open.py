"""A number of which only one end is known is never shown as if it were known: tables, words, JSON, pages, pictures."""

import re
from math import inf, log
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import dalenius as dl
from dalenius.bounds import Enclosure, either
from dalenius.cli.compose import _shown_ends
from dalenius.cli.convert_report import _shown as converted_ends
from dalenius.notions import leakage_in_words
from dalenius.notions.promises_in_words import folds_down, sentence_from_below
from dalenius.notions.release_audit import Audit
from dalenius.optimum import relocated_pairs
from dalenius.reports.page_building_blocks import grown, upper_nats
from dalenius.spec.results_as_json import leakage_json
from dalenius.spec.results_in_words import companion_rows, enclosed, is_bound, loss, nearly
from tests.cli import half_open
from tests.cli.command import Run, written
from tests.pace import slow

ONE_END = Enclosure(1.078, inf)
NO_END = Enclosure(0.0, inf)
SAID = "at least 1.078000; no upper end is known"


def test_an_enclosure_says_which_end_is_known() -> None:
    assert [each.half_open for each in (ONE_END, NO_END, Enclosure(inf, inf), Enclosure(0.0, 1.0))] == [
        *(True, True, False, False)
    ]
    assert either(Enclosure(-1.0, inf), floor=-inf) == "at least -1; no upper end is known"
    assert [is_bound(each) for each in (ONE_END, NO_END, Enclosure(inf, inf))] == [True, True, False]


@pytest.mark.parametrize(
    ("shown", "one", "none", "endless"),
    [
        (loss, SAID, "nothing is known", "∞"),
        (nearly, SAID, "nothing is known", "∞"),
        (lambda value: enclosed(dl.Leakage(value.lower, value.upper, None)), SAID, "nothing is known", "∞"),
        (upper_nats, "at least 1.078; no upper end is known", "nothing is known", "∞"),
        (converted_ends, "at least 1.078; no upper end is known", "nothing is known", "∞"),
        (grown, "at least 2.938-fold; no upper end is known", "nothing is known", "without bound"),
    ],
)
def test_each_way_to_write_it(shown: object, one: str, none: str, endless: str) -> None:
    assert callable(shown)
    assert [shown(each) for each in (ONE_END, NO_END, Enclosure(inf, inf))] == [one, none, endless]


def test_ends_of_a_stream() -> None:
    assert _shown_ends({"lower": 1.078, "upper": "inf"}) == "at least 1.078; no upper end is known"
    assert _shown_ends({"lower": "inf", "upper": "inf"}) == "∞"


@pytest.mark.parametrize(("lower", "fold"), [(1.0, "2.718"), (0.6931, "1.999"), (20.0, "4.851e+8")])
def test_lower_ends_are_rounded_down(lower: float, fold: str) -> None:
    assert folds_down(lower) == fold
    assert sentence_from_below(False, lower) == f"a chance grows at least {fold}-fold; no upper end is known"


def test_words_of_a_leakage() -> None:
    notion = dl.InferentialPrivacy(delta=1e-3)
    one, none, endless = (dl.Leakage(low, inf, None) for low in (1.078, 0.0, inf))
    excepted = "except with probability 0.001, "
    assert leakage_in_words(notion, one) == (
        f"{excepted}the odds between two values change at least 2.938-fold; no upper end is known"
    )
    assert leakage_in_words(notion, none) == (
        f"{excepted}nothing is known of how far the odds between two values change"
    )
    assert leakage_in_words(notion, endless) == f"{excepted}the odds between two values change without bound"
    assert repr(one) == "Leakage(at least 1.078 nats; no upper end is known)"


def test_json_says_that_it_is_a_bound() -> None:
    leakage = dl.Leakage(1.078, inf, None, {"two_sided": NO_END, "reverse": Enclosure(inf, inf)})
    shown = leakage_json(leakage)
    assert (shown["lower"], shown["upper"], shown["is_bound"]) == (1.078, "inf", True)
    assert (shown["two_sided_is_bound"], shown["reverse_is_bound"]) == (True, False)


def test_the_losses_beside_a_noise() -> None:
    homes = dl.Release(dl.Independent(n=3, probabilities=[0.3]), dl.Count(), dl.Laplace())
    found = dl.calibrate(homes, dl.InferentialPrivacy(epsilon=1.0), "independent")
    open_ended = type(found)(
        **{**vars(found), "differential_ends": NO_END, "bayesian": ONE_END},
    )
    rows = dict(companion_rows(open_ended))
    assert rows["differential"] == "nothing is known, to an adversary who knows all other records"
    assert rows["bayesian"] == f"{SAID}, to an adversary who knows any of the other records"


def test_a_picture_marks_the_lower_end() -> None:
    mpl.use("Agg")
    found = Audit({"noiseless": dl.Leakage(1.078, inf, None), "inferential": dl.Leakage(inf, inf, None)})
    ax = found.plot()
    (line,) = ax.lines
    assert (np.asarray(line.get_xdata()).tolist(), line.get_marker()) == ([1.078], ">")
    assert [each.get_text().strip() for each in ax.texts] == ["at least 1.078; no upper end is known", "inf"]
    assert ax.get_xlim()[1] > 1.078


@pytest.mark.lengthy
def test_the_table_of_an_audit(run: Run, tmp_path: Path) -> None:
    done = run("audit", written(tmp_path, half_open.LOWER_ONLY))
    assert done.code == 0, done.err
    row = next(line for line in done.out.splitlines() if line.startswith("│ noiseless"))
    assert "at least" in row
    assert "∞" not in row
    last = next(line for line in done.out.splitlines() if line.startswith("noiseless: "))
    assert last.endswith("-fold; no upper end is known")
    assert "without bound" not in last


@pytest.mark.lengthy
def test_a_page_does_not_say_that_odds_have_no_bound(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("explain", written(tmp_path, half_open.LOWER_ONLY), "--out", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    (said,) = re.findall(r"The real leakage \(noiseless\): [^<]*", text)
    assert said.rstrip().endswith("-fold; no upper end is known.")


def test_a_relocation_whose_rows_are_equal_leaks_nothing(run: Run, tmp_path: Path) -> None:
    shown = run("audit", written(tmp_path, half_open.RELOCATED), "--json").json["leakage"]["differential"]
    assert (shown["lower"], shown["upper"], shown["is_bound"]) == (0.0, 0.0, False)


def test_a_relocation_with_too_many_pairs_to_compare(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relocated_pairs, "MOST_MOVED_RATIOS", 0)
    spec = written(tmp_path, half_open.MOVED)
    shown = run("audit", spec, "--json").json["leakage"]["differential"]
    assert (shown["lower"], shown["upper"], shown["is_bound"]) == (0.0, "inf", True)
    assert shown["in_words"].endswith("nothing is known of how far the odds between two values change")
    row = next(line for line in run("audit", spec).out.splitlines() if line.startswith("│ differential"))
    assert "nothing is known" in row
    page = tmp_path / "page.html"
    assert run("explain", spec, "--out", page).code == 0
    assert "all others: nothing is known." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("notion", "lower", "said"),
    [("inferential", inf, "∞"), ("information", -log(0.3), "at most 1.203980")],
)
def test_gaussian_noise_beside_laplace_leaks_what_it_leaks_alone(
    run: Run, tmp_path: Path, notion: str, lower: float, said: str
) -> None:
    """Far out the Gaussian answer says whether a person is ill: odds have no bound, a chance of .3 rises to 1."""
    spec = written(tmp_path, half_open.MIXED.replace("inferential", notion))
    found = run("compose", spec, "--json").json
    every = [found, *(each for each in found["routes"].values() if each["applies"])]
    found_lower = [float(each["lower"]) for each in every]
    # Because nodes in the middle say a little less than the limit far out.
    assert found_lower == pytest.approx([lower] * len(every), rel=1e-5)
    assert all(each <= lower * (1 + 1e-9) for each in found_lower)
    # The joint route knows that no chance of .3 can grow more than to 1.
    assert all(float(each["upper"]) in (inf, pytest.approx(lower, rel=2e-5)) for each in every)
    assert said in run("compose", spec).out


@pytest.mark.lengthy
def test_answers_of_one_query_are_looked_at_alone_too() -> None:
    """A count per label of couples, who depend on each other: no joint law of its two Gaussian answers."""
    couples = dl.Households(types=[dl.HouseholdType(count=2, infected=[0.5, 0.2, 0.3], members={"woman": 1, "man": 1})])
    release = dl.Release(couples, dl.Count(per_label=True), dl.Gaussian(scale=1.0))
    found = dl.compose([release], dl.InferentialPrivacy()).bound.value
    assert found == Enclosure(inf, inf)
    at_delta = dl.compose([release], dl.InferentialPrivacy(), delta=0.1).bound.value
    assert at_delta.upper < inf
    # What was asked later depends on earlier outputs, so that no law of what was is an end from below.
    adaptive = dl.compose(dl.Releases((release,), adaptive=True), dl.InferentialPrivacy()).bound.value
    assert adaptive == NO_END


def test_what_has_no_bound_is_still_said(run: Run, tmp_path: Path) -> None:
    done = run("audit", written(tmp_path, half_open.ENDLESS))
    row = next(line for line in done.out.splitlines() if line.startswith("│ inferential"))
    assert "∞" in row
    assert "inferential: the odds between two values change without bound" in done.out


@pytest.mark.parametrize(
    ("spec", "noted"),
    [
        (half_open.MOVED, "△: at least so much, no upper end is known: differential"),
        (half_open.ENDLESS, "without bound, and not drawn: differential, inferential"),
    ],
)
def test_lines_of_a_picture_tell_known_infinities_from_unknown_ends(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, noted: str
) -> None:
    monkeypatch.setattr(relocated_pairs, "MOST_MOVED_RATIOS", 0)
    picture = tmp_path / "leaks.svg"
    done = run("audit", written(tmp_path, spec), "--plot", picture)
    assert done.code == 0, done.err
    text = picture.read_text(encoding="utf-8")
    assert noted in text
    assert ("△" in text) == noted.startswith("△")


@slow
def test_compare_says_what_is_known_of_each(run: Run, tmp_path: Path) -> None:
    done = run("compare", written(tmp_path, half_open.GAUSSIAN), "--json").json["methods"]
    found = {each["method"]: each for each in done if each["applies"]}
    assert {"gaussian", "exact"} <= set(found)
    for each in found.values():
        assert each["achieved"] != "inf" or each["achieved_is_bound"]
