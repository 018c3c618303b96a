"""`dalenius audit --robust`: at which distance of the truth from the model a promise breaks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from dalenius.channel import Release
from dalenius.cli.further import Further
from dalenius.cli.output import print_table, say
from dalenius.notions import Notion
from dalenius.reports import draw_robustness
from dalenius.reports.robustness_curve import Robustness, robustness
from dalenius.reports.robustness_shown import broken_words, robustness_json, robustness_table


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
