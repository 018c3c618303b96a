"""What is in a ledger, read without the package, and what is wrong with it."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256

from tests.curator.asking import Row, asked, rows_in_sqlite


def rows_of(address: str) -> list[Row]:
    return rows_in_postgres(address) if "://" in address else rows_in_sqlite(address)


def rows_in_postgres(url: str) -> list[Row]:
    import psycopg

    with psycopg.connect(url) as connection:
        if connection.execute("SELECT to_regclass('dalenius_ledger')").fetchone() == (None,):
            return []
        rows = connection.execute("SELECT number, kind, body, hash FROM dalenius_ledger ORDER BY number")
        return [(number, kind, body, hash_) for number, kind, body, hash_ in rows]


def problems(rows: list[Row], draws: int, budget: float) -> Iterator[str]:
    """What is wrong with a ledger from which so much was drawn."""
    before = sha256(b"dalenius ledger").hexdigest()
    for place, (number, kind, text, hash_) in enumerate(rows, 1):
        whole = json.dumps([before, number, kind, text], separators=(",", ":"))
        if number != place or hash_ != sha256(whole.encode()).hexdigest():
            yield f"entry {place} is not linked to the one before it"
        before = hash_
    debits = {number: json.loads(text) for number, kind, text, _ in rows if kind == "debit"}
    if sum(Fraction(debit["group_loss"], 10**9) for debit in debits.values()) > Fraction(budget):
        yield "the budget is overspent"
    if draws > len(debits):
        yield "drawn without a debit"
    answered = Counter(json.loads(text)["debit"] for _, kind, text, _ in rows if kind == "answer")
    if any(count > 1 or debit not in debits for debit, count in answered.items()):
        yield "an answer without a debit of its own"


def ahead(address: str, rows: list[Row]) -> Iterator[str]:
    """What is wrong with what is beside a ledger's file."""
    with suppress(FileNotFoundError), open(f"{address}.head", encoding="ascii") as file:
        found = json.load(file)
        if found["hash"] not in [hash_ for number, _, _, hash_ in rows if number == found["entries"]]:
            yield "what is beside the ledger is ahead of it"


def key(spec: str) -> str:
    """Of the request in the ledger."""
    return str(asked(spec=spec).key)


def answers_of(rows: list[Row]) -> dict[str, str]:
    """The answers in the ledger, by the key of their request."""
    bodies = [json.loads(text) for _, kind, text, _ in rows if kind == "answer"]
    return {body["request"]: str(Fraction(*body["answers"][0])) for body in bodies}
