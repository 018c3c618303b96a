"""Advice on the few people who set the noise: the numbers are those of calibrations with them and without them."""

from math import isfinite
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.calibration import calibrate, group_advice, half_widths
from dalenius.models import Households
from dalenius.models.largest_groups import split_off
from tests.cli.command import Run

SIZES = {1: 60, 2: 40, 3: 20, 9: 1}
"""Households of each size: 209 people, 9 of them (4 %) together."""
MANY = {1: 300, 2: 120, 3: 60, 9: 1}
"""729 people, 9 of them (1.2 %) in households above three."""
EPIDEMIC = dl.Epidemic(community=0.05, household=0.4)
PROMISE = dl.InformationPrivacy(epsilon=0.7)


def of_table(sizes: dict[int, int]) -> Households:
    """The model of a table with so many households of each size."""
    return Households(by="home", epidemic=EPIDEMIC).with_compositions({(("", s),): n for s, n in sizes.items()})


def widest(model: Households) -> float:
    """How far an answer is off in 95 % of releases, by a calibration of its own."""
    release = dl.Release(model, dl.Count(), dl.Geometric())
    widths = half_widths(release, calibrate(release, PROMISE).noise, 0.95).values()
    return max(float(width) for width in widths if width is not None)


def advised(model: Any, **more: Any) -> str | None:
    release = dl.Release(model, dl.Count(), dl.Geometric(), **more)
    return group_advice(release, calibrate(release, PROMISE), 0.95, lambda each: calibrate(each, PROMISE))


def test_the_numbers_are_those_of_two_calibrations() -> None:
    before, after = widest(of_table(MANY)), widest(of_table({s: n for s, n in MANY.items() if s <= 3}))
    assert isfinite(before)
    assert after < 0.9 * before
    said = f"9 people in households of 9 set ± {before:.6g} for all 729; without the 9 in households of more than 3 "
    assert advised(of_table(MANY)) == f"{said}it would be ± {after:.6g}"


def test_nothing_is_said_where_nobody_can_be_left_out() -> None:
    assert advised(of_table(SIZES)) is None  # 4 % are more than a few
    assert advised(of_table({2: 50})) is None
    assert advised(Households(count=50, size=4, epidemic=EPIDEMIC)) is None
    assert advised(dl.Independent(n=50, probabilities=[0.1])) is None
    assert advised(of_table(MANY), adversary=dl.Adversary(known={"1": 1})) is None


def test_nothing_is_said_where_it_would_change_little() -> None:
    nearly = of_table({5: 200, 6: 1})
    assert split_off({5: 1000, 6: 6}) == 5
    assert advised(nearly) is None


def test_calibrate_and_the_page_say_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = [size for size, count in MANY.items() for _ in range(count)]
    rows = [f"h{home},{int(home % 9 == 0)}\n" for home, size in enumerate(sizes) for _ in range(size)]
    Path("p.csv").write_text("home,ill\n" + "".join(rows), encoding="utf-8")
    Path("s.toml").write_text(
        'model = { kind = "households", by = "home", epidemic = { community = 0.05, household = 0.4 } }\n'
        'query = { kind = "count" }\nnotion = { kind = "information", epsilon = 0.7 }\n'
        'data = { file = "p.csv", value = "ill" }\n',
        encoding="utf-8",
    )
    said = advised(of_table(MANY))
    assert said is not None
    assert f"dalenius: advice: {said}" in run("calibrate", "s.toml").err
    assert run("calibrate", "s.toml", "--json").json["advice"] == said
    assert run("explain", "s.toml", "--out", "page.html").code == 0
    assert f"Who sets the noise: {said}." in Path("page.html").read_text(encoding="utf-8")
