"""Weeks of a gas furnace: for each hour, whether it used gas.

python examples/gas/weeks.py

writes the week from 20 January 2013 as week.csv and the six weeks before it as past.csv. The data are read from
series/ampds2_furnace_gas_hourly.csv.gz in $DALENIUS_DATA.
"""

import csv
import gzip
import os
from itertools import pairwise
from pathlib import Path

WEEK = 7 * 24
RELEASED = 42
"""Weeks are counted from 1 April 2012, the first hour of the data."""
BEFORE = 6


def hours() -> list[int]:
    """1 where the counter rose during the hour."""
    with gzip.open(_source(), "rt", encoding="utf-8", newline="") as file:
        counter = [float(row["counter"]) for row in csv.DictReader(file)]
    return [int(after > before) for before, after in pairwise(counter)]


def released(used: list[int]) -> list[int]:
    return used[RELEASED * WEEK : (RELEASED + 1) * WEEK]


def past(used: list[int]) -> list[int]:
    return used[(RELEASED - BEFORE) * WEEK : RELEASED * WEEK]


def _source() -> Path:
    if not os.environ.get("DALENIUS_DATA"):
        raise SystemExit("DALENIUS_DATA: missing, wanted the folder of the public data sets")
    file = Path(os.environ["DALENIUS_DATA"]) / "series" / "ampds2_furnace_gas_hourly.csv.gz"
    if not file.is_file():
        raise SystemExit(f"DALENIUS_DATA: {file}, wanted a file that is there")
    return file


def write(path: Path, used: list[int]) -> None:
    """A row for each hour, in order; weeks are numbered from 1."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["week", "hour", "gas"])
        writer.writerows([hour // WEEK + 1, hour % WEEK + 1, gas] for hour, gas in enumerate(used))


def main() -> None:
    used = hours()
    write(Path("week.csv"), released(used))
    write(Path("past.csv"), past(used))


if __name__ == "__main__":
    main()
