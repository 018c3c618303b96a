"""A durable record of what was released from which data, and what is left of its budget."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from dalenius.composition import together
from dalenius.errors import InputError, Refused

_METADATA = MetaData()
_BUDGETS = Table(
    "budgets", _METADATA, Column("data", String, primary_key=True), Column("initial", Float, nullable=False)
)
_RELEASES = Table(
    "releases",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("data", String, nullable=False),
    Column("spec", String, nullable=False),
    Column("notion", String, nullable=False),
    Column("leakage", Float, nullable=False),
    Column("group_loss", Float, nullable=False),
)


@final
@dataclass(frozen=True)
class Budget:
    """In nats: what the data had at first, what all releases together may have told, and what is left."""

    initial: float
    spent: float

    @property
    def remaining(self) -> float:
        return max(0.0, self.initial - self.spent)


@final
@dataclass(frozen=True)
class Entry:
    """What a release costs: leakage, its own exact one; group_loss, what it adds when others join it."""

    spec: str
    notion: str
    leakage: float
    group_loss: float


@final
class Ledger:
    """A SQLite file. A release is written down, durably, before its noise is drawn: a crash costs budget, not privacy.

    One release spends its own leakage. Several spend the sum of their group losses, the only rule that holds for every
    notion here without looking at the answers jointly (THEORY §9); their own leakages do not add.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = create_engine(URL.create("sqlite", database=str(path.absolute())), isolation_level="AUTOCOMMIT")
        event.listen(self._engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=FULL"))

    def debit(self, data: str, initial: float, entry: Entry) -> Budget:
        """Record a release of the data with that fingerprint. Refused (and nothing recorded) where it would overspend.

        initial: the budget, where the data are new to the ledger; afterwards the first one stands.
        """
        with self._transaction() as connection:
            initial = self._initial(connection, data, initial)
            rows = connection.execute(select(_RELEASES.c.group_loss).where(_RELEASES.c.data == data)).scalars().all()
            spent = entry.leakage if not rows else together([*rows, entry.group_loss])
            if spent > initial:
                before = f"after {len(rows)} earlier of the same data, " if rows else ""
                raise Refused(f"this release, {before}would spend {spent:.6g} of a budget of {initial:.6g} nats")
            row = {"data": data, "spec": entry.spec, "notion": entry.notion}
            connection.execute(insert(_RELEASES).values(**row, leakage=entry.leakage, group_loss=entry.group_loss))
            return Budget(initial, spent)

    def _initial(self, connection: Connection, data: str, initial: float) -> float:
        kept = connection.execute(select(_BUDGETS.c.initial).where(_BUDGETS.c.data == data)).scalar()
        if kept is None:
            connection.execute(insert(_BUDGETS).values(data=data, initial=initial))
            return initial
        return float(kept)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                # Taken before reading, so that two releases at once cannot both spend the same remainder.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                try:
                    _METADATA.create_all(connection)
                    yield connection
                except BaseException:
                    connection.exec_driver_sql("ROLLBACK")
                    raise
                connection.exec_driver_sql("COMMIT")
        except SQLAlchemyError as error:
            reason = str(error.__cause__ or error).splitlines()[0]
            raise InputError("ledger", str(self._path), f"a SQLite file that can be written ({reason})") from None
        finally:
            self._engine.dispose()
