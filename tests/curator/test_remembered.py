"""Neither what was found of an ask nor why nothing was is computed again; and it may be found in another process."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Asked, Curator, Ready, TooHeavy, ready_of
from dalenius.curator.opened import HEAVY, Remembered
from dalenius.errors import InputError, Refused, TooLarge
from tests.curator.policies import ask, curator, policy


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_wrong_with_an_ask_is_found_once() -> None:
    """And not what is wrong with the machine; and it is the same error when another process found it."""
    for error in (InputError("a", 7, "less"), Refused("no"), OverflowError("too large"), TooHeavy("count", "a second")):
        calls, kept = found_by(error)
        assert (calls, kept) == (1, [str(error)] * 3)
    assert found_by(MemoryError())[0] == 3
    for known in (InputError("a", 1, "b"), TooLarge("a", "1", "b"), Refused("no"), TooHeavy("count", "a second")):
        found = pickle.loads(pickle.dumps(known))
        assert (type(found), str(found), vars(found)) == (type(known), str(known), vars(known))


def found_by(error: Exception) -> tuple[int, list[str]]:
    """How often it was computed that was asked three times, and what was said."""
    calls, kept, said = [], Remembered(clock=Clock()), []

    def find() -> Ready:
        calls.append(1)
        raise error

    for _ in range(3):
        with pytest.raises(type(error)) as raised:
            kept.of("ask", find)
        said.append(str(raised.value))
    return len(calls), said


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


def test_what_another_process_finds_is_what_is_found_here(tmp_path: Path) -> None:
    """The noise that is promised is the noise that is drawn: to the last digit, and so is what it costs."""

    def elsewhere(asked: Asked) -> Ready:
        found = pickle.loads(pickle.dumps(ready_of(pickle.loads(pickle.dumps(asked)))))
        assert isinstance(found, Ready)
        return found

    here = curator(tmp_path).session("bob", "measles")
    there = Curator(policy(), tmp_path, ledger="there.sqlite", compute=elsewhere).session("bob", "measles")
    terms: tuple[dict[str, Any], ...] = ({"epsilon": 0.2}, {"within": 20.0}, {"noise": dl.Laplace(scale=60.0)})
    for asked in (ask(**each) for each in terms):
        assert here.estimate(asked) == there.estimate(asked)
        one, other = (session.ask(asked).published.certificate for session in (here, there))
        assert (one["noise"], one["leakage"]) == (other["noise"], other["leakage"])


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
