"""The chains written in the example specs are the ones that `dalenius fit` finds in the public series."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.docs.page import REPOSITORY

EXAMPLES = REPOSITORY / "examples"


@pytest.fixture(autouse=True)
def _data() -> None:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")


def fitted(here: Path, table: str, *columns: str) -> Any:
    """The model that the command line fits to a table."""
    command = [str(Path(sys.executable).with_name("dalenius")), "fit", "--data", table, "--model", "chain", *columns]
    run(here, *command, "--out", "fitted.json")
    return json.loads((here / "fitted.json").read_text(encoding="utf-8"))["model"]


def run(here: Path, *command: str) -> None:
    subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=300)


def written(spec: str) -> Any:
    return tomllib.loads((EXAMPLES / spec).read_text(encoding="utf-8"))["model"]


@pytest.mark.slow  # tests/fitting fits small chains in the quick suite
def test_chain_of_the_furnace(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, str(EXAMPLES / "gas/weeks.py"))
    assert written("gas/gas.toml") == fitted(
        tmp_path, "past.csv", "--value", "gas", "--order", "hour", "--sequence", "week"
    )


@pytest.mark.slow  # tests/fitting fits small chains in the quick suite
def test_chains_of_the_days(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, str(EXAMPLES / "fitbit/days.py"), "5577150313")
    columns = ("--value", "activity", "--order", "quarter", "--sequence", "day")
    models = [fitted(tmp_path, f"{days}.csv", *columns) for days in ("past", "weekdays", "weekends")]
    assert written("fitbit/fitbit.toml") == models[0]
    assert written("fitbit/kinds_of_day.toml")["models"] == models
