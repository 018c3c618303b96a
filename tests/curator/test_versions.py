"""Tables that change between two calls: what an analyst sees without paying says nothing of it, and a version that is
said to be frozen is closed when it has changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import dalenius as dl
from dalenius.curator import Curator, NotOpen
from dalenius.errors import InputError, Refused
from tests.curator.asking import kinds
from tests.curator.live import Live, live as live, written as written
from tests.curator.policies import ask, curator, policy

CHANGES: Final = (
    "UPDATE people SET ill = 1 - ill WHERE age = 31",  # somebody falls ill
    "UPDATE people SET age = age + 100 WHERE age = 31",  # of which nobody asks
    "UPDATE people SET home = CASE home WHEN 'h3' THEN 'h9' WHEN 'h9' THEN 'h3' ELSE home END",  # another name
)
"""None of them touches what is public."""
DRAWN: Final = ("released", "interval", "relative", "outcome")


def _noised(scale: float) -> dl.Ask:
    return ask(noise=dl.Geometric(scale=scale))


def _quoted(session: dl.Session, asked: dl.Ask) -> Any:
    quote = session.estimate(asked)
    noise = quote.calibration and quote.calibration.noise
    return quote.free, quote.cost, quote.budget, quote.own, noise, quote.half_widths, quote.shared, quote.advised


def _told(session: dl.Session, asked: dl.Ask, key: str | None = None) -> Any:
    """All but the numbers that were drawn, what is said of them, and when."""
    done = session.ask(asked, key)
    certificate = {name: said for name, said in done.published.certificate.items() if name not in DRAWN}
    return done.entry, done.repeated, done.budget, done.own, done.since, certificate


def _seen(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (InputError, Refused) as error:
        return str(error)


def _calls(one: dl.Session, other: dl.Session) -> list[Callable[[], Any]]:
    """What two analysts may try who want to know whether anything has changed."""
    return [
        lambda: _quoted(one, _noised(40.0)),
        lambda: _told(one, _noised(40.0), "k"),
        lambda: _quoted(one, _noised(40.0)),
        lambda: _told(one, _noised(40.0)),
        lambda: _told(one, _noised(40.0), "k"),
        lambda: _told(one, _noised(41.0), "k"),
        lambda: _quoted(other, _noised(40.0)),
        lambda: _told(other, _noised(40.0), "k"),
        lambda: _quoted(one, _noised(30.0)),
        lambda: _told(one, _noised(30.0)),
        lambda: _told(one, ask(epsilon=0.1)),
        lambda: _quoted(one, _noised(25.0)),
        lambda: _told(other, _noised(2.0)),  # more than there is
        lambda: (one.budget(), other.budget()),
    ]


def _compare(table: Live, folder: Path) -> None:
    """Nothing that two analysts see of a table hangs on whether it is written to in between."""
    held, write = table
    courses = []
    for changes in ((), CHANGES):
        source = {"label": "place"} | ({} if isinstance(held, Path) else {"table": "people"})
        made = Curator(policy(source=source), folder, {"measles": held}, f"{len(changes)}.sqlite")
        course = []
        for number, call in enumerate(_calls(made.session("bob", "measles"), made.session("ana", "measles"))):
            course.append(_seen(call))
            if changes:
                write(changes[number % len(changes)])
        courses.append(course)
    assert courses[0] == courses[1]
    assert courses[0][2][0] is True  # what was answered is free
    assert "wanted a key of its own" in courses[0][5]


def test_nobody_learns_for_nothing_whether_a_database_has_changed(live: Live, tmp_path: Path) -> None:
    _compare(live, tmp_path)


def test_nobody_learns_for_nothing_whether_a_file_has_changed(written: Live, tmp_path: Path) -> None:
    _compare(written, tmp_path)


def test_a_used_key_gets_its_answer_whatever_has_become_of_the_table(tmp_path: Path) -> None:
    done = curator(tmp_path).session("bob", "measles").ask(_noised(40.0), key="october")
    for made in (Curator(policy(), tmp_path), Curator(policy(version="November"), tmp_path)):
        (tmp_path / "people.csv").unlink(missing_ok=True)
        again = made.session("bob", "measles").ask(_noised(40.0), key="october")
        assert (again.entry, again.published.answers) == (done.entry, done.published.answers)
    with pytest.raises(NotOpen):
        made.session("bob", "measles").ask(_noised(40.0))


def test_a_frozen_version_that_changed_is_closed_to_everybody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = curator(tmp_path, frozen=True)
    done = made.session("bob", "measles").ask(_noised(40.0), key="k")
    before = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(before.replace(",1,", ",0,", 1))
    for _ in range(2):  # then it is as it was, and nobody is to know when it was not
        for name in ("ana", "bob"):
            with pytest.raises(NotOpen):
                made.session(name, "measles").estimate(_noised(30.0))
            with pytest.raises(NotOpen):
                made.session(name, "measles").ask(_noised(40.0))
        (tmp_path / "people.csv").write_text(before)
    assert made.session("bob", "measles").ask(_noised(40.0), key="k").entry == done.entry
    wanted = "wanted the bytes it was first asked in, as it is frozen; it is closed until the policy gives it another"
    with pytest.raises(InputError, match=rf"^data 'measles' version: 1, {wanted} version$"):
        made.check()
    assert [each for each in caplog.messages if "version" in each] == [f"data 'measles' version: 1, {wanted} version"]
    assert kinds(tmp_path / "ledger.sqlite").count("closed") == 1
    assert not Curator(policy(frozen=True, version="2"), tmp_path).session("bob", "measles").ask(_noised(40.0)).repeated


def test_only_what_is_frozen_is_converted_together(tmp_path: Path) -> None:
    routes = set()
    for place, frozen in enumerate((False, True)):
        folder = tmp_path / str(place)
        folder.mkdir()
        session = curator(folder, frozen=frozen).session("bob", "measles")
        for scale in (60.0, 61.0, 62.0):
            done = session.ask(_noised(scale))
        routes.add((frozen, done.budget.route))
    assert routes == {(False, "group"), (True, "conversion")}
