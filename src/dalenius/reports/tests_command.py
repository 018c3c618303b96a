"""`dalenius audit --tradeoff`: what attackers find at a rate of false alarms."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.further import Further
from dalenius.cli.output import say
from dalenius.notions import RATES, Tradeoff, tradeoff
from dalenius.reports import draw_tradeoff
from dalenius.spec.results import tradeoff_json
from dalenius.spec.words import whose


@final
@dataclass(frozen=True)
class Tests(Further):
    """found: the tests of the release."""

    found: Tradeoff

    def as_json(self) -> dict[str, Any]:
        return tradeoff_json(self.found)

    def show(self) -> None:
        value, witness = self.found.advantage
        pair = "" if witness is None or witness.secret is None else f": {witness.secret} against {witness.against}"
        say(f"advantage of the best attacker: {_shown(value)}, about {whose(witness)}{pair}")
        for rate in RATES:
            share = _shown(self.found.true_positives(rate).value)
            say(f"true positives at {100 * rate:g} % false alarms: {share}. {self.found.in_words(rate)}")


def tests_of(release: Release, path: Path) -> Tests:
    """With their picture at the path."""
    found = tradeoff(release)
    draw_tradeoff(found, path)
    return Tests(found)


def _shown(value: Enclosure) -> str:
    if value.upper - value.lower <= 1e-6:
        return f"{value.middle:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"
