"""Pictures as files: nothing of the machine or the day goes into them."""

from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError

SUFFIXES: Final = (".png", ".svg", ".pdf")
SALT: Final = "dalenius"
METADATA: Final = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def check_picture(path: Path, key: str = "plot") -> None:
    """InputError for a file that is no picture."""
    if path.suffix not in SUFFIXES:
        raise InputError(key, str(path), "a file ending in .png, .svg or .pdf")


def save(figure: Any, path: Path, **options: Any) -> None:
    """The format by the suffix; the same picture is the same file."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": SALT}):
        figure.savefig(path, dpi=160, metadata=METADATA[path.suffix], **options)


def save_with_vector(figure: Any, path: Path) -> None:
    """And beside it, for print, the same as SVG."""
    save(figure, path)
    save(figure, path.with_suffix(".svg"))
