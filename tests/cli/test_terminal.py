"""What the command shows on a terminal of 60 and 80 columns."""

import pytest

from tests.cli.command import EXAMPLES
from tests.cli.terminal import on_terminal


@pytest.mark.slow
def test_a_comparison_is_one_screen() -> None:
    done = on_terminal(80, "compare", EXAMPLES / "outbreak" / "outbreak.toml")
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    order = [line.split("│")[1].strip() for line in lines if "yes [" in line or "NO [" in line]
    assert order[0] == "exact"
    assert order[-1] == "independent", "what is not sound comes last, whatever its error"
    assert lines[-1] == "13 more do not apply: --all says why"


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_an_audit_is_no_wider(columns: int) -> None:
    done = on_terminal(columns, "audit", EXAMPLES / "pair.toml")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= columns
    assert {"mutual_information", "1.505971", "(nats)", "2.719-fold,"} <= set(done.out.replace("│", " ").split())
