"""escape_table: the arguments with which a harmless program starts another one, or writes where its caller names.

Collected from the manuals of the programs (GNU, BSD, git, curl, …) and from what was tried against prefix lists. It is
no wall: what is not in it is not safe by that. The sandbox is the wall.
"""

from __future__ import annotations

from typing import NamedTuple


class Escapes(NamedTuple):
    """What of one program's arguments escapes.

    `words` are options as they are written, also with `=value`; long ones (`--output`) also cut short, as getopt takes
    them, but for whole options that are `harmless`. `letters` are short options, also inside a cluster (`-ro`).
    `operands` are beginnings of arguments that are no options. `most` is how many operands are harmless: one more
    names a file to write.
    """

    words: tuple[str, ...] = ()
    letters: str = ""
    operands: tuple[str, ...] = ()
    most: int | None = None
    harmless: tuple[str, ...] = ()


# They start the program that their arguments name: only the very command that a list spells out passes.
WRAPPERS = frozenset(
    (
        *("env", "xargs", "sudo", "doas", "su", "runuser", "nohup", "nice", "ionice", "chrt", "taskset", "timeout"),
        *("stdbuf", "setsid", "time", "watch", "parallel", "ssh", "sshpass", "strace", "ltrace", "gdb", "lldb", "perf"),
        *("valgrind", "script", "flock", "busybox", "toybox", "eval", "exec", "command", "builtin", "source", "trap"),
        *(".", "chroot", "unshare", "nsenter", "setarch", "linux32", "linux64", "numactl", "prlimit", "choom", "at"),
        *("batch", "crontab", "entr", "expect", "unbuffer", "rlwrap", "screen", "tmux", "dtach", "start-stop-daemon"),
        *("systemd-run", "cgexec", "firejail", "bwrap", "proot", "fakeroot", "faketime", "xvfb-run", "socat", "nc"),
        *("ncat", "netcat", "npx", "uvx", "pipx", "bunx", "git-shell", "run-parts", "vi", "vim", "view", "nvim", "ex"),
        *("ed", "emacs", "nano", "less", "more", "most", "sqlite3", "psql", "mysql", "gnuplot", "tclsh", "guile", "m4"),
        *("dbus-run-session", "dbus-launch", "caffeinate", "arch", "coproc", "daemonize", "i386", "x86_64"),
    )
)

_CONTAINERS = Escapes(
    ("--config", "--host", "--context", "run", "exec", "cp", "create", "build", "compose", "plugin"),
    "H",
)
_MAKE = Escapes(("--eval", "--file", "--makefile", "--directory", "--include-dir"), "fCIE", ("=",))
_COMPILER = Escapes(("-wrapper", "-fplugin", "-specs", "-B", "--specs"), operands=("@",))

ESCAPES: dict[str, Escapes] = {
    "find": Escapes(
        ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from")
    ),
    "fd": Escapes(("--exec", "--exec-batch"), "xX"),
    "fdfind": Escapes(("--exec", "--exec-batch"), "xX"),
    "rg": Escapes(("--pre", "--hostname-bin", "--search-zip"), "z"),
    "ag": Escapes(("--pager",)),
    "ack": Escapes(("--pager", "--output", "--ackrc")),
    "tar": Escapes(
        (
            *("--to-command", "--use-compress-program", "--checkpoint-action", "--rsh-command", "--rmt-command"),
            *("--info-script", "--new-volume-script", "--files-from", "--index-file", "--volno-file"),
            *("--listed-incremental", "--absolute-names"),
        ),
        "IFTgP",
        harmless=("--file", "--list"),
    ),
    "sort": Escapes(("--output", "--compress-program", "--temporary-directory", "--files0-from"), "oT"),
    "uniq": Escapes(most=1),
    "shuf": Escapes(("--output",), "o"),
    "split": Escapes(("--filter",)),
    "rsync": Escapes(
        ("--rsh", "--rsync-path", "--daemon", "--log-file", "--write-batch", "--only-write-batch", "--remote-option"),
        "eM",
    ),
    "scp": Escapes(letters="oSFDJ"),
    "sftp": Escapes(letters="oSFDJbs"),
    "make": _MAKE,
    "gmake": _MAKE,
    "ninja": Escapes(letters="fCt"),
    "cmake": Escapes(letters="EPDC"),
    "curl": Escapes(
        (
            *("--output", "--remote-name", "--remote-name-all", "--remote-header-name", "--output-dir", "--config"),
            *("--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--libcurl", "--hsts"),
            *("--alt-svc", "--etag-save", "--write-out", "--engine", "--upload-file", "--netrc", "--netrc-file"),
            *("--netrc-optional", "--ssl-sessions", "--proxy"),
        ),
        "oOJKDcwTnx",
        ("file:", "FILE:", "scp:", "sftp:", "gopher:", "dict:"),
    ),
    "wget": Escapes(
        (
            *("--output-document", "--output-file", "--append-output", "--directory-prefix", "--use-askpass"),
            *("--execute", "--config", "--save-cookies", "--hsts-file", "--post-file", "--body-file", "--input-file"),
            *("--warc-file", "--rejected-log", "--background", "--load-cookies"),
        ),
        "OoaPeib",
    ),
    "zip": Escapes(("--test", "--unzip-command", "--output-file", "--out", "--log-file-path"), "TO"),
    "unzip": Escapes(letters="d"),
    "7z": Escapes(("-o",)),
    "openssl": Escapes(
        (
            *("-engine", "-out", "-provider", "-provider-path", "-writerand", "-keyout", "-CAserial", "-sess_out"),
            *("engine", "s_server", "s_client"),
        )
    ),
    "docker": _CONTAINERS,
    "podman": _CONTAINERS,
    "kubectl": Escapes(("--kubeconfig", "exec", "run", "cp", "debug", "plugin", "proxy", "edit", "attach")),
    "dd": Escapes(operands=("of=",)),
    "xxd": Escapes(letters="r", most=1),
    "patch": Escapes(("--ed", "--output", "--reject-file", "--directory", "--get"), "eordg"),
    "man": Escapes(("--pager", "--html", "--preprocessor", "--config-file"), "PHCp"),
    "bat": Escapes(("--pager", "--diagnostic")),
    "tree": Escapes(("--fromfile",), "oR"),
    "diff": Escapes(("--output",)),
    "sdiff": Escapes(("--diff-program", "--output"), "o"),
    "diff3": Escapes(("--diff-program",)),
    "install": Escapes(("--strip-program",)),
    "date": Escapes(("--set",), "s"),
    "file": Escapes(("--compile", "--magic-file"), "Cm"),
    "yq": Escapes(("--inplace", "--in-place", "--split-exp", "--from-file"), "is"),
    "go": Escapes(("-exec", "-toolexec", "-vettool", "-overlay", "-o", "-C", "-modfile", "-ldflags", "-gcflags")),
    "cargo": Escapes(("--config",), "ZC"),
    "npm": Escapes(("--prefix", "--script-shell", "--globalconfig", "--userconfig", "exec", "x")),
    "pip": Escapes(("--target", "--prefix", "--python", "--log", "--config-settings", "--editable"), "te"),
    "pytest": Escapes(("--override-ini", "--rootdir", "--confcutdir", "--basetemp", "--config-file"), "poc"),
    "gcc": _COMPILER,
    "g++": _COMPILER,
    "cc": _COMPILER,
    "clang": Escapes(("-fplugin", "-load", "-B", "-Xclang", "--config"), operands=("@",)),
    "ip": Escapes(("netns", "vrf", "-batch"), "b"),
    "sysctl": Escapes(("--write", "--load", "--system"), "wp", ()),
    "csplit": Escapes(("--prefix",), "f"),
    "svn": Escapes(("--config-dir", "--config-option", "--diff-cmd", "--diff3-cmd", "--editor-cmd")),
    "hg": Escapes(("--config", "--config-file", "--cwd", "--repository"), "R"),
}

# Words of git before its subcommand that change nothing but what is shown.
GIT_HARMLESS = frozenset(
    (
        *("--no-pager", "-P", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"),
        *("--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--version", "-v", "--no-lazy-fetch"),
    )
)
# Words of git before its subcommand that take the next element.
GIT_TAKING = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"))
# Subcommands that run what their arguments or the settings say, or change those settings.
GIT_RUNNERS = frozenset(
    (
        *("config", "filter-branch", "difftool", "mergetool", "daemon", "shell", "hook", "instaweb", "send-email"),
        *("http-backend", "upload-pack", "receive-pack", "upload-archive", "remote-ext", "remote-fd", "credential"),
        *("p4", "svn", "cvsimport", "cvsserver", "web--browse", "gui", "citool", "help", "maintenance"),
        *(
            "fsmonitor--daemon",
            "for-each-repo",
            "submodule--helper",
            "alias",
            "var",
            "fast-import",
            "init",
            "bugreport",
        ),
    )
)
# What a subcommand runs only after a certain word.
GIT_RUNNING_WORDS = {"bisect": ("run",), "submodule": ("foreach", "update", "add"), "remote": ("add", "set-url")}
GIT = Escapes(
    (
        *("--output", "--output-directory", "--open-files-in-pager", "--ext-diff", "--textconv", "--upload-pack"),
        *("--receive-pack", "--exec", "--extcmd", "--template", "--config", "--config-env", "--separate-git-dir"),
        *("--no-index", "--git-dir", "--work-tree", "--exec-path", "--filters", "--contents", "--edit"),
        *("--unsafe-paths", "--prefix", "--export-marks", "--import-marks"),
    ),
    operands=("ext::", "fd::"),
)
GIT_LETTERS = {
    "grep": "O",
    "rebase": "xi",
    "format-patch": "o",
    "archive": "o",
    "clone": "cu",
    "add": "ei",
    "ls-remote": "u",
    "commit": "e",
}
