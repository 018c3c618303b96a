"""Identity privacy in a family of ten: Examples 1 and 2 of IDP, and what each of its methods costs."""

from collections.abc import Iterator
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.calibration import calibrate
from dalenius.channel import Release, posterior
from dalenius.errors import InputError
from dalenius.models import Independent
from dalenius.noise import Geometric
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from papers.by_method import EPSILONS, METHODS, Judged, judge, notes_of, release_of, rows
from papers.by_method_figures import draw_methods
from papers.family import CHANCE, PEOPLE, all_or_nobody
from papers.identity.odds_figures import Line, draw_example
from papers.paper import Number, Outcome, Study, beside, write_rows

EPSILON: Final = 1.0
"""Of Example 1's Laplace(1/ε)."""
PUBLISHED: Final = 12.0
"""The answer of Example 1."""
CONTAGIONS: Final = (0.0, 0.01, 0.05, 0.2, 1.0)
ANSWERS: Final = tuple(step / 2 for step in range(-10, 31))
RARE: Final = 1e-6
"""Outputs of a linear program's solution that are rarer are left out of the picture: they are what was mixed in."""


def run(data: Path) -> Outcome:
    """Everything; no data are read."""
    lines = (*map(_of_contagion, CONTAGIONS), *map(_of_method, METHODS))
    points, refused = judge([InferentialPrivacy(epsilon=epsilon) for epsilon in EPSILONS])
    numbers = (*_of_example_1(), *_of_example_2(), *_of_methods(points))
    odds = "posterior odds / prior odds"
    files = {
        "identity_example.png": partial(draw_example, lines, PUBLISHED),
        "identity_example.csv": partial(write_rows, tuple(_lines_of(lines))),
        "identity_methods.png": partial(draw_methods, points, f"log({odds})", odds),
        "identity_methods.csv": partial(write_rows, tuple(rows(points))),
        "identity_numbers.csv": partial(write_rows, tuple(beside(numbers))),
    }
    return Outcome(files, numbers, (*NOTES, *notes_of(refused)))


NOTES: Final = (
    f"The family: {PEOPLE} people, anybody ill with probability {CHANCE:g} (IDP Example 2) at every strength of "
    "contagion. Each member is infected from outside with probability c and by every ill member with probability h "
    "(Longini and Koopman 1982); c is chosen for h. At h = 0 they are independent, at h = 1 all are ill or nobody.",
    "The odds are of one member being ill rather than not, after the published count and before it.",
    "At h = 0 the model is of independent people. For any h above 0 they are one group of ten, so that the noise of "
    "group and weak dependence jumps there.",
    "The optimum is over all mechanisms, by linear programming: exact to the solver's tolerance, and certified by the "
    "dual bound. At h = 1 it publishes 0 whatever the answer, which errs by one person on average.",
)
STUDY: Final = Study(
    source="identity differential privacy (source IDP of the errata), Examples 1 and 2, §4 and §6",
    about="a family of ten: posterior odds by the published answer, and each method's leakage and error by contagion",
    run=run,
    reads_data=False,
)


def log_odds(release: Release, answer: float) -> Enclosure | None:
    """log of posterior odds of being ill over prior odds, after that answer; None where it is never published, or
    hardly ever by noise that has no scale."""
    try:
        (law,) = posterior(release, [answer]).laws
    except InputError:
        return None
    if release.noise.scale is None and law.likelihood is not None and law.likelihood.upper < log(RARE):
        return None
    well, ill = law.people[0].values
    low, high = (
        log(above / ill.prior) - log(below / well.prior)
        for above, below in (
            (ill.posterior.lower, well.posterior.upper),
            (ill.posterior.upper, well.posterior.lower),
        )
    )
    return Enclosure(low, high)


def _of_contagion(contagion: float) -> Line:
    return _line("contagion", f"{contagion:g}", release_of(contagion, 1 / EPSILON), ANSWERS)


def _of_method(method: str) -> Line:
    """At full contagion, as Example 1 has it."""
    release = release_of(1.0)
    noise = calibrate(release, InferentialPrivacy(epsilon=EPSILON), method).noise
    if noise.scale is None:
        whole = tuple(float(k) for k in range(PEOPLE + 1))
        return _line("method", method, release.with_noise(noise), whole)
    return _line("method", f"{method}, scale {noise.scale:.4g}", release.with_noise(noise), ANSWERS)


def _line(panel: str, name: str, release: Release, answers: tuple[float, ...]) -> Line:
    found = [(answer, value) for answer in answers if (value := log_odds(release, answer)) is not None]
    return Line(panel, name, tuple(answer for answer, _ in found), tuple(value for _, value in found))


def _of_example_1() -> Iterator[Number]:
    answer = f"{PUBLISHED:g}"
    release = release_of(1.0, 1 / EPSILON)
    after = log_odds(release, PUBLISHED)
    assert after is not None
    yield Number(
        "Example 1", f"ε′ in e^ε′, how much likelier {answer} is if all are ill; ε = 1", 10.0, after.middle, ""
    )
    apart = log_odds(release_of(0.0, 1 / EPSILON), PUBLISHED)
    assert apart is not None
    yield Number("Example 1", "the same if members were independent", 1.0, apart.middle, "the text: the expected ε")
    ((updated,),) = (law.people for law in posterior(release, [PUBLISHED]).laws)
    change = updated.values[1].posterior.middle / updated.values[1].prior
    why = "the text says so of the probability; it is true of the odds (errata)"
    yield Number("Example 1", f"factor by which {answer} raises the probability {CHANCE:g}", exp(10.0), change, why)


def _of_example_2() -> Iterator[Number]:
    """Two people, p(t1) = 0.1, geometric noise, Y = 2."""
    for what, model, theirs, why in (
        ("two members who are ill together", all_or_nobody(2, CHANCE), 2.0, "equation (3)"),
        ("two who are independent", Independent(n=2, probabilities=[CHANCE]), 1.0, "the text: at most; it is attained"),
    ):
        after = log_odds(Release(model, Count(), Geometric(scale=1 / EPSILON)), 2)
        assert after is not None
        yield Number(
            "Example 2", f"log of posterior odds / prior odds at Y = 2, ε = 1: {what}", theirs, after.middle, why
        )


def _of_methods(points: tuple[Judged, ...]) -> Iterator[Number]:
    full = {at.method: at for at in points if (at.epsilon, at.contagion) == (EPSILON, 1.0)}
    weak = {at.method: at for at in points if (at.epsilon, at.contagion) == (EPSILON, 0.01)}
    for where, method, why in (
        ("Prop 3", "group", "full contagion: what is needed, so that exact adds the same"),
        ("Thm 4", "weak_dependence", "more than the group's: at η near 1 the ln 2 of its last step costs most of ε"),
        ("", "exact", "the least Laplace noise that keeps the promise"),
    ):
        yield Number(where, f"scale of {method} for ε = 1, h = 1", _printed(method), _scale(full[method]), why)
    for method in ("group", "weak_dependence", "exact"):
        yield Number("§6.1", f"scale of {method} for ε = 1, h = 0.01", _printed(method), _scale(weak[method]), "")


def _printed(method: str) -> float | None:
    return PEOPLE / EPSILON if method == "group" else None


def _scale(at: Judged) -> float:
    assert at.scale is not None
    return at.scale


def _lines_of(lines: tuple[Line, ...]) -> Iterator[tuple[object, ...]]:
    yield "panel", "line", "published", "log_odds_change_lower", "log_odds_change_upper"
    for line in lines:
        for answer, value in zip(line.answers, line.values, strict=True):
            yield line.panel, line.name, answer, value.lower, value.upper
