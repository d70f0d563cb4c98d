"""Properties are tried without a clock, since a busy machine is no failure, and with the same examples each time, since
a gate that fails by chance tells nobody what broke it. `--hypothesis-profile=explore` looks for new ones. How often is
the profile's to say: a test names a number only where each example is dear."""

from hypothesis import HealthCheck, settings

from tests import weights

collect_ignore = [] if weights.ARE_HERE else ["adapters/models/test_local.py", "api/test_local.py"]


def pytest_terminal_summary(terminalreporter):
    if not weights.ARE_HERE:
        terminalreporter.line(weights.LEFT_OUT)


settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("agentspec", settings.get_profile("explore"), derandomize=True)
settings.register_profile(
    "fast", settings.get_profile("agentspec"), max_examples=25
)  # `./scripts/test --fast` asks for it
settings.load_profile("agentspec")
