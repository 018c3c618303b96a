"""DI §8 on UCI Adult: Figures 1 and 2, the noise of Theorem 3 over the answer as surfaces over (α, β), and Table 2.

Table 2 and the axes of the figures are not in the text of the paper that we have. Θ here is that of Definition 5 over
all tables of 32,561 people with values between the attribute's least and greatest; the CSV has other readings. Panel
(a) is not named in the text; average age is our choice. Every panel is the same function of (α, β) times Θ/|answer|:
Theorem 3 knows of a query nothing else. The least capital gain is 0: panel (b) shows the noise itself. The paper
counts 32,562 people: lines of the file, of which the last is empty.
"""

from collections.abc import Iterator, Sequence
from math import log10
from typing import Any, Final

import numpy as np
from matplotlib.colors import LogNorm

from dalenius.absent.odds_bounds import identifiable_scale
from papers.adult import numeric_attributes
from papers.figure import panels, save
from papers.identifiability.questions import QUERIES, STRONG, WEAK, Adversary, Point, Question, exact_scale, question_of
from papers.numbers import Array, Number, data_folder, main, write_csv

STEPS: Final = 41
FINE: Final = 161
"""Steps of what is drawn: with fewer, the edges between colours have corners."""
PANELS: Final = (
    ("a", "average", "age"),
    ("b", "min", "capital-gain"),
    ("c", "max", "capital-loss"),
    ("d", "sum", "hours-per-week"),
)
HOURS, LOSS = Point(0.008, 0.008, 9e-3), Point(0.5, 1.0, 0.1)
"""For which the paper's text prints the ratio."""
PRINTED: Final = {"d": HOURS, "c": LOSS}


def figures(quick: bool = False) -> Iterator[Number]:
    columns = numeric_attributes(data_folder())
    questions = {
        (query, name): question_of(query, name, values) for name, values in columns.items() for query in QUERIES
    }
    shown = {letter: questions[query, attribute] for letter, query, attribute in PANELS}
    for number, adversary in ((1, WEAK), (2, STRONG)):
        draw(f"identifiability_figure_{number}", shown, adversary, STEPS if quick else FINE)
        write_csv(f"identifiability_figure_{number}", _rows(shown, adversary))
    write_csv("identifiability_table_2", _sensitivities(list(questions.values())))
    yield from _of_hours(questions["sum", "hours-per-week"])
    yield from _of_loss(questions["max", "capital-loss"])
    closest = "the paper: very close, but a little more noise for min(capital-gain); Theorem 3 gives the same for all"
    yield Number(
        "Fig 2", "strong over weak adversary's noise, the most where both are drawn", None, _surplus(), closest
    )


def draw(name: str, shown: dict[str, Question], adversary: Adversary, steps: int) -> None:
    """The four surfaces, seen from above."""
    figure, all_axes = panels(2, 2, (9.6, 8.2))
    for axes, (letter, question) in zip(all_axes, shown.items(), strict=True):
        surface = np.array([[_ratio(question, adversary, a, b) for a in alphas(steps)] for b in adversary.betas(steps)])
        low, high = np.floor(2 * np.log10(surface.min())), np.ceil(2 * np.log10(surface.max()))
        levels = 10.0 ** (np.arange(low, high + 1) / 2)  # two a decade, around all of it
        places = alphas(steps), adversary.betas(steps)
        fill = axes.contourf(*places, surface, levels=levels, norm=LogNorm(levels[0], levels[-1]), cmap="cividis_r")
        lines = axes.contour(*places, surface, levels=levels[1:-1], colors="black", linewidths=0.6)
        what = "noise / answer" if question.answer else "noise (dollars; the answer is 0)"
        figure.colorbar(fill, ax=axes, label=what, ticks=levels, format=_decade).add_lines(lines)
        axes.grid(visible=False)
        axes.set(xscale="log", yscale="log", xlabel="α", ylabel="β")
        axes.set_title(f"({letter}) {question.name}, Θ = {question.universe:,.5g}", fontsize=11)
        if letter in PRINTED and adversary is WEAK:
            _mark(axes, question, PRINTED[letter])
    figure.suptitle(f"Noise of (α, β)-identifiability on UCI Adult: {adversary.name} adversary, {adversary.bounds}")
    save(name, figure)


def alphas(steps: int = STEPS) -> Array:
    """What α is shown."""
    return np.geomspace(1e-3, 0.9, steps)


def _ratio(question: Question, adversary: Adversary, alpha: float, beta: float) -> float:
    """The noise over the answer, where that is not 0."""
    return identifiable_scale(question.universe, alpha, beta, adversary.least) / (abs(float(question.answer)) or 1.0)


def _mark(axes: Any, question: Question, point: Point) -> None:
    ours = _ratio(question, WEAK, point.alpha, point.beta)
    axes.plot(point.alpha, point.beta, marker="o", markersize=8, markerfacecolor="white", markeredgecolor="black")
    right = point.alpha < 0.03
    axes.annotate(
        f"paper {point.printed:g}\nours {ours:.3g}",
        (point.alpha, point.beta),
        xytext=(10 if right else -10, 12),
        textcoords="offset points",
        ha="left" if right else "right",
        bbox={"facecolor": "white", "edgecolor": "black", "linewidth": 0.6, "boxstyle": "round,pad=0.25"},
    )


def _decade(value: float, _: object = None) -> str:
    power = log10(value)
    return f"$10^{{{round(power)}}}$" if abs(power - round(power)) < 1e-6 else ""


def _of_hours(hours: Question) -> Iterator[Number]:
    at, name = f"({HOURS.alpha:g}, {HOURS.beta:g})", hours.name
    what = f"noise/answer of {name} at {at}, weak adversary; Θ = {hours.universe:g} as Definition 5 has it"
    ours = _ratio(hours, WEAK, HOURS.alpha, HOURS.beta)
    yield Number("Fig 1(d)", what, HOURS.printed, ours, "the paper prints one digit")
    spread = "Theorem 3 allows for all others at the far end; they are spread over it"
    yield Number("Fig 1(d)", "the same with the exact least scale", None, exact_scale(hours, HOURS, WEAK), spread)
    placed = "as Theorem 3: a prior with those bounds may put all others at the far end"
    yield Number("Fig 2", "the same for the strong adversary", None, exact_scale(hours, HOURS, STRONG), placed)


def _of_loss(loss: Question) -> Iterator[Number]:
    """By every reading of Θ; the paper's is no other number than the first one's."""
    for theta, theirs, reading, why in (
        (loss.universe, LOSS.printed, "as Definition 5 has it", "0.1 would be Θ = 302, which no reading gives"),
        (loss.here, None, "in this table", "several people have the greatest loss: without any of them it stays"),
        (loss.for_one or 0.0, None, "between the two greatest values", "nearest: if the greatest were one person's"),
    ):
        what = (
            f"noise/answer of {loss.name} at ({LOSS.alpha:g}, {LOSS.beta:g}), weak adversary; Θ = {theta:g} {reading}"
        )
        ours = identifiable_scale(theta, LOSS.alpha, LOSS.beta, WEAK.least) / float(loss.answer)
        yield Number("Fig 1(c)", what, theirs, ours, why)


def _surplus() -> float:
    """The strong adversary's noise over the weak one's, at most, over the points of Figure 2."""
    return max(
        identifiable_scale(1.0, alpha, beta, STRONG.least) / identifiable_scale(1.0, alpha, beta, WEAK.least)
        for alpha in alphas()
        for beta in STRONG.betas()
    )


def _rows(shown: dict[str, Question], adversary: Adversary) -> Iterator[tuple[object, ...]]:
    yield "panel", "query", "adversary", "answer", "theta", "alpha", "beta", "scale", "scale_over_answer"
    for letter, question in shown.items():
        answer = float(question.answer)
        for beta in adversary.betas():
            for alpha in alphas():
                scale = identifiable_scale(question.universe, alpha, beta, adversary.least)
                over = scale / abs(answer) if answer else ""
                known = letter, question.name, adversary.name, answer, question.universe
                yield *known, f"{alpha:.6g}", f"{beta:.6g}", scale, over


def _sensitivities(questions: Sequence[Question]) -> Iterator[tuple[object, ...]]:
    yield (
        *("query", "attribute", "answer", "theta_universe", "theta_this_table", "theta_each_value_once"),
        "delta_universe",
    )
    for each in questions:
        readings = each.universe, each.here, each.for_one, each.presence
        yield each.query, each.attribute, float(each.answer), *readings


if __name__ == "__main__":
    main(figures)
