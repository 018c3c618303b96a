"""A real PostgreSQL for the tests: started once in a session (under xdist once in every worker), stopped after it.

`postgres` is the server, `database` the URL of an empty database of its own for each test. Both skip, with the reason,
where PostgreSQL or its driver is not installed.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, final

import pytest

USER = "dalenius"
PASSWORD = "open:sesame/1@home"
"""With what a URL has to escape."""
PATIENCE = 20.0
UNSAFE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""Fast, as a test's server need not outlive the machine."""


@final
class Postgres:
    """A server on 127.0.0.1 that asks for a password, and whose files lie in `folder`."""

    def __init__(self, folder: Path, settings: tuple[str, ...] = UNSAFE) -> None:
        self._folder, self._settings = folder, settings
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self.port = 0
        password = folder / "password"
        password.write_text(PASSWORD)
        _owned(folder)
        _run("initdb", "-D", str(self._data), "-U", USER, f"--pwfile={password}", "--auth=scram-sha-256", "-E", "UTF8",
             "--no-locale", "--no-sync", "--no-instructions")  # fmt: skip
        self.start()

    def url(self, database: str = "postgres", scheme: str = "postgresql") -> str:
        """Where the database is, the password included."""
        password = PASSWORD.replace(":", "%3A").replace("/", "%2F").replace("@", "%40")
        return f"{scheme}://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def new(self) -> str:
        """The URL of a new and empty database."""
        name = f"test_{next(self._numbers)}"
        with self.connected() as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    @contextmanager
    def connected(self, database: str = "postgres") -> Iterator[Any]:
        """A psycopg connection that commits every statement."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            yield connection

    def start(self) -> None:
        """Starts it, again at its port where it was stopped."""
        for _ in range(5):  # another may take the port before the server does
            self.port = self.port or _free_port()
            if self._started():
                return
            self.port = 0
        raise RuntimeError((self._folder / "log").read_text()[-2000:])

    def stop(self) -> None:
        """Breaks all connections and stops it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(PATIENCE)
            self._process = None

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _started(self) -> bool:
        options = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=50", *self._settings)
        given = [part for option in options for part in ("-c", option)]
        command = _command("postgres", "-D", str(self._data), "-p", str(self.port), *given)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        late = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < late:
            if self._answers():
                return True
            time.sleep(0.01)
        self.stop()
        return False

    def _answers(self) -> bool:
        import psycopg

        try:
            with self.connected():
                return True
        except psycopg.OperationalError:
            return False


@contextmanager
def server(settings: tuple[str, ...] = UNSAFE) -> Iterator[Postgres]:
    """A server of its own; with no settings it is as durable as PostgreSQL is."""
    folder = Path(mkdtemp(prefix="dalenius-postgres-"))
    try:
        running = Postgres(folder, settings)
        try:
            yield running
        finally:
            running.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def missing() -> str | None:
    """Why there can be no server here."""
    if _binary("initdb") is None or _binary("postgres") is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if find_spec("psycopg") is None:
        return "psycopg is not installed (pip install 'dalenius[postgres]')"
    if os.geteuid() == 0 and (shutil.which("setpriv") is None or _unprivileged() is None):
        return "PostgreSQL does not run as root, and there is no user postgres to run it as"
    return None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The session's server."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with server() as running:
        yield running


@pytest.fixture
def database(postgres: Postgres) -> str:
    """The URL of an empty database, this test's own."""
    return postgres.new()


def _run(*command: str) -> None:
    done = subprocess.run(_command(*command), capture_output=True, text=True, cwd="/")
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def _command(name: str, *arguments: str) -> list[str]:
    """It does not run as root, and ends with the tests however these end."""
    found = _binary(name) or name
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return [found, *arguments]
    user = _unprivileged() if os.geteuid() == 0 else None
    whom = [] if user is None else [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return [setpriv, *whom, "--pdeathsig", "INT", found, *arguments]


def _binary(name: str) -> str | None:
    """On the path, or the newest where Debian puts it."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return shutil.which(name) or (str(newest[-1]) if newest else None)


def _unprivileged() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


def _owned(folder: Path) -> None:
    """The server's user owns the folder and what is in it."""
    user = _unprivileged()
    if os.geteuid() == 0 and user is not None:
        for path in (folder, *folder.iterdir()):
            os.chown(path, user.pw_uid, user.pw_gid)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
