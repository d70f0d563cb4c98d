"""A page that shows what does not happen is caught."""

from __future__ import annotations

import pytest

from tests.docs.page import Session, blocks

SPEC = "```yaml one.yaml\nname: one\nexecution: {max_iterations: 3}\n```\n"
WRONG = {
    "a spec with a finding": "```yaml\nname: one\nexecution: {max_iteratons: 3}\n```\n",
    "a part of a spec with a finding": "```agent\nexecution { max_iteratons: 3 }\n```\n",
    "another output": SPEC + "```console\n$ agentspec check one.yaml\nno findings in 2 files\n```\n",
    "a command that fails": "```sh\nagentspec check none.yaml\n```\n",
    "an option that does not exist": "```sh\nagentspec resume RUN --massage TEXT\n```\n",
    "a script that does not exist": "```sh\n./scripts/quickstrat\n```\n",
    "a value that is another": "```python\n>>> 1 + 1\n3\n```\n",
    "statements that fail": '```python\nassert 1 == 2, "no"\n```\n',
    "a language that nobody reads": "```basic\n10 END\n```\n",
}
TRUE = {
    "a spec": SPEC + "```console\n$ agentspec check one.yaml\nno findings in 1 file\n```\n",
    "a command with a name that only its user knows": "```sh\nagentspec resume RUN --message TEXT  # later\n```\n",
    "a pipe": SPEC + "```console\n$ agentspec check one.yaml | wc -l | tr -d ' '\n1\n```\n",
    "names that go on": "```python\n>>> x = 2\n```\n\n```python\n>>> x\n2\n```\n",
    "a drawing": "```text\na -> b\n```\n",
}


def follow(page: str, tmp_path, monkeypatch) -> int:
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    path = tmp_path / "page.md"
    path.write_text(page, encoding="utf-8")
    session = Session(folder)
    for block in blocks(path):
        session.follow(block)
    return session.has_run


@pytest.mark.parametrize("page", WRONG.values(), ids=list(WRONG))
def test_a_page_that_is_not_true_is_caught(page: str, tmp_path, monkeypatch) -> None:
    with pytest.raises(AssertionError):
        follow(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", TRUE.values(), ids=list(TRUE))
def test_a_page_that_is_true_is_followed_to_its_end(page: str, tmp_path, monkeypatch) -> None:
    assert follow(page, tmp_path, monkeypatch) == page.count("```") // 2
