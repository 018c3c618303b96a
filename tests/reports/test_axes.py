"""Logarithmic axes end where there is something to see; the same picture is the same file."""

from math import inf, nan
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dalenius import InputError
from dalenius.drawing import check_picture, floored, save, save_with_vector


def test_floor() -> None:
    assert floored([5.0, 0.01, 3.0]) == 0.01
    assert floored([5.0, 1e-14, 0.0, nan, inf]) == 5e-3
    assert floored([1.0, 1e-14], 1e-9) == 1e-9
    assert floored([0.0, nan]) == 0.0


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_picture_is_the_same_file(suffix: str, tmp_path: Path) -> None:
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


def test_only_pictures() -> None:
    with pytest.raises(InputError, match=r"^--tail: x.gif, wanted a file ending in .png, .svg or .pdf$"):
        check_picture(Path("x.gif"), "--tail")
