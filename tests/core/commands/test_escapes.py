"""No argument makes an allowed beginning of a command do something else, and ordinary commands pass."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.commands.allow_list import judge, prefixes_of
from agentspec.core.commands.escape_table import ESCAPES, WRAPPERS
from agentspec.core.commands.shell_line import commands_of

# Each line: what is allowed, then commands behind it that write or run something else.
ESCAPING = """
git | git -c core.pager=touch log | git -c alias.x=!id x | git --exec-path=/tmp/x status | git -C /tmp status
git | git --git-dir=/tmp/g status | git --work-tree /tmp status | git --config-env=core.pager=X log | git -p log
git | git config core.fsmonitor id | git config --global alias.x !id | git difftool -x id | git filter-branch --tree-filter id
git | git bisect run id | git submodule foreach id | git submodule --quiet foreach id | git daemon --export-all | git shell
git | git clone ext::sh%20-c%20id x | git fetch ext::id | git clone -u id . x | git clone -c core.fsmonitor=id . x
git | git clone --upload-pack=id . x | git clone --template=/tmp/t . x | git init --template=/tmp/t | git help -a
git | git rebase -x id HEAD~1 | git rebase --exec id | git rebase -i HEAD~2 | git archive -o /tmp/x HEAD | git send-email x
git log | git log --output=/tmp/x | git log --output /tmp/x | git log --outp=/tmp/x | git log --ext-diff -p | git log --textconv
git diff | git diff --output=x | git diff --no-index /etc/passwd x | git diff --ext-diff | git diff --ext | git diff --ou=x
git grep | git grep -Oid x | git grep --open-files-in-pager=id x | git grep --open=id x | git grep -nOid x
git show | git show --output=x HEAD | git show --textconv HEAD:x
git format-patch | git format-patch -o /tmp HEAD~1 | git format-patch --output-directory=/tmp HEAD~1
git archive | git archive --output=/tmp/x HEAD | git archive --remote=. --exec=id HEAD
git fetch | git fetch --upload-pack=id origin | git fetch --upload-p id origin
git push | git push --receive-pack=id origin | git push --exec=id origin
git ls-remote | git ls-remote --upload-pack=id . | git ls-remote ext::id
git blame | git blame --contents /etc/shadow x
git apply | git apply --unsafe-paths x
git commit | git commit -e | git commit --edit
find | find . -exec id ; | find . -execdir id ; | find . -ok id ; | find . -okdir id ; | find . -delete | find . -fprint x
find | find . -fprintf x %p | find . -fls x | find . -fprint0 x | find -files0-from x
find . | find . -name x -exec id {} +
fd | fd -x id | fd -X id | fd --exec id | fd --exec-batch=id | fd -Hx id
rg | rg --pre id x | rg --pre=id x | rg --hostname-bin=id x | rg -z x | rg --search-zip x
sed | sed -i s/a/b/ f | sed -n -i p f | sed --in-place p f | sed -f script f | sed --file=x f | sed e f | sed 1e\\ id f
sed | sed 'w out' f | sed 's/a/b/w out' f | sed 's/a/id/e' f | sed '1r /etc/passwd' f | sed -e 'W x' f | sed --expression='w x' f
sed -n | sed -n '1p;w out' f | sed -n '1{p;e id' f | sed -n 's/a/b/pw x' f | sed -n '/a/w x' f | sed -n -i 1p f
tar | tar --to-command=id -xf a | tar --use-compress-program=id -xf a | tar -I id -xf a | tar --checkpoint-action=exec=id -cf a b
tar | tar -cf a --rsh-command=id h:x | tar cIf id a b | tar -F id -cf a b | tar --info-script=id -cf a b | tar -T list -cf a
tar | tar --use-comp=id -xf a | tar -cf host:a b | tar --file=host:a -x | tar -g snap -cf a b | tar -xPf a | tar --checkpoint-a=exec=id
tar -xf a.tar | tar -xf a.tar --to-command=id | tar -xf a.tar -I id
sort | sort -o x f | sort -ro x f | sort --output=x f | sort --out=x f | sort --compress-program=id f | sort -T /tmp f
uniq | uniq in out | uniq -c in out
shuf | shuf -o x f | shuf --output=x
split | split --filter=id f | split --filter id f
rsync | rsync -e id a b: | rsync --rsh=id a b: | rsync --rsync-path=id a b: | rsync -ae id a b: | rsync --log-file=x a b
make | make --eval=x:;id | make --eval x | make -f /tmp/m | make -C /tmp | make SHELL=/tmp/x | make test CC=id | make -kf/tmp/m | make -E x
make test | make test SHELL=id | make test --eval=x | make test -f x | make test -I /tmp
env | env id | env A=b id | env -S 'id' | env -i id
xargs | xargs id | xargs -I{} id
timeout 10 make | timeout 10 make install
timeout | timeout 1 id
nice | nice id | nice -n 5 id
nohup | nohup id
setsid | setsid id
stdbuf | stdbuf -o0 id
flock | flock /tmp/l id
script | script -c id
strace | strace -o x id
gdb | gdb -ex 'shell id'
ssh | ssh -o ProxyCommand=id h | ssh h id
scp | scp -S id a b: | scp -oProxyCommand=id a b:
sudo | sudo id
watch | watch id
busybox | busybox sh -c id
vim | vim -c '!id' | vim +!id
less | less f
man | man -P id ls | man --pager=id ls | man -H id ls
curl | curl -o x u | curl -O u | curl -sSo x u | curl --output x u | curl -K x | curl --config x | curl -D x u | curl -c x u
curl | curl --trace x u | curl --libcurl x u | curl file:///etc/passwd | curl -T f u | curl -w %output{x} u | curl --outp x u
wget | wget -O x u | wget --output-document=x u | wget -e use_askpass=id u | wget --use-askpass=id u | wget -i x | wget --post-file=x u
zip | zip -T a b | zip -TT id a b | zip a b -TT id | zip --unzip-command=id a
dd | dd if=a of=b
xxd | xxd a b | xxd -r a
openssl | openssl req -engine x | openssl rand -out x 1 | openssl rand -writerand x 1
patch | patch -o x f | patch --ed f | patch -e f | patch -r x f
go | go build -toolexec id | go test -exec id | go vet -vettool=id | go build -o x
cargo | cargo --config target.runner=id test | cargo -Zx test
gcc | gcc -wrapper id x.c | gcc -fplugin=x.so x.c | gcc -B/tmp x.c | gcc -specs=x x.c | gcc @x
npm | npm exec x | npm --script-shell=id run x
pytest | pytest -p evil | pytest -c x | pytest --rootdir=/ | pytest -o addopts=x
docker | docker run x | docker -H tcp://x ps | docker exec x id | docker --host=x ps
hg | hg --config alias.x=!id x
svn | svn diff --diff-cmd id
diff3 | diff3 --diff-program=id a b c
"""

ORDINARY = """
git status | git status | git status -s --branch | /usr/bin/git status
git log | git log --oneline -5 | git log -p -- src/a.py | git log --stat --since=yesterday | git log -Sfoo
git diff | git diff --stat | git diff HEAD~1 -- a.py | git diff --cached -U5
git | git status | git --no-pager log -3 | git switch -c topic | git commit -m 'a: b' | git add . | git branch -vv | git show HEAD
git | git push origin main | git fetch --all | git stash pop | git rebase main | git checkout -b x | git -P diff
find | find . -name *.py -type f | find src -maxdepth 2 -newer a -print
sed | sed -n 1,5p f | sed s/a/b/g f | sed -E 's|a+|b|' f | sed -e 1d -e '$d' f | sed '/^#/d' f | sed -n '/a/,/b/p' f
sed -n | sed -n 3p f | sed -n '$=' f
tar | tar -tf a.tgz | tar -xzf a.tgz -C out | tar czf a.tgz src | tar --list --file a.tgz
sort | sort -u f | sort -t, -k2,2n f | sort --reverse f
uniq | uniq -c | uniq in
make | make | make test -j4 | make -k all | make --silent
make test | make test | make test -j2
grep | grep -rn TODO src | grep -E 'a|b' f
rg | rg -n --hidden x src | rg -tpy x
curl | curl -sSf https://example.org | curl -H 'Accept: text/html' https://example.org
ls | ls | ls -la src
timeout 10 make | timeout 10 make
python | python x.py | python -c 'print(1)' | python -m pytest
python -m pytest | python -m pytest -x tests | python -m pytest -k 'a or b'
pytest | pytest -q tests | pytest -xvs --tb=short
cargo | cargo test | cargo build --release
go | go test ./... | go vet ./...
npm | npm test | npm run lint
gcc | gcc -Wall -c x.c
docker | docker ps -a | docker images
wc | wc -l a b
"""


def rows(table):
    for line in filter(None, table.splitlines()):
        allowed, *commands = line.split(" | ")
        for command in commands:
            yield tuple(shlex.split(allowed)), command


def test_an_escape_behind_an_allowed_beginning_is_a_miss():
    judged = {(prefix, command): judge(shlex.split(command), [prefix]) for prefix, command in rows(ESCAPING)}

    assert [row for row, found in judged.items() if found.prefixes or not found.problem] == []


def test_an_ordinary_command_passes():
    judged = {(prefix, command): judge(shlex.split(command), [prefix]) for prefix, command in rows(ORDINARY)}

    assert [row for row, found in judged.items() if found.prefixes != (row[0],)] == []


def test_there_are_enough_escapes_tried():
    assert len(list(rows(ESCAPING))) >= 120


def test_whole_elements_are_compared():
    prefixes = prefixes_of(["ls", ["git", "status"]])

    assert judge(["lsof"], prefixes).problem == "nothing that is allowed begins so"
    assert judge(["git", "status2"], prefixes).problem == "nothing that is allowed begins so"
    assert judge(["git"], prefixes).problem == "nothing that is allowed begins so"
    assert judge(["ls; id"], prefixes).problem == "nothing that is allowed begins so"
    assert judge([], prefixes).problem == "nothing that is allowed begins so"


def test_what_a_prefix_itself_says_is_the_authors_word():
    prefix = ("git", "-C", "sub", "log", "--output=log.txt")

    assert judge([*prefix, "-3"], [prefix]).prefixes == (prefix,)
    assert judge(["git", "-C", "sub", "grep", "-Oid"], [("git", "-C", "sub", "grep")]).prefixes == ()


def test_a_refusal_names_the_argument():
    assert judge(["git", "log", "--output=x"], [("git", "log")]).problem == (
        "`--output=x` lets `git` write or run something else"
    )
    assert judge(["env", "id"], [("env",)]).problem == "`env` starts what its arguments name"


LINES = {
    "make test": [["make", "test"]],
    "make test&&git log -3|wc -l ; ls": [["make", "test"], ["git", "log", "-3"], ["wc", "-l"], ["ls"]],
    "grep 'a b; c' \"d e\"f || true": [["grep", "a b; c", "d ef"], ["true"]],
    "printf ''": [["printf", ""]],
}
NOT_PLAIN = [
    *(
        "",
        "  ",
        ";",
        "ls;;ls",
        "ls &&",
        "| ls",
        "ls &",
        "ls & id",
        "ls > x",
        "ls >> x",
        "cat < x",
        "ls 2>&1",
        "cat <<E\nx\nE",
    ),
    *(
        "ls\nid",
        "ls $HOME",
        "ls $(id)",
        "ls `id`",
        'ls "$(id)"',
        'ls "`id`"',
        "ls *",
        "ls ?",
        "ls [a]",
        "ls {a,b}",
        "ls ~",
    ),
    *(
        "(ls)",
        "{ ls; }",
        "A=b ls",
        "! ls",
        "ls # x",
        "ls \\\n",
        "l\\s",
        "if ls",
        "exec id",
        "eval id",
        "cd /tmp",
        ". x",
    ),
    *("source x", "command id", "time id", "ls 'a", 'ls "a', "ls \x00", "ls\rid", "ls <(id)", "a=1", "é", "'' x"),
]


@pytest.mark.parametrize(("line", "commands"), LINES.items())
def test_a_plain_line_is_told_apart(line, commands):
    assert commands_of(line) == commands


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_a_line_that_is_not_plain_is_none(line):
    assert commands_of(line) is None


WORDS = st.text(st.characters(exclude_characters="'\n\0", codec="utf-8"), max_size=6)


@given(st.lists(st.lists(WORDS, max_size=3), min_size=1, max_size=4), st.sampled_from([" && ", "||", ";", "|", " ; "]))
def test_words_in_quotes_stay_whole_whatever_is_in_them(lists, joint):
    commands = [["ls", *words] for words in lists]

    line = joint.join(" ".join(f"'{word}'" for word in command) for command in commands)

    assert commands_of(line) == commands


@given(
    st.sampled_from(sorted({*ESCAPES, *WRAPPERS, "git", "sed"})),
    st.lists(st.text("-=:/abcdefgmnoprtuxIOTs", max_size=8), max_size=5),
    st.integers(1, 3),
)
def test_judging_never_raises(program, more, known):
    argv = [program, *more]

    judged = judge(argv, [tuple(argv[:known])])

    assert bool(judged.prefixes) is not bool(judged.problem)
