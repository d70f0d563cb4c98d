"""What an author wants blanked is blanked in texts, values, answers, outputs, files and streams; code stays code."""

import pytest

from agentspec.core.messages import Reply, ToolCall, ToolError
from agentspec.ports import Delta, Output
from agentspec.runtime.masking.deltas import MaskedDeltas
from agentspec.runtime.masking.mask import Mask
from agentspec.text.blanks import HIDDEN, Blanks
from agentspec.text.secrets import blank_drawn

ADA = "ada@example.org"
BLANKS = Blanks([r"[a-z]+@example\.org"], ["iban"])
MASK = Mask([], BLANKS)
GITHUB = "ghp_" + "0123456789" * 4
PEM = "-----BEGIN PRIVATE KEY-----"


def test_patterns_and_names_are_blanked_wherever_a_model_writes_them():
    reply = Reply(
        text=f'{{"iban": "DE02", "to": "{ADA}"}}',
        calls=(ToolCall("c", "send", f'{{"iban":"DE02","to":["{ADA}"]}}'),),
        reasoning=f"to {ADA}",
        extra={"iban": {"deep": 1}},
    )

    assert MASK.answer(reply) == Reply(
        text=f'{{"iban":"{HIDDEN}","to":"{HIDDEN}"}}',
        calls=(ToolCall("c", "send", f'{{"iban":"{HIDDEN}","to":["{HIDDEN}"]}}'),),
        reasoning=f"to {HIDDEN}",
        extra={"iban": HIDDEN},
    )


def test_what_tools_bring_is_also_without_what_has_the_form_of_a_key():
    output = Output(text=f"{ADA} {GITHUB}", data={"a": [GITHUB]}, error=ToolError(category="x", message=GITHUB))

    hidden = Output(text=f"{HIDDEN} {HIDDEN}", data={"a": [HIDDEN]}, error=ToolError(category="x", message=HIDDEN))
    assert MASK.output(output) == hidden
    assert MASK.told({"line": GITHUB}) == {"line": HIDDEN}
    assert MASK.text(GITHUB) == GITHUB  # the model's own words are not guessed at


def test_half_a_character_hinders_nothing_and_what_is_empty_is_not_found():
    assert BLANKS.text(f"\ud800 {ADA} \udcff") == f"\ud800 {HIDDEN} \udcff"
    assert Blanks(["x*"]).text("axxb\ud800") == f"a{HIDDEN}b\ud800"


def test_names_are_keys_of_the_language_in_the_words_of_a_spec():
    assert MASK.wording('{"iban": "DE02"}') == '{"iban": "DE02"}'


def test_a_stream_tells_what_a_pattern_can_find_only_when_all_of_it_is_there():
    heard = []
    listener = MaskedDeltas(MASK, heard.append)

    for piece in ("to ", "ada@exam", "ple.org!"):
        listener(Delta("text_delta", piece))
    listener.end()

    assert [delta.text for delta in heard] == [f"to {HIDDEN}!"]


@pytest.mark.parametrize("piece", [7, 64, 5000])
def test_a_file_is_blanked_also_where_a_text_lies_across_two_pieces(tmp_path, piece):
    file = tmp_path / "out"
    file.write_bytes(b"\xff" + f" {ADA} {GITHUB} plain\n".encode() * 30)

    BLANKS.file(file, piece, overlap=64)

    assert file.read_bytes() == b"\xff" + f" {HIDDEN} {HIDDEN} plain\n".encode() * 30
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "text",
    [
        "cookie = http.cookies.SimpleCookie()",
        "authorization: request2.headers.get(name_of_header)",
        'text.startswith("-----BEGIN PRIVATE KEY-----")',
        "https://example.org/a:b@c and task-list-of-things-to-do-today",
        "api-key: the-name-of-a-variable",
    ],
)
def test_code_and_prose_stay_as_they_are(text):
    assert blank_drawn(text) == text


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("Authorization: Bearer 9f86d081884c7d659a2f", f"Authorization: {HIDDEN}"),
        ("postgresql://shop:geheim@db.example.org/x", f"postgresql://shop:{HIDDEN}@db.example.org/x"),
        (f"{PEM}\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----", HIDDEN),
        (f"cookie = open_the_jar_of_cookies({GITHUB})", f"cookie = open_the_jar_of_cookies({HIDDEN})"),
        (f"\n{GITHUB}\n", f"\n{HIDDEN}\n"),
    ],
)
def test_what_was_drawn_by_chance_is_blanked(text, blanked):
    assert blank_drawn(text) == blanked


@pytest.mark.parametrize("pattern", ["[a-z]+", r"\S+", ".*", "redacted", r"\["])
def test_what_was_blanked_is_not_found_again_and_names_are_no_contents(pattern):
    blanks = Blanks([pattern])

    assert blanks.text(HIDDEN) == HIDDEN
    assert blanks.value({"iban": HIDDEN}) == {"iban": HIDDEN}
    assert blanks.arguments('{"iban": "[redacted]"}') == '{"iban": "[redacted]"}'


LETTERS = Blanks(["[a-z]+", "12"], ["iban"])


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ('{"to": "ada", "n": 3}', f'{{"to":"{HIDDEN}","n":3}}'),
        ('{"n": 12, "ok": true, "iban": [1]}', f'{{"n":"{HIDDEN}","ok":true,"iban":"{HIDDEN}"}}'),
        ('{"body": "{\\"iban\\": \\"DE\\"}"}', f'{{"body":"{{\\"iban\\":\\"{HIDDEN}\\"}}"}}'),
        ('So:\n```json\n{"iban": "DE"}\n```\n', f'S{HIDDEN}:\n```json\n{{"iban":"{HIDDEN}"}}\n```\n'),
        ('{"cut": "off', f'{{"{HIDDEN}": "{HIDDEN}'),
    ],
)
def test_json_stays_json_of_the_same_shape(text, blanked):
    assert LETTERS.text(text) == blanked
    assert LETTERS.text(blanked) == blanked


def test_a_pattern_over_names_and_structure_hides_the_values_that_it_reaches():
    blanks = Blanks([r'"pin":\s*"[^"]*", "n": \d+'])

    assert blanks.text('{"pin": "1", "n": 2, "m": 3}') == f'{{"pin": "{HIDDEN}", "n": "{HIDDEN}", "m": 3}}'


def test_numbers_that_a_tool_brings_are_contents_too():
    assert Mask([], Blanks([r"\d{8}"])).output(Output(text="", data={"account": 12345678, "n": 1})) == Output(
        text="", data={"account": HIDDEN, "n": 1}
    )


def test_what_a_provider_knows_an_answer_by_is_no_content():
    thought = {"type": "thinking", "thinking": "ada", "signature": "abc", "parts": [{"type": "text", "text": "ada"}]}

    answer = Mask([], LETTERS).answer(Reply(extra={"blocks": [thought]}))

    assert answer.extra == {
        "blocks": [thought | {"thinking": HIDDEN, "parts": [{"type": "text", "text": HIDDEN}]}],
    }
