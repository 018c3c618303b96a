"""A table of millions of people in regions, and the commands that calibrate and release its counts."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import duckdb

from benchmarks.measuring import MEBIBYTE, REPOSITORY

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


def commands(people: int) -> dict[str, float]:
    """Seconds of `dalenius calibrate` and of `dalenius release`, imports counted, of a Parquet file of so many people;
    and the mebibytes that the larger of them held."""
    with TemporaryDirectory() as folder:
        # In a process of its own: a child is said to hold what its parent did when it was started.
        made = f"from benchmarks.region_cases import write; write({folder!r}, {people})"
        subprocess.run([sys.executable, "-c", made], check=True, cwd=REPOSITORY)
        found = {command: _cost(command, Path(folder) / "people.toml") for command in ("calibrate", "release")}
    return {command: seconds for command, (seconds, _) in found.items()} | {
        "memory": max(memory for _, memory in found.values())
    }


def write(folder: str, people: int) -> None:
    """The table and what is asked of it."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        file = Path(folder) / "people.parquet"
        connection.execute(f"COPY ({PEOPLE}) TO '{file}' (FORMAT parquet)", {"seed": SEED, "people": people})
    (Path(folder) / "people.toml").write_text(SPEC, encoding="utf-8")


def _cost(command: str, spec: Path) -> tuple[float, float]:
    start = perf_counter()
    process = subprocess.Popen([sys.executable, "-c", COMMAND, command, str(spec), "--json"], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return seconds, (used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * KIBIBYTE) / MEBIBYTE
