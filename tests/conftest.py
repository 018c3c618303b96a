"""What every test shares: the hypothesis profile, the pace, where the public data sets are, and where the tests leave
what is to be looked at, such as pictures of pages."""

import gc
import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.pace import QUICK, SAME, Pace, longest_first, shared
from tests.postgres import database as database, postgres as postgres

EXPLORE = os.environ.get("EXPLORE", "")
"""A number, by which the order of tests is drawn: `make explore` looks for new examples."""

# What is drawn at random is the same for everybody, each time; only `make explore` looks further.
settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, derandomize=False, print_blob=True, max_examples=1000)
settings.load_profile("explore" if EXPLORE else "default")
if not EXPLORE:
    # Constants of the modules that happen to be loaded are drawn too: examples would hang on the order of the tests.
    setattr(providers, "_get_local_constants", lambda: providers._local_constants)  # noqa: B010

os.environ.setdefault("DALENIUS_ARTEFACTS", str(Path(__file__).parents[1] / "build" / "artefacts"))
for place in ("DALENIUS_DATA", "DALENIUS_ARTEFACTS"):  # some tests change directory
    if os.environ.get(place):
        os.environ[place] = str(Path(os.environ[place]).resolve())


def pytest_configure(config: pytest.Config) -> None:
    Pace.full = config.getoption("-m") != QUICK
    gc.disable()  # what is collected stays: looking through it for what is not used takes a sixth of that time


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # or libraries complain of what was never given back


@pytest.hookimpl(trylast=True)  # after those that are not asked for were left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SAME and Pace.full:
        items[:], left = shared(items, lambda item: item.get_closest_marker("slow") is not None)
        config.hook.pytest_deselected(items=left)
    if EXPLORE:  # so that a short time, too, may reach any of them
        Random(EXPLORE).shuffle(items)
        return
    items[:] = longest_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
