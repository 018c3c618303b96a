"""Every step of the Containerfile runs, and what it starts is the service."""

import tomllib
from pathlib import Path

import pytest

from tests.deploy.container import free_port, started
from tests.deploy.image import Image, steps
from tests.docs.blocks import blocks_of
from tests.docs.page import REPOSITORY

PAGE = REPOSITORY / "docs" / "how-to" / "containers.md"


def town(folder: Path) -> Path:
    """The folder of the policy that the page shows, with the people of the examples."""
    (policy,) = (block.text for block in blocks_of(PAGE.read_text(encoding="utf-8")) if block.tag == "toml")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    people = (REPOSITORY / "examples/outbreak/people.csv").read_text(encoding="utf-8")
    (folder / "people.csv").write_text(people, encoding="utf-8")
    return folder / "policy.toml"


def test_the_image_has_the_package_and_no_sources(image: Image) -> None:
    place = image.run(["python", "-c", "import dalenius; print(dalenius.__file__)"]).strip()
    assert Path(place).is_relative_to(image.root)
    assert not image.path("/src").exists()
    assert image.user.split(":")[0].isdecimal()
    assert int(image.user.split(":")[0]) > 0


def test_what_is_copied_is_what_the_build_needs() -> None:
    copied = {place for name, said in steps() if name == "COPY" for place in said.split()[:-1]}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"src", *project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]} <= copied
    assert {*project["project"]["license-files"], "constraints.txt", "hatch_build.py"} <= copied


@pytest.mark.lengthy
def test_a_container_answers_and_stops(image: Image, tmp_path: Path) -> None:
    town(image.path("/srv/dalenius"))
    command = [image.at(word) for word in [*image.entry, *image.command]]
    port = free_port()
    environment = image.variables() | {"TOWN_LEDGER": "ledger.sqlite"}
    with started([*command, "--port", str(port)], environment, image.path(image.folder), tmp_path) as service:
        assert service.url == f"http://0.0.0.0:{port}"
        with service.client() as client:
            assert client.get("/health").json() == {"status": "ok", "ledger": True, "tables": True}
        assert service.stop(15) == 0


def test_the_port_that_is_said_is_the_one_that_is_taken(image: Image) -> None:
    from dalenius.curator import Service

    assert image.ports == [str(Service().port)]
    assert "--port" not in image.command


@pytest.mark.slow
def test_the_image_is_built_from_the_package_index(tmp_path: Path) -> None:
    image = Image(tmp_path, online=True)
    image.build()
    town(image.path("/srv/dalenius"))
    checked = ["dalenius", "policy", "check", "/srv/dalenius/policy.toml"]
    image.environment["TOWN_LEDGER"] = "ledger.sqlite"
    assert "outbreak: inferential privacy, 0 of 1.5 nats spent" in image.run(checked)
    image.run(["python", "-c", "import joserfc, psycopg, uvicorn"])
