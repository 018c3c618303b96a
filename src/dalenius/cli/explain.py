"""The command `explain`: the sheet of a release before its answers go out, and an appendix with all that it leaks."""

from pathlib import Path
from typing import Annotated

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import Confidence, DataFile, Encoding, Memory, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import advise, say, working
from dalenius.cli.sheet import LanguageName, Reason
from dalenius.noise.error_law import missed
from dalenius.plotting import write_atomically
from dalenius.reports.judged_spec import judge
from dalenius.reports.language import language as language_of
from dalenius.reports.page import check_page, page
from dalenius.reports.sheet import fragment, sheet_of
from dalenius.reports.sheet_facts import facts_before
from dalenius.spec import read_spec, text_of


def explain(
    spec: SpecFile,
    out: Annotated[Path, option("The page to write, an .html file.")],
    data: DataFile = None,
    encoding: Encoding = None,
    ledger: Annotated[
        str | None, option("The ledger of earlier releases of the table [default: beside the data].")
    ] = None,
    confidence: Confidence = CONFIDENCE,
    language: LanguageName = "en",
    reason: Reason = "",
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Write the sheet of a release before it goes out, with an appendix: what is promised, assumed and leaked."""
    check_page(out)
    missed(confidence, "--confidence")
    words = language_of(language)
    with working("explaining"):
        read = read_spec(spec).in_encoding(encoding)
        judged = judge(read, text_of(spec), spec.parent, data, confidence, ledger, advise)
        text = page(judged, fragment(sheet_of(facts_before(judged), words, reason)))
        write_atomically(out, lambda draft: draft.write_text(text, encoding="utf-8", newline="\n"))
    say(f"wrote {out}")
