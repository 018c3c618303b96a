"""The looks of pictures, and the writing of their files, for every command that draws.

A file has no trace of the machine or the day. Colours are those of Okabe and Ito (2008), which people who see fewer
colours distinguish, without their yellow, which is faint in print. No two methods share a colour and a mark, nor a mark
and dashes: they differ in grey too.
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
"""Share of the largest value shown below which a value leaves the picture, on a logarithmic axis."""

VERMILLION, BLUE, GREEN, PINK = "#D55E00", "#0072B2", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS: Final = (VERMILLION, BLUE, GREEN, PINK, ORANGE, SKY, BLACK)

_DOTS: Final = (0, (1, 1.4))


@final
@dataclass(frozen=True)
class Look:
    """The look of a line: its colour as #RRGGBB, its mark and its dashes as matplotlib names them."""

    colour: str
    mark: str
    dashes: Any = "-"

    def line(self, filled: bool = True) -> dict[str, Any]:
        """Returns the keywords of `Axes.plot`. A mark that is not `filled` says that something does not hold."""
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
    "general_wasserstein": Look(PINK, ">", "--"),
    "markov_quilt": Look(SKY, "<"),
    "composable_chain": Look(GREEN, "<", "-."),
    "influence_matrix": Look(SKY, "X", "--"),
    "bdp_markov": Look(ORANGE, "^", "--"),
    "bdp_gaussian": Look(ORANGE, "v", "-."),
    "amplification": Look(PINK, "p", "-."),
    "shuffling": Look(SKY, "*", "-."),
    "least_flip": Look(ORANGE, "*", "--"),
    "chain_flips": Look(GREEN, "h", "--"),
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
    """Gives each of `names` a look by its place, as many as can be told apart.

    A new last name changes no other's look.
    """
    dashes = ("-", "--", _DOTS, "-.")
    return {
        name: Look(COLOURS[place % len(COLOURS)], _MARKS[place % len(_MARKS)], dashes[place // len(_MARKS)])
        for place, name in enumerate(names)
    }


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """Returns the look of each of `methods`; those of other authors have spare ones, in the order of their names."""
    return _with_spare(METHOD_LOOKS, methods)


def notion_looks_of(notions: Iterable[str]) -> dict[str, Look]:
    """Returns the look of each of `notions`; those of other authors have spare ones, in the order of their names."""
    return _with_spare(looks_in_order(wings.NOTIONS), notions)


def _with_spare(own: Mapping[str, Look], names: Iterable[str]) -> dict[str, Look]:
    """Returns the own look of each of the project's names, and a grey one for each other name.

    Grey ones go by the names' order and not by when they were loaded.
    """
    wanted = dict.fromkeys(names)
    dashes = (0, (7, 2)), (0, (5, 1, 1, 1, 1, 1)), (0, (9, 3, 2, 3))
    # The case of names that authors outside the project add: they are grey.
    spare = [Look(colour, mark, dash) for dash, mark, colour in product(dashes, _MARKS, ("#7F7F7F", "#404040"))]
    others = dict(zip(sorted(set(wanted) - own.keys()), cycle(spare), strict=False))
    return {name: own[name] if name in own else others[name] for name in wanted}


def given_axes(ax: "Axes | None") -> "Axes":
    """Returns `ax`, or the axes of a new figure where it is None."""
    import matplotlib.pyplot as plt

    return ax if ax is not None else plt.subplots(layout="constrained")[1]


def new_axes(columns: int = 1, width: float = 7.4, height: float = 4.4) -> "tuple[Figure, list[Axes]]":
    """Makes a figure for a file, and its axes beside each other.

    Args:
        columns: How many axes.
        width: The figure's width in inches.
        height: Its height in inches.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12))
    found = list(figure.subplots(1, columns, squeeze=False)[0])
    for axes in found:
        axes.grid(alpha=0.3)
    return figure, found


def side_legend(axes: "Axes") -> None:
    """Writes the names of the lines of `axes` beside them."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8.5)


@final
@dataclass(frozen=True)
class DrawnLine:
    """One line of a picture.

    Args:
        label: The name that the picture's legend gives it.
        points: Its points in the axes' units; those that are not finite are left out.
        look: Its colour, mark and dashes.
        filled: Whether its marks are filled; hollow ones say that something does not hold.
        at_least: Points of which only a lower end is known, drawn as hollow triangles that point upwards.
    """

    label: str
    points: Iterable[tuple[float, float]]
    look: Look
    filled: bool = True
    at_least: Iterable[tuple[float, float]] = ()


def _draw_line(axes: "Axes", line: DrawnLine) -> bool:
    """Draws the line through its points that are finite; returns whether there are any."""
    known = [(x, y) for x, y in line.points if isfinite(y)]
    if known:
        # Because the marks of many points would hide the line.
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
    """Draws a picture of lines, with the names of its axes.

    A line that is nowhere finite is named above the picture, so that it is not taken for one that nobody computed. So
    is a line without a known upper end.

    Args:
        lines: The lines to draw, in the order of the legend.
        across: The name of the horizontal axis, with its unit.
        upright: The name of the upright axis, with its unit.
        levels: Heights that are drawn all over, with their names, such as a promise.
        logarithmic: Whether the upright axis is logarithmic.
        deep: The share of the largest value at which a logarithmic axis begins.
    """
    figure, (axes,) = new_axes()
    drawn = [replace(each, points=tuple(each.points), at_least=tuple(each.at_least)) for each in lines]
    endless = [each.label for each in drawn if not _draw_line(axes, each) and not each.at_least]
    for height, label in levels:
        axes.axhline(height, color="black", linestyle="--", linewidth=1.2, label=label)
    # Because its absence would look like good news: a method that gives no promise at some ε is named.
    said = [f"without bound, and not drawn: {', '.join(endless)}"] if endless else []
    # Because somebody may read a lower end as all that leaks.
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


def plain_ticks(axes: "Axes") -> None:
    """Marks the logarithmic horizontal axis of `axes` with plain numbers, as 0.5 and 20, few enough to be read."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    # Because an axis of less than half a decade has hardly a 1, 2 or 5 on it, it has every digit.
    digits = range(1, 10) if high < 3.2 * low else (1, 2, 5) if high < 300 * low else (1,)
    axes.xaxis.set_major_locator(LogLocator(subs=tuple(map(float, digits)), numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{place:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def floored(values: Iterable[float], deep: float = _DEEP) -> float:
    """Returns the value at which a logarithmic axis for `values` begins; 0 where none is above 0.

    That is the share `deep` of the largest, unless all values are above it.

    >>> floored([0.0, 1e-9, 0.5, 2.0]), floored([0.5, 2.0])
    (0.002, 0.5)
    """
    positive = [value for value in values if isfinite(value) and value > 0]
    return max(min(positive, default=0.0), deep * max(positive, default=0.0))


def check_picture(path: Path, key: str = "plot") -> None:
    """Refuses a file that is no picture, and one that could not be written, or whose CSV could not, with InputError.

    Args:
        path: The picture's file.
        key: The key that the error names.
    """
    if path.suffix not in _SUFFIXES:
        raise InputError(key, str(path), "a file ending in .png, .svg or .pdf")
    check_place(path)
    check_place(path.with_suffix(".csv"))


def check_place(path: Path) -> None:
    """Refuses a file `path` that could not be written, with InputError, before the work whose result it is to hold.

    Refused are a folder that is missing, a path through a file, and a folder that cannot be written.
    """
    # So that a wrong path is found before hours of work, not after.
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
    """Writes `figure` to `path`, in the format of its suffix. The same picture is the same file.

    Args:
        figure: A matplotlib figure.
        path: The file to write; its suffix names the format.
        options: Keywords of `Figure.savefig`.
    """
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": _SALT}):
        figure.savefig(path, dpi=160, metadata=METADATA[path.suffix], **options)


def save_with_vector(figure: Any, path: Path) -> None:
    """Writes `figure` to `path` and, beside it, as SVG for print."""
    save(figure, path)
    save(figure, path.with_suffix(".svg"))


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` fill a temporary file next to `path`, and puts it in place only when it is complete."""
    check_place(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    except OSError as error:
        raise InputError("file", str(path), f"a place that can be written ({error.strerror})") from None
    # Because a picture half written is worse than none: a whole file takes its place at once.
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
    """Writes a picture and, next to it, a CSV of its numbers; returns both paths.

    Args:
        path: The picture's file; its suffix gives the format. InputError for a file that is no picture.
        names: The names of the CSV's columns.
        rows: The CSV's rows.
        figure: Draws the picture; called only when the table is written.
        key: The key that the error names.
    """
    check_picture(path, key)
    table = path.with_suffix(".csv")

    def write(draft: Path) -> None:
        # So that neither stays without the other: the picture is written while the table is a draft.
        with draft.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
        write_atomically(path, lambda other: save(figure(), other, bbox_inches="tight"))

    write_atomically(table, write)
    return path, table
