"""Programs as black boxes: what runs show is most of the truth, never more, and a program that leaks is exposed."""

import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import e, exp
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.attack.black_box import Program
from dalenius.attack.drawn_data_sets import drawn_data_sets
from dalenius.attack.external_program import ExternalProgram
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.noise import Noise

PAIR = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
ALONE = dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5])
HOME = dl.Households(count=1, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
HOMES = dl.Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
ONE = dl.PureProfile(1.0)


def _laplace(scale: float = 1.0, seed: int = 5) -> Program:
    random = np.random.default_rng(seed)
    return lambda records: sum(records) + random.laplace(scale=scale)


def _geometric(seed: int = 6) -> Program:
    random = np.random.default_rng(seed)
    ends = 1 - exp(-1)
    return lambda records: int(sum(records) + random.geometric(ends) - random.geometric(ends))


def _flipped(seed: int = 7) -> Program:
    random = np.random.default_rng(seed)
    return lambda records: [record if random.random() < e / (1 + e) else 1 - record for record in records]


def _leaked(model: Model, noise: Noise) -> float:
    return dl.InferentialPrivacy().leakage(dl.Release(model, dl.Count(), noise)).lower


@pytest.mark.parametrize(
    ("program", "model", "truth"),
    [
        (_laplace(), ALONE, 1.0),
        (_laplace(), PAIR, 2.0),
        (_laplace(), HOME, _leaked(HOME, dl.Laplace(scale=1.0))),
        (_geometric(), ALONE, 1.0),
        (_geometric(), PAIR, 2.0),
        (_geometric(), HOME, _leaked(HOME, dl.Geometric(scale=1.0))),
        (_flipped(), ALONE, 1.0),
        (_flipped(), PAIR, 2.0),
    ],
)
def test_most_of_the_truth_is_found(program: Program, model: Model, truth: float) -> None:
    found = dl.test_program(program, model, guarantee=ONE, runs=100_000, seed=1, confidence=0.9999)
    assert 0.8 * truth <= found.lower <= truth
    assert found.upper is not None
    assert truth <= found.upper * (1 + 1e-9)
    assert not found.exposed


def _fixed_seed(records: Sequence[Any]) -> Any:
    return np.random.default_rng(1).laplace(loc=sum(records))


def _rows_counted_once(records: Sequence[Any]) -> Any:
    """The noise is right for a household that adds at most 1, and each adds up to 4."""
    return _noisy(records)


_noisy = _laplace(seed=9)


@pytest.mark.parametrize(
    ("program", "model", "neighbours"),
    [
        (_laplace(scale=0.5), ALONE, "replace"),
        (_laplace(scale=0.5), HOME, "group"),
        (_fixed_seed, PAIR, "replace"),
        (_fixed_seed, HOMES, "replace"),
        (_rows_counted_once, HOMES, "group"),
    ],
)
def test_programs_that_leak_are_exposed(program: Program, model: Model, neighbours: Any) -> None:
    found = dl.test_program(
        program, model, guarantee=ONE, neighbours=neighbours, runs=40_000, seed=2, confidence=0.9999
    )
    assert found.exposed
    honest = dl.test_program(
        _laplace(scale=4.0), model, guarantee=ONE, neighbours=neighbours, runs=8000, seed=2, confidence=0.9999
    )
    assert not honest.exposed


HOME_OF_4 = [0.9, 0.04, 0.0, 0.0, 0.06]
STREETS = dl.Households(
    types=[
        dl.HouseholdType(count=1, infected=HOME_OF_4, members={"A": 4}),
        dl.HouseholdType(count=3, infected=HOME_OF_4, members={"B": 4}),
    ]
)
KEYS = dl.CellKey(d=2, v=0.9)


def _by_cell_keys(seed: int) -> Program:
    """Street B and the total: the same people have the same move, drawn anew for each data set."""
    random = np.random.default_rng(seed)
    moves = [{int(to): float(chance) for to, chance in KEYS.row(Fraction(count)).items()} for count in range(17)]

    def program(records: Sequence[Any]) -> list[int]:
        sets = [frozenset(i for i, ill in enumerate(records) if ill and i >= first) for first in (4, 0)]
        drawn = {who: random.choice([*moves[len(who)]], p=[*moves[len(who)].values()]) for who in dict.fromkeys(sets)}
        return [int(drawn[who]) for who in sets]

    return program


@pytest.mark.lengthy
def test_the_difference_of_two_cells_with_keys_is_found() -> None:
    """Without δ the truth is infinite, and no number of runs shows that."""
    both = dl.Release(STREETS, dl.Several(queries=[dl.Count(labels=["B"]), dl.Count()]), KEYS)
    truth = dl.InferentialPrivacy(delta=0.8).leakage(both)
    found = dl.test_program(_by_cell_keys(12), STREETS, runs=100_000, delta=0.8, seed=1, confidence=0.9999)
    assert 0.8 * truth.lower <= found.lower <= truth.upper
    assert dl.test_program(_by_cell_keys(13), STREETS, guarantee=ONE, runs=20_000, seed=1).exposed


@pytest.mark.lengthy
def test_a_bound_at_a_delta_forgives_rare_events() -> None:
    """A program that tells the record with probability 1 %, and nothing else."""
    random = np.random.default_rng(3)

    def program(records: Sequence[Any]) -> str:
        return f"record {records[0]}" if random.random() < 0.01 else "nothing"

    assert dl.test_program(program, PAIR, runs=40_000, seed=4).lower > 2
    assert dl.test_program(program, PAIR, runs=40_000, delta=0.02, seed=4).lower == 0


def test_bounds_hold_as_often_as_they_say() -> None:
    """Of 60 tests at 80 % nearly all hold: fair coins, where every bound above 0 is false."""
    random = np.random.default_rng(8)
    wrong = sum(
        dl.test_program(lambda records: random.random() < 0.5, ALONE, runs=400, confidence=0.8, seed=turn).lower > 0
        for turn in range(60)
    )
    assert wrong <= 20


CHAIN = {"kind": "chain", "n": 30, "initial": [0.5, 0.5], "transition": [[0.9, 0.1], [0.3, 0.7]]}


def test_data_sets_follow_the_model() -> None:
    random = np.random.default_rng(10)
    (law,) = HOMES.joints()
    sets = drawn_data_sets(law, 1, 1)  # type: ignore[arg-type]
    drawn: list[list[Any]] = list(sets.draw(20_000, random))
    assert sets.groups == [home for home in range(1, 13) for _ in range(4)]
    assert {records[0] for records in drawn} == {1}
    ill = Counter(sum(records[:4]) for records in drawn)  # one ill: .04/4 of .07; four: .06 of .07
    assert set(ill) == {1, 4}
    assert abs(ill[1] / 20_000 - 1 / 7) < 0.012
    others = Counter(sum(records[4:8]) for records in drawn)
    assert abs(others[0] / 20_000 - 0.9) < 0.012
    assert abs(others[4] / 20_000 - 0.06) < 0.01


def test_long_rows_are_drawn_record_by_record() -> None:
    chain = dl.Chain(**{key: value for key, value in CHAIN.items() if key != "kind"})
    (law,) = chain.joints()
    drawn = np.array(list(drawn_data_sets(law, 15, 1).draw(20_000, np.random.default_rng(11))))  # type: ignore[arg-type]
    assert set(drawn[:, 14]) == {1}
    assert abs(drawn[:, 15].mean() - 0.7) < 0.015
    before = law.given({15: 1}).subject_of(14)
    chances = dict(zip(before.secrets, np.exp(before.log_prior), strict=True))
    assert abs(drawn[:, 13].mean() - chances[1]) < 0.015


def test_what_makes_no_sense_is_refused() -> None:
    for wanted, options in {
        "runs: 10": {"runs": 10},
        "confidence: 1": {"confidence": 1},
        "delta: -1": {"delta": -1},
        "values: 0, 5": {"values": (0, 5)},
    }.items():
        with pytest.raises(InputError, match=f"^{wanted}"):
            dl.test_program(sum, PAIR, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="returns what it releases"):
        dl.test_program(lambda records: None, PAIR, runs=40)
    with pytest.raises(InputError, match="one law of records"):
        dl.test_program(sum, dl.Absent(answers=[1, 2, 3]), runs=40)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (("false",), "ended with 1"),
        (("true",), "printed nothing"),
        (("no-such-program",), "can be run"),
        (("sleep", "60"), "ends within 0.2 seconds"),
        ((sys.executable, "-S", "-c", "raise SystemExit('no data')"), "ended with 1: no data"),
    ],
)
def test_bad_programs_get_one_line(command: tuple[str, ...], wanted: str) -> None:
    with pytest.raises(InputError, match=wanted) as refused:
        ExternalProgram(command, [1, 1], 20.0 if command[0] != "sleep" else 0.2)([0, 1])
    assert "\n" not in str(refused.value)


@pytest.mark.lengthy
@pytest.mark.skipif(sys.platform != "linux", reason="the state of a process is read from /proc")
def test_what_an_ended_program_left_running_is_ended(tmp_path: Path) -> None:
    # The child holds the program's output open, so the program seems to print on.
    command = ("sh", "-c", f"sleep 60 & echo $! > '{tmp_path / 'pid'}'")
    with pytest.raises(InputError, match="ends within 1 seconds"):
        ExternalProgram(command, [1, 1], 1.0)([0, 1])
    child = Path("/proc") / (tmp_path / "pid").read_text().strip() / "stat"
    for _ in range(100):
        # Because whoever adopts an ended process may not have buried it yet.
        if not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        sleep(0.05)
    pytest.fail("the child runs on")


def test_a_command_reads_the_records() -> None:
    found = ExternalProgram(("cat",), [1, 1])([0, 1])
    assert found == ("person", "group", "record", "1", "1", "0", "2", "1", "1")
