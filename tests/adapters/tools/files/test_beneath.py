"""Nothing outside of its folder is ever opened, whatever the path, the links, or the moment."""

import contextlib
import os
import socket
import threading
from pathlib import Path

import pytest

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.secret_files import SecretFiles

WAYS = pytest.mark.parametrize("use_kernel", [True, False], ids=["openat2", "step by step"])


@pytest.fixture
def home(tmp_path):
    """A folder `root` with files and links, beside a file that nobody may read."""
    root = tmp_path / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("inside")
    (root / "src" / "b.txt").write_text("inside too")
    (tmp_path / "outside.txt").write_text("OUTSIDE")
    (tmp_path / "root-sibling").mkdir()
    (tmp_path / "root-sibling" / "c.txt").write_text("OUTSIDE")
    links = {
        "out_file": tmp_path / "outside.txt",
        "out_folder": tmp_path,
        "out_relative": Path("../outside.txt"),
        "src/deep/out_up": Path("../../../outside.txt"),
        "chain": Path("out_file"),
        "self": Path("self"),
        "magic": Path("/proc/self/cwd"),
        "magic_root": Path("/proc/self/root"),
        "passwd": Path("/etc/passwd"),
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / "in_file").symlink_to("a.txt")
    (root / "in_folder").symlink_to("src")
    os.mkfifo(root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(root / "socket"))
    listener.close()
    return root


def beneath(root, *, use_kernel=True, secrets=(), exclude=()):
    return Beneath(root, SecretFiles(secrets), exclude, use_kernel=use_kernel)


def content(opener, path):
    with opener.file(path) as file:
        return os.pread(file.fd, 1000, 0).decode()


@WAYS
@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "src/../a.txt", "src//../a.txt", "{root}/a.txt"])
def test_what_lies_below_is_read(home, use_kernel, path):
    assert content(beneath(home, use_kernel=use_kernel), path.format(root=home)) == "inside"


def test_a_link_that_stays_inside_is_followed_by_the_kernel(home):
    assert content(beneath(home), "in_file") == "inside"
    assert content(beneath(home), "in_folder/b.txt") == "inside too"


def test_step_by_step_no_link_is_followed(home):
    with pytest.raises(Refused, match="`in_file` is or passes a link that is not followed"):
        content(beneath(home, use_kernel=False), "in_file")


ESCAPES = [
    "../outside.txt",
    "..",
    "src/../../outside.txt",
    "src/../../root-sibling/c.txt",
    "./../outside.txt",
    "src/deep/../../../outside.txt",
    "../root/../outside.txt",
    "../" * 40 + "etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "/dev/zero",
    "{root}/../outside.txt",
    "{root}-sibling/c.txt",
    "{outside}",
    "out_file",
    "out_folder/outside.txt",
    "out_relative",
    "src/deep/out_up",
    "chain",
    "self",
    "magic/a.txt",
    "magic_root/etc/passwd",
    "passwd",
    "pipe",
    "socket",
    "src",
    "a.txt/..",
    "a.txt/../a.txt/x",
    "missing.txt",
    "a.txt\0.png",
    "\0",
    "x" * 300,
    "x/" * 3000 + "y",
    "~/.ssh/id_rsa",
    "$HOME/x",
    "..\\outside.txt",
    "src/..%2f..%2foutside.txt",
    "．．/outside.txt",
]


@WAYS
@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_else_is_opened(home, use_kernel, path):
    path = path.format(root=home, outside=home.parent / "outside.txt")

    with pytest.raises(Refused) as refused:
        content(beneath(home, use_kernel=use_kernel), path)

    assert "OUTSIDE" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../outside.txt", "`../outside.txt` leads out of the folder of this tool"),
        ("/etc/passwd", "`/etc/passwd` lies outside of the folder of this tool; give a relative path"),
        ("out_relative", "`out_relative` leads out of the folder of this tool"),
        ("self", "`self` is or passes a link that is not followed"),
        ("pipe", "`pipe` is a pipe, no file that can be read"),
        ("socket", "`socket` is a socket, no file that can be read"),
        ("src", "`src` is a folder; `list_directory` shows what is in it"),
        ("missing.txt", "there is no `missing.txt`"),
        ("a.txt/x", "there is no `a.txt/x`: a part of it is a file, no folder"),
        ("a\0b", "a path can't hold a NUL character"),
    ],
)
def test_a_refusal_says_why(home, path, message):
    with pytest.raises(Refused) as refused:
        content(beneath(home), path)

    assert str(refused.value) == message


@pytest.mark.parametrize("root", ["/", "/proc", "/sys", "/dev"])
@pytest.mark.parametrize(
    "path", ["proc/self/environ", "self/environ", "zero", "kernel/vmcoreinfo", "sys/kernel/vmcoreinfo"]
)
def test_the_system_is_no_project(root, path):
    with pytest.raises(Refused):
        content(beneath(Path(root)), path)


@WAYS
def test_a_secret_file_is_known_by_its_real_name(home, use_kernel):
    (home / ".env").write_text("KEY=1")
    (home / "notes.txt").symlink_to(".env")

    for path in (".env", "notes.txt", "src/../.env"):
        with pytest.raises(Refused) as refused:
            content(beneath(home, use_kernel=use_kernel), path)
        assert refused.value.category == "denied"


def test_a_secret_file_says_which_rule_keeps_it(home):
    (home / ".env").write_text("KEY=1")

    with pytest.raises(Refused) as refused:
        content(beneath(home), ".env")

    assert str(refused.value) == "`.env` may hold secrets (`.env`); such files are never read"


def test_excluded_paths_are_not_read(home):
    (home / "build" / "x").mkdir(parents=True)
    (home / "build" / "x" / "out.txt").write_text("x")
    (home / "link.txt").symlink_to("build/x/out.txt")
    opener = beneath(home, exclude=["build", "*.log"])
    (home / "a.log").write_text("x")

    for path in ("build/x/out.txt", "a.log", "link.txt"):
        with pytest.raises(Refused, match="is excluded from this tool"):
            content(opener, path)
    assert content(opener, "a.txt") == "inside"


def test_a_folder_that_is_gone_is_said(home):
    with pytest.raises(Refused, match="the folder of this tool is gone"):
        content(beneath(home / "nowhere"), "a.txt")


def test_no_file_descriptor_is_left_open(home):
    opener = beneath(home)
    content(opener, "a.txt")
    before = len(list(Path("/proc/self/fd").iterdir()))

    for path in ESCAPES * 5:
        with pytest.raises(Refused):
            content(opener, path.format(root=home, outside=home.parent / "outside.txt"))
    content(opener, "a.txt")

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def race(home, use_kernel, opens):
    """Open a path again and again while somebody swaps a folder on it for a link to the outside."""
    (home / "swap").mkdir()
    (home / "swap" / "outside.txt").write_text("inside")
    (home / "evil").symlink_to(home.parent)
    over = threading.Event()

    def attack():
        while not over.is_set():
            for old, new in (("swap", "kept"), ("evil", "swap"), ("swap", "evil"), ("kept", "swap")):
                (home / old).rename(home / new)

    attacker = threading.Thread(target=attack)
    attacker.start()
    leaked = 0
    opener = beneath(home, use_kernel=use_kernel)
    try:
        for _ in range(opens):
            with contextlib.suppress(Refused):
                leaked += content(opener, "swap/outside.txt") != "inside"
    finally:
        over.set()
        attacker.join()
    # The attacker ends a round with the folder in its place, so what stays refused is a fault of ours.
    assert content(opener, "swap/outside.txt") == "inside"
    return leaked


@WAYS
def test_a_link_that_is_swapped_in_at_the_moment_leaks_nothing(home, use_kernel):
    assert race(home, use_kernel, 3_000) == 0


@pytest.mark.slow
@WAYS
def test_a_long_race_leaks_nothing(home, use_kernel):
    assert race(home, use_kernel, 20_000) == 0
