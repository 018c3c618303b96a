"""How pictures look, and their files: nothing of the machine or the day goes into them.

Colours are those of Okabe and Ito (2008), which people who see fewer colours distinguish, without their yellow, which
is faint in print. No two methods share a colour and a mark, nor a mark and dashes: they differ in grey too.
"""

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from errno import EACCES, ENOENT, ENOTDIR
from itertools import cycle, product
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from dalenius import wings
from dalenius.bounds import NO_UPPER_END
from dalenius.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SUFFIXES: Final = (".png", ".svg", ".pdf")
_SALT: Final = "dalenius"
METADATA: Final = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_DEEP: Final = 1e-3
"""Of the largest value shown: on a logarithmic axis what is below leaves the picture."""

VERMILLION, BLUE, GREEN, PINK = "#D55E00", "#0072B2", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS: Final = (VERMILLION, BLUE, GREEN, PINK, ORANGE, SKY, BLACK)

_DOTS: Final = (0, (1, 1.4))


@final
@dataclass(frozen=True)
class Look:
    """colour as #RRGGBB, mark and dashes as matplotlib names them."""

    colour: str
    mark: str
    dashes: Any = "-"

    def line(self, filled: bool = True) -> dict[str, Any]:
        """What `Axes.plot` is given; a hollow mark says that something does not hold."""
        face = self.colour if filled else "white"
        return {"color": self.colour, "marker": self.mark, "linestyle": self.dashes, "markerfacecolor": face}


METHOD_LOOKS: Final[Mapping[str, Look]] = {
    "independent": Look(VERMILLION, "o"),
    "group": Look(BLUE, "s"),
    "gaussian": Look(BLUE, "P", "--"),
    "weak_dependence": Look(GREEN, "^"),
    "dependence_coefficient": Look(SKY, "h"),
    "comonotone": Look(GREEN, "*", _DOTS),
    "wasserstein": Look(BLUE, ">", "-."),
    "markov_quilt": Look(SKY, "<"),
    "influence_curve": Look(SKY, "d", "-."),
    "prior_free": Look(GREEN, "s", "-."),
    "prior_dependent": Look(GREEN, "o", "--"),
    "lee_clifton": Look(VERMILLION, "^", "-."),
    "noiseless": Look(BLACK, "X"),
    "exact": Look(BLACK, "D"),
    "clamped": Look(ORANGE, "P"),
    "optimal": Look(PINK, "v"),
}
_MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p", "d")


def looks_in_order(names: Iterable[str]) -> dict[str, Look]:
    """By their places, as many as there are lines to tell apart: a new name at the end changes no other's look."""
    dashes = ("-", "--", _DOTS, "-.")
    return {
        name: Look(COLOURS[place % len(COLOURS)], _MARKS[place % len(_MARKS)], dashes[place // len(_MARKS)])
        for place, name in enumerate(names)
    }


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each; those of other authors have spare ones, in the order of their names."""
    return _with_spare(METHOD_LOOKS, methods)


def notion_looks_of(notions: Iterable[str]) -> dict[str, Look]:
    """The same of notions."""
    return _with_spare(looks_in_order(wings.NOTIONS), notions)


def _with_spare(own: Mapping[str, Look], names: Iterable[str]) -> dict[str, Look]:
    """Of the project's own names their own look, of others a grey one, by their order and not by when they were
    loaded."""
    wanted = dict.fromkeys(names)
    dashes = (0, (7, 2)), (0, (5, 1, 1, 1, 1, 1)), (0, (9, 3, 2, 3))
    # Grey, for what authors outside the project add.
    spare = [Look(colour, mark, dash) for dash, mark, colour in product(dashes, _MARKS, ("#7F7F7F", "#404040"))]
    others = dict(zip(sorted(set(wanted) - own.keys()), cycle(spare), strict=False))
    return {name: own[name] if name in own else others[name] for name in wanted}


def given_axes(ax: "Axes | None") -> "Axes":
    """These, or new ones of a figure of their own."""
    import matplotlib.pyplot as plt

    return ax if ax is not None else plt.subplots(layout="constrained")[1]


def new_axes(columns: int = 1, width: float = 7.4, height: float = 4.4) -> "tuple[Figure, list[Axes]]":
    """A figure for a file, of that size in inches, and its axes beside each other."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12))
    found = list(figure.subplots(1, columns, squeeze=False)[0])
    for axes in found:
        axes.grid(alpha=0.3)
    return figure, found


def side_legend(axes: "Axes") -> None:
    """The names of its lines, beside the axes."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8.5)


@final
@dataclass(frozen=True)
class DrawnLine:
    """label: its name; points: in the axes' units, those that are not finite are left out; filled: whether its marks
    are, which are hollow where something does not hold; at_least: points of which a lower end alone is known, drawn as
    hollow triangles that point upwards."""

    label: str
    points: Iterable[tuple[float, float]]
    look: Look
    filled: bool = True
    at_least: Iterable[tuple[float, float]] = ()


def _draw_line(axes: "Axes", line: DrawnLine) -> bool:
    """Through its points that are finite; whether there are any."""
    known = [(x, y) for x, y in line.points if isfinite(y)]
    if known:
        # Points of a line from which on it has no marks.
        style = line.look.line(line.filled) | ({"marker": ""} if len(known) > 40 else {})
        axes.plot(*zip(*known, strict=True), linewidth=1.6, markersize=5.5, label=line.label, **style)
    for x, y in line.at_least:
        style = {"color": line.look.colour, "marker": "^", "markerfacecolor": "white", "linestyle": "none"}
        axes.plot([x], [y], markersize=6.5, label="_", **style)
    return bool(known)


def line_figure(
    lines: Iterable[DrawnLine],
    across: str,
    upright: str,
    levels: Iterable[tuple[float, str]] = (),
    logarithmic: bool = False,
    deep: float = _DEEP,
) -> "Figure":
    """A picture of lines, with the names of its axes. levels: heights that are drawn all over, with their names, such
    as a promise; logarithmic: upright, from that share of the largest value on. A line that is nowhere finite is named
    above the picture, so that it is not taken for one that nobody computed; so is one without a known upper end."""
    figure, (axes,) = new_axes()
    drawn = [replace(each, points=tuple(each.points), at_least=tuple(each.at_least)) for each in lines]
    endless = [each.label for each in drawn if not _draw_line(axes, each) and not each.at_least]
    for height, label in levels:
        axes.axhline(height, color="black", linestyle="--", linewidth=1.2, label=label)
    # A method that gives no promise at some ε is named, lest its absence look like good news.
    said = [f"without bound, and not drawn: {', '.join(endless)}"] if endless else []
    # Somebody may read a lower end as all that leaks.
    if open_ended := [each.label for each in drawn if each.at_least]:
        said.append(f"△: at least so much, {NO_UPPER_END}: {', '.join(open_ended)}")
    if said:
        axes.set_title("\n".join(each.replace("\n", " ") for each in said), fontsize=9)
    values = [y for each in drawn for _, y in (*each.points, *each.at_least) if isfinite(y)]
    if logarithmic and (floor := floored(values, deep)):
        axes.set(yscale="log", ylim=(floor / 1.5, 1.6 * max(values)))
    elif not logarithmic:
        axes.set_ylim(bottom=0)
    axes.set(xlabel=across, ylabel=upright)
    side_legend(axes)
    return figure


def floored(values: Iterable[float], deep: float = _DEEP) -> float:
    """Where a logarithmic axis for these ends: a thousandth of the largest (or another share: deep), unless all are
    above it; 0 where none is above 0.

    >>> floored([0.0, 1e-9, 0.5, 2.0]), floored([0.5, 2.0])
    (0.002, 0.5)
    """
    positive = [value for value in values if isfinite(value) and value > 0]
    return max(min(positive, default=0.0), deep * max(positive, default=0.0))


def check_picture(path: Path, key: str = "plot") -> None:
    """InputError for a file that is no picture, and for one that could not be written, or the CSV beside it."""
    if path.suffix not in _SUFFIXES:
        raise InputError(key, str(path), "a file ending in .png, .svg or .pdf")
    check_place(path)
    check_place(path.with_suffix(".csv"))


def check_place(path: Path) -> None:
    """InputError for a file that could not be written, before the work that it is to hold. A folder that is missing, a
    path through a file, and a folder that cannot be written."""
    # Asked before hours of work, not after.
    if path.is_dir():
        raise InputError("file", str(path), "a place that can be written (it is a folder)")
    folder = path.parent
    if not folder.is_dir():
        why = ENOTDIR if folder.exists() else ENOENT
    elif not os.access(folder, os.W_OK):
        why = EACCES
    else:
        return
    raise InputError("file", str(path), f"a place that can be written ({os.strerror(why)})")


def save(figure: Any, path: Path, **options: Any) -> None:
    """The format by the suffix; the same picture is the same file."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": _SALT}):
        figure.savefig(path, dpi=160, metadata=METADATA[path.suffix], **options)


def save_with_vector(figure: Any, path: Path) -> None:
    """And beside it, for print, the same as SVG."""
    save(figure, path)
    save(figure, path.with_suffix(".svg"))


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file next to `path`, and put it in place only when it is complete."""
    check_place(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    except OSError as error:
        raise InputError("file", str(path), f"a place that can be written ({error.strerror})") from None
    # A picture half written is worse than none: the place is taken by a whole file at once.
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_both(
    path: Path, names: Sequence[str], rows: Iterable[Sequence[object]], figure: Callable[[], Any], key: str = "plot"
) -> tuple[Path, Path]:
    """A picture at `path` (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    InputError, of that key, for a file that is no picture."""
    check_picture(path, key)
    table = path.with_suffix(".csv")

    def write(draft: Path) -> None:
        # The picture while the table is a draft, so that neither stays without the other.
        with draft.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
        write_atomically(path, lambda other: save(figure(), other, bbox_inches="tight"))

    write_atomically(table, write)
    return path, table
