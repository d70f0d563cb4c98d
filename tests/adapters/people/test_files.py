"""Whether files of the project exist: inside, outside, secret, and through links."""

from agentspec.adapters.people.files import FilesRespondent


async def test_a_path_is_present_missing_or_nobodys_business(tmp_path):
    project = tmp_path / "project"
    (project / "out").mkdir(parents=True)
    (project / "report.md").write_text("x")
    (project / ".env").write_text("KEY=1")
    (tmp_path / "outside.txt").write_text("x")
    (project / "link").symlink_to(tmp_path / "outside.txt")
    (project / "broken").symlink_to("nowhere")
    paths = ["report.md", "out", "none.md", "report.md/x", "../outside.txt", "/etc/passwd", "link", "broken", ".env"]

    answer = await FilesRespondent(project).answer(paths)

    assert answer == {
        "report.md": "present",
        "out": "present",
        "none.md": "missing",
        "report.md/x": "missing",
        "../outside.txt": "unverifiable",
        "/etc/passwd": "unverifiable",
        "link": "unverifiable",
        "broken": "missing",
        ".env": "unverifiable",
    }


async def test_a_project_that_is_gone_has_no_files(tmp_path):
    assert await FilesRespondent(tmp_path / "gone").answer(["a"]) == {"a": "missing"}
