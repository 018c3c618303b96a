"""IDP Example 1: what a published count says of one member, by contagion, and by method at full contagion."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import Enclosure
from dalenius.drawing import METHOD_LOOKS, save
from papers.by_method_figures import named

# Okabe-Ito colours; every line also has its own dashes.
LOOKS: Final = (
    ("#000000", "-"),
    ("#0072B2", "--"),
    ("#009E73", "-."),
    ("#CC79A7", (0, (5, 1, 1, 1, 1, 1))),
    ("#D55E00", "-"),
)
FACTORS: Final = ((1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1"), (1e2, "10²"), (1e4, "10⁴"))


@final
@dataclass(frozen=True)
class Line:
    """A line of a panel: what it is of, the published answers, and the logs of the factors of the odds there."""

    panel: str
    name: str
    answers: tuple[float, ...]
    values: tuple[Enclosure, ...]

    @property
    def heights(self) -> list[float]:
        return [value.middle for value in self.values]


def draw_example(lines: Sequence[Line], published: float, path: Path) -> None:
    """published: the answer of Example 1, which is marked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    own = [line for line in lines if line.panel == "contagion"]
    for line, (colour, dashes) in zip(own, LOOKS, strict=True):
        left.plot(line.answers, line.heights, color=colour, linestyle=dashes, label=f"contagion {line.name}")
    left.plot([published], [10.0], marker="o", markersize=8, markerfacecolor="white", markeredgecolor="#D55E00")
    where = (published, 10.0)
    words = f"Example 1: {published:g} published,\nodds times e¹⁰ = 22,026"
    left.annotate(words, where, xytext=(-6, 9), textcoords="offset points", ha="center", va="bottom", fontsize=8)
    left.set_title("noise as if people were independent, Laplace(1)", fontsize=10)
    left.set_ylabel("log(posterior odds / prior odds) of being ill, nats")
    _by_method(right, [line for line in lines if line.panel == "method"])
    right.set_title("full contagion, noise of each method for ε = 1", fontsize=10)
    _factors(right)
    for axes in (left, right):
        axes.axhspan(-1, 1, color="0.9", zorder=0, label="within the promise, ε = 1")
        axes.set_xticks(range(-5, 16, 5))
        axes.set(xlabel="published count of ill people", xlim=(-5, 15), ylim=(-11.5, 14.5))
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right", fontsize=8, framealpha=1)
    save(figure, path)


def _by_method(axes: Any, lines: Sequence[Line]) -> None:
    for line in lines:
        method = line.name.split(",")[0]
        name, look = named(method), METHOD_LOOKS[method]
        scale = line.name.removeprefix(method)
        alone = len(line.answers) < 3
        label = f"{name}: only {line.answers[0]:g}" if len(line.answers) == 1 else f"{name}{scale}"
        large = {"markersize": 9, "markerfacecolor": "none"}
        style: dict[str, Any] = {"linestyle": "none", **large} if alone else {"markersize": 4, "markevery": 4}
        style |= large if method == "group" else {}
        axes.plot(line.answers, line.heights, color=look.colour, marker=look.mark, label=label, **style)


def _factors(axes: Any) -> None:
    other = axes.twinx()
    other.set_ylim(*axes.get_ylim())
    other.set_ylim(-11.5, 14.5)
    other.set_yticks([log(value) for value, _ in FACTORS], [label for _, label in FACTORS])
    other.set_ylabel("as a factor of the odds")
