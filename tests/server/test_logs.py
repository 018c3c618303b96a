"""What is in the log, and what is in no log."""

import io
import json
import logging

from dalenius.server.logs import Lines, Log, place, utc


def test_a_line_is_one_object() -> None:
    stream = io.StringIO()
    log = Log(stream, lambda: 1_763_856_000.25)
    log.write(id="a", path="/x\ny")
    log.write(id="b")
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert first == {"time": "2025-11-23T00:00:00.250Z", "id": "a", "path": "/x\ny"}
    assert second["id"] == "b"


def test_a_log_that_is_gone_stops_nothing() -> None:
    stream = io.StringIO()
    log = Log(stream)
    stream.close()
    log.write(id="a")


def test_others_are_heard_without_what_they_saw() -> None:
    stream = io.StringIO()
    lines = Lines(Log(stream))
    try:
        raise ValueError("secret 17")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    for name, message in (("uvicorn.error", "it began\nsecret 17"), ("sqlalchemy", "SELECT 'secret 17'")):
        lines.emit(logging.LogRecord(name, logging.WARNING, "", 0, message, (), info))
    assert "secret" not in stream.getvalue()
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == ["it began", "a warning"]


def test_where_an_error_came_from_and_not_what_it_says() -> None:
    def deep() -> None:
        raise ValueError("secret 17")

    try:
        deep()
    except ValueError as error:
        found = place(error)
    assert found["error"] == "ValueError"
    assert found["at"].startswith(f"{__name__}:")
    assert place(ValueError()) == {"error": "ValueError", "at": ""}


def test_times_are_of_greenwich() -> None:
    assert utc(0) == "1970-01-01T00:00:00.000Z"
