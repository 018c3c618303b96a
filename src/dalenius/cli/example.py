"""The command `example`: the examples that come with the package, written where they can be changed.

`dalenius example outbreak` writes all files of that folder, the spec first, and says what to try; `dalenius example`
lists them, each with the first line of its spec.
"""

import shutil
from pathlib import Path
from typing import Annotated, Final

import typer

import dalenius
from dalenius.cli.options import argument
from dalenius.cli.output import print_table
from dalenius.errors import InputError
from dalenius.spec import read_spec

_PACKAGED: Final = Path(dalenius.__file__).with_name("examples")
# Because a checkout has them once, they are here in it.
_CHECKED_OUT: Final = Path(dalenius.__file__).parents[2] / "examples"


def example(
    name: Annotated[str | None, argument("The example; without a name all are listed.")] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path(),
) -> None:
    """Write an example of the documentation into a folder, or list all examples."""
    known = examples()
    if name is None:
        print_table(
            "Examples: dalenius example NAME", ["name", "what it is"], [[key, first_line(key)] for key in known]
        )
        return
    if name not in known:
        raise InputError("example", name, f"one of {', '.join(known)}")
    written = _write(known[name], out)
    print("\n".join(f"wrote {path}" for path in written))
    spec = next((path for path in written if path.suffix == ".toml"), None)
    if spec is not None:
        promises = {"notion", "promises"} & read_spec(spec).model_fields_set
        print(f"try: dalenius {'calibrate' if promises else 'audit'} {spec}")


def examples() -> dict[str, tuple[Path, ...]]:
    """Returns the files of each example by its name: all of a folder with a spec, else the spec and its namesakes.

    `asia` is asia.toml and asia.bif, `outbreak` the whole folder of that name. InputError where they are not installed.
    """
    home = _PACKAGED if _PACKAGED.is_dir() else _CHECKED_OUT
    if not home.is_dir():
        raise InputError("example", str(home), "an installation with its examples")
    found = {spec.stem: tuple(sorted(home.glob(f"{spec.stem}.*"))) for spec in home.glob("*.toml")}
    for folder in (path for path in home.iterdir() if path.is_dir() and any(path.glob("*.toml"))):
        found[folder.name] = tuple(sorted(path for path in folder.iterdir() if path.is_file()))
    return dict(sorted(found.items()))


def first_line(name: str) -> str:
    """Returns the first line of the spec of the example called `name`, without its number sign."""
    spec = next(path for path in _ordered(examples()[name]) if path.suffix == ".toml")
    return spec.read_text(encoding="utf-8").splitlines()[0].removeprefix("#").strip()


def _ordered(files: tuple[Path, ...]) -> list[Path]:
    """Returns the files in order, the spec that is called as its folder is first."""
    return sorted(files, key=lambda path: (path.stem != path.parent.name, path.name))


def _write(files: tuple[Path, ...], out: Path) -> list[Path]:
    """Copies the files into the folder, which is made where there is none, and returns where they are, the spec first.

    InputError where one of them is there already, or the folder cannot be written.
    """
    places = [out / path.name for path in _ordered(files)]
    # So that nothing that somebody has changed is written over, no file of an example that is half there is written.
    for place in places:
        if place.exists():
            raise InputError("--out", str(place), "a folder without that file")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path, place in zip(_ordered(files), places, strict=True):
            shutil.copyfile(path, place)
    except OSError as error:
        raise InputError("--out", str(out), f"a folder that can be written ({error.strerror})") from None
    return places
