"""A ledger in PostgreSQL that many processes begin at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from dalenius.curator import Ledger
from tests.curator.asking import COST, asked, drawn
from tests.postgres import Postgres


@pytest.mark.slow
def test_many_that_come_first_at_once_make_one_table(postgres: Postgres) -> None:
    """What a connection has looked up it may remember beyond a lock: each looks again in a transaction of its own."""
    database = postgres.new()
    for _ in range(15):
        ledgers, barrier = [Ledger(database) for _ in range(6)], Barrier(6)
        for ledger in ledgers:
            ledger.history()  # there is no table yet

        def begin(ledger: Ledger, barrier: Barrier = barrier) -> None:
            barrier.wait()
            ledger.release(asked(spec=str(id(ledger))), COST, drawn("x"))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(begin, ledgers))
        assert len(Ledger(database).history().debited("people")) == 6
        for ledger in ledgers:
            ledger.close()
        with postgres.connected(Path(database).name) as connection:
            connection.execute("DROP TABLE dalenius_ledger")
