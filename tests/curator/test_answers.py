"""Answers are in the ledger before they are told: the same request gets them again, and pays once.

Neither what was found of an ask nor why nothing was is computed again; and it may be found in another process.
"""

import pickle
import re
import signal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dalenius as dl
from dalenius import InputError, Refused
from dalenius.curator import Curator, Inquiry, Ledger, Prepared, TooHeavy, ledger, ready_of
from dalenius.curator.limits import HEAVY
from dalenius.curator.opened_table import Remembered
from dalenius.errors import TooLarge
from tests.cli import warm
from tests.curator import faults
from tests.curator.asking import COST, Clock, asked, changed, drawn, entries, kinds, released
from tests.curator.faults import STEPS
from tests.curator.policies import ask, curator, policy

WHOLE = ["budget", "fingerprint", "debit", "answer"]


def spent(path: Path) -> int:
    return kinds(path).count("debit")


def test_the_same_request_gets_the_same_for_nothing(tmp_path: Path) -> None:
    path, answers = tmp_path / "ledger", (Fraction(1, 3), Fraction(-(10**30)), "none", "3")
    first = Ledger(path).release(asked(), COST, drawn(*answers))
    before = path.read_bytes()
    again = Ledger(path).release(asked(new_data=True, budget=1.0), COST, lambda: pytest.fail("drawn again"))
    assert first.published == again.published == Ledger(path).earlier(asked()).published  # type: ignore[union-attr]
    assert first.published.answers == answers
    assert (first.repeated, again.repeated) == (False, True)
    assert first.budget == again.budget
    assert (first.entry, first.hash) == (again.entry, again.hash)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "other", [{"spec": "[]"}, {"fingerprint": "other", "new_data": True}, {"fingerprint": "other", "name": "streets"}]
)
def test_what_differs_is_another_request(other: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked(), Fraction(1))
    assert Ledger(path).earlier(asked(**other)) is None
    assert released(path, asked(**other), Fraction(2)).published.answers == (Fraction(2),)
    assert spent(path) == 2
    assert released(path, asked()).published.answers == (Fraction(1),)


def killed(path: Path, step: str) -> None:
    out, err = path.with_name("out"), path.with_name("err")
    code = warm.ended(warm.started(faults.main, [str(path), step], out, err))
    assert code == -signal.SIGKILL, err.read_text(encoding="utf-8")
    assert out.read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("step", STEPS)
def test_killed_between_the_steps(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the debit is durable nothing was paid; between it and the record an answer is lost, and never a debit;
    after the record the answer is there."""
    monkeypatch.setattr(ledger, "OTHERS_MAY_TAKE", 0.1)
    path, place = tmp_path / "ledger", STEPS.index(step)
    killed(path, step)
    wanted = [] if place < 2 else ["budget", "fingerprint", "debit"] if place < 5 else WHOLE
    assert kinds(path) == wanted
    again = released(path, asked(), Fraction(8))
    assert again.published.answers == (Fraction(7 if wanted == WHOLE else 8),)
    assert again.repeated == (wanted == WHOLE)
    assert spent(path) == (2 if place in (2, 3, 4) else 1)
    assert kinds(path).count("answer") == 1


@pytest.mark.parametrize(("kind", "paid"), [("debit", 0), ("answer", 1)])
def test_what_cannot_be_written_is_not_told(
    kind: str, paid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "OTHERS_MAY_TAKE", 0.1)
    path = tmp_path / "ledger"
    released(path, asked(spec="[]"))
    full = f"SELECT RAISE(FAIL, 'database or disk is full') WHERE NEW.kind = '{kind}'"
    changed(path, f"CREATE TRIGGER full BEFORE INSERT ON entries BEGIN {full}; END")
    line = f"ledger: {path}, wanted a SQLite file that can be written (database or disk is full)"
    with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
        released(path, asked())
    assert spent(path) == 1 + paid
    assert Ledger(path).earlier(asked()) is None
    changed(path, "DROP TRIGGER full")
    assert not released(path, asked()).repeated
    assert spent(path) == 2 + paid


def several(path: Path, budget: float, asks: list[list[str]]) -> dict[str, set[str]]:
    """What processes at once were told, by request."""
    common = [str(path), str(budget)]
    files = [(path.with_name(f"out {place}"), path.with_name(f"err {place}")) for place in range(len(asks))]
    running = [warm.started(faults.main, [*common, *specs], *own) for specs, own in zip(asks, files, strict=True)]
    told: dict[str, set[str]] = {}
    for process, (out, err) in zip(running, files, strict=True):
        assert warm.ended(process) == 0, err.read_text(encoding="utf-8")
        for spec, answer in map(str.split, out.read_text(encoding="utf-8").splitlines()):
            told.setdefault(spec, set()).add(answer)
    return told


def kept(path: Path) -> dict[int, str]:
    """The answers in the ledger, by the number of their debit."""
    found = [body for kind, body in entries(path) if kind == "answer"]
    assert len({body["debit"] for body in found}) == len(found)
    return {body["debit"]: str(body["answers"][0][0]) for body in found}


def test_the_same_request_of_several_at_once_is_drawn_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    told = several(path, 0.5, [["a"]] * 3)  # there is enough for one
    assert len(told["a"]) == 1
    assert told["a"] == set(kept(path).values())
    assert spent(path) == 1


def check_many(path: Path, processes: int, length: int, names: int, budget: float) -> None:
    """Requests of several processes, many the same: one answer and one debit each, and no budget is overspent."""
    random = Random(1)
    told = several(path, budget, [[f"r{random.randrange(names)}" for _ in range(length)] for _ in range(processes)])
    answers = {spec: found - {"refused"} for spec, found in told.items()}
    assert all(len(found) <= 1 for found in answers.values())
    assert sorted(answer for found in answers.values() for answer in found) == sorted(kept(path).values())
    assert spent(path) == min(len(told), int(budget)) == len(kept(path))
    assert Ledger(path).earlier(asked(spec="none")) is None  # the chain is whole


def test_many_requests_of_several_processes(tmp_path: Path) -> None:
    check_many(tmp_path / "ledger", processes=3, length=8, names=12, budget=6.5)


@pytest.mark.slow
def test_hundreds_of_requests_of_eight_processes(tmp_path: Path) -> None:
    check_many(tmp_path / "ledger", processes=8, length=50, names=200, budget=120.5)


def test_what_is_wrong_with_an_ask_is_found_once() -> None:
    """And not what is wrong with the machine; and it is the same error when another process found it."""
    for error in (
        InputError("a", 7, "less"),
        Refused("no"),
        OverflowError("too large"),
        TooHeavy("ask.query", "count", "a second"),
    ):
        calls, kept = found_by(error)
        assert (calls, kept) == (1, [str(error)] * 3)
    assert found_by(MemoryError())[0] == 3
    for known in (
        InputError("a", 1, "b"),
        TooLarge("a", "1", "b"),
        Refused("no"),
        TooHeavy("ask.query", "count", "a second"),
    ):
        found = pickle.loads(pickle.dumps(known))
        assert (type(found), str(found), vars(found)) == (type(known), str(known), vars(known))


def found_by(error: Exception) -> tuple[int, list[str]]:
    """How often it was computed that was asked three times, and what was said."""
    calls, kept, said = [], Remembered(clock=Clock()), []

    def find() -> Prepared:
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

    def find() -> Prepared:
        calls.append(1)
        raise TooHeavy("ask.query", "count", "a second")

    for clock.now in (0.0, HEAVY - 1, HEAVY + 1, HEAVY + 2):
        with pytest.raises(TooHeavy):
            kept.of("ask", find)
    assert len(calls) == 2


def test_what_another_process_finds_is_what_is_found_here(tmp_path: Path) -> None:
    """The noise that is promised is the noise that is drawn: to the last digit, and so is what it costs."""

    def elsewhere(asked: Inquiry) -> Prepared:
        found = pickle.loads(pickle.dumps(ready_of(pickle.loads(pickle.dumps(asked)))))
        assert isinstance(found, Prepared)
        return found

    here = curator(tmp_path).session("bob", "measles")
    there = Curator(policy(), tmp_path, ledger="there.sqlite", compute=elsewhere).session("bob", "measles")
    terms: tuple[dict[str, Any], ...] = ({"epsilon": 0.2}, {"within": 20.0}, {"noise": dl.Laplace(scale=60.0)})
    for each in (ask(**term) for term in terms):
        assert here.estimate(each) == there.estimate(each)
        one, other = (session.ask(each).published.certificate for session in (here, there))
        assert (one["noise"], one["leakage"]) == (other["noise"], other["leakage"])


def test_a_repeat_looks_neither_at_the_table_nor_for_noise(tmp_path: Path) -> None:
    first = curator(tmp_path).session("ana", "measles")
    assert first.repeated(ask()) is None
    told = first.ask(ask())
    (tmp_path / "people.csv").unlink()

    def none(asked: Inquiry) -> Prepared:
        raise AssertionError("computed")

    again = Curator(policy(), tmp_path, compute=none).session("ana", "measles")
    found = again.repeated(ask())
    assert found is not None
    assert (found.entry, found.repeated) == (told.entry, True)
    bob = Curator(policy(), tmp_path, compute=none).session("bob", "measles")
    assert bob.repeated(ask()) is None  # it costs the cap
