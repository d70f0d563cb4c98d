"""How tests call the tools of a toolkit: as a run would, with arguments by name."""

from pathlib import Path

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import make_kit
from agentspec.core.schema.validate import compile_schema
from agentspec.ports import Invocation


async def call(family, name, **arguments):
    """The output of one call whose arguments fit the tool's schema."""
    plan, tool = make_kit(family, {}, Setting(Path()))[name]
    assert compile_schema(plan.parameters).check(arguments) == []
    return await tool.call(Invocation(name=name, call_id="c", arguments=arguments, key="k"))


async def value(family, name, **arguments):
    """What a call that succeeds gives to programs."""
    output = await call(family, name, **arguments)
    assert output.error is None, output.error
    return output.data


async def refusal(family, name, **arguments):
    """The words of a call that has no answer."""
    output = await call(family, name, **arguments)
    assert output.status == "error"
    return output.error.message
