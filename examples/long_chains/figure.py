"""Leakage and time against the length of a chain, for docs/research/chain_windows.md.

python examples/long_chains/figure.py [FOLDER]

A count of days that rather change than stay, under Laplace noise: what it leaks of the most exposed day, exactly, and
by the bound over ranges of messages, which answered beyond 2,000 days before windows did; and the processor seconds of
an audit. Nothing is drawn at random. The picture and its CSV go to docs/figures by default.
"""

import csv
import sys
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from time import process_time

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.notions import DifferentialPrivacy, MutualInformationPrivacy, RelativeEntropyPrivacy, audit
from dalenius.plotting import BLUE, VERMILLION, save_with_vector

LONGEST_LAW = 2_000
"""Days, up to which the law of all sums answered, and from which on a bound did."""
LENGTHS = (100, 300, 1_000, LONGEST_LAW, 2_001, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
SCALE = 1.16
TICKS = (1, 2, 5, 10, 20, 50)
"""Seconds."""
NOTIONS = [
    DifferentialPrivacy(),
    dl.InferentialPrivacy(),
    dl.InformationPrivacy(),
    RelativeEntropyPrivacy(),
    MutualInformationPrivacy(),
]


@dataclass(frozen=True)
class Row:
    """Leakages in nats; bound: as it was before windows, the leakage itself where the law of all sums answered."""

    days: int
    engine: str
    inferential_lower: float
    inferential_upper: float
    bound: float
    information: float
    mutual_information: float
    processor_seconds: float

    @classmethod
    def of(cls, days: int) -> "Row":
        model = dl.Chain(n=days, transition=[[0.5, 0.5], [0.948, 0.052]], initial=[0.8, 0.2])
        release = dl.Release(model, dl.Count(), dl.Laplace(scale=SCALE))
        start = process_time()
        found = audit(release, NOTIONS)
        seconds = process_time() - start
        inferential = found["inferential"]
        bound = inferential.upper
        if days > LONGEST_LAW:
            (channel,) = (each for each in release.all_channels() if isinstance(each, WindowedRecords))
            bound = channel.bounded.ratio().value.upper
        return cls(
            days,
            release.worlds.engines()[0][0],
            inferential.lower,
            inferential.upper,
            bound,
            found["information"].upper,
            found["mutual_information"].upper,
            seconds,
        )


def draw(rows: list[Row], path: Path) -> None:
    figure = Figure(figsize=(6.4, 6.0), layout="constrained")
    leaks, times = figure.subplots(2, sharex=True)
    leaks.plot(
        [row.days for row in rows],
        [row.bound for row in rows],
        color=VERMILLION,
        linestyle="--",
        marker="s",
        markersize=5,
        linewidth=1.4,
        label="upper end before: a bound from 2,001 days on",
    )
    leaks.plot(
        [row.days for row in rows],
        [row.inferential_upper for row in rows],
        color=BLUE,
        marker="o",
        markersize=4,
        linewidth=1.6,
        label="both ends now (they differ by less than 1e-8)",
    )
    leaks.set(ylim=(0.0, 3.2), ylabel="inferential leakage (nats)")
    # Filled or not also tells the engines apart in print.
    for engine, label, mark, face in (
        ("convolution", "law of all sums", "D", "white"),
        ("window", "windows", "o", BLUE),
    ):
        chosen = [row for row in rows if row.engine == engine]
        times.plot(
            [row.days for row in chosen],
            [row.processor_seconds for row in chosen],
            color=BLUE,
            marker=mark,
            markerfacecolor=face,
            markersize=5,
            linewidth=1.4,
            label=label,
        )
    times.set(xscale="log", yscale="log", xlabel="length of the chain (days)", ylabel="audit (processor seconds)")
    times.set_yticks(TICKS, [f"{each:g}" for each in TICKS])
    times.minorticks_off()
    for axes in (leaks, times):
        axes.axvline(LONGEST_LAW, color="black", linestyle=":", linewidth=1.1)
        axes.grid(alpha=0.3)
        axes.legend(framealpha=1, edgecolor="white", fontsize=9, loc="upper left")
    leaks.annotate(
        "2,000 days", (LONGEST_LAW, 1.35), xytext=(-4, 0), textcoords="offset points", ha="right", fontsize=9
    )
    save_with_vector(figure, path)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "figures"
    # What is imported and compiled when it is first used is no part of a length's time.
    Row.of(50)
    rows = [Row.of(days) for days in LENGTHS]
    path = folder / "long_chains.png"
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([each.name for each in fields(Row)])
        for row in rows:
            writer.writerow([f"{each:.9g}" if isinstance(each, float) else each for each in astuple(row)])
    draw(rows, path)


if __name__ == "__main__":
    main()
