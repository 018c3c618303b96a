"""A privacy profile in a file of CSV: a header of `epsilon` and `delta`, and one row for each guarantee."""

from pathlib import Path

from dalenius.conversion.guarantee_profiles import TabulatedProfile
from dalenius.errors import InputError
from dalenius.separated_text import separated
from dalenius.spec.spec import text_of


def read_profile(path: Path | str) -> TabulatedProfile:
    """Read a privacy profile from a CSV file.

    Args:
        path: A file with a header of the columns `epsilon` (nats) and `delta`, in either order, and one row each.

    Returns:
        The profile of the rows.

    Raises:
        InputError: For a file that cannot be read, other columns, and rows that `TabulatedProfile` refuses; one line.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "profile.csv")
        ...     _ = path.write_text("epsilon,delta\\n0,0.2\\n0.5,0.1\\n")
        ...     read_profile(path).guarantees
        ((0.0, 0.2), (0.5, 0.1))
    """
    rows = list(separated(text_of(Path(path), "profile"), "profile", str(path)).rows())
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    # Because the columns may be in either order; without a header the first row of numbers is refused as one.
    if sorted(header) != ["delta", "epsilon"]:
        raise InputError(f"profile line {rows[0][0] if rows else 1}", ",".join(header), "the columns epsilon,delta")
    read = [_numbers(number, row) for number, row in rows[1:]]
    columns = dict(zip(header, zip(*read, strict=True), strict=True)) if read else {"epsilon": (), "delta": ()}
    return TabulatedProfile(columns["epsilon"], columns["delta"])


def _numbers(line: int, row: list[str]) -> tuple[float, float]:
    """Returns the two numbers of a row, in its order."""
    try:
        one, other = map(float, row)
        return one, other
    except ValueError:
        raise InputError(
            f"profile line {line}", ",".join(row), "two numbers, with a point before their decimals"
        ) from None
