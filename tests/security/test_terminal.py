"""No character that draws on a terminal, turns text round or hides in it gets to people; what programs read stays whole."""

import asyncio
import json
import re
import sys

from agentspec.cli.terminal import approving
from agentspec.cli.terminal.approving import lines_of
from agentspec.text.visible import BIDI, one_line, plain_json, visible
from tests.servers.background import calls, says, serving

C0 = [chr(code) for code in range(0x20) if chr(code) not in "\t\n"]
C1 = [chr(code) for code in range(0x7F, 0xA0)]
CSI = [f"\x1b[{each}" for each in ("31m", "0m", "2J", "H", "1;1H", "K", "2K", "1A", "99D", "s", "u", "?25l", "?1049h", "6n", "c", "5i", "!p", "20t", "200~", "38;2;1;2;3m")]  # fmt: skip
OSC = [f"\x1b]{each}" for each in ("0;x\x07", "2;x\x1b\\", "52;c;aGk=\x07", "8;;http://x\x1b\\", "4;1;?\x07", "10;?\x07", "11;#f00\x07", "777;notify;x\x07", "1337;File=x:aGk=\x07", "133;A\x07", "9;x\x07", "50;x\x07")]  # fmt: skip
STRINGS = [
    "\x1bP$qm\x1b\\",
    "\x1b_Gx\x1b\\",
    "\x1b^x\x1b\\",
    "\x1bXx\x1b\\",
    "\x1bc",
    "\x1b(0",
    "\x1b#8",
    "\x1bN",
    "\x1b=",
    "\x1b7",
]
BIDIRECTIONAL = sorted(BIDI)
TAGS = [chr(0xE0000 + code) for code in (1, 0x20, 0x41, 0x5A, 0x61, 0x7A, 0x7F)] + ["\U000e0100", "\U000e01ef"]
HIDDEN = list("\u200b\u200e\u200f\u2028\u2029\u2060\u2061\u2064\u206a\u206f\ufeff\ufff9\ufffa\ufffb\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u3164\uffa0")  # fmt: skip
WITHIN = [
    "\r\nallow it? (y: this once) y",
    "a\b\b\b",
    "\x1b[1A\x1b[2Kyes",
    "x\x00y",
    "\ud800",
    "\udfff",
    "\ufffe",
    "\uffff",
]
SEQUENCES = [*C0, *C1, *CSI, *OSC, *STRINGS, *BIDIRECTIONAL, *TAGS, *HIDDEN, *WITHIN]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff\U000e0000-\U000e0fff" + "".join(sorted(BIDI)) + "".join(HIDDEN) + "]")  # fmt: skip
ALL = "".join(f"<{at}{sequence}>" for at, sequence in enumerate(SEQUENCES))


def test_there_are_enough():
    assert len(SEQUENCES) >= 150


def test_each_is_an_escape_for_people_and_itself_for_programs():
    for text in (f"a{sequence}b" for sequence in SEQUENCES):
        assert STEERING.findall(visible(text)) == []
        assert STEERING.findall(one_line(text)) == []
        assert "\n" not in one_line(text)
        written = plain_json(json.dumps({"t": text}, ensure_ascii=False))
        assert STEERING.findall(written) == []
        assert json.loads(written) == {"t": text}


def test_a_question_about_a_call_is_one_line_for_the_call_and_one_for_each_argument():
    for evil in (f"x{sequence}\nallow it? (y: this once) y\n" for sequence in SEQUENCES):
        arguments = {evil: evil, "n": [evil]}
        question = {"name": evil, "hash": "ab12cd34", "arguments": arguments, "rule": evil, "reason": evil}

        lines = [visible(line) for line in lines_of(question)]

        assert len(lines) == 3
        assert all(STEERING.findall(line) == [] and "\n" not in line for line in lines)


def test_a_question_of_the_model_draws_nothing(monkeypatch, capsys):
    async def nobody():
        return ""

    monkeypatch.setattr(approving, "_line", nobody)
    asked = {"arguments": {"question": ALL, "options": [ALL, f"2{ALL}"]}}

    assert asyncio.run(approving.reply(asked)) is None
    assert STEERING.findall(capsys.readouterr().err.replace("\n", "")) == []


def test_whatever_a_run_meets_is_harmless_wherever_it_is_shown(agentspec, tmp_path, monkeypatch):
    """The task, the model's text, names, arguments, results, errors and files of a run, in all that tells of it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    sent = ALL.encode("utf-8", "replace").decode()
    name = "".join(f"{sequence}" for sequence in (*C0[1:], *C1, *BIDIRECTIONAL)).replace("/", "")[:80]
    (tmp_path / name).write_text(sent)
    (tmp_path / "all").write_text(sent)
    asked = calls(
        ("c1", "show", "{}"),
        (f"c2{sent}", f"no{sent}", json.dumps({sent: sent})),
        ("c3", "fail", "{}"),
        ("c4", "list_directory", "{}"),
        ("c5", "read_file", json.dumps({"path": sent})),
        text=sent,
    )
    spec = {
        "name": "s",
        "task": sent.replace("\x00", ""),
        "description": sent.replace("\x00", ""),
        "model": {"provider": "openai", "model": "m", "stream": False},
        "capability": {
            "toolkits": ["files.read"],
            "tools": {
                "show": {"run": [sys.executable, "-c", "print(open('all', newline='').read())"]},
                "fail": {"run": [sys.executable, "-c", "import sys; sys.exit(open('all', newline='').read())"]},
            },
        },
    }
    with serving(asked, says(sent)) as server:
        spec["model"]["base_url"] = server.url
        (tmp_path / "s.json").write_text(json.dumps(spec))
        told = [agentspec("run", "s.json", "--json", "--trace", "--events", "events")]
        told.append(agentspec("run", "s.json"))
    result = json.loads(told[0].out)
    run_id = result["run_id"]
    told += [agentspec(*words) for words in (
        ("runs", "show", run_id), ("runs", "list"), ("check", "s.json"), ("show", "s.json"), ("explain", "s.json", "task"),
        ("plan", "s.json"), ("replay", run_id), ("run", f"{name}x"), ("resume", name), ("explain", sent), (sent,),
        ("check", "s.json", "--set", f"execution.{sent}=1"), ("runs", "show", sent), ("run", "s.json", "--input", f"{sent}=x"),
    )]  # fmt: skip

    assert [STEERING.findall(done.err.replace("\r\n", "\n")) for done in told] == [[]] * len(told)
    piped = told.pop(1).out  # the answer itself, which a program may read: what is unseen may belong to it
    assert [one for one in STEERING.findall(piped) if one in {*C0, *C1, *BIDI} - {"\r"}] == []
    assert STEERING.findall(visible(piped)) == []  # as a terminal shows it
    assert [STEERING.findall(done.out) for done in told] == [[]] * len(told)
    assert all(json.loads(line) for line in (tmp_path / "events").read_text().splitlines())
    assert result["status"] == "done"
