"""The controls that are tried with hostile corpora, and the risks of two public lists, each with the tests that hold it.

The lists: OWASP Top 10 for LLM applications (2025) and OWASP Top 10 for agentic applications (2026), by their numbers.
"""

HERE = "tests/security"
TOOLS = "tests/adapters/tools"
POLICIES = "tests/policies"
WALL = f"{HERE}/test_wall.py::test_nothing_of_the_whole_corpus_gets_out"
INJECTION = f"{HERE}/test_injection.py::test_no_text_from_anywhere_does_harm"
REDACTION = f"{HERE}/test_redaction.py::test_nothing_of_a_run_holds_a_secret"
RUG = f"{HERE}/test_hostile_servers.py::test_no_change_of_a_tool_is_taken_for_the_same"
CONSENT = f"{HERE}/test_consent.py::test_what_is_no_plain_yes_lets_nothing_run"
TERMINAL = f"{HERE}/test_terminal.py::test_whatever_a_run_meets_is_harmless_wherever_it_is_shown"

CONTROLS: dict[str, tuple[str, ...]] = {
    "programs that misbehave": (f"{HERE}/test_hostile_tools.py::test_none_of_all_programs_stops_a_run_or_outlives_it",),
    "servers that misbehave": (
        "tests/adapters/mcp/test_hostile.py::test_a_call_that_comes_to_nothing_says_why_and_whether_it_may_have_acted",
        "tests/adapters/mcp/test_web.py::test_an_answer_that_is_none_is_a_failure_in_words",
        f"{HERE}/test_hostile_servers.py::test_what_can_be_used_is_offered_in_a_form_that_does_no_harm",
        f"{HERE}/test_hostile_servers.py::test_what_can_not_be_used_is_left_out_in_words",
        f"{HERE}/test_hostile_servers.py::test_a_tool_that_changed_meanwhile_is_not_called",
        RUG,
    ),
    "argument lists": ("tests/core/commands/test_escapes.py::test_an_escape_behind_an_allowed_beginning_is_a_miss",),
    "the wall": (WALL,),
    "paths": (
        f"{TOOLS}/files/test_beneath.py::test_a_long_race_leaks_nothing",
        f"{TOOLS}/files/test_edit.py::test_nothing_leads_out_while_somebody_swaps_links",
    ),
    "addresses": (
        f"{TOOLS}/web/test_web_fetch.py::test_no_spelling_of_this_machine_or_network_is_connected_to",
        f"{TOOLS}/web/test_web_fetch.py::test_no_private_address_is_public_in_any_form",
        f"{TOOLS}/web/test_web_fetch.py::test_an_answer_that_changes_before_a_redirect_is_checked_again",
        f"{TOOLS}/web/test_web_fetch.py::test_a_redirect_to_a_private_address_is_not_followed",
    ),
    "redaction": (REDACTION, f"{HERE}/test_redaction.py::test_a_secret_is_recognised_in_every_form"),
    "environment": (f"{TOOLS}/programs/test_environment.py::test_only_the_short_list_is_passed_on",),
    "terminals": (TERMINAL, f"{HERE}/test_terminal.py::test_each_is_an_escape_for_people_and_itself_for_programs"),
    "instructions in what is read": (INJECTION,),
    "the three-way risk": (f"{HERE}/test_three_ways.py::test_the_three_together_are_told_with_all_three_places",),
    "consent": (CONSENT, f"{HERE}/test_consent.py::test_a_yes_to_something_else_lets_nothing_run"),
    "journals": (
        "tests/adapters/stores/test_damage.py::test_every_deletion_edit_and_swap_is_seen",
        "tests/adapters/stores/test_damage.py::test_many_damaged_files_give_a_prefix_or_a_refusal",
    ),
    "walls that are missing": (f"{HERE}/test_no_wall.py::test_no_rung_that_is_missing_too_old_or_forbidden_is_taken_for_one_that_holds",),
    "patterns": (f"{HERE}/test_patterns.py::test_it_ends_at_once_where_a_model_a_schema_or_a_spec_names_it",),
}  # fmt: skip

RISKS: dict[str, tuple[str, ...]] = {
    "ASI01 goal hijack": (INJECTION,),
    "ASI02 tool misuse": (INJECTION, f"{POLICIES}/test_ceiling.py::test_a_call_beyond_the_ceiling_is_refused_with_what_is_within"),
    "ASI03 identity and privilege": (
        "tests/adapters/tables/test_hostile.py::test_a_search_shows_own_rows_whatever_it_asks_for",
        "tests/adapters/tables/test_hostile.py::test_the_identity_is_a_value_too",
    ),
    "ASI04 supply chain": (RUG, "tests/api/test_mcp.py::test_of_a_pinned_server_only_tools_that_are_as_they_were_accepted_are_offered"),
    "ASI05 code execution": (WALL, "tests/core/commands/test_escapes.py::test_an_escape_behind_an_allowed_beginning_is_a_miss"),
    "ASI06 memory poisoning": (INJECTION,),
    "ASI07 between agents": ("tests/api/test_agents.py::test_what_its_caller_may_not_it_may_not",),
    "ASI08 failures that spread": ("tests/api/test_agents.py::test_a_bound_that_it_reaches_is_told_in_its_envelope", "tests/api/test_agents.py::test_tokens_of_all_children_come_out_of_one_pot"),
    "ASI09 trust of people": (f"{HERE}/test_terminal.py::test_a_question_about_a_call_is_one_line_for_the_call_and_one_for_each_argument", CONSENT),
    "ASI10 agents that go astray": (f"{POLICIES}/test_limits.py::test_calls_of_a_batch_beyond_the_bound_are_skipped_and_then_the_run_stops",),
    "LLM01 prompt injection": (INJECTION,),
    "LLM02 disclosure": (REDACTION, f"{TOOLS}/files/test_beneath.py::test_a_secret_file_is_known_by_its_real_name"),
    "LLM03 supply chain": ("tests/api/test_mcp.py::test_another_command_is_another_server", "tests/durability/test_failing_store.py"),
    "LLM04 poisoned data": (f"{HERE}/test_three_ways.py::test_the_three_together_are_told_with_all_three_places",),
    "LLM05 output that is trusted": (TERMINAL, "tests/core/calls/test_arguments.py::test_text_that_was_cut_is_never_repaired"),
    "LLM06 too much agency": (f"{POLICIES}/test_permissions.py::test_what_is_allowed_runs_and_nothing_else", CONSENT),
    "LLM07 prompts that leak": (REDACTION,),
    "LLM08 vectors": (f"{HERE}/test_injection.py::test_a_model_that_obeys_what_it_reads_does_no_harm",),
    "LLM09 misinformation": (f"{POLICIES}/test_verify_completion.py",),
    "LLM10 unbounded consumption": (f"{POLICIES}/test_limits.py", f"{HERE}/test_patterns.py::test_it_ends_at_once_where_a_model_a_schema_or_a_spec_names_it"),
}  # fmt: skip
