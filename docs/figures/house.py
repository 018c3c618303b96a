"""Draws docs/figures/house.svg, the picture of the house, from the floors in pyproject.toml."""

import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PICTURE = REPOSITORY / "docs/figures/house.svg"
ROLES = {
    "cli": "the commands",
    "server": "the service, over HTTP",
    "pages": "what a release means, for people",
    "curator": "releases, the ledger, certificates",
    "spec": "TOML and JSON to objects",
    "reports": "figures from results",
    "calibration": "how much noise",
    "composition": "many answers",
    "conversion": "from any pipeline",
    "fitting": "models from data",
    "attacks": "what is inferred",
    "learning": "releases that learn",
    "certificates": "(ε, δ) from moments",
    "notions": "what a channel leaks, as a number",
    "knowledge": "what changes if the adversary knows some records",
    "channel": "Pr[output | secret], computed exactly",
    "models": "who depends on whom",
    "queries": "what is asked",
    "noise": "what is added",
    "tables": "the data",
    "joints": "joint laws of everybody's records",
    "tallies": "how many people have which value",
    "graphs": "who is connected to whom",
    "laws": "laws of an answer, and sums over outputs",
    "bounds": "enclosures",
    "schema": "field types",
    "special": "functions",
    "roots": "root finding",
    "kinds": "names in specs",
    "stages": "progress",
    "tabular": "what is shown as a table",
    "drawing": "how pictures look",
    "describing": "what help says",
    "version": "which one this is",
    "errors": "one base for all",
}
IDEA = ("models", "queries", "noise", "channel", "notions")
WORDS = (
    "Each room imports from the floors below it only.",
    "Grey: a model, a query and a noise make a channel; a notion reads a number from it.",
)
WIDTH, HEIGHT, GAP, MARGIN = 860, 40, 6, 10


def floors() -> list[list[str]]:
    """The rooms that there are, floor by floor from the top."""
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    house = REPOSITORY / "src/dalenius"
    named = [re.findall(r"\w+", layer) for layer in layers if "__main__" not in layer]
    there = [[name for name in names if (house / name).is_dir() or (house / f"{name}.py").exists()] for names in named]
    return [names for names in there if names]


def svg() -> str:
    return "\n".join(_lines(floors())) + "\n"


def _lines(rows: list[list[str]]) -> Iterator[str]:
    height = 2 * MARGIN + len(rows) * (HEIGHT + GAP) + len(WORDS) * 20
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    yield '     font-family="Helvetica, Arial, sans-serif" font-size="13">'
    yield f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    for row, names in enumerate(rows):
        wide = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
        for place, name in enumerate(names):
            yield from _room(name, MARGIN + place * (wide + GAP), MARGIN + row * (HEIGHT + GAP), wide)
    below = MARGIN + len(rows) * (HEIGHT + GAP) + 12
    for number, words in enumerate(WORDS):
        yield f'<text x="{MARGIN}" y="{below + 20 * number}">{escape(words)}</text>'
    yield "</svg>"


def _room(name: str, left: float, top: float, wide: float) -> Iterator[str]:
    fill = "#dddddd" if name in IDEA else "white"
    inside = left + 10
    yield f'<rect x="{left:g}" y="{top}" width="{wide:g}" height="{HEIGHT}" fill="{fill}" stroke="black"/>'
    yield f'<text x="{inside:g}" y="{top + 17}" font-weight="bold" font-size="14">{name}</text>'
    yield f'<text x="{inside:g}" y="{top + 33}">{escape(ROLES[name])}</text>'


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
