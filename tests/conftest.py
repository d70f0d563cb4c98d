"""Properties are tried without a clock: a busy machine is no failure."""

from hypothesis import HealthCheck, settings

settings.register_profile("agentspec", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "fast", settings.get_profile("agentspec"), max_examples=25
)  # `./scripts/test --fast` asks for it
settings.load_profile("agentspec")
