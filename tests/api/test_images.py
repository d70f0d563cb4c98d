"""Images in a whole run: those of the task and of a seeded history are shown, and a resume shows them again."""

import base64
import json

import pytest

from agentspec import resume, run
from agentspec.cli.main import main
from agentspec.errors import NotAllowed, NotFound
from tests.failures.whole import World
from tests.servers.background import says, serving
from tests.servers.loopback import Loopback, response

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 30
GIF = b"GIF89a" + b"y" * 30


def url_of(data, kind):
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{base64.b64encode(data).decode()}"}}


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "b.gif").write_bytes(GIF)
    return World(tmp_path)


async def test_images_of_the_task_and_of_a_history_are_shown_with_their_messages(world):
    history = [{"role": "user", "content": "Old.", "images": ["b.gif"]}, {"role": "assistant", "content": "Yes."}]
    async with Loopback([says("A cat.")]) as server:
        spec = world.write(server.url, context={"history": history})
        result = await run(spec, "What is it?", images=[world.folder / "a.png"])

    assert (result.status, result.text) == ("done", "A cat.")
    assert server.asked[0].json["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Old."}, url_of(GIF, "image/gif")]},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, url_of(PNG, "image/png")]},
    ]


async def test_a_resumed_run_shows_them_again_and_its_journal_holds_no_bytes_of_them(world):
    async with Loopback([[response({"error": {"message": "down"}}, 503)], says("A cat.")]) as server:
        spec = world.write(server.url, model={"retry": False})
        first = await run(spec, "What is it?", images=[world.folder / "a.png"])
        (world.folder / "a.png").unlink()
        again = await resume(first.run_id, message="Again?", store=world.folder / ".agentspec")

    shown = [asked.json["messages"][0]["content"] for asked in server.asked]
    assert (again.status, shown[0], shown[1]) == ("done", shown[1], shown[0])
    database = (world.folder / ".agentspec" / "runs.db").read_bytes()
    assert base64.b64encode(PNG)[:30] not in database


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("none.png", NotFound, "`images`: no such file"),
        ("text.png", NotAllowed, "is no PNG, JPEG, GIF or WebP image"),
    ],
)
async def test_what_is_no_image_is_told_before_anything_is_started(world, name, error, words):
    (world.folder / "text.png").write_text("hello")

    with pytest.raises(error, match=words):
        await run(world.write("http://127.0.0.1:9/v1"), images=[world.folder / name])


def test_the_command_line_shows_an_image(world, capsys):
    with serving(says("A cat.")) as server:
        spec = world.write(server.url)
        code = main(["run", spec, "What is it?", "--image", str(world.folder / "a.png"), "--quiet"])

    assert (code, capsys.readouterr().out) == (0, "A cat.\n")
    assert server.asked[0].json["messages"][0]["content"][1] == url_of(PNG, "image/png")


def test_an_image_that_is_not_there_is_bad_usage(world, capsys):
    code = main(["run", world.write("http://127.0.0.1:9/v1"), "--image", "none.png"])

    assert code == 2
    assert "`--image`: " in capsys.readouterr().err


HISTORY = {"role": "assistant", "content": "Yes.", "images": ["a.png"]}


def test_only_people_and_results_have_images(world, capsys):
    spec = world.write("http://127.0.0.1:9/v1", context={"history": [{"role": "user", "content": "?"}, HISTORY]})

    code = main(["check", spec, "--format", "json"])

    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert code == 1
    assert [(each["code"], each["message"]) for each in found] == [
        ("AS708", "only `user` and `tool_result` have `images`")
    ]
