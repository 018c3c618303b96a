"""Tests of pairs for dependence: the numbers by hand, how often they are wrong, D, and what pairs cannot see."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from dalenius.errors import InputError, TooLarge
from dalenius.fitting.dependence import Dependence, columns_of_people, dependence_of
from tests.cli.command import dalenius
from tests.pace import one_in

Table = dict[str, list[int]]


def rows_of(seed: int, rows: int, groups: int, size: int, keep: float) -> Table:
    """Groups of bits that share a source, each kept with a probability and else drawn anew."""
    random = Random(seed)
    found: Table = {f"{group}.{place}": [] for group in range(groups) for place in range(size)}
    for _ in range(rows):
        source = [random.randint(0, 1) for _ in range(groups)]
        for group, place in product(range(groups), range(size)):
            kept = random.random() < keep
            found[f"{group}.{place}"].append(source[group] if kept else random.randint(0, 1))
    return found


def by_hand(first: Sequence[int], second: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Pearson's χ² and the total variation from independence, in fractions."""
    rows, pairs = len(first), list(zip(first, second, strict=True))
    statistic = variation = Fraction(0)
    for a, b in product(sorted(set(first)), sorted(set(second))):
        expected = Fraction(first.count(a) * second.count(b), rows)
        observed = pairs.count((a, b))
        statistic += (observed - expected) ** 2 / expected
        variation += abs(observed - expected) / rows / 2
    return statistic, variation


def test_statistics_and_adjusted_p_values_are_those_of_their_formulas() -> None:
    table = rows_of(1, 120, 2, 2, 0.5)
    found = dependence_of(table)
    p_values = []
    for each in found.pairs:
        statistic, variation = by_hand(table[each.first], table[each.second])
        assert each.test.statistic == pytest.approx(float(statistic), abs=1e-9)
        assert each.variation == pytest.approx(float(variation), abs=1e-12)
        assert each.test.degrees_of_freedom == 1
        p_values.append(float(chi2.sf(float(statistic), 1)))
    count = len(p_values)
    harmonic, order = sum(1 / place for place in range(1, count + 1)), np.argsort(p_values)
    for rank, place in enumerate(order, start=1):
        later = [p_values[other] * count * harmonic / at for at, other in enumerate(order, start=1) if at >= rank]
        assert found.pairs[place].adjusted == pytest.approx(min([1.0, *later]), rel=1e-9)
        earlier = [p_values[other] * (count + 1 - at) for at, other in enumerate(order, start=1) if at <= rank]
        assert found.pairs[place].certain == pytest.approx(min(1.0, max(earlier)), rel=1e-9)


def test_d_is_the_largest_closed_neighbourhood_and_not_the_largest_component() -> None:
    random = Random(2)
    first = [random.randint(0, 1) for _ in range(2000)]
    last = [random.randint(0, 1) for _ in range(2000)]
    middle = [2 * a + b for a, b in zip(first, last, strict=True)]
    other = [random.randint(0, 1) for _ in range(2000)]
    found = dependence_of({"first": first, "middle": middle, "last": last, "other": other}, 0.999)
    assert [(each.first, each.second) for each in found.linked] == [("first", "middle"), ("middle", "last")]
    assert (found.neighbourhood, found.least_neighbourhood, found.component) == (3, 3, 3)
    chain = rows_of(3, 2000, 1, 1, 1.0)["0.0"]
    steps = {"0": chain}
    for place in range(1, 5):
        before = steps[str(place - 1)]
        steps[str(place)] = [each if random.random() < 0.75 else random.randint(0, 1) for each in before]
    linked = dependence_of(steps)
    assert linked.component == 5
    assert linked.neighbourhood >= 3


def test_three_records_that_are_independent_in_pairs_are_not_seen() -> None:
    """E1: the exclusive or of two fair bits depends on both together, and D is 3."""
    rows = [(a, b, a ^ b) for a, b in product((0, 1), repeat=2)] * 500
    columns = {name: [row[place] for row in rows] for place, name in enumerate("abc")}
    found = dependence_of(columns)
    assert (found.neighbourhood, len(found.linked)) == (1, 0)
    assert any("errata E1" in sentence for sentence in found.sentences())


def _runs() -> list[Dependence]:
    return [dependence_of(rows_of(seed, 150, 5, 1, 0.0)) for seed in range(300)]


@pytest.mark.lengthy
def test_false_links_are_as_rare_as_said_and_true_ones_are_found() -> None:
    wrong = sum(any(each.is_certain for each in found.pairs) for found in _runs())
    # 300 runs at 5 %: more than 30 have a probability below 1e-4.
    assert wrong <= 30
    right = sum(dependence_of(rows_of(seed, 150, 2, 2, 0.9)).least_neighbourhood == 2 for seed in range(20))
    assert right == 20


@pytest.mark.parametrize("keep", one_in(2, [0.0, 0.3, 0.6, 0.9]))
def test_upper_ends_hold_the_true_distance_from_independence(keep: float) -> None:
    """Two bits of a group are equal with (1 + keep²)/2, so that the variation is keep²/2; of two groups it is 0."""
    for seed in range(100):
        for each in dependence_of(rows_of(seed, 100, 2, 2, keep), 0.9).pairs:
            together = each.first.split(".")[0] == each.second.split(".")[0]
            assert each.most >= (keep**2 / 2 if together else 0.0)
            assert each.variation <= each.most


def test_upper_ends_narrow_with_more_rows() -> None:
    few, many = (dependence_of(rows_of(4, rows, 2, 2, 0.0)).unseen for rows in (200, 20_000))
    assert many < few / 8


def test_long_tables_are_one_column_a_person() -> None:
    cells: dict[str, list[Any]] = {"who": ["b", "a", "a", "b"], "when": [1, 2, 1, 2], "what": [5, 6, 7, 8]}
    assert columns_of_people(cells, "who", "when", "what") == {"a": [7, 6], "b": [5, 8]}
    with pytest.raises(InputError, match=r"^data.order: when, wanted each person once at a time"):
        columns_of_people(cells | {"when": [1, 1, 1, 2]}, "who", "when", "what")
    with pytest.raises(InputError, match=r"everybody at each of the 3 times, 2 of 2 people are missing"):
        columns_of_people(cells | {"when": [1, 2, 1, 3]}, "who", "when", "what")


def test_too_many_columns_are_refused_before_any_is_tested() -> None:
    with pytest.raises(TooLarge, match=r"limit fitting.tested"):
        dependence_of({str(name): [0, 1] for name in range(500)})


def test_the_command_draws_the_graph_and_says_what_it_cannot_see(tmp_path: Path) -> None:
    table = rows_of(6, 300, 2, 3, 0.9)
    names = list(table)
    with (tmp_path / "wide.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *zip(*table.values(), strict=True)])
    with (tmp_path / "long.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [(name, day, cell) for name, cells in table.items() for day, cell in enumerate(cells)]
        csv.writer(file).writerows([("who", "day", "use"), *rows])
    fit = ("fit", "--model", "dependence", "--data")
    picture = tmp_path / "graph.svg"
    said = dalenius(*fit, tmp_path / "wide.csv", "--columns", ",".join(names), "--plot", picture)
    assert "D = 3: nobody's record is linked with more than 2 others" in said.out
    assert "errata E1" in said.out
    assert picture.stat().st_size > 2000
    with picture.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        tests = list(csv.DictReader(file))
    assert len(tests) == len(list(combinations(names, 2)))
    wide = dalenius(*fit, tmp_path / "wide.csv", "--columns", ",".join(names), "--json").json["dependence"]
    long = dalenius(
        *fit, tmp_path / "long.csv", "--sequence", "who", "--order", "day", "--value", "use", "--json"
    ).json["dependence"]
    assert wide == long
    assert wide["neighbourhood"] == 3
    assert {each["first"][0] == each["second"][0] for each in wide["pairs"] if each["linked"]} == {True}


def test_the_command_refuses_what_it_cannot_test(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,b\n0,1\n1,1\n")
    fit = ("fit", "--model", "dependence", "--data", tmp_path / "one.csv")
    assert "--columns: missing" in dalenius(*fit).err
    assert "column b: one value, wanted at least two" in dalenius(*fit, "--columns", "a,b").err
    assert "--value: missing" in dalenius(*fit, "--sequence", "a", "--order", "b").err
    assert "--out" in dalenius(*fit, "--columns", "a,b", "--out", tmp_path / "x.toml").err
