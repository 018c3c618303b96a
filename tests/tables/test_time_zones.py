"""Times with a zone are compared as clocks in that zone show them; with an offset in the condition as moments."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius import check
from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables import open_people

BERLIN = "Europe/Berlin"
STARTS = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 3, 29, tzinfo=UTC), datetime(2020, 10, 25, tzinfo=UTC))
MOMENTS = [start + timedelta(minutes=25 * place - 400) for start in STARTS for place in range(40)]
"""Around new year and both days on which clocks change."""
OPERANDS = ("2020-01-01", "2020-03-29T03:00:00", "2020-10-25T02:30")
WITH_OFFSET = ("2020-03-29T03:00:00+02:00", "2020-10-25T02:30Z")
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "at_least": lambda cell, wanted: cell >= wanted,
    "below": lambda cell, wanted: cell < wanted,
    "equals": lambda cell, wanted: cell == wanted,
}


def arrow(zone: str) -> pa.Table:
    return pa.table({"at": pa.array(MOMENTS, pa.timestamp("us", tz=zone))})


def parquet(folder: Path, zone: str) -> Path:
    pq.write_table(arrow(zone), folder / "at.parquet")
    return folder / "at.parquet"


def several_files(folder: Path, zone: str) -> Path:
    (folder / "parts").mkdir()
    pq.write_table(arrow(zone), folder / "parts" / "1.parquet")
    return folder / "parts"


def texts(folder: Path, zone: str) -> Path:
    rows = [moment.astimezone(zone_named(zone)).isoformat() for moment in MOMENTS]
    (folder / "at.csv").write_text("\n".join(["at", *rows, ""]), encoding="utf-8")
    return folder / "at.csv"


MADE: dict[str, Callable[[Path, str], Any]] = {
    "pandas": lambda folder, zone: arrow(zone).to_pandas(),
    "arrow": lambda folder, zone: arrow(zone),
    "polars": lambda folder, zone: pl.from_arrow(arrow(zone)),
    "parquet": parquet,
    "folder": several_files,
    "csv": texts,
}


def zone_named(name: str) -> Any:
    if name[0] not in "+-":
        return ZoneInfo(name)
    return datetime.fromisoformat(f"2020-01-01T00:00{name}").tzinfo


def counted(table: Any, comparison: str, operand: str) -> int:
    found = open_people(Source.model_validate({"value": {"column": "at", comparison: operand}}), Path(), table)
    return sum(count for (_, value), count in found.tally().items() if value == 1)


def wanted(zone: str, comparison: str, operand: str) -> int:
    """By Python's own datetimes, moment by moment."""
    clocks = [moment.astimezone(zone_named(zone)) for moment in MOMENTS]
    holds = COMPARED[comparison]
    if len(operand) == 10:
        return sum(holds(clock.date(), date.fromisoformat(operand)) for clock in clocks)
    read = datetime.fromisoformat(operand)
    plain = [clock.replace(tzinfo=None, fold=0) for clock in clocks]
    return sum(holds(*pair) for pair in ((each, read) for each in (plain if read.tzinfo is None else clocks)))


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("zone", [BERLIN, "+05:30", "-03:00", "UTC"])
def test_columns_are_compared_in_their_zone(tmp_path: Path, made: str, zone: str) -> None:
    # A CSV that clocks change in has two offsets, and no zone: see below. Polars takes no offset for one.
    if (made, zone[0]) in {("csv", "E"), ("polars", "+"), ("polars", "-")}:
        return
    table = MADE[made](tmp_path, "Etc/UTC" if zone == "UTC" and made == "parquet" else zone)
    for operand in (*OPERANDS, *WITH_OFFSET):
        for comparison in ("at_least",) if "T" in operand else ("below", "equals"):
            assert counted(table, comparison, operand) == wanted(zone, comparison, operand), (operand, comparison)


def test_a_csv_of_several_offsets_is_compared_in_utc(tmp_path: Path) -> None:
    table = texts(tmp_path, BERLIN)
    for operand in (*OPERANDS, *WITH_OFFSET):
        assert counted(table, "at_least", operand) == wanted("UTC", "at_least", operand)


def test_a_database_has_no_zone_of_its_own(tmp_path: Path) -> None:
    given = arrow(BERLIN)
    with duckdb.connect(tmp_path / "at.duckdb") as connection:
        connection.register("given", given)
        connection.execute("CREATE TABLE moments AS FROM given")
    source = Source.model_validate({"table": "moments", "value": {"column": "at", "at_least": "2020-01-01"}})
    found = open_people(source, Path(), tmp_path / "at.duckdb").tally()
    assert sum(count for (_, value), count in found.items() if value == 1) == wanted("UTC", "at_least", "2020-01-01")


def test_one_of_several_moments_may_have_an_offset(tmp_path: Path) -> None:
    frame = arrow(BERLIN)
    clock = MOMENTS[3].astimezone(ZoneInfo(BERLIN)).replace(tzinfo=None).isoformat()
    listed = [clock, MOMENTS[50].isoformat(), "2020-12-31T00:00+02:00"]
    source = Source.model_validate({"value": {"column": "at", "one_of": listed}})
    assert open_people(source, Path(), frame).tally()["", Fraction(1)] == 2


def test_a_check_says_which_zone(tmp_path: Path) -> None:
    assert [each.holds for each in check(arrow(BERLIN)).columns] == [f"times in {BERLIN}"]
    assert [each.holds for each in check(parquet(tmp_path, BERLIN)).columns] == [f"times in {BERLIN}"]
    assert [each.holds for each in check(arrow("UTC")).columns] == ["times in UTC"]
    plain = pd.DataFrame({"at": pd.to_datetime(["2020-01-01T00:00"])})
    assert [each.holds for each in check(plain).columns] == ["dates or times"]


def test_a_message_says_which_zone() -> None:
    with pytest.raises(InputError, match=f"the column holds times in {BERLIN}: a condition has them as 2026-02-01$"):
        counted(arrow(BERLIN), "equals", "ill")
