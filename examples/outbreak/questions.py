"""The picture of docs/how-to/compose.md and its numbers: python examples/outbreak/questions.py [FOLDER]

How much of a budget so many counts with the same noise spend, by every route. They go to docs/figures by default.
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.composition import Releases, compose
from dalenius.plotting import save_with_vector
from dalenius.tables import bound_to_table

HERE = Path(__file__).resolve().parent
SCALE = 20.0
COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64)
DELTA = 1e-6
BUDGET = 1.0
ROUTES = ("group", "weak_dependence", "conversion")
COLUMNS = ("questions", *ROUTES, "conversion_delta", "joint", "differential")
# Okabe-Ito colours; every line also has its own dashes or marker.
LINES = {
    "group": ("group: losses of whole households added", "#D55E00", "--", "s"),
    "weak_dependence": ("weak dependence (sharp)", "#CC79A7", "-.", "^"),
    "conversion": ("conversion: differential losses added, converted once", "#0072B2", "-", "o"),
    "conversion_delta": ("conversion, but for a probability of 10⁻⁶", "#009E73", "-", "v"),
    "joint": ("joint channel: exact", "#000000", "none", "x"),
    "differential": ("differential losses added, not converted: no bound here", "#999999", ":", ""),
}


def outbreak() -> dl.Households:
    spec = HERE / "outbreak.toml"
    model = bound_to_table(dl.read_spec(spec), HERE)[0].model
    assert isinstance(model, dl.Households)
    return model


def spent(model: dl.Households, questions: int) -> dict[str, float]:
    """In nats, by route: how much any chance grows, at most."""
    release = dl.Release(model, dl.Count(), dl.Geometric(scale=SCALE))
    asked, notion = Releases((release,) * questions, adaptive=True), dl.InformationPrivacy()
    found = {name: compose(asked, notion, name).bound.upper for name in ROUTES}
    found["conversion_delta"] = compose(asked, notion, "conversion", DELTA).bound.upper
    # Where all answers are far out, so many of one scale say what one of that scale over their number says: the joint
    # channel leaks that at least, and no more than the conversion allows, which is the same here.
    far = notion.leakage(release.with_noise(dl.Geometric(scale=SCALE / questions)))
    if found["conversion"] - far.lower < 1e-6:
        found["joint"] = far.lower
    found["differential"] = compose(asked, dl.DifferentialPrivacy()).bound.upper
    return found


def draw(rows: list[dict[str, float]], path: Path) -> None:
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for name, (label, colour, dashes, marker) in LINES.items():
        there = [row for row in rows if name in row]
        places, values = [row["questions"] for row in there], [row[name] for row in there]
        size = 8 if marker == "x" else 4
        axes.plot(places, values, linestyle=dashes, color=colour, marker=marker, markersize=size, label=label)
    axes.axhline(BUDGET, color="#000000", linewidth=0.8)
    axes.annotate("budget: e-fold", (COUNTS[0], BUDGET), (0, 3), textcoords="offset points", fontsize=9)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(COUNTS, [str(each) for each in COUNTS])
    axes.minorticks_off()
    axes.set_xlabel("counts answered, each with geometric noise of scale 20")
    axes.set_ylabel("spent (nats)")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    save_with_vector(figure, path)


def main(folder: Path) -> None:
    model = outbreak()
    rows = [{"questions": float(questions), **spent(model, questions)} for questions in COUNTS]
    with (folder / "questions.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([f"{row[name]:.6g}" if name in row else "" for name in COLUMNS] for row in rows)
    draw(rows, folder / "questions.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "docs/figures")
