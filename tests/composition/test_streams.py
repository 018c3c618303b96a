"""`dalenius stream`.

Streams of answers about one person, against enumeration of all paths and outputs.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure
from tests.cases import check_refused
from tests.cli.command import Run, complaint, dalenius, table
from tests.pace import draws
from tests.reference import streams as reference

CHAIN = '[model]\nkind = "chain"\nn = 6\ntransition = [[0.8, 0.2], [0, 1]]\ninitial = [0.5, 0.5]\n'


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "model.toml"
    path.write_text(CHAIN, encoding="utf-8")
    return path


def test_losses_by_step(spec: Path) -> None:
    found = dalenius("stream", spec, "--epsilon", "0.1", "--reversed", "--json").json
    keys = {"naive", "sum", "worst_step", "any", "supremum", "in_words", "steps", "seconds"}
    assert set(found) == keys
    assert found["naive"] == 0.1
    assert found["sum"]["lower"] <= 0.6 <= found["sum"]["upper"]
    backward = [step["any"]["backward"]["upper"] for step in found["steps"]]
    assert backward == pytest.approx([0.1, 0.1808, 0.2471, 0.3024, 0.3488, 0.3881], abs=5e-5)
    assert [step["step"] for step in found["steps"]] == [1, 2, 3, 4, 5, 6]
    assert {step["epsilon"] for step in found["steps"]} == {0.1}
    assert found["supremum"]["backward"]["upper"] == pytest.approx(0.6459, abs=5e-5)
    assert found["supremum"]["total"] is None
    assert found["any"]["total"]["upper"] == max(step["any"]["total"]["upper"] for step in found["steps"])
    shown = dalenius("stream", spec, "--epsilon", "0.1", "--reversed")
    assert shown.code == 0, shown.err
    assert "0.388074" in shown.out
    assert "0.645907" in shown.out
    assert "none known: steps differ" in shown.out


def test_without_a_spec() -> None:
    found = dalenius(
        "stream", "--persistence", "1", "--values", "3", "--steps", "52", "--epsilon", "0.1", "--json"
    ).json
    assert found["any"]["total"]["upper"] == pytest.approx(5.2)
    assert found["supremum"]["total"] == {"lower": "inf", "upper": "inf"}
    shown = dalenius("stream", "--persistence", "1", "--steps", "520")
    assert "∞" in shown.out
    assert "e^520" in shown.out


def test_an_epsilon_a_step_and_a_picture(spec: Path, tmp_path: Path, run: Run) -> None:
    epsilons = "0.1,0.2,0.3,0.1,0.2,0.3"
    picture = tmp_path / "stream.svg"
    found = run("stream", spec, "--epsilon", epsilons, "--plot", picture, "--json").json
    assert found["supremum"] == {"backward": None, "forward": None, "total": None}
    assert picture.exists()
    rows = table(picture.with_suffix(".csv"))
    assert [row["epsilon"] for row in rows] == epsilons.split(",")
    for row, step in zip(rows, found["steps"], strict=True):
        assert float(row["total"]) == pytest.approx(step["any"]["total"]["upper"], rel=1e-5)


def test_bad_input(spec: Path, run: Run) -> None:
    for arguments, message in (
        ([], "spec: missing, wanted one of a spec and a --persistence"),
        ([spec, "--persistence", "0.5"], f"spec: {spec}, wanted one of a spec and a --persistence"),
        (["--persistence", "0.5", "--steps", "0"], "steps: 0, wanted a whole number of at least 1"),
        ([spec, "--epsilon", "much"], "--epsilon: much, wanted a number above 0, or one a step with commas between"),
    ):
        assert complaint(run("stream", *arguments)) == message


REFERENCE = [[0.8, 0.2], [0.0, 1.0]]
ROOTS = (Fraction(9, 8), Fraction(5, 4), Fraction(3, 2), Fraction(3))


@st.composite
def shares(draw: st.DrawFn, states: int) -> tuple[Fraction, ...]:
    """Sixteenths, some of them 0, so that doubles hold them exactly."""
    cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=states - 1, max_size=states - 1)))
    return tuple(Fraction(b - a, 16) for a, b in zip([0, *cuts], [*cuts, 16], strict=True))


@st.composite
def chains(draw: st.DrawFn, most: Sequence[int] = (4, 4, 3)) -> tuple[Any, Any, Any]:
    """An initial law, matrices and e^ε of each step, of at most so many steps with 2, 3, .. values."""
    states = draw(st.integers(2, len(most) + 1))
    length = draw(st.integers(1, most[states - 2]))
    matrix = st.tuples(*(shares(states) for _ in range(states)))
    steps = draw(st.lists(matrix, min_size=length - 1, max_size=length - 1))
    folds = draw(st.lists(st.sampled_from(ROOTS), min_size=length, max_size=length))
    return draw(shares(states)), steps, folds


def model(initial: Any, steps: Any) -> dl.Chain:
    doubles = [[[float(each) for each in row] for row in step] for step in steps]
    alone = [[float(a == b) for b in range(len(initial))] for a in range(len(initial))]
    transition = doubles or alone
    return dl.Chain(n=len(steps) + 1, transition=transition, initial=[float(each) for each in initial])


def logs(folds: Any) -> list[float]:
    return [log(each) for each in folds]


def encloses(found: Enclosure, exact: float, width: float = 1e-9) -> None:
    assert found.lower - 1e-15 <= exact <= found.upper + 1e-15, (found, exact)
    assert found.upper - found.lower <= width, found


def backwards(steps: int) -> dl.Chain:
    """What each step says of the one before."""
    return dl.Chain(n=steps, transition=REFERENCE, initial=[0.5, 0.5])


def test_the_numbers_of_the_literature() -> None:
    found = dl.stream(backwards(6), 0.1, reversed=True)
    numbers = [0.1, 0.1808, 0.2471, 0.3024, 0.3488, 0.3881]
    assert found.worst.backward.upper == pytest.approx(numbers, abs=5e-5)
    assert found.worst.backward.lower == pytest.approx(numbers, abs=5e-5)
    limit = found.limits["backward"]
    assert limit is not None
    encloses(limit, 0.6459066160581, 1e-10)
    # As a model from the last step to the first; from the first to the last they are the forward losses.
    chain = backwards(6)
    assert dl.stream(chain, 0.1).worst.forward.upper[::-1] == pytest.approx(numbers, abs=5e-5)
    assert dl.stream(chain, 0.1).worst.backward.upper[1] != pytest.approx(numbers[1], abs=5e-4)


@draws(200)
@given(chains())
def test_the_recursion_is_that_of_vertices(chain: Any) -> None:
    initial, steps, folds = chain
    found = dl.stream(model(initial, steps), logs(folds)).worst.backward
    for step, exact in enumerate(reference.recursion(initial, steps, folds)):
        encloses(found[step], log(exact))


@draws(60)
@given(chains((4, 3, 2)))
def test_no_private_mechanism_leaks_more(chain: Any) -> None:
    initial, steps, folds = chain
    found = dl.stream(model(initial, steps), logs(folds)).worst
    law, everything = reference.paths(initial, steps), range(len(folds))
    choices = [reference.corners(len(initial), fold) for fold in folds]
    for step in everything:
        for losses, seen in (
            (found.backward, everything[: step + 1]),
            (found.forward, everything[step:]),
            (found.total, everything),
        ):
            exact = log(reference.worst(law, choices, step, seen))
            assert exact <= losses[step].upper
            if len(seen) <= 2 and step in (seen[0], seen[-1]):  # one application of L, which is attained
                assert losses[step].lower <= exact + 1e-12


@draws(60)
@given(chains((3, 3, 2)))
def test_all_values_together(chain: Any) -> None:
    """Of two histories the largest sum of ε over the steps where they differ."""
    initial, steps, folds = chain
    found = dl.stream(model(initial, steps), logs(folds)).worst.process
    law = reference.paths(initial, steps)
    encloses(found, reference.process(law, logs(folds)))


def test_the_joint_channel_of_all_answers() -> None:
    """Counts with Laplace noise are private; of two values that do not alternate they leak as much as any."""
    chain = dl.Chain(n=3, transition=[[0.8, 0.2], [0.3, 0.7]], initial=[0.6, 0.4], labels=["a", "b", "c"])
    found, query = dl.stream(chain, 0.5).worst, dl.Count(values=(1,), per_label=True)
    for person in (1, 2, 3):
        release = dl.Release(chain, query, dl.Laplace(scale=2.0), dl.Secrets(people=(person,)))
        (leakage,) = dl.audit(release, [dl.InferentialPrivacy()]).values()
        assert leakage.lower <= found.total[person - 1].upper + 1e-12
        assert leakage.upper == pytest.approx(found.total[person - 1].upper, abs=1e-9)


HALF = Fraction(1, 2)
ALTERNATING = [[Fraction(0), Fraction(1)], [HALF, HALF]]
ROUND = [[HALF, HALF, Fraction(0)], [Fraction(0), HALF, HALF], [HALF, Fraction(0), HALF]]


@pytest.mark.parametrize(
    ("step", "fold", "bound", "truth"), [(ALTERNATING, 3, 2.351375, 2.110213), (ROUND, 2, 1.386294, 1.299283)]
)
def test_the_recursion_is_not_always_attained(step: Any, fold: int, bound: float, truth: float) -> None:
    """Errata E18: of two values that alternate, and of three, whatever the mechanism."""
    states = len(step)
    found = dl.stream(model([Fraction(1, states)] * states, [step, step]), [log(fold)] * 3)
    law = reference.paths([Fraction(1, states)] * states, [step, step])
    exact = log(reference.worst(law, [reference.corners(states, Fraction(fold))] * 3, 0, range(3)))
    assert exact == pytest.approx(truth, abs=1e-6)
    assert found.worst.forward.lower[0] == pytest.approx(bound, abs=1e-6)


def limit(found: dl.Stream) -> Enclosure:
    value = found.limits["backward"]
    assert value is not None
    return value


def test_where_losses_end() -> None:
    copies = dl.stream(persistence=1.0, epsilon=1e-9, steps=3)
    assert limit(copies) == (inf, inf)
    assert copies.worst.total.upper == pytest.approx(3e-9)
    assert limit(dl.stream(backwards(2), 0.3, reversed=True)) == (inf, inf)
    # ε = −log 0.8 is within rounding of where the losses begin to have no end.
    doubt = limit(dl.stream(backwards(2), -log(0.8), reversed=True))
    assert 10 < doubt.lower < doubt.upper == inf
    below = limit(dl.stream(backwards(2), -log(0.8) - 1e-6, reversed=True))
    assert 10 < below.lower <= below.upper < 20
    for persistence, values, epsilon in ((0.5, 2, 1.0), (0.99, 3, 0.1), (0.9, 2, 5.0)):
        found = dl.stream(persistence=persistence, values=values, epsilon=epsilon, steps=2_000)
        # z² b + (1 − b − a e^ε) z = e^ε (1 − a), z = e^limit.
        b = (1 - persistence) / values
        a, fold = persistence + b, np.exp(epsilon)
        middle = 1 - b - a * fold
        root = (-middle + np.sqrt(middle**2 + 4 * b * fold * (1 - a))) / (2 * b)
        encloses(limit(found), float(np.log(root)))
        assert found.worst.backward[1_999].upper == pytest.approx(limit(found).upper, abs=1e-9)
    assert dl.stream(persistence=0.5, epsilon=[1.0, 2.0]).limits["total"] is None


@pytest.mark.slow
def test_rare_values_are_not_impossible() -> None:
    """A state that is left for good after 2000 steps with probability 1 − 2^−2000: below any double, and above 0."""
    chain = dl.Chain(n=2_000, transition=[[0.5, 0.5], [0.0, 1.0]], initial=[1.0, 0.0])
    found = dl.stream(chain, 1.0)
    assert found.worst.backward[0] == (0.0, 0.0)
    assert found.worst.total[0] == (0.0, 0.0)
    assert found.worst.total[1].upper > 1


def test_what_is_no_stream() -> None:
    chain, each = (
        dl.Chain(n=3, transition=step, initial=[0.5, 0.5]) for step in (REFERENCE, [[[0.5, 0.5], [0.5, 0.5]]] * 2)
    )
    for arguments, message in (
        ({}, "stream: missing, wanted one of a model and a persistence…"),
        ({"model": chain, "persistence": 0.5}, "stream: both, wanted one of a model and a persistence…"),
        ({"persistence": float("nan"), "steps": 3}, "persistence: nan, wanted a number from 0 to 1…"),
        ({"persistence": 0.5}, "steps: missing, wanted how many answers there are…"),
        ({"persistence": 0.5, "steps": 3, "values": 1}, "values: 1, wanted a whole number of at least 2…"),
        ({"model": chain, "epsilon": [1, -1, 1]}, "epsilon: -1, wanted a number above 0, at most 1e+06…"),
        ({"model": each, "epsilon": [1, 1]}, "steps: 2, wanted 3, since the model has a transition for each of its…"),
        ({"model": chain, "epsilon": [1, 1], "steps": 3}, "epsilon: 2 numbers, wanted one, or 3: one a step…"),
        ({"model": dl.Independent(n=3, probabilities=[0.5])}, "model.kind: independent, wanted chain: one person's…"),
        ({"model": chain, "steps": 2_001}, "steps: 2001, wanted at most 2,000 answers…"),
    ):
        check_refused([(partial(dl.stream, **arguments), message)])
    with pytest.raises(dl.TooLarge, match=r"^a stream: 9 steps of 1,000 values is too large, ask for fewer"):
        dl.stream(persistence=0.5, values=1000, steps=9)
