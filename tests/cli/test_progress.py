"""How far long work is: the stages, the forecast, and lines in a pipe where they are asked for."""

import time

import pytest

from dalenius import stages
from dalenius.cli import output
from dalenius.stages import followed, steps


def test_stages_and_the_time_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(stages, "monotonic", lambda: now[0])
    with followed() as course:
        assert (course.words(), course.seconds()) == ("", None)
        for method in steps("methods", ["a", "b", "c", "d"]):
            for part in steps("parts", [1, 2] if method == "b" else [1]):
                if (method, part) == ("b", 2):
                    assert course.words() == "methods 2 of 4, parts 2 of 2"
                    assert course.seconds() == (60.0, 45.0), "one of four is done in fifteen seconds"
                now[0] += 10.0 if method == "a" else 5.0
        assert (course.words(), course.stages) == ("", [])


def test_whom_nobody_follows_is_not_slowed() -> None:
    assert list(steps("parts", [1, 2, 3])) == [1, 2, 3]


def test_what_is_left_early_is_left() -> None:
    with followed() as course:
        walk = steps("parts", [1, 2])
        assert next(walk) == 1
        walk.close()
        assert course.stages == []


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "LINE_EVERY", 0.05)
    monkeypatch.setattr(output, "EVERY", 0.01)
    monkeypatch.setattr(output, "LONG", 0.0)


def work() -> None:
    with output.working("releasing"):
        for _ in steps("parts", [1, 2, 3]):
            time.sleep(0.1)


@pytest.mark.usefixtures("hurried")
def test_lines_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with output.manner(lines=True):
        work()
    out, err = capsys.readouterr()
    assert out == ""
    assert "dalenius: releasing: 3 parts, about 0 s\n" in err
    assert "dalenius: releasing: parts 2 of 3, about 0 s left\n" in err


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("lines", [False, True])
def test_none_unasked_or_quiet(capsys: pytest.CaptureFixture[str], lines: bool) -> None:
    with output.manner(lines=lines, quiet=lines):
        work()
    assert capsys.readouterr() == ("", "")
