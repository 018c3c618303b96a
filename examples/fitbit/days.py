"""Days of people who wore an activity tracker: the most strenuous minute of each quarter of an hour, as a class 0 to 3.

python examples/fitbit/days.py 8378563200

writes that person's last day as day.csv; all days before it as past.csv, and these again as weekdays.csv and
weekends.csv. The data are read from series/fitbit_minuteIntensitiesWide.csv.gz in $DALENIUS_DATA.
"""

import csv
import gzip
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path

QUARTER = 15
QUARTERS = 24 * 60 // QUARTER
Day = tuple[int, ...]


def people(block: int = QUARTER) -> dict[str, dict[date, Day]]:
    """By person and date, the complete days on which the tracker was worn, that is, saw any movement.

    block: how many minutes make a record.
    """
    minutes: dict[str, dict[date, dict[int, list[int]]]] = {}
    with gzip.open(_source(), "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            hour = datetime.strptime(row["ActivityHour"], "%m/%d/%Y %H:%M")
            own = [int(row[f"Intensity{minute:02}"]) for minute in range(60)]
            minutes.setdefault(row["Id"], {}).setdefault(hour.date(), {})[hour.hour] = own
    return {person: _days(by_date, block) for person, by_date in minutes.items()}


def _days(by_date: Mapping[date, Mapping[int, list[int]]], block: int) -> dict[date, Day]:
    days = {day: _blocks(hours, block) for day, hours in sorted(by_date.items()) if len(hours) == 24}
    return {day: blocks for day, blocks in days.items() if any(blocks)}


def _blocks(hours: Mapping[int, list[int]], block: int) -> Day:
    minutes = [minute for hour in range(24) for minute in hours[hour]]
    return tuple(max(minutes[first : first + block]) for first in range(0, len(minutes), block))


def _source() -> Path:
    if not os.environ.get("DALENIUS_DATA"):
        raise SystemExit("DALENIUS_DATA: missing, wanted the folder of the public data sets")
    file = Path(os.environ["DALENIUS_DATA"]) / "series" / "fitbit_minuteIntensitiesWide.csv.gz"
    if not file.is_file():
        raise SystemExit(f"DALENIUS_DATA: {file}, wanted a file that is there")
    return file


def write(path: Path, days: Iterable[tuple[date, Day]]) -> None:
    """A row for each quarter of an hour, in order."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["day", "quarter", "activity"])
        for day, quarters in days:
            writer.writerows([day, place, activity] for place, activity in enumerate(quarters, start=1))


def main() -> None:
    known = people()
    if len(sys.argv) != 2 or sys.argv[1] not in known:
        raise SystemExit(f"days.py: {' '.join(sys.argv[1:])}, wanted one of {', '.join(known)}")
    *past, last = known[sys.argv[1]].items()
    write(Path("day.csv"), [last])
    write(Path("past.csv"), past)
    write(Path("weekdays.csv"), [(day, quarters) for day, quarters in past if day.weekday() < 5])
    write(Path("weekends.csv"), [(day, quarters) for day, quarters in past if day.weekday() >= 5])


if __name__ == "__main__":
    main()
