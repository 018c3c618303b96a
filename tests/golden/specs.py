"""The specs that are looked at: those of docs and examples, and random ones."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st

from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.strategies import models, noises, queries
from tests.docs.blocks import blocks_of
from tests.golden.outcome import Case

REPOSITORY: Final = Path(__file__).resolve().parents[2]
NOTIONS: Final = ("inferential", "information", "relative_entropy", "mutual_information", "differential", "min_entropy")
EPSILONS: Final = (0.3, 1.0, 2.5)


def written() -> Iterator[Case]:
    """Every spec in a file of examples or a block of a page that is a whole one; tables it reads go with it."""
    for path in sorted((REPOSITORY / "examples").rglob("*.toml")):
        text = path.read_text(encoding="utf-8")
        if _is_whole(text):  # a policy is none
            yield _case(path.relative_to(REPOSITORY).as_posix(), text, path.parent)
    for page in sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]):
        tables: dict[str, str] = {}
        for block in blocks_of(page.read_text(encoding="utf-8")):
            first, _, rest = block.text.partition("\n")
            if block.tag == "csv" and first.startswith("# file: "):
                tables[first.removeprefix("# file: ").strip()] = rest
            if block.tag == "toml" and _is_whole(block.text):
                yield _case(f"{page.name}:{block.line}", block.text, REPOSITORY / "examples", tables)


def _is_whole(text: str) -> bool:
    try:
        return "model" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False


def _case(name: str, text: str, folder: Path, tables: dict[str, str] | None = None) -> Case:
    return Case(name, text, "toml", str(folder), tables or {})


def random_specs(count: int) -> Iterator[Case]:
    """Small models of every kind with a query, a noise and a notion."""
    found: list[dict[str, Any]] = []

    @seed(20)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(models(5), queries(), noises(), st.sampled_from(NOTIONS), st.sampled_from(EPSILONS))
    def collect(model: Model, query: Query, noise: Noise, kind: str, epsilon: float) -> None:
        sections = {"model": model, "query": query, "noise": noise}
        shown = {name: part.model_dump(mode="json", exclude_none=True) for name, part in sections.items()}
        found.append(shown | {"notion": {"kind": kind, "epsilon": epsilon}})

    collect()
    for number, spec in enumerate(found):
        yield Case(f"random {number}", json.dumps(spec), "json", ".", {})
