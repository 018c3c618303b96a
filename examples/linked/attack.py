"""The picture of docs/research/linked.md and its numbers: python examples/linked/attack.py [FOLDER]

What two organisations leak alone and together about one person's record, by how strongly their data sets are linked.
They go to docs/figures by default.
"""

import csv
import sys
from math import log
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.noise import Noise
from dalenius.plotting import save_with_vector

HERE = Path(__file__).resolve().parent
HOMES = dl.Households(count=25, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
STAGES = ("clinic", "pharmacy")
BUDGET = log(2)
PERSISTENCE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
HIGH = 30
"""What is published of both: of 100 people 7 are ill on average, and each noise has a mean size of 4.7."""
COLUMNS = ("persistence", "clinic", "pharmacy", "together", "process", "prior", "after_clinic", "after_both")
# Okabe-Ito colours; every line also has its own dashes and marker.
LEAKS = {
    "together": ("both answers, of the clinic's record", "#D55E00", "-", "o"),
    "process": ("both answers, of the records at both", "#CC79A7", "-.", "^"),
    "clinic": ("the clinic's answer alone", "#0072B2", "-", "s"),
    "pharmacy": ("the pharmacy's answer alone", "#009E73", "--", "v"),
}
BELIEFS = {
    "after_both": ("after both answers", "#D55E00", "-", "o"),
    "after_clinic": ("after the clinic's answer", "#0072B2", "-", "s"),
    "prior": ("before", "#000000", ":", ""),
}


def asked(stage: str) -> dl.Stage:
    return dl.Stage(stage=stage, query=dl.Count())


def private_alone() -> Noise:
    """The least noise with which one organisation's own count, of its own data, leaks ln 2 nats at most."""
    release = dl.Release(HOMES, dl.Count(), dl.Geometric())
    return dl.calibrate(release, dl.InformationPrivacy(epsilon=BUDGET)).noise


def leaked(persistence: float, noise: Noise) -> dict[str, float]:
    model = dl.Linked(stages=STAGES, within=HOMES, coupling="chain", persistence=persistence)
    both = dl.Several(queries=tuple(map(asked, STAGES)), names=STAGES)
    record, notion = dl.Secrets(stage="clinic"), dl.InformationPrivacy()
    alone = {name: dl.Release(model, asked(name), noise, record) for name in STAGES}
    together = dl.Release(model, both, noise, record)
    found = {name: notion.leakage(release).epsilon for name, release in alone.items()}
    found |= {"together": notion.leakage(together).epsilon}
    found |= {"process": notion.leakage(dl.Release(model, both, noise)).epsilon}
    return {
        "persistence": persistence,
        **found,
        "prior": believed(together, None),
        "after_clinic": believed(alone["clinic"], (HIGH,)),
        "after_both": believed(together, (HIGH, HIGH)),
    }


def believed(release: dl.Release, answers: tuple[int, ...] | None) -> float:
    """The attacker's probability that a person's record at the clinic is 1."""
    update = dl.posterior(release, answers or (HIGH,) * len(release.names)).worst.people[0]
    ill = next(each for each in update.values if each.value == 1)
    return ill.prior if answers is None else ill.posterior.middle


def draw(rows: list[dict[str, float]], path: Path) -> None:
    figure = Figure(figsize=(9.4, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    lines(left, rows, LEAKS)
    left.axhline(BUDGET, color="#000000", linewidth=0.8)
    left.annotate("promised alone: ln 2", (0.3, BUDGET), (2, -11), textcoords="offset points", fontsize=8)
    left.set_ylabel("information leakage (nats)")
    left.set_ylim(0, 1.6)
    lines(right, rows, BELIEFS)
    right.set_ylabel(f"Pr[a person is ill | {HIGH} and {HIGH} published]")
    right.set_ylim(0, 0.3)
    save_with_vector(figure, path)


def lines(axes: Axes, rows: list[dict[str, float]], shown: dict[str, tuple[str, str, str, str]]) -> None:
    for name, (label, colour, dashes, marker) in shown.items():
        places, values = [row["persistence"] for row in rows], [row[name] for row in rows]
        axes.plot(places, values, linestyle=dashes, color=colour, marker=marker, markersize=4, label=label)
    axes.set_xlabel("persistence: chance that a record stays as it is")
    axes.legend(frameon=False, fontsize=8, loc="best")
    axes.grid(True, color="#dddddd", linewidth=0.6)


def main(folder: Path) -> None:
    noise = private_alone()
    rows = [leaked(persistence, noise) for persistence in PERSISTENCE]
    with (folder / "linked.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([f"{row[name]:.6g}" for name in COLUMNS] for row in rows)
    draw(rows, folder / "linked.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "docs/figures")
