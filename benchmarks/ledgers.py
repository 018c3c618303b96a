"""How many answers a second a ledger keeps up with."""

from typing import Final

from benchmarks.measuring import measured, span
from benchmarks.section import Section, Target

ANALYSTS: Final = 8
SECONDS: Final = 2.0
WHERE: Final = ("SQLite", "PostgreSQL")
PATIENCE: Final = 60.0
"""99 of 100 answers should not take longer than so many bare commits: on a disk that others use too these take long."""


def run() -> Section:
    found = {
        where: measured("benchmarks.ledger_cases:answered", where=where, analysts=ANALYSTS, seconds=SECONDS).result
        for where in WHERE
    }
    return Section(
        title="Answers that a ledger keeps up with",
        about=f"{ANALYSTS} analysts of one process ask at once, each one thing after another, and nothing but the "
        "ledger takes time: the debit is on the disk before the answer is drawn, and the answer before it goes out, "
        "two commits in turn, and beside SQLite a file that says how far it is; analysts wait for each other. Beside "
        "it, by turns, one writer that commits single rows as durably: SQLite with synchronous=EXTRA, PostgreSQL with "
        "its default settings on the same machine. Medians of five turns.",
        columns=("ledger", "bare commits a second", "answers a second", "answers a commit", "99 % are told within"),
        rows=tuple(
            (
                where,
                f"{each['bare']:,.0f}",
                f"{each['answers']:,.0f}",
                f"{each['answers'] / each['bare']:.2f}",
                span(each["p99"]),
            )
            for where, each in found.items()
        ),
        targets=tuple(
            target
            for where, each in found.items()
            for target in (
                Target(f"{where}, bare commits per answer", 4.0, each["bare"] / each["answers"], "commits"),
                Target(f"{where}, 99 % of the answers", PATIENCE, each["p99"] * each["bare"], "commits"),
            )
        ),
    )
