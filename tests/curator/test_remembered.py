"""Neither what was found of an ask nor why nothing was is computed again; and it may be found in another process."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Asked, Curator, Ready, TooHeavy, ready_of
from dalenius.curator.desk import HEAVY, Remembered
from dalenius.curator.opened import Public, spec_text
from dalenius.errors import DaleniusError, InputError, Refused, TooLarge
from tests.curator.policies import ask, curator, policy


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (InputError("ask.epsilon", 7, "less"), False),
        (Refused("no"), False),
        (OverflowError("too large"), False),
        (TooHeavy("count", "a second"), False),
        (MemoryError(), True),
    ],
)
def test_what_is_wrong_with_an_ask_is_found_once(error: Exception, again: bool) -> None:
    """And not what is wrong with the machine."""
    calls, kept = [], Remembered(clock=Clock())

    def find() -> Ready:
        calls.append(1)
        raise error

    said = []
    for _ in range(3):
        with pytest.raises(type(error)) as raised:
            kept.of("ask", find)
        said.append(str(raised.value))
    assert said == [str(error)] * 3
    assert len(calls) == (3 if again else 1)


def test_too_heavy_is_forgotten_after_a_while() -> None:
    clock, calls = Clock(), []
    kept = Remembered(clock=clock)

    def find() -> Ready:
        calls.append(1)
        raise TooHeavy("count", "a second")

    for clock.now in (0.0, HEAVY - 1, HEAVY + 1, HEAVY + 2):
        with pytest.raises(TooHeavy):
            kept.of("ask", find)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "error", [InputError("a", 1, "b"), TooLarge("a", "1", "b"), Refused("no"), TooHeavy("count", "a second")]
)
def test_errors_come_back_from_another_process(error: DaleniusError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("terms", [{"epsilon": 0.2}, {"within": 20.0}, {"noise": dl.Laplace(scale=30.0)}])
def test_what_another_process_finds_is_what_is_found_here(terms: dict[str, Any], tmp_path: Path) -> None:
    """The noise that is promised is the noise that is drawn: to the last digit, and so is what it costs."""

    def elsewhere(asked: Asked) -> Ready:
        found = pickle.loads(pickle.dumps(ready_of(pickle.loads(pickle.dumps(asked)))))
        assert isinstance(found, Ready)
        return found

    here = curator(tmp_path).session("ana", "measles")
    there = Curator(policy(), tmp_path, ledger="there.sqlite", compute=elsewhere).session("ana", "measles")
    asked = ask(**terms)
    assert here.estimate(asked) == there.estimate(asked)
    one, other = here.ask(asked), there.ask(asked)
    shown = one.published.certificate, other.published.certificate
    assert shown[0]["noise"] == shown[1]["noise"]
    assert shown[0]["leakage"] == shown[1]["leakage"]


def test_a_repeat_looks_neither_at_the_table_nor_for_noise(tmp_path: Path) -> None:
    first = curator(tmp_path).session("ana", "measles")
    assert first.repeated(ask()) is None
    told = first.ask(ask())
    (tmp_path / "people.csv").unlink()

    def none(asked: Asked) -> Ready:
        raise AssertionError("computed")

    again = Curator(policy(), tmp_path, compute=none).session("ana", "measles")
    found = again.repeated(ask())
    assert found is not None
    assert (found.entry, found.repeated) == (told.entry, True)
    assert again.repeated(ask(), key="a new one") is None  # it is written down that the key was used
    bob = Curator(policy(), tmp_path, compute=none).session("bob", "measles")
    assert bob.repeated(ask()) is None  # it costs the cap


def test_a_repeat_within_a_distance_needs_the_noise_that_was_found(tmp_path: Path) -> None:
    first = curator(tmp_path).session("ana", "measles")
    told = first.ask(ask(within=20.0))
    found = first.repeated(ask(within=20.0))
    assert found is not None
    assert found.entry == told.entry
    assert Curator(policy(), tmp_path).session("ana", "measles").repeated(ask(within=20.0)) is None


def test_what_is_asked_is_one_text_with_and_without_a_computation(tmp_path: Path) -> None:
    made = curator(tmp_path)
    data = made.policy.data[0]
    measure = data.measures[0]
    found = made._desk.opened(data, measure)
    assert isinstance(found.public, Public)
    ready = made._desk.ready(found, ask(), "ana")
    assert spec_text(data, measure, found.source, ask()) == ready.spec
