"""AS801 unknown provider."""

from collections.abc import Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.installed import PROVIDERS, offers

# Servers that speak the protocol of a built-in provider, by the names that people look for.
COMPATIBLE = dict.fromkeys(
    ("openrouter", "vllm", "llamacpp", "llama_cpp", "lmstudio", "lm_studio", "groq", "together", "mistral", "deepseek",
     "fireworks", "azure", "xai", "litellm"),
    "openai",
)  # fmt: skip
OTHER_NAMES = {"claude": "anthropic", "gemini": "google", "gpt": "openai", "vertex": "google", "gguf": "local"}


class UnknownProvider(Rule):
    """A provider that is neither built in nor installed.

    Why: nobody would answer. Servers that speak a known protocol (OpenRouter, vLLM, llama.cpp, LM Studio, …) need no
    provider of their own: `provider: openai` with their `base_url` reaches them.

    Bad:

    ```yaml
    name: helper
    model: {provider: opnai, model: gpt-5.4-mini}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini}
    ```

    Fix: correct the name, or install the package that brings the provider.
    """

    code = "AS801"
    title = "unknown provider"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node, name in subject.references("provider"):
            if name in BUILT_IN_PROVIDERS:
                continue
            offered = [offer.name for offer in offers(PROVIDERS)]
            if name in offered:
                continue
            lowered = name.lower()
            meant = OTHER_NAMES.get(lowered)
            help_text = f"did you mean `{meant}`?" if meant else None
            if lowered in COMPATIBLE:
                help_text = f"write `provider: {COMPATIBLE[lowered]}` with the `base_url` of {name}"
            elif meant is None:
                meant, help_text = way_out(name, (*BUILT_IN_PROVIDERS, *offered), "providers are")
            yield self.finding(
                node.span,
                f"unknown provider `{name}`",
                path=path,
                help=help_text,
                fix=rename(node.span, name, meant),
            )
