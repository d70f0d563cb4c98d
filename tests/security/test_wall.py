"""Commands that get out of what an allow list says get nowhere: nothing is written, read or sent beyond the wall.

Each is tried without the wall first: what does no harm there would prove nothing.
"""

import os
import re
import shlex
import shutil
import socket
import threading

import pytest

from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command, run_process
from agentspec.adapters.tools.sandbox.ladder import find_ladder
from agentspec.adapters.tools.sandbox.wall import Wall

# `OUT` is a folder outside, `HOME` the home folder, `PORT` a server of this machine. What stands before `:` is what
# happens without a wall: a file is written outside, a secret is read, a connection is made.
COMMANDS = r"""
write: git -c core.pager='touch OUT/x' -p log; GIT_PAGER='touch OUT/x' script -qc 'git log' /dev/null
write: git -c alias.x='!touch OUT/x' x
write: git -c core.editor='touch OUT/x; true' commit --allow-empty
write: git -c core.fsmonitor='touch OUT/x; false' status
write: git -c diff.external='touch OUT/x; true' diff HEAD~1
write: git -c core.sshCommand='touch OUT/x; false' ls-remote ssh://h/x
write: git -c gpg.program=./touch.sh commit --allow-empty -S -m x
write: git -c sequence.editor='touch OUT/x; true' rebase -i HEAD~1
write: git log --output=OUT/x
write: git diff HEAD~1 --output=OUT/x
write: git show --output=OUT/x
write: git grep -O./touch.sh bread
write: git grep --open-files-in-pager=./touch.sh bread
write: git archive -o OUT/x.tar HEAD
write: git format-patch -o OUT HEAD~1
write: git bundle create OUT/x HEAD
write: git clone . OUT/copy
write: git init OUT/new
write: git worktree add OUT/tree HEAD
write: git --git-dir=.git --work-tree=OUT checkout -f HEAD
write: git -C OUT init
write: git config --file OUT/x a.b c
write: git bisect start HEAD HEAD~1 && git bisect run ./touch.sh
write: git rebase -x ./touch.sh HEAD~1
write: git filter-branch -f --tree-filter 'touch OUT/x' HEAD
write: git difftool -y -x ./touch.sh HEAD~1
write: git clone -u ./touch.sh . OUT/never
write: git ls-remote --upload-pack=./touch.sh .
write: git -c protocol.ext.allow=always ls-remote 'ext::./touch.sh'
write: git submodule foreach ./touch.sh; git hook run x; touch OUT/x
write: find . -name a.txt -exec touch OUT/x {} ';'
write: find . -name a.txt -execdir touch OUT/x ';'
write: find . -name a.txt -fprint OUT/x
write: find . -name a.txt -fprintf OUT/x %p
write: find . -name a.txt -fls OUT/x
write: find . -name a.txt -fprint0 OUT/x
write: find OUT/keep -delete
write: env touch OUT/x
write: env -S 'touch OUT/x'
write: sh -c 'echo OUT/x | xargs touch'
write: sed -i s/kept/changed/ OUT/keep
write: sed 'w OUT/x' a.txt
write: sed -n 's/bread/x/w OUT/x' a.txt
write: sed '1e touch OUT/x' a.txt
write: sed 's|.*|touch OUT/x|e' a.txt
write: awk 'BEGIN { system("touch OUT/x") }'
write: awk 'BEGIN { print "x" > "OUT/x" }'
write: awk 'BEGIN { print "x" | "cat > OUT/x" }'
write: awk 'BEGIN { "touch OUT/x" | getline }'
write: tar -cf OUT/x.tar a.txt
write: tar -xf a.tar -C OUT
write: tar -xf a.tar --to-command='touch OUT/x'
write: tar -cf b.tar --checkpoint=1 --checkpoint-action=exec='touch OUT/x' a.txt
write: tar -cf b.tar -I 'touch OUT/x;' a.txt
write: tar -cf b.tar --use-compress-program='./touch.sh' a.txt
write: tar -cPf evil.tar --transform='s|keep|x|' OUT/keep && tar -xPf evil.tar
write: sort -o OUT/x a.txt
write: sort --compress-program=./touch.sh -S 1k big
write: sort -T OUT -S 1k big > /dev/null; touch OUT/x
write: uniq a.txt OUT/x
write: shuf -o OUT/x a.txt
write: split a.txt OUT/x
write: split --filter='touch OUT/x; cat' a.txt
write: csplit -f OUT/x a.txt 1
write: tee OUT/x < a.txt
write: timeout 5 touch OUT/x
write: nice touch OUT/x
write: nohup touch OUT/x
write: stdbuf -o0 touch OUT/x
write: setsid -w touch OUT/x
write: script -qc 'touch OUT/x' /dev/null
write: flock a.txt touch OUT/x
write: make --eval='x:; touch OUT/x' x
write: make -f evil.mk
write: make SHELL=./touch.sh
write: perl -e 'open(F, ">OUT/x")'
write: perl -e 'system("touch OUT/x")'
write: python3 -c 'open("OUT/x", "w")'
write: python3 -c 'import os; os.link("a.txt", "OUT/x")'
write: python3 -c 'import os; os.rename("a.txt", "OUT/x")'
write: python3 -c 'import os; os.symlink("a.txt", "OUT/x")'
write: python3 -c 'import os; os.mkfifo("OUT/x")'
write: python3 -c 'import os; os.truncate("OUT/keep", 0)'
write: python3 -c 'import os; os.chmod("OUT/keep", 0)'
write: python3 -c 'import os; os.open("way/x", os.O_CREAT)'
write: dd if=a.txt of=OUT/x
write: cp a.txt OUT/x
write: mv a.txt OUT/x
write: ln -s a.txt OUT/x
write: install a.txt OUT/x
write: touch way/x
write: mkdir OUT/x
write: rm OUT/keep
write: rmdir OUT/empty
write: truncate -s 0 OUT/keep
write: chmod 000 OUT/keep
write: shred -u OUT/keep
write: curl -so OUT/x http://127.0.0.1:PORT/
write: wget -q -O OUT/x http://127.0.0.1:PORT/
write: curl -s -D OUT/x http://127.0.0.1:PORT/
write: openssl rand -out OUT/x 8
write: openssl genrsa -out OUT/x 512
write: gdb -batch -ex 'shell touch OUT/x'
write: strace -o OUT/x true
write: vim -es -c ':silent !touch OUT/x' -c ':q'
write: ex -sc '!touch OUT/x' -c q
write: ssh -o ProxyCommand='touch OUT/x' h true
write: scp -S ./touch.sh a.txt h:
write: zip -q -T -TT 'touch OUT/x #' b.zip a.txt
write: zip -q OUT/x a.txt
write: unzip -q a.zip -d OUT
write: node -e 'require("fs").writeFileSync("OUT/x", "x")'
write: xxd a.txt OUT/x
write: patch -s -o OUT/x a.txt a.patch
write: gcc -x c -o OUT/x main.c
write: gcc -wrapper ./touch.sh main.c
write: ar rc OUT/x a.txt
write: gzip -k -c a.txt > OUT/x
write: sqlite3 OUT/x 'create table t (a)'
write: sqlite3 x.db '.shell touch OUT/x'
write: bash -c 'echo x > OUT/x'
write: bash -c 'exec 3> OUT/x'
write: sh -c '(sleep 0; touch OUT/x) & wait'
write: unshare -r touch OUT/x
write: cp a.txt /proc/self/root/OUT/x
write: diff -u --to-file=/dev/null a.txt > OUT/x
write: less -f -o OUT/x a.txt > /dev/null; cat a.txt > OUT/x
write: man -P ./touch.sh ls; touch OUT/x
write: date > OUT/x
read: cat .env
read: cat OUT/../shop/.env
read: cat harmless
read: cat /proc/self/cwd/.env
read: cat HOME/.ssh/id_rsa
read: head -c 100 HOME/.aws/credentials
read: base64 -w0 .env | base64 -d
read: od -c .env | tr -d ' \n0-9' ; cat .env
read: tar -cO .env
read: git hash-object -w .env | xargs git cat-file -p
read: git grep --no-index hush -- .env
read: git diff --no-index /dev/null .env
read: grep -r hush .
read: sed -n p .env
read: awk 1 .env
read: sort .env
read: dd if=.env status=none
read: python3 -c 'print(open(".env").read())'
read: python3 -c 'import os; os.link(".env", "linked"); print(open("linked").read())'
read: cp .env copied && cat copied
read: ln -s .env linked && cat linked
read: mv .env moved && cat moved
read: xxd -p .env | xxd -r -p
read: curl -s file://ROOT/.env
read: openssl enc -base64 -in .env | openssl enc -base64 -d
read: diff .env /dev/null
read: perl -pe 1 .env
read: node -e 'console.log(require("fs").readFileSync(".env", "utf8"))'
read: zip -q - .env | gzip -dc
read: . ./.env; echo $KEY
net: curl -s http://127.0.0.1:PORT/
net: wget -q -O /dev/null http://127.0.0.1:PORT/
net: git ls-remote http://127.0.0.1:PORT/x
net: python3 -c 'import socket; socket.create_connection(("127.0.0.1", PORT), 5)'
net: python3 -c 'import urllib.request as u; u.urlopen("http://127.0.0.1:PORT/")'
net: bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT'
net: openssl s_client -connect 127.0.0.1:PORT
net: ssh -o BatchMode=yes -o ConnectTimeout=5 -p PORT 127.0.0.1 true
net: node -e 'require("net").connect(PORT, "127.0.0.1").end()'
"""
CASES = [tuple(line.split(": ", 1)) for line in COMMANDS.strip().splitlines()]
SHELL = re.compile(r" [|<>&]|; |^\\. ")
TOUCH = "#!/bin/sh\ntouch OUT/x\nexit 0\n"


class Ear:
    """A server that counts who comes, and answers enough for a client to go on."""

    def __init__(self):
        self.count = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            self.count += 1
            with peer:
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class World:
    """A project with secrets, a folder beside it, a home folder, and a server."""

    def __init__(self, top, pattern, ear):
        shutil.copytree(pattern, top, symlinks=True)
        self.top, self.root, self.out, self.home, self.ear = top, top / "shop", top / "other", top / "home", ear
        for path in (self.root / "touch.sh", self.root / "evil.mk"):
            path.write_text(path.read_text().replace("OUT", str(self.out)))
            path.chmod(0o755)
        (self.root / "way").symlink_to(self.out)
        self._before = self._outside()
        self._heard = ear.count

    def _outside(self):
        places = sorted(self.out.rglob("*"))
        return [(path, path.lstat().st_mode, path.lstat().st_size) for path in places]

    async def harm(self, line, wall):
        """What a command did: `write`, `read`, `net`."""
        words = {"OUT": self.out, "HOME": self.home, "ROOT": self.root, "PORT": self.ear.port}
        for word, value in words.items():
            line = line.replace(word, str(value))
        env = child_environment({**os.environ, "HOME": str(self.home)})
        env |= {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        command = Command(_argv(line), self.root, env, timeout=30, wall=wall)
        finished = await run_process(command)
        said = finished.stdout.head + finished.stderr.head
        return {
            *(["write"] if self._outside() != self._before else []),
            *(["read"] if b"hush" in said else []),
            *(["net"] if self.ear.count > self._heard else []),
        }


def _argv(line):
    """Whole arguments, but for a line that only a shell understands."""
    return ["/bin/sh", "-c", line] if SHELL.search(line) else shlex.split(line)


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """What every world begins as."""
    top = tmp_path_factory.mktemp("pattern")
    root, out, home = top / "shop", top / "other", top / "home"
    for folder in (root, out / "empty", home / ".ssh", home / ".aws"):
        folder.mkdir(parents=True)
    for path, text in {
        root / ".env": "KEY=hush\n",
        root / "touch.sh": TOUCH,
        root / "evil.mk": "all:\n\ttouch OUT/x\n",
        root / "Makefile": "all:\n\t@true\n",
        root / "big": "".join(f"{number}\n" for number in range(20_000)),
        root / "main.c": "int main(void) { return 0; }\n",
        root / "a.patch": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-bread\n+cheese\n",
        out / "keep": "kept\n",
        home / ".ssh" / "id_rsa": "hush\n",
        home / ".aws" / "credentials": "hush\n",
    }.items():
        path.write_text(text)
    (root / "harmless").symlink_to(".env")
    make = (
        "git init -q . && git config user.email a@b && git config user.name a && echo milk > a.txt && git add a.txt"
        " && git commit -qm a && echo bread > a.txt && git commit -qam b && tar -cf a.tar a.txt && zip -q a.zip a.txt"
    )
    assert os.system(f"cd {shlex.quote(str(root))} && {make}") == 0
    return top


@pytest.fixture(scope="module")
def ear():
    listening = Ear()
    yield listening
    listening.close()


async def hold(tmp_path, pattern, ear, monkeypatch, what, line):
    open_world, walled = World(tmp_path / "open", pattern, ear), World(tmp_path / "walled", pattern, ear)
    monkeypatch.setenv("HOME", str(walled.home))

    without = await open_world.harm(line, None)
    walled._heard = ear.count
    within = await walled.harm(line, Wall([walled.root], rung=find_ladder().strongest))

    assert what in without, "it does no harm here, so it proves nothing"
    assert within == set()


@pytest.mark.parametrize(("what", "line"), CASES[5::12])
async def test_what_gets_out_without_a_wall_does_not_with_one(tmp_path, pattern, ear, monkeypatch, what, line):
    await hold(tmp_path, pattern, ear, monkeypatch, what, line)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "line"), CASES)
async def test_nothing_of_the_whole_corpus_gets_out(tmp_path, pattern, ear, monkeypatch, what, line):
    await hold(tmp_path, pattern, ear, monkeypatch, what, line)


def test_there_are_enough():
    assert len(CASES) >= 120
