"""A table of millions of people in regions, and the commands that calibrate and release its counts."""

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import duckdb

SEED: Final = 18
PEOPLE: Final = (
    "SELECT home * 6 + member AS id, home, 'region ' || (hash(home + $seed) % 20 + 1) AS region, "
    "(hash(home * 6 + member + $seed) % 100 < 15)::INT AS ill "
    "FROM (SELECT home, unnest(range((hash(home - $seed) % 6 + 1)::INT)) AS member FROM range($people) homes(home)) "
    "ORDER BY id LIMIT $people"
)
"""Households of one to six, all of one region each: the same on every machine."""
SPEC: Final = """\
data = { file = "people.parquet", value = "ill", label = "region", person = "id" }
model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }
query = { kind = "count", per_label = true }
noise = { kind = "laplace" }
notion = { kind = "information", epsilon = 1.0 }
"""
COMMAND: Final = "import sys; from dalenius.cli.main import main; sys.exit(main())"
KIBIBYTE: Final = 1024
MEBIBYTE: Final = 2**20


def commands(people: int) -> dict[str, float]:
    """Seconds of `dalenius calibrate` and of `dalenius release`, imports counted, of a Parquet file of so many people;
    and the mebibytes that the larger of them held."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.parquet"
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({PEOPLE}) TO '{file}' (FORMAT parquet)", {"seed": SEED, "people": people})
        spec = Path(folder) / "people.toml"
        spec.write_text(SPEC, encoding="utf-8")
        found = {command: _seconds(command, spec) for command in ("calibrate", "release")}
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return found | {"memory": (largest if sys.platform == "darwin" else largest * KIBIBYTE) / MEBIBYTE}


def _seconds(command: str, spec: Path) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-c", COMMAND, command, str(spec), "--json"], check=True, capture_output=True)
    return perf_counter() - start
