"""Every section of `make bench` is on docs/research/benchmarks.md, with its rows. Nothing is measured here: the
sections are built from numbers of the right shape, and what of them does not hang on a measurement is looked for on the
page."""

import importlib.util
import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks import table_cases
from benchmarks.__main__ import BENCHMARKS
from benchmarks.failure_cases import TABLES
from benchmarks.left_out_cases import QUERIES
from benchmarks.measuring import REPOSITORY, Measured
from benchmarks.page import WIDTH, write_page
from benchmarks.section import Section, Target

TIMED: Final = (0.5, 0.25)
"""Seconds, and a result."""
LEFT_OUT: Final = dict.fromkeys(("tally", *(query.kind for query in QUERIES), "total", "classes"), 0.5)
LEAKAGES: Final = ("Shannon leakage (nats)", "Bayes leakage (nats)", "smallest ε")
RESULTS: Final[dict[str, Any]] = {
    "cases:audited": {"inferential": 1.0},
    "cases:audited_by": 1.0,
    "cases:calibrated": {"scale": 1.0},
    "cases:enclosed": {"inferential": (1.0, 1.5), "mutual_information": (0.5, 0.75)},
    "attack_cases:attacked": (0.5, 0.25, 0.125),
    "belief_cases:updated": TIMED,
    "belief_cases:accounted": TIMED,
    **dict.fromkeys(
        (f"conversion_cases:{case}" for case in ("household", "groups", "composed", "chain", "network")), (0.5, 0.75)
    ),
    "degree_cases:released": (0.5, 0.25, 1_000_000),
    **dict.fromkeys((f"people_cases:{case}" for case in ("suprema", "notions", "calibrated", "optimum")), TIMED),
    "region_cases:commands": {"calibrate": 0.5, "release": 0.5, "memory": 128.0},
    "dependent_cases:chain": (1.0, 1.5),
    "dependent_cases:pairs": (1.0, 1.5),
    "dependent_cases:plane": (1.0, 1.5),
    "dependent_cases:three": (1.0, 1.5),
    "dependent_cases:tree": (1.0, 1.5),
    "enumeration_side_by_side:by_factors": (0.5, 1.0, 1.0),
    "enumeration_side_by_side:enumerated": (1.0, 1.0),
    "known_cases:alone": (1.0, 1.5, 0.5, 0.75),
    "known_cases:of_one_sex": (1.0, 1.5, 0.5, 0.75),
    "left_out_cases:left_out": LEFT_OUT,
    "ledger_cases:answered": {"bare": 900.0, "answers": 600.0, "p99": 0.02},
    "linked_cases:chain": (1.0, 1.5, 0.5, 0.75),
    "linked_cases:copies": (1.0, 1.5, 0.5, 0.75),
    "linked_cases:independent": (1.0, 1.5, 0.5, 0.75, 0.25, 0.5),
    **dict.fromkeys((f"long_chain_cases:{case}" for case in ("bits", "three", "uneven")), (1.0, 1.5, 0.5, 0.75)),
    "long_chain_cases:calibrated": (1.0, 0.5),
    "method_cases:calibrated": 1.0,
    "question_cases:calibrated": (1.0, 1.5, 2.0),
    "question_cases:three_counts": (1.0, 1.5, 0.5, 0.75),
    "question_cases:twelve_counts": (1.0, 1.5, 0.5, 0.75),
    "stream_cases:recursion": (0.5, 0.75),
    "stream_cases:additive": (0.5, 0.75),
    "failure_cases:timed": {"quartiles": dict.fromkeys(TABLES, (0.25, 0.5, 0.75)), "areas": (0.5, 0.5, 0.5)},
    "hostile_cases:waited": {
        "alone": {"requests": 300, "median": 0.1, "p99": 1.0, "refused": 0, "lost": 0},
        "beside": {"requests": 300, "median": 0.1, "p99": 1.5, "refused": 0, "lost": 0},
        "hostile": {"0": 1, "422": 3, "429": 60, "503": 40},
    },
    "method_cases:compared": (9, 1.0, 0.5),
    "network_cases:alike": (1.0, 0.5),
    "network_cases:degree": 1.0,
    "network_cases:summed": dict.fromkeys(("bare", "one_end", "ours", "clean", "edges", "answer"), 0.5),
    "network_cases:whole": 0.5,
    "noiseless_cases:bits": {"first": 0.5, "last": 0.25, "width": 0.5},
    "noiseless_cases:chain": {"first": 0.5, "last": 0.25, "width": 0.5},
    "noiseless_cases:households": {"first": 0.5, "last": 0.25, "width": 0.5},
    "optimum_cases:calibrated": (1.0, 0.5, 2.0),
    "promise_cases:calibrated": (300.0, 299.0),
    "promise_cases:optimum": (1.0, 0.5),
    "promise_cases:tail": (0.5, 1e-12),
    "table_cases:counted": {key: {"bare": 0.5, "count": 0.5, "opening": 0.25} for key in table_cases.ASKED},
    "qif_side_by_side:by_dalenius": {"before": 1.0, "leakages": dict.fromkeys(LEAKAGES, TIMED)},
    "qif_side_by_side:by_qif": dict.fromkeys(LEAKAGES, TIMED),
}
"""What each case would hand back."""


def not_measured(case: str, **_: object) -> Measured:
    return Measured(0.5, 2.0**27, 3, RESULTS[case.removeprefix("benchmarks.")])


Build = Callable[[str], Section]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Build:
    """A section of `make bench`, as it would be with qif there."""

    def build(name: str) -> Section:
        run = BENCHMARKS[name]
        monkeypatch.setattr(sys.modules[run.__module__], "measured", not_measured)
        with monkeypatch.context() as patched:
            patched.setattr(importlib.util, "find_spec", lambda _: object())
            return run()

    return build


def sections_of(page: str) -> dict[str, str]:
    """What stands under each heading of the second level."""
    _, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    return {title: text for title, _, text in (part.partition("\n") for part in parts)}


def missing(section: Section, page: Mapping[str, str]) -> list[str]:
    """What the section has and the page has not: its heading, its words, its columns, its rows, a target, a picture."""
    if section.title not in page:
        return [f"## {section.title}"]
    text = page[section.title]
    columns, _, *rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    found = []
    if textwrap.fill(section.about, WIDTH) not in text:
        found.append(section.about)
    if columns != list(section.columns):
        found.append(f"columns {', '.join(section.columns)}")
    names, wanted = [row[0] for row in rows], [row[0] for row in section.rows]
    if names != wanted:
        found += [f"row {name}" for name in wanted if name not in names] or [f"rows in the order {', '.join(wanted)}"]
    if section.figure is not None and f"](../figures/{section.figure})" not in text:
        found.append(section.figure)
    return found + [str(target) for target in section.targets if not is_told(target, text)]


def is_told(target: Target, text: str) -> bool:
    """Whether the promise is there, whatever was measured."""
    before, after = f"* {target.what}: ", f" {target.unit}, target {target.limit:g} {target.unit}: "
    return re.search(rf"^{re.escape(before)}\S+{re.escape(after)}(met|MISSED)$", text, flags=re.MULTILINE) is not None


@pytest.mark.parametrize("name", BENCHMARKS)
def test_section_is_on_the_page(name: str, built: Build) -> None:
    page = (REPOSITORY / "docs/research/benchmarks.md").read_text(encoding="utf-8")
    assert missing(built(name), sections_of(page)) == [], "`python -m benchmarks --write` writes the page again"


def test_page_has_no_other_section(built: Build) -> None:
    page = (REPOSITORY / "docs/research/benchmarks.md").read_text(encoding="utf-8")
    assert set(sections_of(page)) <= {built(name).title for name in BENCHMARKS}


def test_written_page_passes_and_near_lies_do_not(built: Build, tmp_path: Path) -> None:
    section = built("noiseless")
    write_page(tmp_path, {"processor": "some"}, [built("audit"), section])
    page = (tmp_path / "research/benchmarks.md").read_text(encoding="utf-8")
    assert missing(section, sections_of(page)) == []
    last, target = section.rows[-1][0], section.targets[-1]
    for true, lie in (
        (f"## {section.title}\n", "## Another\n"),
        (section.about[:30], section.about[:29]),
        ("| records |", "| people |"),
        (f"| {last} |", "| a shorter chain |"),
        (f"* {target.what}", "* a shorter chain"),
        (f"target {target.limit:g} s", f"target {target.limit + 1:g} s"),
    ):
        assert true in page
        assert missing(section, sections_of(page.replace(true, lie))), lie
