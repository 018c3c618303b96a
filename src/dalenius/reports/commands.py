"""`dalenius explain`, and what `dalenius audit` reports with --tradeoff and with --robust."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

from dalenius.bounds import Enclosure
from dalenius.calibration import CONFIDENCE
from dalenius.channel import Release
from dalenius.cli.options import Confidence, DataFile, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import Further, print_table, say, working
from dalenius.noise.intervals import missed
from dalenius.notions import RATES, Notion, Tradeoff, tradeoff
from dalenius.reports.attackers import draw_tradeoff
from dalenius.reports.guarantees import draw_robustness
from dalenius.reports.pages import check_page, judged, write_page
from dalenius.reports.robustness import Robustness, broken_words, robustness, robustness_json, robustness_table
from dalenius.spec import read_spec, text_of
from dalenius.spec.results import tradeoff_json
from dalenius.spec.words import whose


def explain(
    spec: SpecFile,
    out: Annotated[Path, option("The page to write, an .html file.")],
    data: DataFile = None,
    confidence: Confidence = CONFIDENCE,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """A report for whoever signs the release: what is published, promised, assumed and leaked."""
    check_page(out)
    missed(confidence, "--confidence")
    with working("explaining"):
        read = read_spec(spec)
        found = judged(read, text_of(spec), spec.parent, data, confidence)
        write_page(found, out)
    say(f"wrote {out}")


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


@final
@dataclass(frozen=True)
class Robust(Further):
    """found: the curve of the notions, and where those with an epsilon break; path: where its picture is, if asked."""

    found: Robustness
    path: Path | None

    def as_json(self) -> dict[str, Any]:
        return {"robust": robustness_json(self.found)}

    def show(self) -> None:
        print_table("If every probability is off by a factor (nats)", *robustness_table(self.found))
        for each in self.found.broken:
            say(broken_words(each))
        if self.path is not None:
            say(f"wrote {self.path} and {self.path.with_suffix('.csv')}")


def robust_of(release: Release, most: float, path: Path | None, notions: tuple[Notion, ...]) -> Robust:
    """The curve up to that factor, and its picture at the path. InputError for a factor that is none."""
    found = robustness(release, most, notions, [each for each in notions if each.epsilon is not None])
    if path is not None:
        draw_robustness(found, path)
    return Robust(found, path)
