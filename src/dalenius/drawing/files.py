"""Pictures as files: nothing of the machine or the day goes into them."""

import os
from errno import EACCES, ENOENT, ENOTDIR
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
    """InputError for a file that is no picture, and for one that could not be written, or the CSV beside it."""
    if path.suffix not in SUFFIXES:
        raise InputError(key, str(path), "a file ending in .png, .svg or .pdf")
    check_place(path)
    check_place(path.with_suffix(".csv"))


def check_place(path: Path) -> None:
    """InputError for a file that could not be written, before the work that it is to hold."""
    if path.is_dir():
        raise InputError("file", str(path), "a place that can be written (it is a folder)")
    folder = path.parent
    if not folder.is_dir():
        why = ENOTDIR if folder.exists() else ENOENT
    elif not os.access(folder, os.W_OK):
        why = EACCES
    else:
        return
    raise InputError("file", str(path), f"a place that can be written ({os.strerror(why)})")


def save(figure: Any, path: Path, **options: Any) -> None:
    """The format by the suffix; the same picture is the same file."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": SALT}):
        figure.savefig(path, dpi=160, metadata=METADATA[path.suffix], **options)


def save_with_vector(figure: Any, path: Path) -> None:
    """And beside it, for print, the same as SVG."""
    save(figure, path)
    save(figure, path.with_suffix(".svg"))
