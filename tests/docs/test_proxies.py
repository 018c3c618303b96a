"""The texts that "Run it for your organisation" gives to nginx, as they are on the page."""

import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tests.server.process import Running, running

PAGE = Path("docs/how-to/organisation.md")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@contextmanager
def proxied(folder: Path, service: Running) -> Iterator[str]:
    """Where nginx listens, with a certificate of its own."""
    key, certificate, configured = folder / "tls.key", folder / "tls.pem", folder / "nginx.conf"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", key, "-out", certificate], check=True, capture_output=True,
    )  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = replaced(
        block("nginx"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/counts.example.org.pem", str(certificate)),
        ("/etc/ssl/private/counts.example.org.key", str(key)),
        ("http://127.0.0.1:8750", service.url),
    )
    places = "".join(
        f"{name}_temp_path {folder / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configured.write_text(
        f"daemon off;\npid {folder / 'pid'};\nerror_log {folder / 'errors'};\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{site}}}\n"
    )
    subprocess.run(["nginx", "-t", "-q", "-p", folder, "-c", configured], check=True)
    process = subprocess.Popen(["nginx", "-p", folder, "-c", configured])
    try:
        until = monotonic() + 20
        while not _listens(port):
            assert monotonic() < until, (folder / "errors").read_text()
            sleep(0.02)
        yield f"https://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _listens(port: int) -> bool:
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("nginx") is None or shutil.which("openssl") is None, reason="nginx or openssl is not installed"
)
def test_behind_nginx(tmp_path: Path) -> None:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    with (
        running(tmp_path) as service,
        proxied(tmp_path, service) as url,
        httpx.Client(base_url=url, verify=unchecked, timeout=30, trust_env=False) as client,
    ):
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/metrics").status_code == 404
        page = client.get("/login")
        assert page.status_code == 200
        assert "; secure" in page.headers["set-cookie"].lower()
        csrf = re.search(r'name="csrf" value="([^"]*)"', page.text)
        assert csrf is not None
        signed = client.post(
            "/login", data={"csrf": csrf[1], "token": service.token}, headers={"Origin": url, "Referer": f"{url}/login"}
        )
        assert (signed.status_code, signed.headers["location"]) == (303, "/")
        assert client.get("/").headers["location"] == "/data/measles"
        headers = {"Authorization": f"Bearer {service.token}"}
        body = {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.2}
        asked = client.post("/api/v1/data/measles/ask", json=body, headers=headers)
        assert asked.status_code == 200
        assert client.post("/api/v1/data/measles/ask", content=b"x" * 70_000, headers=headers).status_code == 413
        plain = httpx.get(service.url + "/login", trust_env=False)
        assert "; secure" not in plain.headers["set-cookie"].lower()
