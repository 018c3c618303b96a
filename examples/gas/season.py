"""Two winters of a gas furnace: for each hour, whether it used gas.

python examples/gas/season.py

writes the 18 weeks from 24 November 2013 as season.csv, those from 25 November 2012 as past.csv, and the same past with
a row a day as days.csv. The data are read from $DALENIUS_DATA, as by weeks.py.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from weeks import WEEK, hours

WEEKS = 18
PAST, RELEASED = 34, 86
"""First weeks, counted from 1 April 2012; the same time of the year."""
DAY = 24


def winter(used: Sequence[int], first: int) -> list[int]:
    return list(used[first * WEEK : (first + WEEKS) * WEEK])


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def by_day(used: Sequence[int]) -> list[list[int]]:
    return [list(used[first : first + DAY]) for first in range(0, len(used), DAY)]


def main() -> None:
    used = hours()
    past, season = winter(used, PAST), winter(used, RELEASED)
    for name, own in (("past.csv", past), ("season.csv", season)):
        write(Path(name), ["winter", "hour", "gas"], ([1, hour, gas] for hour, gas in enumerate(own, start=1)))
    write(Path("days.csv"), [f"h{hour}" for hour in range(DAY)], by_day(past))


if __name__ == "__main__":
    main()
