"""Names at the ends of lines do not overlap; what is too small stands on a floor; the same picture is the same file."""

from itertools import combinations, pairwise
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from dalenius.drawing import floored, save, save_with_vector, spread, with_ends
from tests.pace import draws

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(SHARES)
@example([0.5] * 8)
@example([0.0, 0.0, 1.0, 1.0])
@draws(60)
def test_places_are_apart_in_order_and_near(places: list[float]) -> None:
    found = spread(places, 0.1)
    assert all(-1e-12 <= each <= 1 + 1e-12 for each in found)
    order = sorted(range(len(places)), key=places.__getitem__)
    assert all(found[b] - found[a] >= 0.1 - 1e-9 for a, b in pairwise(order))
    apart = sorted(places)
    if all(b - a >= 0.1 for a, b in pairwise(apart)):
        assert found == pytest.approx(places)


def test_many_share_what_room_there_is() -> None:
    assert spread([0.3] * 5, 0.9) == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert spread([], 0.1) == []


def test_floor() -> None:
    assert floored([5.0, 0.01, 3.0]) == 0.01
    assert floored([5.0, 1e-14, 0.0, nan, inf]) == 5e-3
    assert floored([1.0, 1e-14], 1e-9) == 1e-9
    assert floored([0.0, nan]) == 0.0


def test_names_do_not_overlap() -> None:
    figure = Figure(figsize=(6.4, 4.4))
    axes = figure.add_subplot()
    axes.set(yscale="log", xlim=(0, 1), ylim=(1e-3, 10))
    heights = [1.0, 1.0, 1.01, 0.001, 9.0]
    with_ends(axes, [(1.0, height, f"method {place},\nand another", "black") for place, height in enumerate(heights)])
    figure.canvas.draw()
    middles = [each.get_position()[1] * axes.bbox.height for each in axes.texts]
    tall = max(Text.get_window_extent(each).height for each in axes.texts)
    assert len(middles) == len(heights)
    assert all(abs(one - other) >= tall for one, other in combinations(middles, 2))


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for suffix in (".png", ".svg", ".pdf"):
        for name in "ab":
            figure = Figure()
            figure.add_subplot().plot([1, 2], [3, 1], "o-")
            save(figure, tmp_path / f"{name}{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_a_vector_copy_beside(tmp_path: Path) -> None:
    figure = Figure()
    figure.add_subplot()
    save_with_vector(figure, tmp_path / "one.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.png", "one.svg"]
    assert "<dc:date>" not in (tmp_path / "one.svg").read_text(encoding="utf-8")
