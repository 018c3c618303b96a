"""Printing of a page as PDF, by a browser that is installed: Chromium, Chrome or Edge."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from dalenius.errors import InputError

BROWSERS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""The commands of browsers that print without a window."""
_PAGE: Final = re.compile(rb"/Type\s*/Page\b")
_SECONDS: Final = 120


def browser() -> str | None:
    """Returns a browser that is installed, or the one in `$DALENIUS_BROWSER`; None where there is none."""
    named = os.environ.get("DALENIUS_BROWSER")
    return shutil.which(named) if named else next((found for each in BROWSERS if (found := shutil.which(each))), None)


def check_printable(path: Path) -> None:
    """Raises InputError where `path` is a PDF and no browser could write it."""
    if path.suffix == ".pdf" and browser() is None:
        wanted = "a file ending in .html, to print from a browser: none was found that prints PDF by itself"
        raise InputError("--out", str(path), f"{wanted} ({', '.join(BROWSERS)}, or $DALENIUS_BROWSER)")


def pages_of(pdf: bytes) -> int:
    """Counts the pages of a `pdf` that a browser wrote."""
    return len(_PAGE.findall(pdf))


def print_pdf(html: str, path: Path) -> int:
    """Writes the page `html` as a PDF at `path`, and returns how many pages it has.

    Raises:
        InputError: If there is no browser, or it does not print.
    """
    check_printable(path)
    with tempfile.TemporaryDirectory(prefix="dalenius-") as folder:
        page, pdf = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8", newline="\n")
        # Because root may not use the sandbox, and the page has no scripts and loads nothing, it goes without.
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--disable-dev-shm-usage"]
        profile = f"--user-data-dir={Path(folder, 'profile')}"
        command = [f"{browser()}", *options, profile, f"--print-to-pdf={pdf}", page.as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError("--out", str(path), f"a browser that prints ({error})") from None
        if not pdf.is_file():
            raise InputError("--out", str(path), "a browser that prints: it ended and wrote nothing")
        written = pdf.read_bytes()
    path.write_bytes(written)
    return pages_of(written)
