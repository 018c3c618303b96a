"""What `compare` shows on a terminal of 80 columns; other commands and widths are in tests/first_hour."""

import pytest

from tests.cli.command import EXAMPLES
from tests.cli.terminal import on_terminal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "last"),
    [
        ("outbreak/outbreak.toml", "13 more do not apply: --all says why, and why each is sound"),
        ("households.toml", "7 more do not apply: --all says why, and why each is sound"),
    ],
)
def test_a_comparison_is_one_screen(spec: str, last: str) -> None:
    done = on_terminal(80, "compare", EXAMPLES / spec)
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│ yes" in line or "│ NO [" in line]
    order = [row[0] for row in rows]
    assert (order[0], rows[0][4]) == ("exact", "1"), "the least noise that one would use"
    unsound = [row[1].startswith("NO") for row in rows]
    assert unsound == sorted(unsound), "what is not sound comes last, whatever its error"
    assert unsound[-1]
    sound = order[: unsound.index(True)]
    assert "optimal" not in sound[:-2], "what leaks without bound to whoever knows all others is the last of these"
    assert lines[-1] == last
