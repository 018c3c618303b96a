"""Half of the families of Hagelloch to learn from, the other half to publish: python examples/unknown/halves.py

Writes learned.csv and published.csv, a row for each child with `family` and `early`, whether the rash came before 26
November 1861. Families of each size are dealt out in turn, the first to be learned from, so that there is a law for
every size. The data are read from households/hagelloch_1861.csv in $DALENIUS_DATA.
"""

import csv
import os
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

DAY = "1861-11-26"
Family: TypeAlias = tuple[str, list[int]]


def families() -> list[Family]:
    """Each family's number and, for every child, whether it fell ill early; in the order of the numbers."""
    folder = os.environ.get("DALENIUS_DATA")
    if not folder:
        raise SystemExit("DALENIUS_DATA: missing, wanted the folder of the public data sets")
    found: dict[str, list[int]] = defaultdict(list)
    with (Path(folder) / "households" / "hagelloch_1861.csv").open(encoding="utf-8", newline="") as file:
        for child in csv.DictReader(file):
            found[child["FN"]].append(int(child["ERU"] < DAY))
    return sorted(found.items(), key=lambda family: int(family[0]))


def halves(every: list[Family]) -> tuple[list[Family], list[Family]]:
    """Dealt out in turn, size by size."""
    by_size: dict[int, list[Family]] = defaultdict(list)
    for family in every:
        by_size[len(family[1])].append(family)
    first = [family for size in sorted(by_size) for family in by_size[size][::2]]
    return first, [family for size in sorted(by_size) for family in by_size[size][1::2]]


def write(path: Path, half: list[Family]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "early"])
        writer.writerows([name, early] for name, children in half for early in children)


def main() -> None:
    learned, published = halves(families())
    write(Path("learned.csv"), learned)
    write(Path("published.csv"), published)


if __name__ == "__main__":
    main()
