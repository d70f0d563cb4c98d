"""No secret leaves a run in any of the forms that one step of a program makes of it, whichever way it goes."""

import json
import random
import re
import string
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from agentspec.core.messages import Reply
from agentspec.ports import Delta
from agentspec.runtime.masking.deltas import MaskedDeltas
from agentspec.runtime.masking.mask import Mask
from tests.servers.background import calls, says, serving

DRAWN = random.Random(7)


def drawn(size, alphabet=string.ascii_letters + string.digits):
    return "".join(DRAWN.choices(alphabet, k=size))


SECRETS = {
    "OPENAI_API_KEY": f"sk-proj-{drawn(40)}",
    "ANTHROPIC_API_KEY": f"sk-ant-{drawn(60)}",
    "AWS_SECRET_ACCESS_KEY": drawn(40, string.ascii_letters + string.digits + "+/"),
    "GITHUB_TOKEN": f"ghp_{drawn(36)}",
    "GITLAB_TOKEN": f"glpat-{drawn(20)}",
    "SLACK_TOKEN": f"xoxb-{drawn(12, string.digits)}-{drawn(24)}",
    "HF_TOKEN": f"hf_{drawn(34)}",
    "SESSION_TOKEN": f"eyJ{drawn(30)}.eyJ{drawn(60)}.{drawn(43)}",
    "DB_PASSWORD": f"p@ss/{drawn(6)} 'quoted\" \\ {drawn(6)}",
    "SMTP_PASSWORD": "gehéim-ключ-秘密-0123",
    "SIGNING_SECRET": f"-----BEGIN PRIVATE KEY-----\n{drawn(64)}\n{drawn(64)}\n-----END PRIVATE KEY-----",
    "SHORT_TOKEN": "t0k3n-9f",
}


def between(text, noise):
    return noise.join(text)


def wrapped(text, width=20):
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def json_unicode(text):
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


ENCODINGS = {
    "plain": str,
    "percent": lambda text: quote(text, safe=""),
    "percent of all": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "JSON": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON, every character": json_unicode,
    "JSON twice": lambda text: json.dumps(json.dumps(text))[3:-3],
    "hexadecimal": lambda text: text.encode().hex(),
    "HEXADECIMAL": lambda text: text.encode().hex().upper(),
    "reversed": lambda text: text[::-1],
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 after one byte": lambda text: b64encode(b"." + text.encode() + b"...").decode(),
    "base64 after two bytes": lambda text: b64encode(b".." + text.encode() + b"...").decode(),
    "base64 for addresses": lambda text: urlsafe_b64encode(text.encode()).decode(),
    "base64 in lines": lambda text: wrapped(b64encode(text.encode()).decode()),
    "sequences for a terminal inside": lambda text: between(text, "\x1b[1m"),
    "unseen characters inside": lambda text: between(text, "\u200b"),
    "line ends inside": lambda text: wrapped(text, 5),
}
# What is not recognised: whoever may run programs can always hide a text. What a program isn't given can't be told.
HARD = {
    "base64 twice": lambda text: b64encode(b64encode(text.encode())).decode(),
    "letters moved": lambda text: text.translate(
        str.maketrans(string.ascii_lowercase, string.ascii_lowercase[13:] + string.ascii_lowercase[:13])
    ),
    "entities": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "in another case": str.swapcase,
    "in halves": lambda text: f"{text[: len(text) // 2]} and {text[len(text) // 2 :]}",
    "spaces inside": lambda text: between(text, " "),
    "in words": lambda text: " ".join(f"letter {one}" for one in text),
}
MASK = Mask(SECRETS.values())
CASES = [(name, encoding) for name in SECRETS for encoding in ENCODINGS]


def seen(text):
    """A text as whoever looks for a secret in it reads it: without what nobody sees."""
    return re.sub(r"\x1b\[[0-9;]*m|[\u200b\s\\]|\\u200b|\\u001b\[1m|\\n", "", text)


def is_in(secret, encoding, text):
    """Whether what is left of an encoded secret tells it: ten characters of it in a row."""
    encoded = seen(ENCODINGS[encoding](SECRETS[secret]))
    size = min(10, len(encoded))
    middle = (len(encoded) - size) // 2
    return encoded[middle : middle + size] in seen(text)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_secret_is_recognised_in_every_form(encoding):
    for secret, value in SECRETS.items():
        text = f"before {ENCODINGS[encoding](value)} after"

        assert is_in(secret, encoding, text)
        assert not is_in(secret, encoding, MASK.text(text))


@pytest.mark.parametrize("pieces", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_a_stream_tells_no_more_than_the_whole(pieces):
    heard = []
    listener = MaskedDeltas(MASK, heard.append)
    text = " ".join(encode(secret) for secret in SECRETS.values() for encode in ENCODINGS.values())

    for at in range(0, len(text), pieces):
        listener(Delta("text_delta", text[at : at + pieces]))
    listener.end()

    told = "".join(delta.text for delta in heard)
    assert [case for case in CASES if is_in(*case, told)] == []


def test_an_artifact_tells_no_more_than_the_whole(tmp_path):
    path = tmp_path / "output"
    path.write_text("\n".join(f"{'x' * 300} {encode(s)}" for s in SECRETS.values() for encode in ENCODINGS.values()))

    MASK.file(path)

    assert [case for case in CASES if is_in(*case, path.read_text())] == []


def test_the_hard_ones_are_known_to_pass():
    told = {
        name
        for name, encode in HARD.items()
        if MASK.text(encode(SECRETS["GITHUB_TOKEN"])) == encode(SECRETS["GITHUB_TOKEN"])
    }

    assert told == set(HARD)


def test_other_texts_stay_as_they_are():
    other = Mask(f"sk-{drawn(40)}" for _ in range(5))
    text = " ".join(encode(secret) for secret in SECRETS.values() for encode in ENCODINGS.values())

    assert other.text(text) == text
    assert other.answer(Reply(text=text)).text == text


SPEC = """
name: leaky
task: go
model: {{provider: openai, model: m, base_url: "{url}", stream: {streamed}}}
execution: {{tool_result_max: 2KiB}}
capability:
  sandbox: none
  tools:
    leak: {{description: Prints what it was given, run: [cat, leaks]}}
"""


@pytest.mark.parametrize("streamed", ["true", "false"])
def test_nothing_of_a_run_holds_a_secret(agentspec, tmp_path, monkeypatch, streamed):
    """What the model is told, the journal, the event stream, the result, what people see: five ways out, all forms."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    everything = "\n\n".join(ENCODINGS[encoding](SECRETS[secret]) for secret, encoding in CASES)
    (tmp_path / "leaks").write_text(everything)
    with serving(calls(("c", "leak", "{}"), text=everything), says(f"found {everything}")) as server:
        (tmp_path / "a.yaml").write_text(SPEC.format(url=server.url, streamed=streamed))
        done = agentspec("run", "a.yaml", "--json", "--trace", "--events", "events")
        asked = server.asked[1].body.decode()
    result = json.loads(done.out)
    (tmp_path / "leaks").unlink()
    shown = agentspec("runs", "show", result["run_id"])
    exported = agentspec("runs", "export", result["run_id"])
    stored = [path for path in (tmp_path / ".agentspec").rglob("*") if path.is_file()]

    sinks = {
        "the model": asked,
        "the journal": exported.out + "".join(path.read_bytes().decode("latin-1") for path in stored),
        "events": (tmp_path / "events").read_text(),
        "the result": done.out,
        "people": done.err + shown.out + shown.err,
    }
    assert done.code == 0
    assert [(sink, *case) for sink, text in sinks.items() for case in CASES if is_in(*case, text)] == []
