"""The conformance table: a row per class, with what it means to the reference and examples of it.

A new query, noise or notion is a row here, a new model one in `models.py`; `test_table.py` fails until it has one.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dalenius.absent.notions import DifferentialIdentifiability, RhoIdentifiability
from dalenius.absent.one_absent_model import Absent
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.knowledge.noiseless import NoiselessPrivacy
from dalenius.models import Model
from dalenius.noise import (
    CellKey,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Kernel,
    Laplace,
    Noise,
    NoisyMax,
    NoNoise,
    RandomizedResponse,
    Rounding,
    Steps,
    Suppression,
)
from dalenius.notions import (
    DifferentialPrivacy,
    GLeakage,
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
    Renyi,
)
from dalenius.optimum.clamped_noise import Clamped
from dalenius.optimum.relocation_noise import Relocation
from dalenius.queries import Count, Histogram, Max, Mean, Median, Min, Query, Reports, Several, Stage, Sum, Variance
from tests.conformance import notions, scores, worlds
from tests.conformance.models import FAMILY as FAMILY, MODELS as MODELS, PAIR as PAIR, XOR as XOR
from tests.conformance.reported import ReportedTruth
from tests.conformance.row import Row as Row, examples as examples, row_of as row_of
from tests.conformance.truth import Truth
from tests.reference import absent, bayesian as reference, leakages, mechanisms, noises, office_rules, reported
from tests.reference.channel import Channel
from tests.reference.noiseless import worst_known
from tests.reference.noisy_max import NoisyMax as ReferenceNoisyMax

QUERIES: tuple[Row[Query], ...] = (
    Row(
        Count,
        scores.count,
        {
            "count": Count(),
            "count of values": Count(values=[0, 2]),
            "count of words": Count(values=["ill", "dead"]),
            "count per label": Count(per_label=True),
            "count of children": Count(labels=["child"]),
            "count of children, then adults": Count(labels=["child", "adult"], per_label=True),
        },
    ),
    Row(
        Sum,
        scores.total,
        {
            "sum": Sum(),
            "sum clipped": Sum(lower=0.25, upper=1.5),
            "sum per label": Sum(per_label=True, upper=0.5),
            "weighted sum": Sum(weights={"": 2, "a": 0.5, "b": -1.5}),
        },
    ),
    Row(
        Mean,
        scores.mean,
        {"mean": Mean(), "mean clipped": Mean(lower=-0.5, upper=0.75), "mean per label": Mean(per_label=True)},
    ),
)

QUERIES += (
    Row(Histogram, scores.histogram, {"histogram": Histogram(cells=[[0], [1]]), "one cell": Histogram(cells=[[0, 1]])}),
    Row(
        Several,
        scores.several,
        {
            "count and sum": Several(queries=[Count(), Sum(upper=1.5)]),
            "count at two stages": Several(queries=[Stage(stage=1, query=Count()), Stage(stage=2, query=Count())]),
            "count twice": Several(queries=[Count(), Count()]),
            "max and count": Several(queries=[Max(upper=1.5), Count()]),
            "min and max": Several(queries=[Min(), Max()]),
        },
    ),
)

QUERIES += (
    Row(
        Max,
        scores.extreme,
        {
            "max": Max(),
            "max clipped": Max(lower=0.25, upper=1.5),
            "max per label": Max(per_label=True),
            "max of children": Max(labels=["child"]),
        },
    ),
    Row(
        Min,
        scores.extreme,
        {"min": Min(), "min clipped": Min(lower=-0.5, upper=0.75), "min per label": Min(per_label=True)},
    ),
    Row(
        Stage,
        scores.at_stage,
        {
            "count at a stage": Stage(stage=2, query=Count()),
            "count at all stages": Stage(query=Count()),
            "sum per label at a stage": Stage(stage=1, query=Sum(per_label=True)),
        },
    ),
    Row(Reports, scores.reports, {"records shuffled": Reports(shuffled=True)}),
    Row(Variance, scores.unscored, {"variance": Variance()}),
    Row(Median, scores.unscored, {"median": Median()}),
)


def _clamped_rows(noise: Clamped, step: Fraction) -> Iterator[tuple[Fraction, Sequence[Fraction]]]:
    ends = Fraction(str(noise.lower)), Fraction(str(noise.upper))
    answers = [k * step for k in range(-40, 41)]
    yield from mechanisms.clamped(Fraction(noise.scale), *ends, step, answers).items()


def _relocation_rows(noise: Relocation, step: Fraction) -> Iterator[tuple[Fraction, Sequence[Fraction]]]:
    moves, shares = ([list(map(Fraction, row)) for row in rows] for rows in (noise.moves, noise.shares))
    lower = Fraction(str(noise.lower)) / step
    rows = mechanisms.relocation(int(lower), list(map(Fraction, noise.leaves)), moves, shares, range(-40, 41))
    yield from ((answer * step, row) for answer, row in rows.items())


def _ruled(rule: office_rules.Rule, step: Fraction) -> noises.Kernel:
    return noises.kernel(office_rules.rows(rule, [k * step for k in range(-40, 41)]))


NOISES: tuple[Row[Noise], ...] = (
    Row(Laplace, lambda noise, step: noises.laplace(noise.scale), {"laplace": Laplace(scale=0.7)}),
    Row(Geometric, lambda noise, step: noises.geometric(noise.scale, step), {"geometric": Geometric(scale=1.3)}),
    Row(NoNoise, lambda noise, step: noises.NONE, {"none": NoNoise()}),
    Row(Gaussian, lambda noise, step: noises.gaussian(noise.scale), {"gaussian": Gaussian(scale=1.1)}),
    Row(
        DiscreteGaussian,
        lambda noise, step: noises.discrete_gaussian(noise.scale, step),
        {"discrete gaussian": DiscreteGaussian(scale=0.9)},
    ),
    Row(
        Kernel,
        lambda noise, step: noises.kernel(
            {Fraction(str(a)): row for a, row in zip(noise.answers, noise.probabilities, strict=True)}
        ),
        {"kernel": Kernel(answers=[0, 1, 2], probabilities=[[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0, 0.25, 0.75]])},
    ),
    Row(
        Clamped,
        lambda noise, step: noises.kernel(dict(_clamped_rows(noise, step))),
        {"clamped": Clamped(scale=0.8, lower=0, upper=1)},
    ),
    Row(
        Relocation,
        lambda noise, step: noises.kernel(dict(_relocation_rows(noise, step))),
        {
            "relocation": Relocation(
                lower=0, upper=2, leaves=[0.25, 1], moves=[[0.5, 0.5], [0.75, 0.25]], shares=[[0.1, 0.9], [1]]
            )
        },
    ),
    Row(
        NoisyMax,
        lambda noise, step: ReferenceNoisyMax(
            Fraction(noise.scale), noise.candidates, noise.added == "exponential", noise.k
        ),
        {"noisy max": NoisyMax(candidates=3, scale=1.5)},
    ),
)
NOISES += (
    Row(
        Rounding,
        lambda noise, step: _ruled(
            office_rules.nearest(lambda answer: 1 if abs(answer) < 2 else 2)
            if noise.bands
            else office_rules.unbiased(noise.base)
            if noise.how == "unbiased"
            else office_rules.nearest(lambda answer: noise.base, noise.ties),
            step,
        ),
        {
            "random rounding": Rounding(base=3),
            "rounding to even": Rounding(base=2, how="nearest", ties="even"),
            "rounding by bands": Rounding(how="nearest", bands=[[0, 1], [2, 2]]),
        },
    ),
    Row(
        Suppression,
        lambda noise, step: _ruled(
            office_rules.suppression(
                Fraction(str(noise.below)),
                office_rules.SUPPRESSED if noise.to is None else Fraction(str(noise.to)),
                noise.keep_zero,
            ),
            step,
        ),
        {
            "suppression": Suppression(below=2),
            "suppression to 0": Suppression(below=1.5, to=0),
            "suppression beside 0": Suppression(below=2, keep_zero=True),
        },
    ),
    Row(
        CellKey,
        lambda noise, step: _ruled(office_rules.cell_key(Fraction(str(noise.v))), step),
        {"cell keys": CellKey(d=1, v=0.5)},
    ),
    Row(
        Steps,
        lambda noise, step: _ruled(
            office_rules.in_turn(office_rules.suppression(Fraction(2)), office_rules.unbiased(3)), step
        ),
        {"suppression, then rounding": Steps(steps=[Suppression(below=2), Rounding(base=3)])},
    ),
)
NOISES += (
    Row(
        RandomizedResponse,
        lambda noise, values: reported.randomized_response(values, Fraction(str(noise.keep))),
        {"randomized response": RandomizedResponse(keep=0.75), "hardly noised": RandomizedResponse(keep=1 - 1e-9)},
    ),
)
RULES = (Rounding, Suppression, Steps, CellKey)
OFFICE_RULES = frozenset(name for row in NOISES if row.kind in RULES for name in row.examples)
ON_RECORDS = frozenset(name for row in NOISES if row.kind is RandomizedResponse for name in row.examples)
NOT_EVERYWHERE = (
    frozenset({"gaussian", "discrete gaussian", "kernel", "clamped", "relocation", "noisy max"})
    | OFFICE_RULES
    | ON_RECORDS
)
"""A kernel and a rule are of certain answers to the reference, as clamped noise is, noisy max is of several answers,
and the reference takes long over normal noise, discrete or not. Noise on records is not on the answer. They have tests
of their own."""

NOTIONS: tuple[Row[notions.Check], ...] = (
    Row(DifferentialPrivacy, notions.differential, {"differential": notions.differential(DifferentialPrivacy())}),
    Row(
        InferentialPrivacy,
        leakages.inferential,
        {
            "inferential": notions.supremum(InferentialPrivacy(), leakages.inferential),
            "inferential with delta": notions.approximate(InferentialPrivacy(delta=0.05), Truth.delta, 0.05),
            "delta at 0": notions.delta(InferentialPrivacy(), Truth.delta, leakages.delta, 0.0),
            "delta": notions.delta(InferentialPrivacy(), Truth.delta, leakages.delta, 0.4),
        },
    ),
    Row(
        InformationPrivacy,
        leakages.information,
        {
            "information": notions.supremum(
                InformationPrivacy(), leakages.information, two_sided=leakages.information_two_sided
            ),
            "information with delta": notions.approximate(InformationPrivacy(delta=0.05), Truth.raising, 0.05),
            "information, two-sided": notions.supremum(
                InformationPrivacy(two_sided=True), leakages.information_two_sided, raised=leakages.information
            ),
            "information, two-sided, with delta": notions.approximate(
                InformationPrivacy(two_sided=True, delta=0.05), Truth.moving, 0.05
            ),
            "information, two-sided, delta": notions.delta(
                InformationPrivacy(two_sided=True), Truth.moving, leakages.moving, 0.2
            ),
            "information delta": notions.delta(InformationPrivacy(), Truth.raising, leakages.raising, 0.2),
        },
    ),
    Row(
        RelativeEntropyPrivacy,
        leakages.relative_entropy,
        {
            "relative entropy": notions.supremum(
                RelativeEntropyPrivacy(), leakages.relative_entropy, reverse=leakages.relative_entropy_reverse
            ),
            "relative entropy, reverse": notions.supremum(
                RelativeEntropyPrivacy(reverse=True),
                leakages.relative_entropy_reverse,
                forward=leakages.relative_entropy,
            ),
        },
    ),
    Row(
        MutualInformationPrivacy,
        leakages.mutual_information,
        {
            "mutual information": notions.average(MutualInformationPrivacy(), leakages.mutual_information),
            "mutual information given": notions.information_given(MutualInformationPrivacy(given=[1])),
        },
    ),
    Row(
        MinEntropyPrivacy,
        leakages.min_entropy,
        {"min-entropy": notions.average(MinEntropyPrivacy(), leakages.min_entropy)},
    ),
    Row(
        GLeakage,
        leakages.expected_gain,
        {
            "g-leakage of one guess": notions.average(GLeakage(), leakages.min_entropy),
            "g-leakage of two": notions.two_tries,
            "gini": notions.average(GLeakage(gain="gini"), leakages.gini),
        },
    ),
    Row(
        Renyi,
        leakages.renyi,
        {"renyi": notions.renyi(Renyi()), "renyi of order 1.25": notions.renyi(Renyi(alpha=1.25))},
    ),
    Row(BayesianPrivacy, reference.bayesian, {"bayesian": notions.bayesian(BayesianPrivacy())}),
    Row(
        NoiselessPrivacy,
        worst_known,
        {
            "noiseless": notions.noiseless(NoiselessPrivacy(delta=0.05), 0.4),
            "noiseless, half known": notions.noiseless(NoiselessPrivacy(delta=0.2, known_fraction=0.5), 0.4),
        },
    ),
    Row(
        DifferentialIdentifiability,
        leakages.lowered,
        {"identifiability": notions.identifiability(DifferentialIdentifiability(alpha=0.6, beta=0.5))},
    ),
    Row(RhoIdentifiability, leakages.posterior, {"rho": notions.refused(RhoIdentifiability())}),
)

CHECKS: dict[str, notions.Check] = {name: check for row in NOTIONS for name, check in row.examples.items()}


def worlds_of(model: Model) -> list[worlds.World]:
    """What any model means."""
    meaning = row_of(MODELS, model).meaning
    found: list[worlds.World] = meaning(model, worlds_of)
    return found


def fits(query: str, noise: str) -> bool:
    """Whether the noise may be added to the query's answers: to reports in order it comes before."""
    shape = examples(NOISES)[noise].shape
    return examples(QUERIES)[query].told_apart is None or shape.on_records or shape.adds_nothing


def truth_of(model: Model, query: Query, noise: Noise) -> Truth:
    """What the reference knows of a release. scores.Unfit where the query makes no sense."""
    return truth_in(worlds_of(model), query, noise)


def truth_in(possible: list[worlds.World], query: Query, noise: Noise) -> Truth:
    """The same of worlds, such as those that are left to whoever knows more."""
    if noise.shape.on_records:
        return ReportedTruth(possible, query, row_of(QUERIES, query).meaning, noise, row_of(NOISES, noise).meaning)
    return Truth(possible, query, row_of(QUERIES, query).meaning, noise, row_of(NOISES, noise).meaning)


def channel_of_absent(model: Absent, noise: Noise) -> Channel:
    """Who is absent, whose answers are multiples of a half."""
    answers = [Fraction(str(answer)) for answer in model.answers or ()]
    prior = model.prior if isinstance(model.prior, tuple) else (1.0,) * len(answers)
    step = Fraction(1, max(answer.denominator for answer in answers))
    return absent.channel(answers, worlds.exactly(prior), row_of(NOISES, noise).meaning(noise, step))
