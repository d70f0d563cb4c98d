"""whole_run: the same work as a run of a spec: the kernel with its default policies, the tools, the journal on disk."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from work import MODEL, SYSTEM, TASK, lookup, main

from agentspec import Spec, load, run, stream
from agentspec.api.workspace import workspace

SPEC = """\
name: bench
task: {task}
model: {{provider: openai, model: {model}, base_url: "{base_url}"}}
execution:
  loop_until_done: true
  max_iterations: 2000
  max_nudges: 0
capability:
  tools:
    lookup:
      description: Look an item up by its key.
      parameters: {{key: string}}
      returns: string
      expr: 'args.key + "{text}"'
context:
  system: {system}
"""


class WholeRun:
    async def open(self) -> None:
        os.environ["OPENAI_API_KEY"] = "bench"
        self.folder = tempfile.TemporaryDirectory()
        self.closing = contextlib.AsyncExitStack()
        await self.closing.enter_async_context(workspace())  # as a program with many runs has it
        self.specs: dict[tuple[str, int], Spec] = {}

    def spec(self, base_url: str, result: int) -> Spec:
        key = (base_url, result)
        if key not in self.specs:
            text = lookup("", max(1, result - len("item-00")))
            content = SPEC.format(task=TASK, model=MODEL, base_url=base_url, text=text, system=SYSTEM)
            path = Path(self.folder.name) / f"bench{len(self.specs)}.yaml"
            path.write_text(content, encoding="utf-8")
            self.specs[key] = load(path)
        return self.specs[key]

    async def loop(self, base_url: str, result: int) -> int:
        ended = await run(self.spec(base_url, result))
        assert ended.status == "done", ended
        return int(ended.as_json()["llm"]["iterations"])

    async def stream(self, base_url: str) -> int:
        pieces = 0
        async for event in stream(self.spec(base_url, 40)):
            pieces += event["kind"] == "text_delta"
        return pieces

    async def close(self) -> None:
        await self.closing.aclose()
        self.folder.cleanup()


if __name__ == "__main__":
    main(WholeRun())
