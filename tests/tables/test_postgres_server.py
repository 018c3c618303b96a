"""The server that the tests start is one: it asks for its password, and each test has a database of its own."""

from contextlib import closing

import pytest

from tests.postgres import PASSWORD, Postgres

psycopg = pytest.importorskip("psycopg")


def test_every_test_has_an_empty_database(postgres: Postgres, database: str) -> None:
    with closing(psycopg.connect(database)) as connection:
        connection.execute("CREATE TABLE people (id bigint)")
        connection.commit()
    with closing(psycopg.connect(postgres.new())) as other:
        assert other.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_it_asks_for_the_password(postgres: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgres.url().replace("open", "close"))
    assert PASSWORD not in postgres.url()
