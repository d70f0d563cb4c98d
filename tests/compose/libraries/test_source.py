"""Where a library comes from is read in one of three forms; everything else is told."""

from __future__ import annotations

import pytest

from agentspec.compose.libraries.source import LibrarySource, read_source

READ = {
    "../platform": LibrarySource("path", "platform"),
    "/opt/platform": LibrarySource("path", "/opt/platform"),
    "installed:acme-agents": LibrarySource("installed", "acme-agents"),
    "git+https://h/p.git@v1.4.0": LibrarySource("git", "https://h/p.git", "v1.4.0"),
    "https://h/p.git": LibrarySource("git", "https://h/p.git"),
    "git+ssh://git@h/p.git@1f0c9a2b#libs/safe": LibrarySource("git", "ssh://git@h/p.git", "1f0c9a2b", "libs/safe"),
    "git+file:///srv/p.git#lib": LibrarySource("git", "file:///srv/p.git", "", "lib"),
}
FORMS = "a path (`../platform`), `git+https://…@TAG`, or `installed:NAME`"
REFUSED = {
    "svn://h/p": f"`svn://h/p` is no source of a library: {FORMS}",
    "git+ssh://-oProxyCommand=x/p": f"`git+ssh://-oProxyCommand=x/p` is no source of a library: {FORMS}",
    "git+https://h/p@--upload-pack=x": f"`git+https://h/p@--upload-pack=x` is no source of a library: {FORMS}",
    "git+ext::sh -c x": f"`git+ext::sh -c x` is no source of a library: {FORMS}",
    "git+https://me:pass@h/p": (
        "`git+https://…@h/p` holds credentials: let git ask for them (a credential helper, an SSH key)"
    ),
    "git@h:p.git": "`git@h:p.git` is written `git+ssh://git@h/p.git`",
    "git+https://h/p#../x": "`#../x` leads out of the repository",
    "installed:": f"`installed:` needs a name: {FORMS}",
}


@pytest.mark.parametrize(("text", "source"), READ.items())
def test_a_source_is_a_path_a_repository_or_a_package(text: str, source: LibrarySource) -> None:
    assert read_source(text, "/work/team", "/work") == source


@pytest.mark.parametrize("text", [text for text in READ if not text.startswith(".")])
def test_a_source_that_is_written_again_is_the_same(text: str) -> None:
    source = READ[text]

    assert read_source(str(source), "/work/team", "/work") == source


@pytest.mark.parametrize(("text", "problem"), REFUSED.items())
def test_what_is_no_source_is_told(text: str, problem: str) -> None:
    assert read_source(text, "team", ".") == problem
