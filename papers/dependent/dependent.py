"""Dependent differential privacy: Figures 3, 5 to 10 of DDP, on public data, each beside what its text says."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from papers.dependent import (
    figure_3,
    figure_5,
    figure_6,
    figure_8,
    figure_9,
    figure_9_panels,
    figure_10,
    fitted_law,
)
from papers.dependent.data import Network, adult_profiles, cities, facebook, github, google
from papers.dependent.figure_8 import THEIR_PEOPLE
from papers.dependent.mechanisms import Dependence
from papers.dependent.runs import Runs
from papers.paper import Number, Outcome, Study, Write, beside, write_rounded


def run(data: Path) -> Outcome:
    """Everything."""
    found = cities(data)
    apart = tuple(map(figure_3.distances, found))
    accuracy = figure_8.accuracy(found)
    fit = fitted_law.fitted(found, accuracy.dependence)
    runs = Runs(found)
    attacked = figure_10.Dependent.of(runs, accuracy.dependence)
    panels = (
        *figure_9_panels.clustering(found, accuracy.dependence),
        figure_9_panels.classifying(adult_profiles(data)),
        *map(figure_9_panels.counting, _networks(data)),
    )
    learned = tuple(map(figure_9.scored, panels))
    numbers: tuple[Number, ...] = (
        *figure_3.numbers(apart),
        *figure_5.numbers(runs),
        *figure_6.numbers(),
        *figure_8.numbers(accuracy),
        *fitted_law.numbers(fit, accuracy.dependence),
        *figure_9.numbers(learned),
        *figure_10.numbers(attacked),
    )
    files: dict[str, Write] = {
        "dependent_figure_3.png": partial(figure_3.draw, apart),
        "dependent_figure_3.csv": partial(write_rounded, tuple(figure_3.rows(apart))),
        "dependent_figure_5.png": partial(figure_5.draw, runs),
        "dependent_figure_5.csv": partial(write_rounded, tuple(figure_5.rows(runs))),
        "dependent_figure_6.png": figure_6.draw,
        "dependent_figure_6.csv": partial(write_rounded, tuple(figure_6.rows())),
        "dependent_figure_6_separations.csv": partial(write_rounded, tuple(figure_6.separations())),
        "dependent_figure_7.png": partial(figure_10.draw_underestimated, attacked),
        "dependent_figure_7.csv": partial(write_rounded, tuple(figure_10.underestimated_rows(attacked))),
        "dependent_figure_8.png": partial(figure_8.draw, accuracy),
        "dependent_figure_8a.csv": partial(write_rounded, tuple(figure_8.rows(accuracy))),
        "dependent_figure_8b.csv": partial(write_rounded, tuple(figure_8.privacy_rows(accuracy))),
        "dependent_figure_9.png": partial(figure_9.draw, learned),
        "dependent_figure_9.csv": partial(write_rounded, tuple(figure_9.rows(learned))),
        "dependent_figure_10.png": partial(figure_10.draw, attacked),
        "dependent_figure_10a.csv": partial(write_rounded, tuple(figure_10.rows(attacked))),
        "dependent_figure_10b.csv": partial(write_rounded, tuple(figure_10.share_rows(attacked))),
        "dependent_numbers.csv": partial(write_rounded, tuple(beside(numbers))),
    }
    return Outcome(files, numbers, (*_of_people(accuracy.dependence), *NOTES))


def _of_people(found: Dependence) -> Iterator[str]:
    """What differs from the paper's data."""
    yield (
        f"Data: {found.people:,} Gowalla users of New York, San Francisco and Los Angeles, one of whom has "
        f"{found.friends} friends there; the paper has {THEIR_PEOPLE:,}, in San Jose and Long Beach too, over 25 km "
        "away. UCI Adult, 30,162 rows without missing attributes (the paper: 30,269); ego-Facebook and GitHub in place "
        "of the paper's Google+. With SNAP's loc-gowalla files in the folder of data, the cities are made of these, as "
        "the paper says."
    )


def _networks(data: Path) -> tuple[Network, ...]:
    there = google(data)
    return (facebook(data), github(data), *(() if there is None else (there,)))


NOTES: Final = (
    "The figures themselves are not in the text of the paper that we have: their axes are our choice, and what stands "
    "beside ours is what the text says.",
    "Figure 3: pairs of different cities, thousands of km apart, are left out.",
    "Figures 5, 7 and 10: leaked information is Eq 11, the entropy of the prior of somebody who knows no friends less "
    "that of the posterior of somebody who does. It is as large where nothing is published; what the output adds is "
    "`gained`. Noise changes that alone.",
    "Figure 8: ρ by Eq 18 of the friend–distance law (Eq 26) with the paper's constants, over a city's 400 cells, for "
    "the person with most friends. A joint law with the pair laws of that person and each "
    "friend makes noise by the exact pair coefficient (Eq 14) leak more than its ε: given one place all friends are at "
    "one, given another they are independent. No joint law does so to the comonotone bound's.",
    "Sound if only friends depend: all others are independent of the vector of a person and their friends. The "
    "pairs themselves contradict that where friends of friends are no friends, as here: nothing is promised then but "
    "by the baseline, with everybody as one group.",
    "Figure 9: the noise of a centroid is 2q/(size · ε), by the best case of erratum E9. The shaded intervals are of "
    "the mean over 40 repetitions, of which the paper has 1,000.",
    "Figure 9c: a record is a person's number of friends, which moves two cells of the histogram by 1. Without "
    "profiles (GitHub) there is no affinity graph, and no coefficient.",
)
STUDY: Final = Study(
    source="dependent differential privacy (source DDP of the errata), Figures 3, 5 to 10",
    about="distances of friends, the attack on noisy centroids, accuracy of every method, learning on real networks",
    run=run,
)
