"""Rules of statistics offices against their definitions in fractions, and what is drawn, refused and said."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import inf, log
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

import dalenius as dl
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import CellKey, Noise, Rounding, Steps, Suppression
from dalenius.noise.maximum_entropy import maximum_entropy
from dalenius.noise.rule import Rule
from dalenius.noise.rule_mechanism import columns
from dalenius.notions.log_ratios import differential_loss
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, OFFICE_RULES, QUERIES, examples, truth_of
from tests.pace import one_in
from tests.reference import office_rules

WHOLE = Lattice((Fraction(1),))
BANDS = Rounding(how="nearest", bands=[[0, 1], [15, 10], [100, 50], [1000, 100]])


def _fitting() -> list[tuple[str, str, str]]:
    """Models and queries of one or two answers on whole numbers, with each rule."""
    found = []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                truth = exact_truth(model, query)
            except Unfit:
                continue
            whole = all(coordinate.denominator == 1 for answer in truth.answers for coordinate in answer)
            if truth.axes <= 2 and whole and len(truth.answers) <= 16:
                # Because answers about the same people share cell keys, several have a reference of their own.
                count = truth.axes == 1 and all(step.denominator == 1 for each in truth.asked for step in each.steps)
                alone = OFFICE_RULES if count else OFFICE_RULES - {"cell keys"}
                found += [(model, query, rule) for rule in sorted(alone)]
    return found


@pytest.mark.lengthy
@pytest.mark.parametrize(("model", "query", "rule"), one_in(199, _fitting()))
def test_against_the_reference(model: str, query: str, rule: str) -> None:
    given = examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[rule]
    truth = truth_of(*given)
    several = frozenset({"differential"}) if truth.axes > 1 else frozenset()
    compare(*given, "enumeration", truth, but=several)


SCORES = ((0, 2), (10, 12), (100, 103), (0, 1, 4), (-3, 2), (1000, 1007, 1010))
DEFINED = {
    "RR3": (Rounding(base=3), office_rules.unbiased(3)),
    "nearest 5": (Rounding(base=5, how="nearest"), office_rules.nearest(lambda answer: 5)),
    "below 6": (Suppression(below=6), office_rules.suppression(Fraction(6))),
    "below 6, then RR5": (
        Steps(steps=[Suppression(below=6), Rounding(base=5)]),
        office_rules.in_turn(office_rules.suppression(Fraction(6)), office_rules.unbiased(5)),
    ),
    "cell keys": (CellKey(d=1, v=0.5), office_rules.cell_key(Fraction(1, 2))),
}


@pytest.mark.parametrize("rule", DEFINED)
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("people", [1, 2, 4])
def test_one_record_among_others_far_from_0(rule: str, scores: tuple[int, ...], people: int) -> None:
    """Answers far beyond the first rows have rows that repeat; a record's change is seen there too."""
    noise, row = DEFINED[rule]
    worst = 0.0
    for others in combinations_with_replacement(scores, people - 1):
        for one, other in permutations(scores, 2):
            here, there = row(Fraction(sum(others) + one)), row(Fraction(sum(others) + other))
            worst = max(worst, *(log(p / there[to]) if to in there else inf for to, p in here.items() if p))
    asked = dl.Independent(n=people, values=list(scores), probabilities=[1 / len(scores)] * len(scores))
    found = dl.DifferentialPrivacy().leakage(dl.Release(asked, dl.Sum(), noise))
    assert found.upper == pytest.approx(worst, rel=1e-9)
    assert found.lower == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize("people", [100_000, 10**9])
def test_unlike_numbers_of_any_number_of_people(people: int) -> None:
    """Of 0, 1 and 3 all sums can be but some near the ends: 0 and 3 have nothing in common under RR3."""
    asked = dl.Independent(n=people, values=[0, 1, 3], probabilities=[0.5, 0.3, 0.2])
    found = differential_loss(dl.Release(asked, dl.Sum(), Rounding(base=3)))
    assert found is not None
    assert (found.lower, found.upper) == (inf, inf)


def test_near_lies_are_rejected() -> None:
    given = examples(MODELS)["equal pair"], examples(QUERIES)["sum"]
    honest, lie = Rounding(base=3), Rounding(base=4)
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


RULES: list[tuple[Rule, office_rules.Rule]] = [
    (Rounding(base=3), office_rules.unbiased(3)),
    (Rounding(base=5), office_rules.unbiased(5)),
    (Rounding(base=5, how="nearest"), office_rules.nearest(lambda _: 5)),
    (Rounding(base=4, how="nearest", ties="down"), office_rules.nearest(lambda _: 4, "down")),
    (Rounding(base=4, how="nearest", ties="even"), office_rules.nearest(lambda _: 4, "even")),
    (
        BANDS,
        office_rules.nearest(lambda n: next(b for a, b in ((1000, 100), (100, 50), (15, 10), (0, 1)) if abs(n) >= a)),
    ),
    (Suppression(below=6), office_rules.suppression(Fraction(6))),
    (Suppression(below=10, to=0), office_rules.suppression(Fraction(10), Fraction(0))),
    (Suppression(below=6, keep_zero=True), office_rules.suppression(Fraction(6), keep_zero=True)),
]


@pytest.mark.parametrize(("rule", "reference"), RULES)
@pytest.mark.parametrize("step", [Fraction(1), Fraction(1, 2)])
def test_rows_are_the_definition_on_any_stretch(rule: Rule, reference: office_rules.Rule, step: Fraction) -> None:
    for answer in range(-30, 1300, 7):
        assert {o: p for o, p in rule.row(answer * step).items() if p} == {
            o: p for o, p in reference(answer * step).items() if p
        }
    first, count = -20, 2600
    listed, unit = columns(rule, first, count, step), rule.unit(step)
    for at in range(0, count, 13):
        wanted = {
            -1 if isinstance(o, str) else int(o / unit): p for o, p in reference((first + at) * step).items() if p
        }
        row = zip(listed.places[at].tolist(), np.exp(listed.logs[at]).tolist(), strict=True)
        found = {place: chance for place, chance in row if chance > 0}
        assert found == pytest.approx({place: float(chance) for place, chance in wanted.items()}, abs=1e-12)


@pytest.mark.parametrize("noise", [Rounding(base=3), Steps(steps=[Suppression(below=2), Rounding(base=5)])])
def test_draws_follow_the_rows(noise: Noise) -> None:
    """A χ² test accepts the row of 7, and rejects that of 8."""
    rows = noise if isinstance(noise, Rule) else noise.rules  # type: ignore[attr-defined]
    drawn = Counter(noise.draw([7], WHOLE)[0] for _ in range(4000))

    def accepted(answer: int) -> bool:
        row = rows.row(Fraction(answer))
        if set(drawn) - set(row):
            return False
        off = sum((drawn[o] - 4000 * float(p)) ** 2 / (4000 * float(p)) for o, p in row.items())
        return bool(off < chi2.ppf(1 - 1e-9, len(row) - 1))

    assert accepted(7)
    assert not accepted(8)


def _by_convolution(scale: float, rule: office_rules.Rule, answer: int) -> dict[Fraction | str, float]:
    """The law of the output by adding up draws of the noise one by one."""
    q, found = np.exp(-1 / scale), dict[Fraction | str, float]()
    for draw in range(-80, 81):
        for output, chance in rule(Fraction(answer + draw)).items():
            found[output] = found.get(output, 0.0) + float((1 - q) / (1 + q) * q ** abs(draw)) * float(chance)
    return found


AFTER_NOISE = [
    (Steps(steps=[dl.Geometric(scale=1.5), Rounding(base=3)]), office_rules.unbiased(3)),
    (
        Steps(steps=[dl.Geometric(), Suppression(below=2), Rounding(base=3)], scale=1.5),
        office_rules.in_turn(office_rules.suppression(Fraction(2)), office_rules.unbiased(3)),
    ),
]


@pytest.mark.parametrize(("noise", "reference"), AFTER_NOISE)
def test_rules_after_noise(noise: Steps, reference: office_rules.Rule) -> None:
    """Averages against laws of the output that are added up draw by draw, and the loss beyond all answers."""
    homes = dl.Households(count=2, infected=[0.5, 0.2, 0.2, 0.1])
    release = dl.Release(homes, dl.Count(), noise)
    laws = [_by_convolution(1.5, reference, answer) for answer in range(7)]
    outputs = list(dict.fromkeys(output for law in laws for output in law))
    kernel = dl.Kernel(
        answers=list(range(7)),
        outputs=[o if isinstance(o, str) else float(o) for o in outputs],
        probabilities=[[law.get(o, 0.0) / sum(law.values()) for o in outputs] for law in laws],
    )
    same = dl.Release(homes, dl.Count(), kernel)
    for notion in (dl.MutualInformationPrivacy(), dl.MinEntropyPrivacy(), dl.GLeakage(gain="gini")):
        found, wanted = notion.leakage(release), notion.leakage(same)
        assert found.lower - 1e-9 <= wanted.lower <= wanted.upper <= found.upper + 1e-9
        assert found.upper - found.lower < 1e-9
    alone = dl.DifferentialPrivacy().leakage(release)
    assert alone.lower <= 1 / 1.5 <= alone.upper
    # Rules change no supremum of a loss: an output far out is beyond all of them.
    plain = dl.InferentialPrivacy().leakage(dl.Release(homes, dl.Count(), dl.Geometric(scale=1.5)))
    assert dl.InferentialPrivacy().leakage(release).upper == pytest.approx(plain.upper, rel=1e-9)


def test_the_geometric_scale_among_steps_is_calibrated() -> None:
    homes = dl.Households(count=4, infected=[0.9, 0.05, 0.05])
    notion = dl.InferentialPrivacy(epsilon=0.5)
    noise = dl.calibrate(dl.Release(homes, "count", Steps(steps=[dl.Geometric(), Rounding(base=3)])), notion).noise
    plain = dl.calibrate(dl.Release(homes, "count", dl.Geometric()), notion).noise
    assert noise.known_scale() == pytest.approx(plain.known_scale(), rel=1e-8)
    with pytest.raises(InputError, match=r"noise\.kind"):
        dl.calibrate(dl.Release(homes, "count", Rounding(base=3)), dl.InferentialPrivacy(epsilon=0.5))


def test_rules_that_keep_a_promise_alone_need_no_noise_before_them() -> None:
    """A δ of .45 is kept by rounding, and not by the exact count: no scale is small enough to be the least."""
    homes = dl.Households(count=2, infected=[0.5, 0.2, 0.2, 0.1])
    notion = dl.InferentialPrivacy(epsilon=0.5, delta=0.35)
    rounded = dl.Release(homes, "count", Steps(steps=[Rounding(base=3)]))
    delta = notion.least_delta(rounded, 0.5)
    exact = notion.least_delta(rounded.with_noise(dl.NoNoise()), 0.5)
    assert delta is not None
    assert exact is not None
    assert delta.upper < 0.35 < exact.lower
    found = dl.calibrate(rounded.with_noise(Steps(steps=[dl.Geometric(), Rounding(base=3)])), notion)
    assert found.noise == Steps(steps=[Rounding(base=3)])
    assert found.expected_error == pytest.approx(4 / 3)


def test_errors_and_intervals() -> None:
    error = Rounding(base=3).error(Fraction(1))
    assert error.expected == pytest.approx(4 / 3)  # of the answer 1: 2/3 · 1 + 1/3 · 2
    near, far = error.beyond(Fraction(2), None), error.beyond(Fraction(3), None)
    assert near is not None
    assert far is not None
    assert near.middle == pytest.approx(np.log(1 / 3))
    assert far.upper == -inf
    where = error.interval(Fraction(6), 0.95)
    assert where is not None
    assert (where.lower, where.upper) == (4, 8)
    small = Suppression(below=6).error(Fraction(1))
    assert np.isnan(small.expected)
    left = small.interval("suppressed", 0.95)
    assert left is not None
    assert (left.lower, left.upper) == (0, 5)


def test_a_posterior_takes_the_word() -> None:
    homes = dl.Households(count=2, infected=[0.5, 0.2, 0.2, 0.1])
    release = dl.Release(homes, dl.Count(), Suppression(below=2))
    found = dl.posterior(release, ["suppressed"])
    assert found is not None
    with pytest.raises(InputError, match="the nearest is 2"):
        dl.posterior(release, [1])


def _mutual_information(counts: int, infected: list[float], base: int) -> float:
    """The leakage about a member under unbiased rounding, from laws in doubles whose far tails weigh nothing."""
    size, others = len(infected) - 1, np.ones(1)
    part, left = np.array(infected), counts - 1
    while left:
        others = np.convolve(others, part) if left % 2 else others
        part, left = np.convolve(part, part), left // 2
    ill = np.array([chance * number / size for number, chance in enumerate(infected)])
    joint = [np.convolve(others, np.array(infected) - ill), np.convolve(others, ill)]
    answers = np.arange(len(joint[0]))
    found = []
    for masses in joint:
        outputs, up = np.zeros(answers[-1] // base + 2), answers % base / base
        np.add.at(outputs, answers // base, masses * (1 - up))
        np.add.at(outputs, answers // base + 1, masses * up)
        found.append(outputs)
    total, entropy = found[0] + found[1], 0.0
    for outputs in found:
        there = outputs > 1e-30
        ratio = outputs[there] / (total[there] * outputs.sum())
        entropy += float(np.sum(outputs[there] * np.log1p(ratio - 1)))
    return entropy


@pytest.mark.parametrize("count", [500, 5_000])
def test_many_people_under_rounding_are_known_but_for_what_hardly_ever_occurs(count: int) -> None:
    """The laws of 20,000 people have masses that no transform resolves; averages and deltas do not read them."""
    infected = [0.9, 0.04, 0.0, 0.0, 0.06]
    homes = dl.Households(count=count, infected=infected)
    for base in (3, 5):
        release = dl.Release(homes, dl.Count(), Rounding(base=base))
        found = dl.MutualInformationPrivacy().leakage(release)
        assert found.upper - found.lower < 1e-9
        assert found.upper == pytest.approx(_mutual_information(count, infected, base), rel=1e-6)
    assert dl.delta_of(dl.Release(homes, dl.Count(), Rounding(base=3)), 1.0).upper < (1e-5 if count == 500 else 1e-30)


def _by_programming(moves: Sequence[int], variance: float) -> Sequence[float]:
    """The program of R's ptable as it stands there, by a general solver."""
    given, count = np.array(moves, dtype=np.float64), len(moves)
    kept: list[Any] = [
        {"type": "eq", "fun": lambda x: x.sum() - 1},
        {"type": "eq", "fun": lambda x: x @ given},
        {"type": "ineq", "fun": lambda x: variance - x @ given**2},
    ]
    for place in range(moves.index(0) if 0 in moves else 0):
        kept.append({"type": "ineq", "fun": lambda x, place=place: x[place + 1] - x[place]})
    solver: Any = minimize  # Because its types know none of the options of one method.
    chances = np.full(count, 1 / count)
    # Because it stops where a step is small, which on some processors is early: it begins again from there.
    for _ in range(3):
        chances = solver(
            lambda x: np.sum(x * np.log(x)),
            chances,
            jac=lambda x: np.log(x) + 1,
            bounds=[(1e-8, 1)] * count,
            constraints=kept,
            method="SLSQP",
            options={"maxiter": 2000, "ftol": 1e-15},
        ).x
    return [float(chance) for chance in chances]


@pytest.mark.parametrize(
    ("moves", "variance"),
    [
        ((-1, 0, 1, 2), 1.0),
        ((-1, 0, 1, 2), 0.9),
        ((-1, 2, 3, 4, 5), 3.0),
        ((-3, 0, 1, 2, 3, 4, 5), 3.0),
        ((-4, -1, 0, 1, 2, 3, 4, 5), 3.0),
        (tuple(range(-5, 6)), 0.5),
    ],
)
def test_perturbation_tables_have_the_greatest_entropy(moves: tuple[int, ...], variance: float) -> None:
    found = maximum_entropy(moves, variance)
    assert found is not None
    assert sum(found.chances) == 1
    assert [float(chance) for chance in found.chances] == pytest.approx(_by_programming(moves, variance), abs=3e-8)


def test_perturbation_tables_are_the_published_ones() -> None:
    """The numbers that the vignette of R's ptable prints of D = 2, V = 1: moves of a count of 1, and of larger ones."""
    small, large = maximum_entropy((-1, 0, 1, 2), 1.0), maximum_entropy((-2, -1, 0, 1, 2), 1.0)
    assert small is not None
    assert large is not None
    assert [round(float(chance), 4) for chance in small.chances] == [0.3665, 0.3665, 0.1676, 0.0995]
    assert round(small.variance, 3) == 0.932
    assert round(float(large.chances[0]), 4) == 0.0638
    assert round(float(large.chances[2]), 3) == 0.383


def test_cell_keys_keep_their_promises_at_every_count() -> None:
    rule = CellKey(d=5, v=3.0, js=2)
    assert rule.row(Fraction(0)) == {0: 1}
    for count in range(1, 40):
        row = rule.row(Fraction(count))
        assert sum(row.values()) == 1
        assert not {1, 2} & {*row}
        assert max(abs(float(output) - count) for output in row) <= 5
        moves = [(float(output) - count, float(chance)) for output, chance in row.items()]
        mean = sum(move * chance for move, chance in moves)
        spread = sum(move**2 * chance for move, chance in moves)
        assert float(mean) == pytest.approx(0, abs=1e-6)
        assert float(spread) == pytest.approx(3, abs=1e-5)
