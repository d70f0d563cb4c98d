"""The tool that takes up skills: instructions, files of a skill, and nothing outside of its folder."""

import pytest

from agentspec.adapters.tools.offered.skill_tool import SkillTool, skill_plan
from agentspec.core.offer.skills import Skill, Skills
from agentspec.ports import Invocation, Output

MAIL = Skill("mail", "Be polite.", "Writes letters")
HIDDEN = Skill("hidden", "H", by_model=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "skills/pdf/references").mkdir(parents=True)
    (tmp_path / "skills/pdf/references/forms.md").write_text("# Forms\n")
    (tmp_path / "skills/pdf/.env").write_text("KEY=geheim\n")
    (tmp_path / "outside.md").write_text("geheim\n")
    (tmp_path / "skills/pdf/link.md").symlink_to(tmp_path / "outside.md")
    return tmp_path


async def call(project, **arguments: object) -> Output:
    skills = Skills((Skill("pdf", "Fill.", "Forms", folder="skills/pdf"), MAIL, HIDDEN))
    tool = SkillTool(skills, project, (), 65536)
    return await tool.call(Invocation(name="activate_skill", call_id="c", arguments=arguments, key="k"))


async def test_it_gives_the_instructions_of_a_skill(folder):
    assert await call(folder, name="mail") == Output(
        text="The skill `mail` is active. Follow it wherever it fits the task.\n\nBe polite.", data={"skill": "mail"}
    )


async def test_it_reads_a_file_of_a_skill(folder):
    output = await call(folder, name="pdf", file="references/forms.md")

    assert (output.error, output.text.splitlines()[0]) == (None, "# Forms")


@pytest.mark.parametrize(
    "file", ["../../outside.md", "/etc/passwd", "link.md", ".env", "references", "none.md", "", "a\0b", "\ud800", "."]
)
async def test_nothing_outside_of_its_folder_and_no_secret_is_read(folder, file):
    output = await call(folder, name="pdf", file=file)

    assert output.status == "error"
    assert "geheim" not in output.text


@pytest.mark.parametrize("name", ["hidden", "none", "", "pdf/../mail"])
async def test_a_skill_that_it_does_not_offer_is_answered_with_those_that_it_does(folder, name):
    output = await call(folder, name=name)

    assert output.error is not None
    assert output.error.message == "there is no such skill; the skills are `pdf`, `mail`"


async def test_a_skill_without_a_folder_has_no_files(folder):
    output = await call(folder, name="mail", file="a.md")

    assert output.error is not None
    assert output.error.message == "the skill `mail` has no files"


def test_the_model_is_told_what_each_skill_is_for_and_offered_none_that_it_may_not_ask_for():
    plan = skill_plan(Skills((MAIL, HIDDEN)))
    assert plan is not None

    assert plan.description.splitlines()[1:] == ["- mail: Writes letters"]
    assert list(plan.parameters["properties"]) == ["name"]
    assert plan.parameters["properties"]["name"]["enum"] == ["mail"]
    assert skill_plan(Skills((HIDDEN,))) is None
