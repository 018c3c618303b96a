"""The compose file, read by a parser of YAML: its commands run with its environment, and its parts fit together.

A real PostgreSQL stands for its service, a folder of the test for each of its volumes, and the loopback address for
that of Caddy.
"""

import ipaddress
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from dalenius.curator import Service
from dalenius.server.process import _END, BACKLOG
from tests.deploy.container import free_port, started
from tests.deploy.image import DEPLOY, Image, steps
from tests.deploy.test_containerfile import PAGE, town
from tests.docs.page import REPOSITORY
from tests.postgres import Postgres

PASSWORD: Final = "0a1b2c3d4e5f"
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
OURS: Final = SERVICES["dalenius"]


def filled_in(text: str) -> str:
    """The text with its variables, as compose fills them in from `.env`."""
    values = {"LEDGER_PASSWORD": PASSWORD}
    return re.sub(r"\$\{(\w+)(:\?[^}]*)?\}", lambda found: values[found[1]], text)


def environment_of(name: str) -> dict[str, str]:
    return {key: filled_in(str(value)) for key, value in SERVICES[name]["environment"].items()}


def seconds(text: str) -> float:
    assert text.endswith("s")
    return float(text[:-1])


def database(server: Postgres) -> None:
    """The user and the database that the image of PostgreSQL makes from its environment."""
    given = environment_of("postgres")
    user, name, password = (given[f"POSTGRES_{key}"] for key in ("USER", "DB", "PASSWORD"))
    with server.connected() as connection:
        connection.execute(f"CREATE ROLE \"{user}\" LOGIN PASSWORD '{password}'")
        connection.execute(f'CREATE DATABASE "{name}" OWNER "{user}"')


@pytest.mark.lengthy
def test_the_service_answers_with_its_ledger_in_postgresql(image: Image, postgres: Postgres, tmp_path: Path) -> None:
    database(postgres)
    home = image.path("/srv/dalenius")
    town(home)
    assert OURS["volumes"] == [f"./town:{image.folder}"]
    given = environment_of("dalenius")
    assert given["FORWARDED_ALLOW_IPS"] == SERVICES["caddy"]["networks"]["front"]["ipv4_address"]
    given["FORWARDED_ALLOW_IPS"] = "127.0.0.1"
    given["TOWN_LEDGER"] = given["TOWN_LEDGER"].replace("@postgres/", f"@127.0.0.1:{postgres.port}/")
    environment = image.variables() | given
    # The token is made as the page says, by another container of the same service.
    (made,) = re.findall(r"run --rm dalenius (token make .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    token = subprocess.run(
        [*image.entry, *map(image.at, made.split())],
        env=environment, cwd=home, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    port = free_port()
    command = [image.at(word).replace("8750", str(port)) for word in [*image.entry, *OURS["command"]]]
    with started(command, environment, home, tmp_path) as service:
        (test, *check) = OURS["healthcheck"]["test"]
        assert test == "CMD"
        image.run([word.replace(":8750/", f":{port}/") for word in check])
        with service.client() as client:
            client.headers = {"Host": "counts.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "9.9.9.9"}
            client.headers["Authorization"] = f"Bearer {token}"
            body = {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.5}
            answer = client.post("/api/v1/data/outbreak/ask", json=body)
            assert answer.status_code == 200, answer.text
            assert "strict-transport-security" in answer.headers
            assert client.get("/health", headers={"Host": "elsewhere.example.org"}).status_code == 400
        verify = re.findall(r"exec dalenius sh -c '(.*)'$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        found = subprocess.run(["sh", "-c", *verify], env=environment, capture_output=True, text=True, check=True)
        assert answer.json()["hash"] in found.stdout
        assert service.stop(seconds(OURS["stop_grace_period"])) == 0
    assert not list(home.glob("*ledger*"))


def test_the_healthcheck_fails_where_nothing_listens(image: Image) -> None:
    port = free_port()
    with pytest.raises(AssertionError, match="refused"):
        image.run([word.replace(":8750/", f":{port}/") for word in OURS["healthcheck"]["test"][1:]])


def test_postgresql_is_ready_by_its_own_check(postgres: Postgres) -> None:
    (test, *check) = SERVICES["postgres"]["healthcheck"]["test"]
    assert test == "CMD"
    where = {**os.environ, "PGHOST": "127.0.0.1", "PGPORT": str(postgres.port)}
    try:
        assert subprocess.run(check, env=where, capture_output=True).returncode == 0
        assert subprocess.run(check, env={**where, "PGPORT": "1"}, capture_output=True).returncode != 0
    except FileNotFoundError:
        pytest.skip("pg_isready is not installed")


def test_the_image_is_the_one_of_the_containerfile() -> None:
    assert (DEPLOY / OURS["build"]["context"]).resolve() == REPOSITORY
    assert (REPOSITORY / OURS["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
    (command,) = (said for name, said in steps() if name == "CMD")
    assert [yaml.safe_load(command), OURS["command"][-2:]] == [OURS["command"][:-2], ["--port", str(Service().port)]]


def test_only_caddy_is_reached_from_outside() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"caddy"}
    assert SERVICES["caddy"]["ports"] == ["80:80", "443:443"]
    networks = COMPOSE["networks"]
    open_ones = {name for name, network in networks.items() if not network.get("internal")}
    assert open_ones == {"outside"}
    assert not open_ones & ({*OURS["networks"]} | {*SERVICES["postgres"]["networks"]})
    assert "back" not in SERVICES["caddy"]["networks"]
    (subnet,) = networks["front"]["ipam"]["config"]
    address = ipaddress.ip_address(SERVICES["caddy"]["networks"]["front"]["ipv4_address"])
    assert address in ipaddress.ip_network(subnet["subnet"])


def test_caddy_passes_to_the_service_and_the_policy_knows_its_host() -> None:
    said = (DEPLOY / "caddy" / "Caddyfile").read_text(encoding="utf-8")
    assert re.findall(r"reverse_proxy (\S+)", said) == [f"dalenius:{Service().port}"]
    assert re.search(r"max_size 64KB", said)
    assert Service().body_bytes >= 64_000
    host = said.split()[0]
    assert f'hosts = ["{host}"]' in PAGE.read_text(encoding="utf-8")
    assert {"./caddy:/etc/caddy"} <= {*SERVICES["caddy"]["volumes"]}


def test_every_volume_is_a_folder_that_the_page_lists() -> None:
    assert "volumes" not in COMPOSE
    sources = {volume.split(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    assert all(re.fullmatch(r"\./\w+", source) for source in sources)
    listed = set(re.findall(r"^\| `([a-z]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert {source.removeprefix("./") for source in sources} == listed


def test_the_service_has_no_more_rights_than_it_needs() -> None:
    assert OURS["read_only"] is True
    assert OURS["cap_drop"] == ["ALL"]
    assert OURS["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert OURS["ulimits"]["nofile"] >= Service().connections + 128 + 3 * BACKLOG
    assert seconds(OURS["stop_grace_period"]) > _END


def test_the_password_is_only_in_the_file_of_variables() -> None:
    secret = [SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD"], OURS["environment"]["TOWN_LEDGER"]]
    assert all("${LEDGER_PASSWORD:?" in each for each in secret)
    assert re.search(r'umask 077; echo "LEDGER_PASSWORD=.*" > \.env', PAGE.read_text(encoding="utf-8"))
