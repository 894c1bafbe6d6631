#include <gtest/gtest.h>

#include "cases/tests/faults/red_keys.hpp"
#include "cases/tests/run_case.hpp"

// Which observations faults of graphs, and what draws numbers in them turn red.
namespace gpucheck::cases::test_of_red_graphs {
namespace {

class GraphsUnderFaults : public testing::TestWithParam<RedKeys> {};

TEST_P(GraphsUnderFaults, TurnTheseObservationsRed) { expect_red(GetParam()); }

const RedKeys red[] = {
    {"graph.capture_error_modes", "thread_local_capture_fails", "thread_local_capture_error"},
    {"graph.capture_error_modes", "relaxed_capture_fails", "relaxed_capture_error"},
    {"graph.capture_oom", "another_error", "error"},
    {"graph.capture_oom", "next_capture_fails", "next_capture_error runs_of_the_next_graph"},
    {"graph.capture_oom", "replay_lost", "runs_of_the_next_graph"},
    {"graph.capture_query", "no_capture_told", "in_the_capture"},
    {"graph.capture_scope", "no_wait", "stream_that_was_busy"},
    {"graph.capture_scope", "no_replay", "sum"},
    {"graph.capture_simple", "runs_while_captured", "runs_during_capture runs_after_replay"},
    {"graph.capture_simple", "lost_node", "sum_after_replay"},
    {"graph.capture_simple", "lost_replay", "runs_after_replay sum_after_replay"},
    {"graph.capture_simple", "flipped_bit", "sum_after_replay"},
    {"graph.capture_without_id", "capture_fails", "capture_error"},
    {"graph.capture_without_id", "end_lost", "stream_is_still_captured"},
    {"graph.capture_without_id", "replay_fails", "next_capture_error sum_of_the_next_capture"},
    {"graph.capture_without_id", "replay_lost", "sum_of_the_next_capture"},
    {"graph.capture_without_id", "lost_node", "sum_of_the_next_capture"},
    {"graph.debug_dump_dot", "no_nodes", "kernels invocations arrays edges"},
    {"graph.debug_dump_dot", "nodes_not_told", "dump_error kernels invocations arrays edges"},
    {"graph.empty_graph_warning", "empty_graph_counted_as_full", "warnings_for_an_empty_capture warning"},
    {"graph.empty_graph_warning", "full_graph_counted_as_empty", "warnings_for_one_kernel"},
    {"graph.empty_graph_warning", "lost_node", "warnings_for_one_kernel"},
    {"graph.external_event_timing", "no_time_passes", "elapsed_ms"},
    {"graph.external_event_timing", "event_not_in_the_graph", "nodes elapsed_error elapsed_ms"},
    {"graph.external_event_timing", "lost_node", "nodes z_sum"},
    {"graph.failed_capture_recovers", "end_of_an_abandoned_capture_lost", "stream_captures_after"},
    {"graph.failed_capture_recovers", "draw_fails", "draw_fails_after"},
    {"graph.failed_capture_recovers", "replay_lost", "next_capture_fails_after"},
    {"graph.kept_graph", "second_instantiation_fails", "instantiate_again_error"},
    {"graph.kept_graph", "no_nodes", "nodes_of_the_raw_graph"},
    {"graph.kept_graph", "no_replay", "sum_of_three_replays sum_after_another_capture"},
    // The node is one of the smallest graph's.
    {"graph.memory_stats_and_result_after_destroy", "lost_node", "512_bytes_sum 512_bytes_sum_after_the_graph"},
    {"graph.record_stream_in_capture", "event_never_completes", "pending_blocks_at_the_end"},
    {"graph.record_stream_in_capture", "capture_refused", "capture_error pending_blocks_in_the_capture"},
    {"graph.repeat_capture_cublas_workspace", "no_replay", "wrong_elements"},
    {"graph.repeat_capture_cublas_workspace", "lost_replay", "wrong_elements"},
    {"graph.reset_and_recapture", "lost_node_in_second_capture", "second_sum"},
    {"graph.reset_and_recapture", "flipped_bit", "first_sum"},
    {"graph.three_successive", "lost_replay", "shared_pool_reordered_e_sum"},
    // What the graphs do not make stays right.
    {"graph.two_successive", "no_replay", "separate_b_sum shared_pool_b_sum shared_handle_b_sum"},
    {"graph.two_successive", "no_kernel",
     "separate_b_sum separate_c_sum shared_pool_b_sum shared_pool_c_sum shared_handle_b_sum shared_handle_c_sum"},
    {"graph.two_successive", "lost_node", "shared_pool_b_sum"},
    {"graph.two_successive", "flipped_bit", "separate_b_sum"},
    {"rng.graph_checkpoint_preserves_state", "no_replay", "graph_recomputed_unlike_eager graph_others_unlike_eager"},
    {"rng.graph_checkpoint_preserves_state", "lost_recomputation",
     "eager_recomputed_differing graph_recomputed_unlike_eager"},
    {"rng.graph_checkpoint_preserves_state", "recomputation_left_out",
     "graph_recomputed_differing graph_recomputed_unlike_eager"},
    {"rng.graph_functional_ops", "lost_replay", "dropout_differing_in_sequence"},
    {"rng.graph_functional_ops", "lost_operator", "dropout_differing_in_sequence"},
    {"rng.graph_seed_change_raises", "never_captured", "other_seed_error initial_seed_after"},
    {"rng.graphs_of_one_generator", "no_replay", "first_numbers second_numbers differing_third"},
    {"rng.graphs_of_one_generator", "lost_replay", "differing_third"},
    {"rng.graphsafe_state_switch", "lost_replay", "first_round differing_numbers"},
    {"rng.graphsafe_state_switch", "flipped_bit", "differing_numbers"},
    {"rng.refusals", "offset_unseen", "offset_in_capture_error"},
    {"rng.refusals", "construction_unseen", "construction_in_capture_error"},
    {"rng.generator_state_memory", "clone_unseen", "clone_in_capture_error"},
    {"rng.generator_state_memory", "draw_unseen", "unregistered_draw_error"},
    {"rng.device_seed", "lost_draw", "first_uniform differing_uniform"},
    {"rng.device_seed", "second_draw_lost", "differing_bernoulli"},
    {"rng.device_seed", "flipped_bit", "differing_uniform"},
    {"rng.device_seed", "flipped_bit_of_bernoulli", "differing_bernoulli"},
    {"rng.global_seed_seeds_devices", "flipped_bit", "differing_numbers"},
    {"rng.multinomial_corner_cases", "lost_draw", "draws_of_empty_bins"},
    {"rng.multinomial_corner_cases", "lost_search", "rows_of_the_second_column"},
};

INSTANTIATE_TEST_SUITE_P(Each, GraphsUnderFaults, testing::ValuesIn(red));

using Names = std::vector<std::string>;

Seen failed_captures_under(const char* fault) {
  const harness::Case& test_case = case_named("graph.failed_capture_recovers");
  return run_case(test_case, {.plan = test_case.find_fault(fault)->plan});
}

TEST(FailedCaptures, AreNamedByHowTheyEnded) {
  EXPECT_EQ(failed_captures_under("end_of_an_abandoned_capture_lost").texts("stream_captures_after"), Names{"reset"});
  // Three kernels are recorded by the capture before the first draw.
  EXPECT_EQ(failed_captures_under("draw_fails").texts("draw_fails_after"), Names{"invalidated"});
  EXPECT_EQ(failed_captures_under("replay_lost").texts("next_capture_fails_after"),
            (Names{"invalidated", "lost", "reset", "destroyed"}));
  EXPECT_EQ(failed_captures_under("broken_capture_passes").text("invalidated_error"), "Invalid capture.")
      << "a good end, but no graph";
}

}  // namespace
}  // namespace gpucheck::cases::test_of_red_graphs
