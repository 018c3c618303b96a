"""Time zones of columns of moments, whose cells are read as people there read them from a clock.

Engines hold a moment as UTC and forget the zone that a frame's or a Parquet file's column has. It is kept in the type
that the column has to Ibis. The offsets of a CSV's cells are a zone where all cells have the same one.

>>> from datetime import datetime
>>> in_utc(datetime(2020, 1, 1, 0, 30), "Europe/Berlin"), is_zone("+01:00"), is_zone("Atlantis/North")
(datetime.datetime(2019, 12, 31, 23, 30), True, False)
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from dalenius.tables.opening_with_ibis import IbisTable, answer_of, ibis

_OFFSET: Final = re.compile(r"([+-])(\d\d):?(\d\d)?")
UTC_NAMES: Final = ("UTC", "Etc/UTC", "Z", "+00:00", "-00:00")
"""The names that files and frames write for UTC."""
WRITTEN_OFFSET: Final = r"\d(Z|[+-]\d\d(:?\d\d)?) *$"
"""The offset that a moment as a text ends with."""


def is_zone(name: str) -> bool:
    """Says whether it is the name of a time zone, or an offset."""
    try:
        return _zone(name) is not None
    # KeyError: no such zone; else a name that no file can have.
    except (KeyError, ValueError, OSError):
        return False


def in_utc(moment: datetime, zone: str) -> datetime:
    """Returns `moment` in UTC, and without a zone, as engines hold moments; one without a zone is read in `zone`."""
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=_zone(zone))
    return known.astimezone(UTC).replace(tzinfo=None)


def zone_of(cells: Any) -> str | None:
    """Returns the zone of a column of moments; None where its cells are no moments, or those of a clock somewhere."""
    kind = cells.type()
    return kind.timezone if kind.is_timestamp() else None


def on_local_clocks(cells: Any) -> Any:
    """Returns the time on a clock in the column's zone at each moment of `cells`, without a zone."""
    zone, plain = zone_of(cells), cells.cast("timestamp('UTC')")
    if zone is None:
        return cells
    if zone in UTC_NAMES:
        return plain.cast("timestamp")
    if offset := _offset(zone):
        # Because engines do not agree whether UTC+1 is written +01:00 or -01:00.
        return plain.cast("timestamp") + ibis().interval(minutes=offset // timedelta(minutes=1))
    signature = (("string", "timestamp('UTC')"), "timestamp")
    return ibis().udf.scalar.builtin(name="timezone", signature=signature)(_two)(zone, plain)


def with_zones(table: IbisTable, zones: Mapping[str, str]) -> IbisTable:
    """Returns `table` with the same cells, in columns that know their `zones`, by their names."""
    own = {name: table[name].cast(f"timestamp('{zone}')") for name, zone in zones.items() if zone_of(table[name])}
    return table.mutate(**own) if own else table


def zones_in(schema: Any) -> dict[str, str]:
    """Returns the zones of a pyarrow `schema`, by the names of its columns of moments, without UTC and unknown ones."""
    found = {each.name: getattr(each.type, "tz", None) for each in schema}
    return {name: zone for name, zone in found.items() if zone and zone not in UTC_NAMES and is_zone(zone)}


def written_zones(texts: IbisTable, read: IbisTable) -> dict[str, str]:
    """Returns the offset that all moments of a column have in a file of text, by the column's name.

    Args:
        texts: The cells as they are written.
        read: The cells as the engine reads them.
    """
    found = {}
    for name in read.columns:
        if zone_of(read[name]) is None:
            continue
        offsets = texts.select(offset=texts[name].re_extract(WRITTEN_OFFSET, 1)).distinct()
        listed = answer_of(offsets.filter(offsets.offset.notnull()).limit(2))["offset"].to_pylist()
        if len(listed) == 1 and (offset := _offset(listed[0])):
            found[name] = _shown(offset)
    return found


def _zone(name: str) -> tzinfo:
    offset = _offset(name)
    return ZoneInfo(name) if offset is None else timezone(offset)


def _offset(name: str) -> timedelta | None:
    """Returns the offset from UTC, where the zone is written as one."""
    if name in UTC_NAMES:
        return timedelta(0)
    if (found := _OFFSET.fullmatch(name)) is None:
        return None
    size = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return -size if found[1] == "-" else size


def _shown(offset: timedelta) -> str:
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{'-' if offset < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"


# Ibis is given this for a function of the engine's own: only the number of its arguments counts.
def _two(a: Any, b: Any) -> Any: ...
