"""The failures that agent loops are known for, and what holds each: its tests, or why it does not apply yet."""

from typing import NamedTuple

FAULTS = "tests/adapters/models/test_faults.py"
REPLIES = "tests/adapters/models/wires/test_openai_reply.py"
WIRE = "tests/adapters/models/wires/test_openai_wire.py"
SSE = "tests/adapters/models/wires/test_sse.py"
SPECS = "tests/checker/test_failures.py::test_a_document_gives_exactly_these_findings"
RUNS = "tests/adapters/tools/programs/test_run.py"
AGENTS = "tests/api/test_agents.py"
DRIVE = "tests/runtime/test_drive.py"
FAILED = "tests/adapters/models/wires/test_failures.py"
RETRY = "tests/policies/test_retry.py"
SERVERS = "tests/adapters/mcp/test_hostile.py"
OFFERS = "tests/security/test_hostile_servers.py"
MCP = "tests/api/test_mcp.py"
PLAIN = "tests/adapters/models/wires/test_plain_schema.py"
ANTHROPIC = "tests/adapters/models/wires/test_anthropic_wire.py"
GOOGLE = "tests/adapters/models/test_google.py"
RESPONSES = "tests/adapters/models/test_responses.py"
DAMAGE = "tests/adapters/stores/test_damage.py"
CRASH = "tests/durability/test_crash.py"
ROUTES = "tests/api/test_routes.py"
COMPACTION = "tests/policies/test_compaction.py"
WINDOWS = "tests/policies/test_compaction_windows.py"
VIEWS = "tests/policies/test_views.py"
PREFIX = "tests/adapters/models/test_prefix.py"
NO_BLANKS = "tests/adapters/models/test_wires.py::test_no_blank_text_goes_back_which_some_servers_refuse_for_ever"
NO_SUCCESS = "test_an_end_without_success_is_no_answer_and_what_it_cost_is_counted"
HARMLESS = f"{FAULTS}::test_what_does_not_matter_gives_the_same_reply"


class Row(NamedTuple):
    """`tests` stand elsewhere, beside those of this folder that name the row; `reason` says why there are none yet."""

    title: str
    tests: tuple[str, ...] = ()
    reason: str = ""


ROWS: dict[str, Row] = {
    # arguments of calls
    "A-01": Row("broken arguments end the run", ("tests/core/calls/test_arguments.py::test_what_would_need_a_guess_is_a_problem",)),
    "A-02": Row("a tool runs with arguments that were never read"),
    "A-03": Row("JSON that is no object"),
    "A-04": Row("a stored broken call spoils every later request", (f"{WIRE}::test_broken_arguments_of_a_past_call_go_back_as_well_formed_json",)),
    "A-05": Row("no arguments at all", ("tests/core/calls/test_arguments.py::test_no_text_means_no_arguments",)),
    "A-06": Row("a list inside a string"),
    "A-07": Row("a call that was cut is mended and run", ("tests/core/calls/test_arguments.py::test_text_that_was_cut_is_never_repaired",)),
    "A-08": Row("one bad call of a batch"),
    "A-09": Row("a call in the text"),
    "A-10": Row("an unknown tool"),
    "A-11": Row("an error that repeats a huge payload"),
    # ids, and calls with their results
    "B-01": Row("calls without an id", (f"{REPLIES}::test_missing_and_repeated_ids_are_replaced_and_the_same_again_on_the_next_reading",)),
    "B-02": Row("results lost to empty ids"),
    "B-03": Row("calls that share an id", ("tests/api/test_faulty_server.py::test_calls_with_one_id_are_each_answered",)),
    "B-04": Row("ids that another provider refuses", ("tests/adapters/models/test_openai.py::test_an_id_that_the_server_refuses_is_the_same_new_one_in_the_call_and_in_its_result", f"{ANTHROPIC}::test_an_id_that_the_protocol_refuses_is_the_same_new_one_in_the_call_and_in_its_result", f"{ROUTES}::test_a_run_that_changes_its_provider_in_the_middle_stays_valid")),
    "B-05": Row("an interrupt leaves a call unanswered", ("tests/core/test_step.py::test_an_abort_answers_every_call_and_a_resume_goes_on",)),
    "B-06": Row("an exception that is no error escapes"),
    "B-07": Row("the rest of an interrupted batch"),
    "B-08": Row("two results for one id", (f"{WIRE}::test_a_conversation_whose_calls_and_results_do_not_pair_is_not_sent",)),
    "B-09": Row("a message that is written twice after an interrupt"),
    "B-10": Row("an exception without words, in parallel", ("tests/runtime/test_drive.py::test_a_tool_that_raises_is_a_result_and_its_siblings_live",)),
    "B-11": Row("several hand-offs in one reply", reason="an agent that is called returns: nothing is handed over"),
    "B-12": Row("a conversation that was turned down is sent again"),
    # contents and finish reasons
    "C-01": Row("calls thrown away because of the finish reason", (f"{REPLIES}::test_the_calls_decide_and_the_reason_qualifies",)),
    "C-02": Row("reasoning alone is stored as an empty text", (f"{WIRE}::test_a_reply_with_nothing_but_reasoning_is_not_sent_back_as_an_empty_message", NO_BLANKS)),
    "C-03": Row("an empty result", (f"{WIRE}::test_an_empty_result_is_sent_in_words", NO_BLANKS)),
    "C-04": Row("null beside calls", ("tests/adapters/models/test_openai.py::test_a_dialect_is_learned_from_one_complaint_and_only_once",)),
    "C-05": Row("a malformed call inside a success"),
    "C-06": Row("a refusal looks like silence"),
    "C-07": Row("stop reasons that are new", ("tests/policies/test_replies.py::test_a_reply_that_stopped_for_an_unknown_reason_is_not_read_as_done",)),
    "C-08": Row("a connection that dies in the text"),
    "C-09": Row("a cut text is the answer", ("tests/policies/test_replies.py::test_a_cut_answer_is_kept_told_and_ends_the_run_at_the_third",)),
    "C-10": Row("thinking and nothing else"),
    "C-11": Row("the output limit loses the text"),
    "C-12": Row("an order of roles that a server refuses", ("tests/adapters/models/wires/test_roles.py::test_any_conversation_is_in_an_order_that_the_strictest_server_takes_and_says_all_that_it_said", f"{GOOGLE}::test_any_conversation_is_in_an_order_that_is_taken")),
    "C-13": Row("an image as a result", ("tests/adapters/models/wires/test_pictures.py::test_images_of_people_and_of_results_are_shown_as_the_vendors_types_take_them", "tests/adapters/models/wires/test_pictures.py::test_a_model_that_sees_no_images_is_told_of_them_in_words_from_then_on")),
    "C-14": Row("an empty list of calls"),
    # streams
    "D-01": Row("CRLF line ends", (f"{SSE}::test_all_three_line_ends_of_the_standard_end_a_line", HARMLESS)),
    "D-02": Row("CR line ends", (f"{SSE}::test_all_three_line_ends_of_the_standard_end_a_line", HARMLESS)),
    "D-03": Row("a character cut by the network", (f"{SSE}::test_where_the_network_cuts_makes_no_difference", f"{REPLIES}::test_a_character_that_the_network_cut_and_one_that_is_broken")),
    "D-04": Row("a comment is taken for the end", (HARMLESS,)),
    "D-05": Row("no space after the colon", (HARMLESS, f"{SSE}::test_fields_are_read_as_the_standard_says")),
    "D-06": Row("a byte-order mark", (HARMLESS, f"{SSE}::test_a_byte_order_mark_later_on_is_data")),
    "D-07": Row("a stream without its end", (f"{FAULTS}::test_a_fault_is_a_failure_of_its_class_within_its_limit",)),
    "D-08": Row("an error inside a stream", (f"{FAULTS}::test_a_fault_is_a_failure_of_its_class_within_its_limit",)),
    "D-09": Row("a piece with usage and no choices", (f"{REPLIES}::test_usage_in_a_stream_comes_in_many_forms_and_later_totals_replace_earlier_ones",)),
    "D-10": Row("no usage", (f"{REPLIES}::test_usage_that_is_missing_or_cannot_be_true_is_estimated_and_says_so",)),
    "D-11": Row("every parallel call has index 0", (f"{REPLIES}::test_calls_are_put_together_from_their_pieces",)),
    "D-12": Row("calls without an index", (f"{REPLIES}::test_calls_are_put_together_from_their_pieces",)),
    "D-13": Row("an index that is no position", (f"{REPLIES}::test_calls_are_put_together_from_their_pieces",)),
    "D-14": Row("a stream goes silent", (f"{FAULTS}::test_a_fault_is_a_failure_of_its_class_within_its_limit",)),
    "D-15": Row("comments keep a dead stream alive", (f"{FAULTS}::test_a_stream_that_is_kept_warm_and_says_nothing_ends_at_the_idle_limit",)),
    "D-16": Row("a retry shows its text twice"),
    "D-17": Row("totals of usage are added up", (f"{REPLIES}::test_usage_in_a_stream_comes_in_many_forms_and_later_totals_replace_earlier_ones",)),
    "D-18": Row("a streaming run forgets its calls"),
    # what the model sees
    "E-01": Row("a cut between a call and its result", ("tests/core/context/test_laws.py::test_every_pass_keeps_pairs_task_system_and_signed_replies_and_ends",)),
    "E-02": Row("the system prompt is summarised away", ("tests/core/context/test_laws.py::test_every_pass_keeps_pairs_task_system_and_signed_replies_and_ends",)),
    "E-03": Row("rules are gone after a compaction", (f"{COMPACTION}::test_the_task_stays_and_the_transcript_is_what_it_was",)),
    "E-04": Row("the newest message is folded into the summary", (f"{COMPACTION}::test_what_a_person_said_last_stays_as_it_was_said",)),
    "E-05": Row("a summary is taken for the user's words", (f"{COMPACTION}::test_the_task_stays_and_the_transcript_is_what_it_was",)),
    "E-06": Row("a summary without what is left to do", (f"{COMPACTION}::test_a_summary_is_told_to_hold_what_is_open_and_to_be_nobodys_words",)),
    "E-07": Row("what is fixed is too large by itself", ("tests/checker/test_pages.py::test_a_bad_example_gives_exactly_its_code",)),
    "E-08": Row("overflow and compaction in turns", (f"{WINDOWS}::test_a_second_overflow_in_a_turn_ends_the_run_and_says_what_fills_the_window",)),
    "E-09": Row("a compaction that gives nothing", (f"{COMPACTION}::test_what_is_no_summary_is_a_digest_instead",)),
    "E-10": Row("the request for a summary is too long", ("tests/core/context/test_told.py::test_the_request_for_a_summary_fits_the_window_of_the_summariser",)),
    "E-11": Row("a threshold reads what was before", (f"{WINDOWS}::test_usage_from_before_a_compaction_leads_to_no_second_one",)),
    "E-12": Row("an estimate of the text alone", (f"{WINDOWS}::test_a_window_smaller_than_the_tools_ends_the_run_before_a_call_is_made", f"{WINDOWS}::test_the_estimate_is_held_to_what_the_provider_counts")),
    "E-13": Row("cached tokens are counted twice, or never", (f"{REPLIES}::test_usage_that_is_missing_or_cannot_be_true_is_estimated_and_says_so", "tests/adapters/models/wires/test_anthropic_reply.py::test_a_whole_answer_and_a_stream_give_the_same_reply")),
    "E-14": Row("the size is looked at between turns alone", (f"{WINDOWS}::test_a_request_over_the_hard_limit_keeps_only_the_newest_turn", f"{COMPACTION}::test_last_words_wait_for_no_summary")),
    "E-15": Row("input and output together pass the window", (f"{WINDOWS}::test_an_answer_is_shortened_before_it_passes_the_window_together_with_its_request",)),
    "E-16": Row("one result is larger than the window", ("tests/core/calls/test_cap.py::test_head_and_tail_are_whole_lines_around_a_marker",)),
    "E-17": Row("summaries that overlap", ("tests/core/context/test_laws.py::test_a_fold_lies_between_turns_and_says_truly_what_it_takes",)),
    "E-18": Row("there is nothing to cut", (f"{WINDOWS}::test_one_huge_result_ends_the_run_and_is_named",)),
    "E-19": Row("an overflow is tried again as it was", (f"{FAILED}::test_error_bodies_of_every_shape_are_read", "tests/policies/test_retry.py::test_an_overflow_of_the_context_is_an_error_of_the_run")),
    "E-20": Row("a server drops the front of the prompt", ("tests/core/context/test_tokens.py::test_a_server_that_read_far_less_than_it_was_sent_has_dropped_the_rest", f"{WINDOWS}::test_a_server_that_drops_what_it_was_sent_is_noticed")),
    "E-21": Row("a server trims the user's message", ("tests/core/context/test_tokens.py::test_a_server_that_read_far_less_than_it_was_sent_has_dropped_the_rest",)),
    "E-22": Row("text and a result in one message", reason="a message holds either a text or a result"),
    "E-23": Row("old pictures are sent again", ("tests/policies/test_pictures.py::test_the_newest_twenty_are_shown_and_ten_go_at_once",)),
    "E-24": Row("marks of what was left out are imitated", ("tests/core/context/test_told.py::test_a_line_tells_who_said_what_first", f"{VIEWS}::test_long_results_that_nothing_recent_refers_to_become_a_line")),
    "E-25": Row("a summary that is not smaller", (f"{COMPACTION}::test_what_is_no_summary_is_a_digest_instead",)),
    "E-26": Row("work goes on during a compaction", (f"{COMPACTION}::test_what_a_person_says_during_a_compaction_is_in_the_request_after_it",)),
    "E-27": Row("old messages change between compactions", (f"{COMPACTION}::test_what_is_shown_only_grows_until_the_next_compaction", f"{PREFIX}::test_every_request_of_a_long_run_begins_with_the_whole_one_before_up_to_its_harness", f"{VIEWS}::test_all_but_the_last_messages_become_a_digest_that_grows_in_steps")),
    # reasoning that must travel back
    "F-01": Row("thinking is edited while its signature stays", ("tests/adapters/models/test_anthropic.py::test_thinking_is_sent_back_as_it_came",)),
    "F-02": Row("several blocks of thinking become one", (f"{ANTHROPIC}::test_thinking_goes_back_signed_and_first_to_the_model_that_thought_it_and_to_no_other",)),
    "F-03": Row("calls without the signature of their thought", (f"{GOOGLE}::test_a_request_is_what_never_changes_then_contents_then_what_varies", f"{WIRE}::test_what_only_one_model_understands_goes_back_to_it_and_to_no_other")),
    "F-04": Row("reasoning that has to come back", (f"{WIRE}::test_what_only_one_model_understands_goes_back_to_it_and_to_no_other",)),
    "F-05": Row("a call without its item of reasoning", (f"{RESPONSES}::test_a_request_is_what_never_changes_then_items_then_what_varies", f"{RESPONSES}::test_reasoning_goes_to_no_other_model")),
    "F-06": Row("ids of reasoning that nobody stored", (f"{RESPONSES}::test_a_request_is_what_never_changes_then_items_then_what_varies",)),
    "F-07": Row("empty items of reasoning", (f"{RESPONSES}::test_an_item_of_reasoning_that_holds_none_does_not_go_back", f"{ANTHROPIC}::test_an_answer_of_nothing_but_thinking_is_left_out")),
    "F-08": Row("a signature goes to another provider", (f"{WIRE}::test_what_only_one_model_understands_goes_back_to_it_and_to_no_other", f"{GOOGLE}::test_a_call_that_another_model_made_has_no_signature_of_it", f"{ROUTES}::test_a_run_that_changes_its_provider_in_the_middle_stays_valid")),
    # limits and repetition
    "G-01": Row("a limit of n turns makes more than n requests"),
    "G-02": Row("retries count as turns", (f"{ROUTES}::test_the_events_tell_of_every_physical_call_which_route_it_went_and_why_it_failed",)),
    "G-03": Row("results that the model never sees", ("tests/policies/test_wrap_up.py::test_after_the_last_turn_one_more_is_made_without_tools",)),
    "G-04": Row("the forced last answer is refused"),
    "G-05": Row("a call in the forced last turn", ("tests/core/test_turns.py::test_calls_of_the_last_turn_are_not_run_and_leave_no_trace",)),
    "G-06": Row("a token limit is checked too late", (f"{FAULTS}::test_no_more_of_a_stream_is_read_than_was_asked_for",)),
    "G-07": Row("a batch passes the limit on calls", ("tests/policies/test_limits.py::test_calls_of_a_batch_beyond_the_bound_are_skipped_and_then_the_run_stops",)),
    "G-08": Row("limits of a child", (f"{AGENTS}::test_it_works_within_what_its_caller_has_left", f"{AGENTS}::test_tokens_of_all_children_come_out_of_one_pot")),
    "G-09": Row("the usage of a child is lost", (f"{AGENTS}::test_what_it_used_counts_with_its_caller", f"{AGENTS}::{NO_SUCCESS}")),
    "G-10": Row("a limit takes away a result that was there"),
    "G-11": Row("what is left is told wrongly"),
    "G-12": Row("every n steps, with n = 1", ("tests/policies/test_judges.py::test_the_judge_is_asked_when_it_is_due_and_else_the_answer_is_not_accepted",)),
    "G-13": Row("the same call hundreds of times"),
    "G-14": Row("a run that went in circles is told as done"),
    "G-15": Row("a forced tool stays forced"),
    "G-16": Row("a limit that has no effect"),
    "G-17": Row("no limit at all"),
    "G-18": Row("a limit ends with exit code 0", ("tests/cli/test_run.py::test_quiet_says_nothing_but_how_a_run_ended_that_is_not_done",)),
    "G-19": Row("nested limits", ("tests/api/test_session_limits.py::test_a_later_run_has_what_the_earlier_ones_of_its_session_have_left", f"{AGENTS}::test_it_works_within_what_its_caller_has_left")),
    # knowing when it is done
    "H-01": Row("the word of being done stands in the task"),
    "H-02": Row("the word of being done never comes"),
    "H-03": Row("the agent says done and the judge does not, for ever"),
    "H-04": Row("a judge takes an apology for success"),
    "H-05": Row("done after nothing was done"),
    "H-06": Row("a judge that cannot be understood"),
    "H-07": Row("a final call beside others"),
    # retries and repeated effects
    "I-01": Row("a time to wait that is no number of seconds", (f"{FAILED}::test_the_time_to_wait_is_read_in_all_its_forms",)),
    "I-02": Row("an empty balance is tried again", (f"{FAILED}::test_only_an_empty_balance_is_permanent", f"{RETRY}::test_a_far_reset_time_ends_the_run_at_once", f"{ROUTES}::test_a_far_reset_time_ends_the_route_and_not_the_run")),
    "I-03": Row("a passing limit is taken for an empty balance", (f"{FAILED}::test_only_an_empty_balance_is_permanent",)),
    "I-04": Row("a tool that acted is run again", ("tests/adapters/tools/web/test_http_tool.py::test_a_post_is_never_sent_twice", "tests/durability/test_crash.py::test_a_run_survives_the_death_of_its_process")),
    "I-05": Row("a call to a lost server is sent again", (f"{SERVERS}::test_a_call_that_comes_to_nothing_says_why_and_whether_it_may_have_acted",)),
    # schemas
    "J-01": Row("a provider refuses references", (f"{PLAIN}::test_a_plain_schema_has_types_names_lists_and_words_alone", f"{PLAIN}::test_one_refused_schema_does_not_fail_every_request")),
    "J-02": Row("words of a schema are lost", (f"{PLAIN}::test_what_is_lost_stands_in_the_description",)),
    "J-03": Row("a provider refuses a word", (f"{PLAIN}::test_one_refused_schema_does_not_fail_every_request",)),
    "J-04": Row("a provider's strict mode", reason="the strict mode of providers is not used for tools"),
    "J-05": Row("a tool without parameters", (f"{WIRE}::test_a_tool_without_parameters_has_an_object_schema_all_the_same",)),
    "J-06": Row("parameters that have no names", (f"{OFFERS}::test_what_can_be_used_is_offered_in_a_form_that_does_no_harm",)),
    "J-07": Row("a schema that refers to itself", (f"{PLAIN}::test_what_refers_to_itself_ends", f"{OFFERS}::test_what_can_be_used_is_offered_in_a_form_that_does_no_harm")),
    "J-08": Row("one bad schema fails every request", (f"{PLAIN}::test_one_refused_schema_does_not_fail_every_request", f"{OFFERS}::test_what_can_not_be_used_is_left_out_in_words")),
    "J-09": Row("an empty list of tools", (f"{WIRE}::test_without_tools_neither_a_list_nor_a_choice_is_sent",)),
    # servers
    "K-01": Row("names that are too long are merged", (f"{SERVERS}::test_long_names_stay_apart_and_are_called_by_their_own",)),
    "K-02": Row("two servers with one name of a tool", (f"{MCP}::test_tools_of_two_servers_are_called_by_their_names",)),
    "K-03": Row("a server hides a tool of the run", ("tests/adapters/mcp/test_catalogue.py::test_names_of_other_tools_are_not_taken",)),
    "K-04": Row("a server dies in a call", (f"{SERVERS}::test_a_call_that_comes_to_nothing_says_why_and_whether_it_may_have_acted", f"{MCP}::test_a_server_that_dies_in_a_call_fails_it_at_once_and_is_started_again_for_the_next")),
    "K-05": Row("lines that are no messages", (f"{SERVERS}::test_what_is_no_message_is_skipped_and_told_once",)),
    "K-06": Row("a server that starts too slowly", (f"{SERVERS}::test_a_server_that_says_nothing_is_given_up_after_its_time", f"{MCP}::test_a_server_that_does_not_start_keeps_the_run_from_starting")),
    "K-07": Row("only the first page of a list", (f"{SERVERS}::test_every_page_of_a_list_is_read",)),
    "K-08": Row("structured content alone", ("tests/adapters/mcp/test_results.py::test_structured_content_alone_is_shown_as_json",)),
    "K-09": Row("an image alone", ("tests/adapters/mcp/test_results.py::test_bytes_are_named_counted_and_kept", f"{MCP}::test_an_image_is_named_and_kept")),
    "K-10": Row("all of the environment, or none", (f"{MCP}::test_a_server_sees_the_variables_that_the_spec_names_and_no_others", f"{MCP}::test_a_variable_that_is_not_set_keeps_the_run_from_starting")),
    "K-11": Row("a connection is closed by another task", (f"{SERVERS}::test_nothing_is_left_of_a_server_whose_start_was_cancelled",)),
    "K-12": Row("questions of a server", (f"{SERVERS}::test_questions_of_a_server_are_refused_at_once_and_a_ping_is_answered",)),
    "K-13": Row("a time limit that is not kept", (f"{MCP}::test_a_call_has_the_time_limit_of_its_server", f"{SERVERS}::test_a_cancelled_call_is_told_to_the_server_and_its_late_answer_is_dropped")),
    "K-14": Row("too many tools", ("tests/checker/test_pages.py::test_a_bad_example_gives_exactly_its_code", f"{SERVERS}::test_a_list_that_is_too_long_keeps_the_run_from_starting", f"{SERVERS}::test_of_too_many_tools_a_few_can_be_chosen")),
    "K-15": Row("a server that does not end", (f"{SERVERS}::test_nothing_of_a_server_is_left_running",)),
    "K-16": Row("every child starts all servers again", (f"{AGENTS}::test_it_uses_the_connections_of_its_caller",)),
    "K-17": Row("an error as an event of its own", ("tests/adapters/mcp/test_web.py::test_an_answer_that_is_none_is_a_failure_in_words",)),
    # running tools
    "L-01": Row("children outlive a timeout", (f"{RUNS}::test_a_timeout_stops_the_program_and_keeps_what_it_said", f"{RUNS}::test_a_cancelled_call_leaves_nothing_running")),
    "L-02": Row("a child holds the pipe", (f"{RUNS}::test_a_child_that_holds_the_pipe_does_not_hold_the_call", f"{RUNS}::test_a_child_in_another_session_is_found_and_ended")),
    "L-03": Row("an interrupted call is told as never run", (f"{DRIVE}::test_what_finishes_as_the_run_is_stopped_is_kept_and_what_was_about_to_start_is_told_so",)),
    "L-04": Row("a stuck tool can't be stopped", (f"{DRIVE}::test_an_abort_stops_running_tools_and_leaves_a_journal_that_goes_on", "tests/adapters/tools/programs/test_command.py::test_a_cancelled_call_ends_its_command")),
    "L-05": Row("one failing tool takes its siblings along", (f"{DRIVE}::test_a_tool_that_raises_is_a_result_and_its_siblings_live",)),
    "L-06": Row("tools go on after an abort", (f"{DRIVE}::test_an_abort_stops_running_tools_and_leaves_a_journal_that_goes_on", "tests/adapters/tools/files/test_edit.py::test_a_cancelled_call_has_ended_and_changed_nothing")),
    "L-07": Row("a number that JSON has not", (f"{DRIVE}::test_what_json_cannot_carry_never_reaches_the_wire",)),
    "L-08": Row("a result that can't be serialised", (f"{DRIVE}::test_what_json_cannot_carry_never_reaches_the_wire",)),
    "L-09": Row("a cut inside a character", ("tests/core/calls/test_cap.py", "tests/adapters/tools/programs/test_command.py::test_half_a_character_is_left_for_the_next_part")),
    "L-10": Row("output in another encoding", ("tests/adapters/tools/programs/test_decode.py::test_bytes_are_decoded_or_described",)),
    "L-11": Row("an edit of a file with other line ends", ("tests/adapters/tools/files/test_edit.py::test_line_feeds_match_a_file_with_carriage_returns_which_stay",)),
    # approval and secrets
    "M-01": Row("what is chained behind an allowed command", ("tests/core/commands/test_escapes.py::test_a_line_that_is_not_plain_is_none", "tests/policies/test_approval.py::test_a_rule_matches_where_all_that_it_names_matches")),
    "M-02": Row("a gated call and a free one", ("tests/policies/test_approval.py::test_where_nobody_is_there_the_others_run_and_then_the_run_waits", "tests/policies/test_approval.py::test_after_the_wait_the_turn_is_completed_before_the_model_is_asked_again")),
    "M-03": Row("several questions at once", ("tests/policies/test_approval.py::test_answers_come_in_any_order_and_results_stand_in_that_of_the_calls", "tests/api/test_approvals.py::test_a_call_that_is_not_waited_for_cannot_be_answered")),
    "M-04": Row("what a child may do", (f"{AGENTS}::test_what_its_caller_may_not_it_may_not", f"{AGENTS}::test_its_approvals_are_asked_for_with_its_caller")),
    "M-05": Row("what runs is not what was approved", ("tests/security/test_consent.py::test_a_yes_to_something_else_lets_nothing_run",)),
    "M-06": Row("nobody is there to be asked", ("tests/api/test_approvals.py::test_nobody_there_suspends_the_run_when_all_else_has_run", "tests/api/test_approvals.py::test_one_word_answers_all_and_lifts_no_denial")),
    "M-07": Row("a secret comes back through a tool", ("tests/security/test_redaction.py::test_nothing_of_a_run_holds_a_secret",)),
    "M-08": Row("an error holds the key", (f"{FAILED}::test_secrets_and_what_looks_like_one_never_show", "tests/api/test_masking.py::test_a_key_at_any_place_of_an_error_shows_nowhere")),
    "M-09": Row("masking damages what is no secret", ("tests/security/test_redaction.py::test_other_texts_stay_as_they_are", "tests/runtime/masking/test_mask.py::test_an_answer_is_masked_in_all_its_parts_and_keeps_the_rest_of_what_only_its_maker_understands")),
    "M-10": Row("programs inherit the keys", ("tests/adapters/tools/programs/test_environment.py::test_only_the_short_list_is_passed_on",)),
    # sessions, crash, resume
    "N-01": Row("half a line takes the next one along", (f"{DAMAGE}::test_a_damaged_file_gives_a_prefix_or_a_refusal", f"{DAMAGE}::test_a_killed_process_loses_nothing_that_was_written")),
    "N-02": Row("reading stops at the first bad line and says nothing", (f"{DAMAGE}::test_an_edited_record_is_named", "tests/fuzz/test_journals.py::test_a_damaged_journal_is_refused_or_says_what_it_said")),
    "N-03": Row("two processes write one session", ("tests/durability/test_races.py::test_of_two_processes_that_resume_a_run_one_proceeds_and_the_other_names_it", "tests/durability/test_races.py::test_whoever_lost_the_run_does_nothing_more")),
    "N-04": Row("a batch that had acted is run again", (f"{CRASH}::test_a_run_survives_the_death_of_its_process", "tests/durability/test_resume.py::test_a_run_that_died_in_a_call_tells_the_model_that_its_outcome_is_unknown")),
    "N-05": Row("writers share one temporary name", ("tests/adapters/stores/test_artifacts.py::test_a_file_that_cannot_be_kept_is_not_left_behind", f"{DAMAGE}::test_two_processes_may_make_one_store_at_once")),
    # spec files
    "O-01": Row("unknown keys below the top level", (SPECS,)),
    "O-02": Row("a key twice", (SPECS,)),
    "O-03": Row("yes, no, on, off", (SPECS,)),
    "O-04": Row("forms of a version", (SPECS,)),
    "O-05": Row("a tab in the indentation", (SPECS,)),
    "O-06": Row("two forms of placeholders", (SPECS,)),
    "O-07": Row("every dollar sign is a placeholder", (SPECS,)),
    "O-08": Row("values are expanded again"),
    "O-09": Row("braces in a prompt", (SPECS,)),
    "O-10": Row("a list where a mapping belongs", (SPECS,)),
    "O-11": Row("aliases that explode", ("tests/syntax/test_yaml_limits.py",)),
    "O-12": Row("paths of Windows in double quotes", (SPECS,)),
    "O-13": Row("examples of the manual that are refused", ("tests/docs/test_pages.py", "tests/checker/test_pages.py")),
    # agents that are called
    "P-01": Row("a child's failure is told as success", (f"{AGENTS}::{NO_SUCCESS}",)),
    "P-02": Row("children start copies of themselves", (f"{AGENTS}::test_agents_are_called_one_level_deep",)),
    "P-03": Row("a child keeps control", (f"{AGENTS}::test_an_agent_is_one_call_with_one_envelope_and_a_run_of_its_own",)),
    "P-04": Row("a caller that does not see that its child is done", (f"{AGENTS}::test_an_agent_is_one_call_with_one_envelope_and_a_run_of_its_own",)),
    "P-05": Row("a child at its limit ends the whole run", (f"{AGENTS}::test_a_bound_that_it_reaches_is_told_in_its_envelope",)),
}  # fmt: skip
