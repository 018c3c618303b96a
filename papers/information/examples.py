"""Information privacy in a family of ten: Examples 1 and 2 of IP, each of its methods, and its rare epidemics."""

from collections.abc import Iterator
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Final

import numpy as np

from dalenius.channel import Release, posterior
from dalenius.models import Independent, Model
from dalenius.noise import Laplace
from dalenius.notions import InformationPrivacy, MutualInformationPrivacy
from dalenius.queries import Count
from papers.by_method import EPSILONS, judge, notes_of, rows
from papers.by_method_figures import draw_methods
from papers.family import CHANCE, PEOPLE, all_or_nobody
from papers.information.examples_figures import Average, Raised, draw_example
from papers.information.rare import Rare, RareAt, rare_at, rows as rare_rows
from papers.information.rare_figures import Needed, draw_leakages, draw_noise
from papers.paper import Number, Outcome, Study, beside, write_rows

EPSILON: Final = 1.0
DECADES: Final = tuple(float(f"{digit}e-{power}") for power in range(12, 0, -1) for digit in (1, 3))
CHANCES: Final = (*DECADES, 0.5)
RATES: Final = (*(step / 20 for step in range(1, 20)), *(step / 10 for step in range(10, 31)))
TOGETHER: Final = (1, 2, 4, 10)
"""People who are ill together, of Example 2's mutual information."""
SPORADIC: Final = 0.01
EPIDEMICS: Final = (*DECADES, 0.5)
SIZES: Final = (10, 100, 1000, 1_000_000)


def run(data: Path) -> Outcome:
    """Everything; no data are read."""
    raised, averages = tuple(_raised()), tuple(_averages())
    points, refused = judge([InformationPrivacy(epsilon=epsilon) for epsilon in EPSILONS])
    rare = tuple(rare_at(Rare(PEOPLE, p, q), 1 / EPSILON, EPSILON) for q in (0.0, SPORADIC) for p in EPIDEMICS)
    needed = tuple(_needed())
    numbers = (*_of_examples(), *_of_rare(rare), *_of_noise())
    files = {
        "information_example.png": partial(draw_example, raised, averages),
        "information_example.csv": partial(write_rows, tuple(_lines_of_raised(raised))),
        "information_average.csv": partial(write_rows, tuple(_lines_of_averages(averages))),
        "information_methods.png": partial(draw_methods, points, "log(posterior / prior)", "posterior / prior"),
        "information_methods.csv": partial(write_rows, tuple(rows(points))),
        "information_rare.png": partial(draw_leakages, rare),
        "information_rare.csv": partial(write_rows, tuple(rare_rows(rare, 1 / EPSILON))),
        "information_rare_noise.png": partial(draw_noise, needed),
        "information_rare_noise.csv": partial(write_rows, tuple(_lines_of_needed(needed))),
        "information_numbers.csv": partial(write_rows, tuple(beside(numbers))),
    }
    return Outcome(files, numbers, (*NOTES, *notes_of(refused)))


NOTES: Final = (
    "Methods: the family of `reproduce identity`, promised information privacy: no output raises the probability of a "
    "member's being ill, or of being well, more than e^ε-fold.",
    "A probability p can grow at most to 1, 1/p-fold: at ε = ln(1/p) or more being ill is no secret that needs noise.",
    f"Rare epidemics: with probability p all {PEOPLE} are ill; otherwise nobody, or each with chance {SPORADIC:g}.",
    "The noise is from the closed form of Result 14.2, which the channel's leakage of the ten agrees with.",
)
STUDY: Final = Study(
    source="information privacy (source IP of the errata), Examples 1 and 2, §IV and §V",
    about="a family of ten: posterior by prior, each method's leakage and error by contagion, and rare epidemics",
    run=run,
    reads_data=False,
)


def _raised() -> Iterator[Raised]:
    for people, output in ((2, 2), (PEOPLE, 12)):
        for chance in CHANCES:
            together = _change(all_or_nobody(people, chance), output)
            yield Raised(
                people, output, chance, together, _change(Independent(n=people, probabilities=[chance]), output)
            )


def _change(model: Model, output: float) -> float:
    """Posterior over prior probability of being ill, after that output under Laplace(1/ε) noise."""
    (law,) = posterior(Release(model, Count(), Laplace(scale=1 / EPSILON)), [output]).laws
    ill = law.people[0].values[1]
    return ill.posterior.middle / ill.prior


def _averages() -> Iterator[Average]:
    """I(X_1; Y) of a chance of ½: the most that full contagion can give, both states being alike."""
    for people in TOGETHER:
        for epsilon in RATES:
            yield Average(people, epsilon, _average(people, 0.5, epsilon))


def _average(people: int, chance: float, epsilon: float) -> float:
    release = Release(all_or_nobody(people, chance), Count(), Laplace(scale=1 / epsilon))
    return MutualInformationPrivacy().leakage(release).epsilon


def _needed() -> Iterator[Needed]:
    for q in (0.0, SPORADIC):
        for people in SIZES if q else SIZES[:1]:
            for p in EPIDEMICS:
                law = Rare(people, p, q)
                scales = (law.least_scale(notion, EPSILON) for notion in ("inferential", "information"))
                yield Needed(law, EPSILON, *scales)


def _of_examples() -> Iterator[Number]:
    where = "Example 1"
    why = "the text says so of the probability; it is true of the odds (errata)"
    at = _change(all_or_nobody(PEOPLE, CHANCE), 12)
    yield Number(
        where, f"factor by which 12 raises the probability {CHANCE:g} of Bob's being ill, ε = 1", exp(10.0), at, why
    )
    where = "Example 2"
    what = "log of posterior / prior at Y = 2, ε = 1, two who are ill together, p(t1) ="
    for chance, theirs in ((1e-12, 2.0), (CHANCE, None)):
        ours = log(_change(all_or_nobody(2, chance), 2))
        yield Number(where, f"{what} {chance:g}", theirs, ours, "as p(t1) → 0" if theirs else "1/(p + (1-p)e^-2ε)")
    apart = InformationPrivacy().leakage(Release(Independent(n=2, probabilities=[1e-12]), Count(), Laplace(scale=1.0)))
    yield Number(where, "the same, independent, p(t1) = 1e-12", 1.0, apart.epsilon, "the text: at most")
    shown = max(_average(2, 0.5, epsilon) / epsilon for epsilon in np.arange(1.0, 2.0, 0.05).tolist())
    why = "the text: may be above 1; two records never are, with any noise: at most ln 2 (errata)"
    yield Number(where, "I(X1;Y)/ε of two who are ill together: the most over ε and p(t1)", 1.0, shown, why)
    yield Number(where, "the same at ε = 1, p(t1) → 0: at 1e-12", None, _average(2, 1e-12, 1.0), "vanishes with p(t1)")
    ten, why = _average(PEOPLE, 0.5, 0.3) / 0.3, "above 1: with Laplace noise it takes eight people"
    yield Number(where, "I(X1;Y)/ε of ten who are ill together, ε = 0.3, p = ½", None, ten, why)


def _of_rare(points: tuple[RareAt, ...]) -> Iterator[Number]:
    claim = "the text: very small effect (errata)"
    for at in points:
        if at.law.epidemic in (1e-12, 1e-6):
            cause = f", else each with chance {at.law.sporadic:g}" if at.law.sporadic else " or nobody"
            what = f"leakage of Laplace(1), nats; with probability {at.law.epidemic:g} all ten are ill{cause}"
            yield Number("§IV", f"inferential {what}", None, at.inferential.middle, claim)
            yield Number("§IV", f"information {what}", None, at.information.middle, claim)
            yield Number("§IV", f"mutual-information {what}", None, at.mutual_information.middle, "an average")


def _of_noise() -> Iterator[Number]:
    for people in SIZES:
        law = Rare(people, 1e-6, SPORADIC)
        saved = people / EPSILON / law.least_scale("information", EPSILON)
        what = f"group noise over the least, {people:,} people, epidemic 1e-06, else chance {SPORADIC:g}"
        yield Number("§IV", what, None, saved, "about 1 + ln(1/r)/ε, whatever the number of people (Result 14.2)")


def _lines_of_raised(points: tuple[Raised, ...]) -> Iterator[tuple[object, ...]]:
    yield (
        "people",
        "published",
        "prior",
        "posterior_over_prior_together",
        "closed_form",
        "posterior_over_prior_independent",
    )
    for at in points:
        yield at.people, at.output, at.prior, at.together, at.closed(EPSILON), at.apart


def _lines_of_averages(points: tuple[Average, ...]) -> Iterator[tuple[object, ...]]:
    yield "people", "epsilon", "mutual_information", "over_epsilon"
    for at in points:
        yield at.people, at.epsilon, at.information, at.information / at.epsilon


def _lines_of_needed(points: tuple[Needed, ...]) -> Iterator[tuple[object, ...]]:
    yield "people", "sporadic", "epidemic", "epsilon", "group_scale", "inferential_scale", "information_scale", "rule"
    for at in points:
        law = at.law
        yield law.people, law.sporadic, law.epidemic, at.epsilon, at.group, at.inferential, at.information, at.rule
