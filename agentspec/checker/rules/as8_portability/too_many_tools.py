"""AS818 more tools than the provider takes."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.deferred_without_search import searches
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect
from agentspec.text.diagnostic import Diagnostic

FEW = 64  # tools that every provider takes


class TooManyTools(Rule):
    """More tools are shown in a request than the provider takes.

    Why: every request is refused. OpenAI takes 128 tools and Google 512; a model chooses badly among far fewer. Tools
    of servers count where they are known, because the server is pinned and was accepted. Tools that are called in
    `text` or `json` never reach the provider as such, and another server (`base_url`) has its own limits.

    Bad:

    ```yaml
    name: clerk
    model: {provider: openai, model: gpt-5.4-mini}
    capability:
      resources:
        {a: &t {url: "${env.DATABASE_URL}", table: t, columns: {write: [x]},
                verbs: [get, search, create, update, delete]},
         b: *t, c: *t, d: *t, e: *t, f: *t, g: *t, h: *t, i: *t,
         j: *t, k: *t, l: *t, m: *t, n: *t, o: *t, p: *t, q: *t, r: *t,
         s: *t, t: *t, u: *t, v: *t, w: *t, x: *t, y: *t, z: *t}
    ```

    Good:

    ```yaml
    name: clerk
    model: {provider: openai, model: gpt-5.4-mini}
    capability:
      resources:
        orders: {url: "${env.DATABASE_URL}", table: orders, verbs: [get, search]}
    ```

    Fix: write `defer: true` at what is rarely needed and `tool_search: bm25`, or leave tools out (`enabled`, `allow`).
    """

    code = "AS818"
    title = "more tools than the provider takes"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        provider = subject.text("model", "provider")
        is_told = subject.text("model", "tool_format") in ("text", "json")
        if subject.kind != "agent" or provider is None or is_told or subject.at("model", "base_url") is not None:
            return
        hides = searches(subject)
        shown = [one for one in subject.offered if not (hides and subject.flag(*one.path, "defer") is True)]
        most = dialect(provider).get("most_tools") if len(shown) > FEW else None
        if most is not None and len(shown) > most:
            last = shown[most]
            yield self.finding(
                last.span,
                f"{len(shown)} tools are shown, and `{provider}` takes {most} in a request",
                path=last.path,
                help="write `defer: true` at what is rarely needed and `tool_search: bm25`, or leave tools out",
            )
