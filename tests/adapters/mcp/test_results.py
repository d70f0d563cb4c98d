"""What a server answers reaches the model in words and programs as data, and is never empty when it held something."""

from base64 import b64encode

import pytest

from agentspec.adapters.mcp.results import output_of
from agentspec.core.messages import Picture, ToolError
from agentspec.ports import Output


def out(*content, **more):
    return output_of({"content": list(content), **more}, lambda data: f"<{data.decode()}>")


def test_texts_are_joined_and_structured_content_is_data():
    output = out({"type": "text", "text": "a"}, {"type": "text", "text": "b"}, structuredContent={"n": 1})

    assert output == Output(text="a\nb", data={"n": 1})


def test_structured_content_alone_is_shown_as_json():
    assert out(structuredContent={"n": "é"}) == Output(text='{"n": "é"}', data={"n": "é"})


@pytest.mark.parametrize("kind", ["image", "audio"])
def test_bytes_are_named_counted_and_kept(kind):
    output = out({"type": kind, "data": b64encode(b"PNG").decode(), "mimeType": "x/y"})

    assert output.text == f"[{kind}, x/y, 3 bytes, kept as artifact <PNG>]"
    assert output.data == {"artifacts": [{"artifact": "<PNG>", "mime_type": "x/y", "bytes": 3}]}


def test_an_image_that_models_are_shown_goes_with_the_output():
    images = [{"type": "image", "data": b64encode(b"PNG").decode(), "mimeType": kind} for kind in ("image/png", "x/y")]

    assert out(*images).pictures == (Picture("<PNG>", "image/png", 3),)


def test_resources_are_shown_as_text_as_bytes_or_as_a_link():
    text = {"type": "resource", "resource": {"uri": "file:///a", "text": "hello", "mimeType": "text/plain"}}
    blob = {"type": "resource", "resource": {"uri": "file:///b", "blob": b64encode(b"x").decode()}}
    link = {"type": "resource_link", "uri": "file:///c", "name": "c", "description": "more", "size": 12}

    assert out(text).text == "[resource file:///a, text/plain]\nhello"
    assert out(blob).text == "[resource file:///b, of an unknown type, 1 bytes, kept as artifact <x>]"
    assert out(link).text == "[resource file:///c, more, 12 bytes]"


def test_a_failure_is_an_error_with_its_words():
    assert out({"type": "text", "text": "no"}, isError=True) == Output(
        status="error", error=ToolError(category="tool", message="no")
    )
    assert out(isError=True).error.message == "the tool failed and did not say why"
    assert out({"type": "text", "text": "x" * 3000}, isError=True).error.message == "x" * 2000 + "…"


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "image", "data": "no base64!", "mimeType": "image/png"}, "[image, image/png: its data is no base64]"),
        ({"type": "hologram"}, "[a block of the kind `hologram`, which is not shown]"),
        ({"type": "resource", "resource": None}, ""),
        ("nonsense", ""),
    ],
)
def test_what_is_no_content_is_said_to_be_none(block, text):
    assert out(block).text == text
