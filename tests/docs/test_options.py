"""Every option of every command is on the page of commands: in the command's own section, or in the head for all."""

import re
from typing import Any, Final

import pytest
import typer

from dalenius.cli.main import COMMANDS, application
from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/reference/commands.md"


def said(name: str) -> set[str]:
    head, *parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {title: text for title, _, text in (part.partition("\n") for part in parts)}
    return set(re.findall(r"--[a-z-]+", head + sections[name]))


@pytest.fixture(scope="module")
def commands() -> Any:
    """All commands by name, as click has them."""
    group: Any = typer.main.get_command(application())
    return group.commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name: str, commands: Any) -> None:
    options = {option for each in commands[name].params for option in each.opts if option.startswith("--")}
    assert options - said(name) == set()
