"""Advice in the service on the few people who set the noise: its numbers are prices of both tables."""

import asyncio
import re
from pathlib import Path

import pytest

from dalenius.curator import Curator, policy_from
from dalenius.server.asks import Asks, SentQuestion
from dalenius.server.work import Work
from tests.curator.policies import ask, sections

SIZES = {1: 300, 2: 120, 3: 60, 9: 1}


def table(sizes: dict[int, int], ill: int) -> str:
    homes = [size for size, count in sizes.items() for _ in range(count)]
    rows = [f"h{n},x,{ill},1" for n, size in enumerate(homes) for _ in range(size)]
    return "\n".join(["home,place,ill,age", *rows]) + "\n"


def advised(folder: Path, sizes: dict[int, int], ill: int = 0, epsilon: float = 0.9, **data: object) -> str | None:
    """What the service says beside a price."""
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text(table(sizes, ill), encoding="utf-8")
    curator = Curator(policy_from(sections(**data), folder), folder)
    session = curator.session("bob", "measles")

    async def said() -> str | None:
        work = Work(2, 60.0, "test")
        found = await Asks(curator, work, None).advice(SentQuestion(session, ask(epsilon=epsilon)))
        work.close()
        return found

    try:
        return asyncio.run(said())
    finally:
        curator.close()


def width(folder: Path, sizes: dict[int, int]) -> float:
    """How far an answer is off, by the estimate for that table."""
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text(table(sizes, 0), encoding="utf-8")
    curator = Curator(policy_from(sections(), folder), folder)
    (found,) = curator.session("bob", "measles").estimate(ask(epsilon=0.9)).half_widths.values()
    curator.close()
    assert found is not None
    return found


def test_its_numbers_are_those_of_two_tables(tmp_path: Path) -> None:
    said = advised(tmp_path / "all", SIZES)
    assert said is not None
    before, after = width(tmp_path / "a", SIZES), width(tmp_path / "b", {s: n for s, n in SIZES.items() if s <= 3})
    assert re.findall(r"± ([\d.]+)", said) == [f"{before:.6g}", f"{after:.6g}"]
    assert said.startswith("9 people in households of 9 set ±")


def test_it_depends_on_what_is_public_alone(tmp_path: Path) -> None:
    assert advised(tmp_path / "0", SIZES, 0) == advised(tmp_path / "1", SIZES, 1)


@pytest.mark.parametrize("public", [("people", "labels"), ("households", "labels")])
def test_nothing_is_said_of_what_is_not_public(tmp_path: Path, public: tuple[str, ...]) -> None:
    assert advised(tmp_path, SIZES, public=public) is None


def test_nothing_is_said_where_nobody_can_be_left_out(tmp_path: Path) -> None:
    assert advised(tmp_path, {2: 50}) is None
