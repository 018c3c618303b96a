"""The unit of systemd starts the service, which stops in time; the page shows the same unit."""

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from dalenius.server.process import BACKLOG
from tests.deploy.container import free_port, started
from tests.deploy.image import DEPLOY, Image
from tests.deploy.test_containerfile import town
from tests.docs.blocks import blocks_of
from tests.docs.page import REPOSITORY

UNIT = DEPLOY / "dalenius.service"


def unit(path: Path = UNIT) -> ConfigParser:
    found = ConfigParser(interpolation=None, delimiters=("=",))
    found.optionxform = str  # type: ignore[assignment, method-assign]
    found.read(path, encoding="utf-8")
    return found


def test_the_page_shows_this_unit() -> None:
    page = (REPOSITORY / "docs/how-to/organisation.md").read_text(encoding="utf-8")
    (shown,) = (block.text for block in blocks_of(page) if block.tag == "ini")
    assert shown == UNIT.read_text(encoding="utf-8")


@pytest.mark.lengthy
def test_the_command_of_the_unit_answers_and_stops(image: Image, tmp_path: Path) -> None:
    service = unit()["Service"]
    bin = image.path("/opt/dalenius/bin")
    bin.parent.mkdir(parents=True, exist_ok=True)
    if not bin.exists():
        bin.symlink_to(image.python / "bin")
    home = tmp_path / "home"
    town(home)
    (home / "dalenius.env").write_text("TOWN_LEDGER=ledger.sqlite\n", encoding="utf-8")
    command = service["ExecStart"].split()
    assert Path(command[2]).parent == Path(service["WorkingDirectory"]) == Path(service["ReadWritePaths"])
    words = [image.at(command[0]), *(word.replace(service["WorkingDirectory"], str(home)) for word in command[1:])]
    secrets = dict(line.split("=", 1) for line in (home / "dalenius.env").read_text().splitlines())
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **secrets}
    with started([*words, "--port", str(free_port())], environment, home, tmp_path) as running:
        assert running.url.startswith("http://127.0.0.1:")
        with running.client() as client:
            assert client.get("/health").status_code == 200
        assert running.stop(float(service["TimeoutStopSec"])) == 0
    assert service["UMask"] == "0077"


def test_there_are_files_for_all_connections() -> None:
    from dalenius.curator import Service

    assert int(unit()["Service"]["LimitNOFILE"]) >= Service().connections + 128 + 3 * BACKLOG


def test_systemd_understands_every_line(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    there = UNIT.read_text(encoding="utf-8").replace("/opt/dalenius/bin/dalenius", "/bin/true")
    (tmp_path / UNIT.name).write_text(there.replace("User=dalenius", "User=root"), encoding="utf-8")
    done = subprocess.run([analyze, "verify", str(tmp_path / UNIT.name)], capture_output=True, text=True)
    assert UNIT.name not in done.stderr, done.stderr
    wrong = there.replace("UMask=", "Umasks=")
    (tmp_path / UNIT.name).write_text(wrong, encoding="utf-8")
    done = subprocess.run([analyze, "verify", str(tmp_path / UNIT.name)], capture_output=True, text=True)
    assert "Umasks" in done.stderr
