"""Draws where an adversary thinks that one person is, and writes the numbers beside the picture."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from dalenius.places.attack_on_locations import PosteriorMap
from dalenius.plotting import new_axes, write_both

_HEADER: Final = ("row", "column", "lat", "lon")
_TITLES: Final = {"strangers": "knows no friends", "friends": "knows friends"}
_MARKS: Final = {"home": "x", "friends": "^", "guess": "o"}
_SIZES: Final = {"home": 80, "friends": 30, "guess": 90}
_DEEP: Final = 1e-3
"""Share of the largest probability below which cells look alike."""


def draw_posterior(found: PosteriorMap, path: Path) -> tuple[Path, Path]:
    """Writes a map for each adversary, before and after the centroids, and a CSV of the cells; returns both paths.

    Darker cells are likelier, in grey as in colour. Cells of probability 0 in every map have no row in the CSV.

    Args:
        found: The beliefs.
        path: The picture's path, whose suffix is its format.
    """
    kinds = [f"{when}_{name}" for name in found.after for when in ("before", "after")]
    return write_both(path, (*_HEADER, *kinds), _rows(found), lambda: _figure(found))


def _rows(found: PosteriorMap) -> Iterator[tuple[object, ...]]:
    laws = [law.ravel() for name in found.after for law in (found.before[name], found.after[name])]
    centres = found.grid.centres
    for cell in np.flatnonzero(np.any(laws, axis=0)).tolist():
        row, column = divmod(cell, found.grid.columns)
        latitude, longitude = centres[cell].tolist()
        chances = [f"{law[cell]:.6g}" for law in laws]
        yield row + 1, column + 1, f"{latitude:.7g}", f"{longitude:.7g}", *chances


def _figure(found: PosteriorMap) -> Any:
    names, grid = list(found.after), found.grid
    figure, axes = new_axes(2 * len(names), 3.6 * 2 * len(names), 4.4)
    top = max(float(law.max()) for laws in (found.before, found.after) for law in laws.values())
    sides = grid.west, grid.east, grid.south, grid.north
    pairs = [(name, when, laws[name]) for name in names for when, laws in _both(found)]
    for place, (name, when, law) in enumerate(pairs):
        own = axes[place]
        # Cells without probability stay white; the scale is one for all maps.
        shown = np.ma.masked_less_equal(np.where(law > 0, np.maximum(law, top * _DEEP), 0.0), 0.0)
        image = own.imshow(
            shown, origin="lower", extent=sides, aspect="auto", cmap="cividis_r", norm="log", vmin=top * _DEEP, vmax=top
        )
        best = grid.centres[int(np.argmax(law.ravel()))]
        spots = {"guess": [best], "home": [np.array(found.home)]}
        if name == "friends" and len(found.friends):
            spots = {"friends": list(found.friends), **spots}
        for kind, where in spots.items():
            latitudes, longitudes = np.array(where).T
            style: dict[str, Any] = (
                {"color": "black"} if kind == "home" else {"facecolors": "white", "edgecolors": "black"}
            )
            own.scatter(longitudes, latitudes, marker=_MARKS[kind], s=_SIZES[kind], zorder=3, **style)
        own.set(xlim=sides[:2], ylim=sides[2:], xlabel="longitude")
        own.set_title(f"{_TITLES[name]}, {when}", fontsize=10)
        own.ticklabel_format(useOffset=False)
        own.tick_params(labelsize=7)
    axes[0].set_ylabel("latitude")
    figure.colorbar(image, ax=axes, label="probability of the cell", fraction=0.03)
    figure.suptitle(f"person {found.name}: × home, ○ likeliest cell, △ friends known", fontsize=10)
    return figure


def _both(found: PosteriorMap) -> tuple[tuple[str, dict[str, Any]], ...]:
    return ("before", found.before), ("with the centroids", found.after)
