#include <gtest/gtest.h>

#include "cases/tests/faults/red_keys.hpp"
#include "cases/tests/run_case.hpp"

// Which observations faults of allocators, pools and pinned memory turn red.
namespace gpucheck::cases::test_of_red_memory {
namespace {

class MemoryUnderFaults : public testing::TestWithParam<RedKeys> {};

TEST_P(MemoryUnderFaults, TurnTheseObservationsRed) { expect_red(GetParam()); }

const RedKeys red[] = {
    {"alloc.allocation_excludes", "allocation_fails",
     "error served_afterwards error_of_a_released_lock served_by_a_released_lock"},
    {"alloc.async_capture", "free_lost", "bytes_left"},
    {"alloc.async_capture", "replay_lost", "sum"},
    {"alloc.async_capture", "lost_node", "sum"},
    {"alloc.async_streams", "no_stream_waits", "freed_while_its_own_stream_works freed_while_another_user_works"},
    {"alloc.async_streams", "streams_seem_busy", "freed_when_its_own_stream_is_done freed_when_another_user_is_done"},
    {"alloc.caching_disabled_raw_alloc", "lost_write", "cached_last_byte"},
    {"alloc.caching_disabled_raw_alloc", "flipped_bit", "cached_last_byte"},
    {"alloc.caching_disabled_raw_alloc", "lost_read", "uncached_last_byte"},
    {"alloc.expandable_unmap", "nobody_waits", "work_done_after_empty_cache work_done_after_the_graphs_memory_went"},
    {"alloc.expandable_unmap", "lost_work", "work_done_before_empty_cache work_done_before_the_graphs_memory_goes"},
    {"alloc.leak_check_propagates_error", "lost_sum", "sums"},
    {"alloc.leak_check_propagates_error", "flipped_bit", "sums"},
    {"alloc.memory_fraction", "full_before_the_limit", "error_below_the_limit"},
    {"alloc.memory_fraction", "full_after_the_refusal", "error_after_refusal"},
    {"alloc.memory_fraction", "full_without_limit", "error_without_limit"},
    {"alloc.memory_fraction", "memory_info_lost", "type_of_error_above_the_limit error_above_the_limit num_ooms"},
    {"alloc.memory_fraction", "fill_lost_after_error", "ones_after_refusal"},
    {"alloc.oom_message", "fill_lost_after_error", "ones_after_errors"},
    {"alloc.oom_message", "flipped_bit", "ones_after_errors"},
    {"alloc.oom_observer", "memory_info_wrong", "told_some_memory_is_in_use"},
    {"alloc.oom_retry", "retry_fails", "larger_error ooms_when_cache_is_too_small"},
    {"alloc.oom_retry", "free_ignored", "larger_error ooms_when_cache_is_too_small"},
    {"alloc.oom_retry", "memory_allocated_twice", "second_half_error retries_before_failure ooms_before_failure"},
    // The first block of a pool comes later than the second.
    {"alloc.pending_free_order", "one_event_late", "order_1"},
    {"alloc.raises_oom", "failure_lost", "default_error_type default_error default_num_ooms"},
    {"alloc.raises_oom", "stays_full", "default_error_afterwards max_split_size_error_afterwards"},
    {"alloc.raw_alloc_delete", "lost_write", "byte_read_back"},
    {"alloc.raw_alloc_delete", "flipped_bit", "byte_read_back"},
    {"alloc.record_stream_oom", "lost_addition", "wrong_sums"},
    {"alloc.record_stream_oom", "flipped_bit", "wrong_sums"},
    {"alloc.record_stream_oom", "lost_verification", "every_sum_verified"},
    {"alloc.reuse_in_capture", "lost_replay", "sums"},
    {"alloc.reuse_in_capture", "flipped_bit", "sums"},
    {"pool.checkpoint_adjacent_blocks", "replay_lost", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_middle_block", "replay_lost", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_simple", "replay_lost", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_two_middle_blocks", "replay_lost", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_adjacent_blocks", "lost_node", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_middle_block", "lost_node", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_simple", "lost_node", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_two_middle_blocks", "lost_node", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_adjacent_blocks", "flipped_bit", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_middle_block", "flipped_bit", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_simple", "flipped_bit", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.checkpoint_two_middle_blocks", "flipped_bit", "wrong_bytes wrong_bytes_after_restore"},
    {"pool.check_live_allocations", "replay_lost", "wrong_bytes"},
    {"pool.checkpoint_missing_stale_error", "replay_lost", "wrong_bytes"},
    {"pool.checkpoint_stale_storage", "replay_lost", "wrong_bytes"},
    {"pool.tensor_dies_after_checkpoint", "replay_lost", "wrong_bytes"},
    {"pool.check_live_allocations", "lost_node", "wrong_bytes"},
    {"pool.checkpoint_missing_stale_error", "lost_node", "wrong_bytes"},
    {"pool.checkpoint_stale_storage", "lost_node", "wrong_bytes"},
    {"pool.tensor_dies_after_checkpoint", "lost_node", "wrong_bytes"},
    {"pool.check_live_allocations", "flipped_bit", "wrong_bytes"},
    {"pool.checkpoint_missing_stale_error", "flipped_bit", "wrong_bytes"},
    {"pool.checkpoint_stale_storage", "flipped_bit", "wrong_bytes"},
    {"pool.tensor_dies_after_checkpoint", "flipped_bit", "wrong_bytes"},
    {"pool.reattach_deleters", "replay_lost", "wrong_bytes wrong_bytes_rebuilt wrong_bytes_after_second_replay"},
    {"pool.reattach_deleters", "lost_node", "wrong_bytes wrong_bytes_rebuilt wrong_bytes_after_second_replay"},
    {"pool.reattach_deleters", "flipped_bit", "wrong_bytes wrong_bytes_rebuilt wrong_bytes_after_second_replay"},
    {"pinned.cache_reuse_after_event", "lost_copy", "value_on_device"},
    {"pinned.cache_reuse_after_event", "flipped_bit", "value_on_device"},
    {"pinned.copy_non_blocking", "lost_copy_to_device", "to_device_wrong_bytes"},
    {"pinned.copy_non_blocking", "lost_copy_to_host", "to_host_wrong_bytes"},
    {"pinned.copy_non_blocking", "flipped_bit_in_view", "to_view_wrong_bytes"},
    {"pinned.copy_non_blocking", "pinned_memory_unknown", "base_is_pinned view_is_pinned"},
    {"pinned.copy_type_conversion", "lost_first_copy", "converted on_host"},
    {"pinned.copy_type_conversion", "lost_second_copy", "converted"},
    {"pinned.copy_type_conversion", "lost_conversion", "converted"},
    {"pinned.copy_type_conversion", "flipped_bit", "converted"},
    {"pinned.cudart_register", "register_lost", "pinned_when_registered end_pinned_when_registered unregister_status"},
    {"pinned.cudart_register", "register_fails",
     "register_status pinned_when_registered end_pinned_when_registered unregister_status"},
    {"pinned.cudart_register", "unregister_lost", "pinned_when_unregistered"},
    {"pinned.cudart_register", "pinned_memory_unknown", "pinned_when_registered"},
    {"pinned.graph_pool", "event_completes_early", "reused_while_its_stream_works"},
    {"pinned.graph_pool", "events_never_complete", "reused_when_its_stream_is_done"},
    {"pinned.graph_pool", "lost_work", "reused_while_its_stream_works"},
    {"pinned.noncontiguous", "pinned_memory_unknown", "pinned"},
    {"pinned.noncontiguous", "lost_copy", "on_device"},
    {"pinned.noncontiguous", "flipped_bit", "on_device"},
    {"pinned.noncontiguous", "lost_layout", "on_device"},
    {"pinned.refusals", "events_never_complete", "reused_after_the_failure"},
    {"pinned.reserved_segment", "second_segment_fails",
     "error second_half_follows_the_first third_half_is_in_the_segment"},
    {"pinned.to_non_blocking", "lost_transfer_to_device", "to_device_non_blocking_wrong_elements"},
    {"pinned.to_non_blocking", "lost_blocking_transfer_to_device", "to_device_blocking_wrong_elements"},
    {"pinned.to_non_blocking", "lost_blocking_transfer_to_host", "to_host_blocking_wrong_elements"},
    {"pinned.to_non_blocking", "pinned_memory_unknown", "to_host_non_blocking_result_pinned"},
};

INSTANTIATE_TEST_SUITE_P(Each, MemoryUnderFaults, testing::ValuesIn(red));

TEST(AllocationExcludes, ServesTheOtherThreadMeanwhileWithAReleasedLockAlone) {
  const Seen seen = run_case(case_named("alloc.allocation_excludes"));
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_FALSE(seen.flag("served_while_the_device_allocates"));
  EXPECT_TRUE(seen.flag("served_afterwards"));
  EXPECT_TRUE(seen.flag("served_by_a_released_lock"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_red_memory
