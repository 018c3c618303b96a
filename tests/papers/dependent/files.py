"""Small files in the formats of the public data sets."""

import gzip
from collections.abc import Iterable
from pathlib import Path


def packed(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


def write_subset(data: Path, visits: Iterable[str], friends: Iterable[str]) -> None:
    packed(data / "gowalla/cities_visits.csv.gz", ["city,user,poi,lat,lon,count", *visits])
    packed(data / "gowalla/cities_edges.csv.gz", ["city,user1,user2", *friends])


def write_snap(data: Path, checkins: Iterable[str], friends: Iterable[str]) -> None:
    packed(data / "gowalla/loc-gowalla_totalCheckins.txt.gz", checkins)
    packed(data / "gowalla/loc-gowalla_edges.txt.gz", friends)
