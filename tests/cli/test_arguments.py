"""The words of a command line against what a command declares."""

import pytest

from agentspec.cli.arguments import Command, Option, Usage, help_text, parse

COMMAND = Command(
    name="paint",
    summary="Paint something.",
    words="PLACE [COLOUR]",
    least=1,
    most=2,
    options=(
        Option("--format", "how", "FORMAT", ("text", "json"), "text"),
        Option("--fix", "mend", "CLASS", ("safe", "all"), bare="safe"),
        Option("--set", "set", "PATH=VALUE", is_repeatable=True),
        Option("--quiet", "say less", short="-q"),
        Option("--to", "where", "NAME"),
    ),
    examples=("agentspec paint wall",),
)


def test_options_stand_anywhere_and_take_their_value_either_way():
    arguments = parse(COMMAND, ["--format=json", "wall", "--set", "a=1", "-q", "red", "--set=b=2"])

    assert arguments.words == ["wall", "red"]
    assert (arguments.one("format"), arguments.all("set"), arguments.has("quiet")) == ("json", ["a=1", "b=2"], True)


def test_an_option_with_a_bare_value_leaves_the_next_word_alone():
    assert parse(COMMAND, ["--fix", "wall"]).words == ["wall"]
    assert parse(COMMAND, ["--fix", "wall"]).one("fix") == "safe"
    assert parse(COMMAND, ["--fix=all", "wall"]).one("fix") == "all"


def test_a_double_dash_ends_the_options_and_a_single_one_is_a_word():
    assert parse(COMMAND, ["--", "--quiet"]).words == ["--quiet"]
    assert parse(COMMAND, ["-"]).words == ["-"]


def test_what_is_not_given_has_its_default_or_none():
    arguments = parse(COMMAND, ["wall"])

    assert (arguments.one("format"), arguments.one("to"), arguments.all("set"), arguments.has("quiet")) == (
        "text",
        None,
        [],
        False,
    )


@pytest.mark.parametrize(
    ("argv", "message", "way_out"),
    [
        (["wall", "--fromat", "json"], "unknown option `--fromat`", "did you mean `--format`?"),
        (["wall", "--colourful"], "unknown option `--colourful`", "see `agentspec paint --help`"),
        (["wall", "--format", "jsn"], "option `--format` does not take `jsn`", "did you mean `json`?"),
        (["wall", "--format", "xml"], "option `--format` does not take `xml`", "it takes `text`, `json`"),
        (["wall", "--format"], "option `--format` needs a value", "write `--format FORMAT`"),
        (["wall", "--set", "--quiet"], "option `--set` needs a value", "write `--set PATH=VALUE`"),
        (["wall", "--quiet=1"], "option `--quiet` takes no value", None),
        (["wall", "--to", "a", "--to", "b"], "option `--to` is given twice, with `a` and `b`", "keep one of them"),
        ([], "`agentspec paint` needs PLACE", "usage: agentspec paint PLACE [COLOUR]"),
        (["a", "b", "c"], "`c` is one word too many", "usage: agentspec paint PLACE [COLOUR]"),
    ],
)
def test_a_command_line_that_does_not_fit_is_told_the_way_out(argv, message, way_out):
    with pytest.raises(Usage) as raised:
        parse(COMMAND, argv)

    assert (str(raised.value), raised.value.help) == (message, way_out)


def test_help_is_understood_whatever_else_is_missing():
    assert parse(COMMAND, ["--help"]).has("help")
    assert parse(COMMAND, ["-h", "a", "b", "c"]).has("help")


def test_the_help_page_tells_words_options_and_examples():
    assert help_text(COMMAND) == (
        "usage: agentspec paint PLACE [COLOUR]\n"
        "\n"
        "Paint something.\n"
        "\n"
        "options:\n"
        "  --format FORMAT\n"
        "      how (text, json; default text)\n"
        "  --fix[=CLASS]\n"
        "      mend (safe, all)\n"
        "  --set PATH=VALUE\n"
        "      set\n"
        "  -q, --quiet\n"
        "      say less\n"
        "  --to NAME\n"
        "      where\n"
        "  -h, --help\n"
        "      show this help\n"
        "\n"
        "examples:\n"
        "  agentspec paint wall\n"
    )
