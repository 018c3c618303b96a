"""What is in the log, and what is in no log."""

import io
import json
import logging
from errno import EMFILE, ENOSPC

from dalenius.server.logs import Lines, Log


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


def test_a_second_has_one_line_of_each_cause_and_the_next_says_how_many_there_were() -> None:
    stream, now = io.StringIO(), [0.0]
    lines = Lines(Log(stream), lambda: now[0])

    def said(errno: int) -> None:
        try:
            raise OSError(errno, "secret 17")
        except OSError as error:
            info = (OSError, error, error.__traceback__)
        lines.emit(logging.LogRecord("asyncio", logging.ERROR, "", 0, "accept failed: secret 17", (), info))

    for _ in range(1000):
        said(EMFILE)
    said(ENOSPC)
    now[0] = 1.0
    said(EMFILE)
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["reason"], line.get("left_out")) for line in found] == [
        ("Too many open files", None),
        ("No space left on device", None),
        ("Too many open files", 999),
    ]
    assert found[0]["error"] == "OSError"
    assert found[0]["at"].startswith(f"{__name__}:")
    assert "secret" not in stream.getvalue()
