"""How much of a long scan is done."""

from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import duckdb
import pytest

from dalenius.tables import Source, open_people, watched

ROWS = 20_000_000
"""Enough that a quick machine is still reading when it is asked."""


@pytest.mark.slow
def test_the_engine_says_how_much_it_has_read(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(path) as made:
        made.execute(f"CREATE TABLE people AS SELECT range AS x FROM range({ROWS})")
    seen: list[float] = []
    done = Event()
    with watched() as share:

        def follow() -> None:
            while not done.wait(0.005):
                if (read := share()) is not None:
                    seen.append(read)

        follower = Thread(target=follow)
        follower.start()
        try:
            with closing(open_people(Source(value="x", table="people", person="x"), held=path)) as people:
                assert people.count() == ROWS
        finally:
            done.set()
            follower.join()
        assert share() is None, "the connection is closed"
    assert len({read for read in seen if 0.0 < read < 1.0}) > 3
    assert all(0.0 <= read <= 1.0 for read in seen)
