"""texts: pieces of the kinds of text that requests are made of, from this repository and from here."""

import json
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]

CHINESE = """
代理是一份规范：由哪个模型回答，可以工作多久，可以接触什么，什么时候算完成，能看到什么，留下什么记录。
团队把它写一次，在花费任何费用之前检查它，在严格的限制下运行它，并且事后能够证明发生了什么。
如果一次运行中断了，它会从停下的地方继续，已经完成的工具调用不会再执行第二次。每一个循环都有上限，结果会说明是哪一个上限结束了它。
早上八点，图书馆的门刚刚打开，老师带着学生走进阅览室，安静地坐在靠窗的位置。窗外下着小雨，街道上的行人撑着伞匆匆走过。
数据库里一共有三千多条记录，其中大约百分之五需要人工核对。请先备份，再执行更新，最后把结果写进报告并发给项目负责人。
""".strip()
EMOJI = "".join(
    f"{first}{second} ok! {third}"
    for first, second, third in zip("🚀🎉🔥✨🙏" * 30, "😀👍📈🧪🐍" * 30, "✅❌💡🌍🍎" * 30, strict=True)
)


def _read(pattern: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))[:12])


TEXTS: dict[str, Callable[[], str]] = {
    "prose": lambda: _read("docs/decisions/00*.md"),
    "code": lambda: _read("agentspec/core/*.py"),
    "json": lambda: json.dumps(json.loads((ROOT / "agentspec/spec/schema.json").read_bytes()), indent=1),
    "chinese": lambda: CHINESE * 6,
    "emoji": lambda: EMOJI * 4,
}


def pieces(kind: str, count: int, length: int = 600) -> list[str]:
    """So many pieces of a kind, one after the other."""
    text = TEXTS[kind]()
    step = max(1, min(length, len(text) // count))
    return [text[at : at + step] for at in range(0, step * count, step)]
