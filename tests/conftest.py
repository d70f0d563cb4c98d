"""Properties are tried without a clock: a busy machine is no failure."""

from hypothesis import HealthCheck, settings

settings.register_profile("agentspec", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("agentspec")
